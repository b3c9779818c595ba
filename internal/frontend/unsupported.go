package frontend

import (
	"sort"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/ringfence-js/ringfence/core/engine"
)

// regexpFlags are the flags that a regular expression may have on every engine.
const regexpFlags = "gimsuy"

// refuseUnsupported refuses syntax that the parser lets pass and that not every
// engine runs.
func (b *builder) refuseUnsupported(s *script) *engine.Error {
	var refused *engine.Error
	refuse := func(at int, message string) bool {
		if refused == nil {
			refused = b.syntaxError(at, message)
		}
		return false
	}
	walk(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.RegExpLiteral:
			// The parser lets a literal end with its line, or go on in the next.
			start := s.offset(n.Idx)
			text := b.word(b.tokenAt(start))
			if !strings.HasSuffix(text, "/"+n.Flags) || len(text) < 3+len(n.Flags) || hasLineEnd(text) {
				return refuse(start, "Invalid regular expression: missing /")
			}
			if flag := badFlag(n.Flags); flag != "" {
				return refuse(s.offset(n.Idx), "Invalid regular expression flag "+flag)
			}
		}
		return refused == nil
	})
	return refused
}

// tokenAt returns the index of the token that begins at the offset.
func (b *builder) tokenAt(start int) int {
	return sort.Search(len(b.tokens), func(i int) bool { return b.tokens[i].start >= start })
}

// badFlag returns the first flag that is unknown or there twice.
func badFlag(flags string) string {
	for i, flag := range flags {
		if !strings.ContainsRune(regexpFlags, flag) || strings.ContainsRune(flags[:i], flag) {
			return string(flag)
		}
	}
	return ""
}
