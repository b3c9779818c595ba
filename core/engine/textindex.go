package engine

import (
	"slices"
	"sort"
	"unicode/utf8"
)

// A textIndex finds lines and columns of a text, in time that does not grow with
// the length of a line.
type textIndex struct {
	text  string
	lines []int // where the lines begin
	// units[i] is how many UTF-16 units stand before the first rune that begins at
	// or after byte i*unitsBlock. It is nil where the text is ASCII.
	units []int
}

const unitsBlock = 512

func newTextIndex(text string) textIndex {
	t := textIndex{text: text, lines: lineStarts(text)}
	ascii := true
	for i := 0; i < len(text) && ascii; i++ {
		ascii = text[i] < utf8.RuneSelf
	}
	if ascii {
		return t
	}
	count := 0
	for i, r := range text {
		for len(t.units)*unitsBlock <= i {
			t.units = append(t.units, count)
		}
		count += utf16Width(r)
	}
	return t
}

// before returns how many UTF-16 units stand before an offset.
func (t *textIndex) before(offset int) int {
	if t.units == nil {
		return offset
	}
	block := min(offset/unitsBlock, len(t.units)-1)
	at := block * unitsBlock
	for at < len(t.text) && !utf8.RuneStart(t.text[at]) {
		at++
	}
	if at > offset {
		return t.units[block]
	}
	return t.units[block] + utf16Len(t.text[at:offset])
}

// position returns line and column, both from 1, the column in UTF-16 units, of an
// offset.
func (t *textIndex) position(offset int) (line, column int) {
	i := sort.SearchInts(t.lines, offset+1) - 1
	return i + 1, t.before(offset) - t.before(t.lines[i]) + 1
}

// start returns the offset at which a line begins, or -1 where there is none.
func (t *textIndex) start(line int) int {
	if line < 1 || line > len(t.lines) {
		return -1
	}
	return t.lines[line-1]
}

// offset returns the offset of a line and a column in UTF-16 units, or -1.
func (t *textIndex) offset(line, column int) int {
	start := t.start(line)
	if start < 0 || column < 1 {
		return -1
	}
	if t.units == nil {
		return min(start+column-1, len(t.text))
	}
	want := t.before(start) + column - 1
	block := sort.SearchInts(t.units, want+1) - 1
	at, count := max(start, block*unitsBlock), 0
	for at < len(t.text) && !utf8.RuneStart(t.text[at]) {
		at++
	}
	count = t.before(at)
	for i, r := range t.text[at:] {
		if count >= want {
			return at + i
		}
		count += utf16Width(r)
	}
	return len(t.text)
}

// lineStarts returns the byte offsets at which the lines of text begin, by the
// line ends of ECMAScript.
func lineStarts(text string) []int {
	starts := []int{0}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\n':
			starts = append(starts, i+1)
		case '\r':
			if i+1 < len(text) && text[i+1] == '\n' {
				i++
			}
			starts = append(starts, i+1)
		case 0xE2: // U+2028 and U+2029 are E2 80 A8 and E2 80 A9
			if r, n := utf8.DecodeRuneInString(text[i:]); r == '\u2028' || r == '\u2029' {
				starts = append(starts, i+n)
			}
		}
	}
	return slices.Clip(starts)
}

func utf16Len(s string) int {
	n := 0
	for _, r := range s {
		n += utf16Width(r)
	}
	return n
}

func utf16Width(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
