//go:build wip && !386 && !arm

package quickjs

import (
	"sort"
	"unicode/utf8"
)

// A lineTable leads between offsets in a text and lines and columns, all from 0.
// Scripts may have all their functions on one line, so that a line is only walked
// where it has more than ASCII.
type lineTable struct {
	text   string
	starts []int
	ascii  map[int]bool
}

func newLineTable(text string) *lineTable {
	return &lineTable{text: text, starts: []int{0}, ascii: map[int]bool{}}
}

func (t *lineTable) end(line int) int {
	if line+1 < len(t.starts) {
		return t.starts[line+1]
	}
	return len(t.text)
}

func (t *lineTable) isASCII(line int) bool {
	plain, known := t.ascii[line]
	if !known {
		plain = true
		for i := t.starts[line]; plain && i < t.end(line); i++ {
			plain = t.text[i] < utf8.RuneSelf
		}
		t.ascii[line] = plain
	}
	return plain
}

// offset is the offset of a line and a column in code points.
func (t *lineTable) offset(line, column int) int {
	if line >= len(t.starts) {
		return len(t.text)
	}
	start, end := t.starts[line], t.end(line)
	if t.isASCII(line) {
		return min(start+column, end)
	}
	for i := range t.text[start:end] {
		if column == 0 {
			return start + i
		}
		column--
	}
	return end
}

// position is the line of an offset and its column in UTF-16 units.
func (t *lineTable) position(offset int) (line, column int) {
	line = sort.SearchInts(t.starts, offset+1) - 1
	start := t.starts[line]
	if t.isASCII(line) {
		return line, offset - start
	}
	for _, r := range t.text[start:offset] {
		if r > 0xFFFF {
			column++
		}
		column++
	}
	return line, column
}
