package header

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// block is the text between the "/**" and the "*/" of a comment, with the
// 1-based line on which that text begins.
type block struct {
	text string
	line int
}

// docBlocks yields the doc comments above the first statement of a script. It
// ends at the first thing that is neither a comment nor white space, and at a
// comment that does not end: that is the parser's to report.
//
// Every step consumes what it looked at, which is what keeps the scan linear.
func docBlocks(source string) iter.Seq[block] {
	return func(yield func(block) bool) {
		line := 1
		rest := strings.TrimPrefix(source, "\ufeff")
		if strings.HasPrefix(rest, "#!") {
			rest = rest[lineLength(rest):]
		}
		for rest != "" {
			if n := lineEnd(rest); n > 0 {
				line++
				rest = rest[n:]
				continue
			}
			if strings.HasPrefix(rest, "//") {
				rest = rest[lineLength(rest):]
				continue
			}
			if strings.HasPrefix(rest, "/*") {
				n := strings.Index(rest[2:], "*/")
				if n < 0 {
					return
				}
				comment := rest[:2+n+2]
				if isDoc(comment) && !yield(block{docText(comment), line}) {
					return
				}
				line += lineEnds(comment)
				rest = rest[len(comment):]
				continue
			}
			r, n := utf8.DecodeRuneInString(rest)
			if !isBlank(r) {
				return
			}
			rest = rest[n:]
		}
	}
}

// isDoc tells a doc comment from a plain one. "/**/" and comments that open
// with more than two stars, which authors use for banners, are plain.
func isDoc(comment string) bool {
	return len(comment) > len("/**/") && comment[2] == '*' && comment[3] != '*'
}

// docText returns what stands between the marks of a doc comment. Stars that
// touch the closing mark and nothing else, as in "5s **/", are part of it.
func docText(comment string) string {
	text := comment[len("/**") : len(comment)-len("*/")]
	bare := strings.TrimRight(text, "*")
	if r, _ := utf8.DecodeLastRuneInString(bare); bare == "" || isBlank(r) || isLineEnd(r) {
		return bare
	}
	return text
}
