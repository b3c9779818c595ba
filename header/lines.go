package header

import "unicode"

// Lines and white space are those of ECMAScript (12.2 and 12.3), so that line
// numbers agree with the ones that engines report.

// isBlank reports whether r is white space within a line.
func isBlank(r rune) bool {
	switch r {
	case '\t', '\v', '\f', ' ', '\ufeff':
		return true
	}
	return r > unicode.MaxASCII && unicode.Is(unicode.Zs, r)
}

// isLineEnd reports whether r ends a line.
func isLineEnd(r rune) bool {
	return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029'
}

// lineEnd returns the length in bytes of the line end that s starts with, or
// zero. CR LF is one line end.
func lineEnd(s string) int {
	if s == "" {
		return 0
	}
	switch s[0] {
	case '\n':
		return 1
	case '\r':
		if len(s) > 1 && s[1] == '\n' {
			return 2
		}
		return 1
	case 0xe2: // U+2028 and U+2029 are e2 80 a8 and e2 80 a9
		if len(s) > 2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9) {
			return 3
		}
	}
	return 0
}

// lineLength returns the length in bytes of the first line of s, without its
// line end.
func lineLength(s string) int {
	for i := range len(s) {
		if lineEnd(s[i:]) > 0 {
			return i
		}
	}
	return len(s)
}

// cutLine splits s after its first line. More says whether there was a line
// end, and so another line, which may be empty.
func cutLine(s string) (line, rest string, more bool) {
	n := lineLength(s)
	end := lineEnd(s[n:])
	return s[:n], s[n+end:], end > 0
}

// lineEnds counts the line ends in s.
func lineEnds(s string) int {
	count := 0
	for _, rest, more := cutLine(s); more; _, rest, more = cutLine(rest) {
		count++
	}
	return count
}
