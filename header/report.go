package header

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The codes of warnings.
const (
	UnknownTag   = "unknown-tag"   // a tag that is not known; it has no effect
	DuplicateTag = "duplicate-tag" // a tag that was given before; this value counts
	SecondBlock  = "second-block"  // a doc comment after the header; it has no effect
	MoreWarnings = "more-warnings" // further warnings were left out; says how many
)

// MaxWarnings bounds the warnings of one script. What goes beyond them is
// counted by one more, with the code [MoreWarnings].
const MaxWarnings = 100

// Warning is something in a header that its author should hear of and that
// does not keep the script from running.
type Warning struct {
	Code    string
	Message string // one line; names the tag, its value and the script; bounded
	Line    int    // 1-based, in the source
}

// Error says that a known tag has a malformed value.
type Error struct {
	Tag    string // with its "@"
	Value  string // as written; cut, with a mark, if it is longer than 100 characters
	Reason string // what is wrong, and what is allowed
	Line   int    // 1-based, in the source
}

// Error returns all four fields in one line, the value quoted.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d: tag=%s value=%q reason=%s", e.Line, e.Tag, e.Value, e.Reason)
}

// warnings collects the warnings of one script.
type warnings struct {
	script string
	list   []Warning

	left     int // how many were left out
	leftLine int // the line of the first of them
}

func (w *warnings) unknownTag(t tag) {
	hint := ""
	for i := range len(t.name) {
		if !isWord(t.name[i]) {
			hint = "; a name consists of letters, digits and _, and a blank follows it"
			break
		}
	}
	for name := range setters {
		if nearly(strings.ToLower(name), strings.ToLower(t.name)) {
			hint = "; did you mean @" + name + "?"
		}
	}
	w.add(UnknownTag, t.line, "unknown tag %q with value %q in script %q is ignored%s",
		"@"+cut(t.name), cut(t.value), cut(w.script), hint)
}

// nearly says whether one letter more, less, or other, or two that changed places,
// make a of b.
func nearly(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(b) && a[i] == b[i] {
		i++
	}
	switch len(a) - len(b) {
	case 1:
		return a[i+1:] == b[i:]
	case 0:
		swapped := i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
		return i == len(a) || a[i+1:] == b[i+1:] || swapped
	}
	return false
}

func (w *warnings) duplicateTag(t, earlier tag) {
	w.add(DuplicateTag, t.line, "tag @%s with value %q in script %q replaces the value %q of line %d",
		t.name, cut(t.value), cut(w.script), cut(earlier.value), earlier.line)
}

func (w *warnings) secondBlock(line int) {
	w.add(SecondBlock, line, "another doc comment above the first statement of script %q is ignored: only the first is the header",
		cut(w.script))
}

func (w *warnings) add(code string, line int, format string, args ...any) {
	if len(w.list) == MaxWarnings {
		if w.left == 0 {
			w.leftLine = line
		}
		w.left++
		return
	}
	w.list = append(w.list, Warning{Code: code, Message: fmt.Sprintf(format, args...), Line: line})
}

func (w *warnings) all() []Warning {
	if w.left == 0 {
		return w.list
	}
	return append(w.list, Warning{
		Code:    MoreWarnings,
		Message: fmt.Sprintf("%d more warnings for the header of script %q are left out", w.left, cut(w.script)),
		Line:    w.leftLine,
	})
}

// quoteLimit is how many characters of a value messages show.
const quoteLimit = 100

// cut bounds what a message repeats of a script.
func cut(s string) string {
	if len(s) <= quoteLimit {
		return s
	}
	end := 0
	for range quoteLimit {
		if end == len(s) {
			return s
		}
		_, n := utf8.DecodeRuneInString(s[end:])
		end += n
	}
	if end == len(s) {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes in all)", s[:end], len(s))
}
