package frontend

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A tokenKind says what a token is.
type tokenKind uint8

const (
	tokenIdentifier   tokenKind = iota // names and keywords, escapes included
	tokenPrivate                       // #name
	tokenNumber                        // Number and BigInt literals
	tokenString                        // string literals, also unterminated ones
	tokenTemplate                      // a template without holes, or the end of one that has some: }...`
	tokenTemplateOpen                  // `...${ or }...${ : a hole follows
	tokenRegexp                        // a regular expression literal with its flags
	tokenPunct                         // everything else
)

// A token is a piece of the source that the grammar sees as one. Comments and
// blanks are none.
type token struct {
	start, end int
	kind       tokenKind
	// newline says that a line end stands between this token and the one before.
	newline bool
	// match is the index of the matching bracket, or -1: for ( [ { and their ends;
	// for the parts of a template it is that of the part at the other end of the
	// hole: a middle part has that of the next part.
	match int
	// opens is the index of the bracket that a closing one matches, or -1. A
	// middle part of a template closes one hole and opens another.
	opens int
}

// An observer follows the tokens as they are found, and knows what a slash means.
type observer interface {
	// token is called after tokens[len(tokens)-1] was added, before the match of
	// anything but that token can have changed. It returns false to stop the lexer.
	token(tokens []token) bool
	// regexp says whether a slash at the offset begins a regular expression.
	regexp(tokens []token, offset int) bool
}

// lex splits the source into tokens. It never fails: what is no token in
// JavaScript becomes a punctuator of one character, and something unterminated
// ends where the source, or for strings and regular expressions the line, ends.
// The time is linear in the size of the source.
//
// Where goja's parser departs from the standard, lex follows the parser: a line
// end passes for a part of a regular expression after a backslash in a class, and
// U+0085 is a blank. Were the two to disagree on where a token ends, code could
// hide in what lex takes for text.
func lex(src string, watch observer) []token {
	l := &lexer{src: src, watch: watch, tokens: make([]token, 0, len(src)/4+1)}
	if strings.HasPrefix(src, "#!") {
		l.pos = lineEnd(src, 0)
	}
	for !l.stopped && l.skip() {
		l.next()
	}
	return l.tokens
}

type lexer struct {
	src     string
	pos     int
	newline bool
	tokens  []token
	open    []int // indexes of the brackets that are open
	watch   observer
	stopped bool
}

// skip passes over blanks and comments and says whether something is left.
func (l *lexer) skip() bool {
	l.newline = false
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c == '\n' || c == '\r':
			l.newline = true
			l.pos++
		case c == ' ' || c == '\t' || c == '\v' || c == '\f':
			l.pos++
		case c == '/' && strings.HasPrefix(l.src[l.pos:], "//"):
			l.pos = lineEnd(l.src, l.pos)
		case c == '/' && strings.HasPrefix(l.src[l.pos:], "/*"):
			end := strings.Index(l.src[l.pos+2:], "*/")
			if end < 0 {
				l.pos = len(l.src)
				return false
			}
			l.newline = l.newline || hasLineEnd(l.src[l.pos:l.pos+2+end])
			l.pos += end + 4
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(l.src[l.pos:])
			switch {
			case r == '\u2028' || r == '\u2029':
				l.newline = true
			case r != '\uFEFF' && !unicode.IsSpace(r):
				return true
			}
			l.pos += size
		default:
			return true
		}
	}
	return false
}

func (l *lexer) next() {
	start := l.pos
	switch c := l.src[start]; {
	case isIdentifierByte(c):
		l.add(tokenIdentifier, l.identifier(start))
	case c == '#' && start+1 < len(l.src) && isIdentifierByte(l.src[start+1]):
		l.add(tokenPrivate, l.identifier(start+1))
	case isDigit(c), c == '.' && start+1 < len(l.src) && isDigit(l.src[start+1]):
		l.add(tokenNumber, l.number(start))
	case c == '"' || c == '\'':
		l.add(tokenString, l.quoted(start, c))
	case c == '`':
		l.template(start)
	case c == '}' && l.inHole():
		l.template(start)
	case c == '/' && l.watch.regexp(l.tokens, start):
		l.add(tokenRegexp, l.regexpEnd(start))
	default:
		l.add(tokenPunct, start+punctuatorLen(l.src[start:]))
	}
}

// add appends a token that ends at end, matches brackets, and tells the observer.
func (l *lexer) add(kind tokenKind, end int) {
	i := len(l.tokens)
	t := token{start: l.pos, end: end, kind: kind, newline: l.newline, match: -1, opens: -1}
	if kind == tokenPunct && end == l.pos+1 {
		switch l.src[l.pos] {
		case '(', '[', '{':
			l.open = append(l.open, i)
		case ')', ']', '}':
			t.opens = l.closeBracket(i)
			t.match = t.opens
		}
	}
	l.tokens = append(l.tokens, t)
	l.pos = end
	l.stopped = !l.watch.token(l.tokens)
}

// closeBracket pops the innermost open bracket and links it with token i. A
// bracket of another kind closes it as well: the parser will refuse the source.
func (l *lexer) closeBracket(i int) int {
	if len(l.open) == 0 {
		return -1
	}
	opening := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	l.tokens[opening].match = i
	return opening
}

// inHole says whether the innermost open bracket is the hole of a template.
func (l *lexer) inHole() bool {
	return len(l.open) > 0 && l.tokens[l.open[len(l.open)-1]].kind == tokenTemplateOpen
}

// template scans a part of a template: from its quote, or from the end of a hole.
func (l *lexer) template(start int) {
	i := len(l.tokens)
	opens := -1
	if l.src[start] == '}' {
		opens = l.closeBracket(i)
	}
	kind, pos := tokenTemplate, start+1
scan:
	for pos < len(l.src) {
		switch l.src[pos] {
		case '\\':
			pos += 2
		case '`':
			pos++
			break scan
		case '$':
			pos++
			if pos < len(l.src) && l.src[pos] == '{' {
				kind = tokenTemplateOpen
				pos++
				break scan
			}
		default:
			pos++
		}
	}
	if kind == tokenTemplateOpen {
		l.open = append(l.open, i)
	}
	l.tokens = append(l.tokens, token{start: start, end: min(pos, len(l.src)), kind: kind, newline: l.newline, match: -1, opens: opens})
	l.pos = min(pos, len(l.src))
	l.stopped = !l.watch.token(l.tokens)
}

// identifier scans names with their escapes. An escape without a legal end is one
// that ends where it goes wrong.
func (l *lexer) identifier(pos int) int {
	for pos < len(l.src) {
		c := l.src[pos]
		switch {
		case c == '\\':
			pos++
			if strings.HasPrefix(l.src[pos:], "u{") {
				pos = l.digits(pos+2, 16, false)
				if pos < len(l.src) && l.src[pos] == '}' {
					pos++
				}
			}
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(l.src[pos:])
			if unicode.IsSpace(r) || r == '\uFEFF' {
				return pos
			}
			pos += size
		case isIdentifierByte(c) || isDigit(c):
			pos++
		default:
			return pos
		}
	}
	return pos
}

// number scans a number. One that is malformed ends where it goes wrong: the parser
// refuses it.
func (l *lexer) number(pos int) int {
	switch {
	case l.src[pos] == '0' && pos+1 < len(l.src):
		base := 0
		switch l.src[pos+1] {
		case 'x', 'X':
			base = 16
		case 'o', 'O':
			base = 8
		case 'b', 'B':
			base = 2
		case '.', 'e', 'E':
			pos++
		default:
			return l.bigSuffix(l.digits(pos+1, 8, false)) // 0, 0n, and octal as in 017
		}
		if base > 0 {
			return l.bigSuffix(l.digits(pos+2, base, true))
		}
	case l.src[pos] != '.':
		pos = l.digits(pos, 10, true)
	}
	if pos < len(l.src) && l.src[pos] == '.' {
		pos = l.digits(pos+1, 10, true)
	}
	if pos < len(l.src) && (l.src[pos] == 'e' || l.src[pos] == 'E') {
		pos++
		if pos < len(l.src) && (l.src[pos] == '-' || l.src[pos] == '+') {
			pos++
		}
		pos = l.digits(pos, 10, true)
	}
	return l.bigSuffix(pos)
}

func (l *lexer) bigSuffix(pos int) int {
	if pos < len(l.src) && (l.src[pos] == 'n' || l.src[pos] == 'N') {
		pos++
	}
	return pos
}

func (l *lexer) digits(pos, base int, separators bool) int {
	for pos < len(l.src) {
		c := l.src[pos]
		value := 16
		switch {
		case isDigit(c):
			value = int(c - '0')
		case c >= 'a' && c <= 'f':
			value = int(c-'a') + 10
		case c >= 'A' && c <= 'F':
			value = int(c-'A') + 10
		}
		if value >= base && !(separators && c == '_') {
			break
		}
		pos++
	}
	return pos
}

func (l *lexer) quoted(pos int, quote byte) int {
	pos++
	for pos < len(l.src) {
		switch l.src[pos] {
		case '\\':
			pos++
			if strings.HasPrefix(l.src[pos:], "\r\n") {
				pos++
			}
			pos++
		case quote:
			return pos + 1
		case '\n', '\r':
			return pos
		default:
			pos++
		}
	}
	return min(pos, len(l.src))
}

func (l *lexer) regexpEnd(pos int) int {
	pos++
	class := false
	for pos < len(l.src) {
		switch c := l.src[pos]; {
		case c == '\\':
			pos++
			if n := lineEndLen(l.src[pos:]); n > 0 {
				if !class {
					return pos
				}
				pos += n - 1
			}
		case c == '\n' || c == '\r':
			return pos
		case !class && lineEndLen(l.src[pos:]) > 0:
			return pos
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return l.identifier(pos + 1)
		}
		pos++
	}
	return min(pos, len(l.src))
}

// lineEndLen returns the length of the line end that s begins with, or 0.
func lineEndLen(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == '\r':
		if strings.HasPrefix(s, "\r\n") {
			return 2
		}
		return 1
	case s[0] == '\n':
		return 1
	case strings.HasPrefix(s, "\u2028"), strings.HasPrefix(s, "\u2029"):
		return 3
	}
	return 0
}

// punctuators of more than one character, longest first.
var punctuators = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
}

func punctuatorLen(s string) int {
	if strings.IndexByte("()[]{};,:~", s[0]) >= 0 {
		return 1
	}
	for _, p := range punctuators {
		if strings.HasPrefix(s, p) {
			if p == "?." && len(s) > 2 && isDigit(s[2]) {
				continue // a?.5:b is a conditional
			}
			return len(p)
		}
	}
	_, size := utf8.DecodeRuneInString(s)
	return max(size, 1)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isIdentifierByte says whether c begins an identifier: a letter, $, _, an escape,
// or any character beyond ASCII.
func isIdentifierByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '$' || c == '_' || c == '\\' || c >= utf8.RuneSelf
}

// lineEnd returns the offset of the line end at or after pos, or of the end.
func lineEnd(src string, pos int) int {
	if i := strings.IndexAny(src[pos:], "\n\r\u2028\u2029"); i >= 0 {
		return pos + i
	}
	return len(src)
}

func hasLineEnd(s string) bool { return strings.ContainsAny(s, "\n\r\u2028\u2029") }

// exactRegexps is the observer that knows where regular expressions are: from the
// parser.
type exactRegexps map[int]bool

func (exactRegexps) token([]token) bool                  { return true }
func (r exactRegexps) regexp(_ []token, offset int) bool { return r[offset] }
