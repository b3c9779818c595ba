package engine

import (
	"sort"
	"strings"
)

// ReservedName begins the names that belong to ringfence in a program's text. A
// script that uses an identifier beginning so is refused.
const ReservedName = "__ringfence_meter"

// A Program is a script made ready for an interpreter: metered, wrapped, with
// the way back from its text to the author's. It is immutable and shared between
// runs and goroutines.
type Program struct {
	// Name is the source name.
	Name string
	// Source is the author's text, without a byte order mark.
	Source string
	// Text is what the interpreter is given: an expression, see [Dialect]. Its
	// lines are the author's.
	Text string
	// Async says that the script's arrow function is async.
	Async bool
	// Vars are the names of top-level var declarations. Where one of them is the
	// name of a global, the context hands the program an object without prototype
	// that has these globals as members, for their initial values; null where
	// there is none.
	Vars []string
	// Dynamic says that the script may reach built-ins by computed names, so that
	// nothing can be said of what it uses. Words are the watched names that its
	// text has.
	Dynamic bool
	Words   map[string]bool
	// Functions leads from where a function of the script begins in Source to where
	// it ends.
	Functions map[int]int
	// Edits lead from Source to Text, in order and without overlap.
	Edits []Edit

	source, text textIndex
	shift        []int // shift[i] is where edit i begins in the metered text

	// locate, where Text was lowered, leads from a line and column of Text to an
	// offset in the metered text.
	locate func(line, column int) int
}

// An Edit replaced Delete bytes at offset At of the source by Insert bytes.
type Edit struct {
	At, Delete, Insert int
}

// Seal prepares the tables that positions are looked up in. The front end calls
// it once, before the program is shared.
func (p *Program) Seal() {
	p.source = newTextIndex(p.Source)
	p.text = newTextIndex(p.Text)
	p.shift = make([]int, len(p.Edits))
	ahead := 0
	for i, e := range p.Edits {
		p.shift[i] = e.At + ahead
		ahead += e.Insert - e.Delete
	}
}

// Lower replaces Text by a text in which some syntax was lowered. locate leads from
// a line and a column of it, both from 1, the column in UTF-16 units, to a byte
// offset in the text that it replaces, or to -1. The front end calls it after
// Seal, before the program is shared.
func (p *Program) Lower(text string, locate func(line, column int) int) {
	p.Text, p.locate = text, locate
	p.text = newTextIndex(text)
}

// Reaches says whether the script may use the built-in of the watched name.
func (p *Program) Reaches(name string) bool { return p.Dynamic || p.Words[name] }

// Position returns the author's line and column, both from 1, the column in
// UTF-16 units, for a byte offset in Text. An offset within inserted text counts
// as the place where it was inserted. ok is false for an offset outside of Text.
func (p *Program) Position(textOffset int) (line, column int, ok bool) {
	if textOffset < 0 || textOffset > len(p.Text) {
		return 0, 0, false
	}
	at := p.SourceOffset(textOffset)
	if at < 0 {
		return 0, 0, false
	}
	line, column = p.SourcePosition(at)
	return line, column, true
}

// SourceOffset returns the byte offset in Source for one in Text, or -1 for a
// place that lowering added.
func (p *Program) SourceOffset(textOffset int) int {
	if p.locate != nil {
		textOffset = p.locate(p.text.position(textOffset))
		if textOffset < 0 {
			return -1
		}
	}
	i := sort.SearchInts(p.shift, textOffset+1) - 1
	if i < 0 {
		return textOffset
	}
	e, start := p.Edits[i], p.shift[i]
	if textOffset < start+e.Insert {
		return e.At
	}
	return e.At + e.Delete + (textOffset - start - e.Insert)
}

// SourcePosition returns line and column, both from 1, the column in UTF-16
// units, of a byte offset in Source.
func (p *Program) SourcePosition(offset int) (line, column int) {
	return p.source.position(min(max(offset, 0), len(p.Source)))
}

// SourceLineStart returns the byte offset in Source at which a line, counted from
// 1, begins, or -1 for a line that is not there.
func (p *Program) SourceLineStart(line int) int {
	return p.source.start(line)
}

// SourceLine returns the author's line, counted from 1, without its line end, cut
// to MaxErrorText characters.
func (p *Program) SourceLine(line int) string {
	start := p.source.start(line)
	if start < 0 {
		return ""
	}
	text := p.Source[start:]
	if i := strings.IndexAny(text, "\n\r\u2028\u2029"); i >= 0 {
		text = text[:i]
	}
	return CutText(text, MaxErrorText)
}

// OffsetOfBytes returns the byte offset in Text of a line and a column in bytes,
// both from 1, or -1.
func (p *Program) OffsetOfBytes(line, column int) int {
	start := p.text.start(line)
	if start < 0 || column < 1 {
		return -1
	}
	return min(start+column-1, len(p.Text))
}

// OffsetOfUTF16 is OffsetOfBytes for a column in UTF-16 units.
func (p *Program) OffsetOfUTF16(line, column int) int { return p.text.offset(line, column) }

// OffsetOfRunes is OffsetOfBytes for a column in code points.
func (p *Program) OffsetOfRunes(line, column int) int {
	start := p.text.start(line)
	if start < 0 || column < 1 {
		return -1
	}
	for i := range p.Text[start:] {
		if column--; column == 0 {
			return start + i
		}
	}
	return len(p.Text)
}

// AuthorText returns the author's form of a piece of Text: what a function's
// toString has to show. A text that is not a piece of Text is returned as it is.
func (p *Program) AuthorText(piece string) string {
	if !strings.Contains(piece, ReservedName) {
		return piece
	}
	start := strings.Index(p.Text, piece)
	if start < 0 {
		return piece
	}
	from := p.SourceOffset(start)
	if end, ok := p.Functions[from]; ok {
		return p.Source[from:end]
	}
	if p.locate != nil { // no more is known of a lowered text
		return "function () { [native code] }"
	}
	end := start + len(piece)
	// The end of the piece must not take in what was inserted right behind it.
	i := sort.SearchInts(p.shift, end)
	if i > 0 {
		e, at := p.Edits[i-1], p.shift[i-1]
		if end <= at+e.Insert {
			return p.Source[from : e.At+e.Delete]
		}
		return p.Source[from : e.At+e.Delete+(end-at-e.Insert)]
	}
	return p.Source[from:end]
}
