//go:build wip && !386 && !arm

package quickjs

import (
	"encoding/binary"
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// The engine writes a stack when an error is made, from a table in each function's
// bytecode. So the tables are rewritten to lead to the author's text, and the stack
// that a script sees is right without a hook.

// places lead from a line and column of the author's text, as stacks have them,
// back to an offset in the program's text.
type places map[place]int32

type place struct{ line, column int32 }

// A rewriter gives the functions of a compiled program the author's text and
// places.
type rewriter struct {
	m       *machine
	program *engine.Program
	sited   *sited
	places  places
	text    *lineTable // by the engine's line ends, which are newlines only
	source  *lineTable // by those of ECMAScript
}

func newRewriter(m *machine, p *engine.Program, s *sited, to places) *rewriter {
	w := &rewriter{m: m, program: p, sited: s, places: to, text: newLineTable(s.text), source: newLineTable(p.Source)}
	for i := range len(s.text) {
		if s.text[i] == '\n' {
			w.text.starts = append(w.text.starts, i+1)
		}
	}
	for line := 2; p.SourceLineStart(line) >= 0; line++ {
		w.source.starts = append(w.source.starts, p.SourceLineStart(line))
	}
	return w
}

// wrappers is how many functions the front end puts around a script. Nothing shows
// their text.
const wrappers = 2

// function rewrites a function of the bytecode and those in it.
func (w *rewriter) function(p uintptr, depth int) {
	b := atAddress[lib.TJSFunctionBytecode](p)
	if b.Fdebug.Fpc2line_buf != 0 {
		w.table(b)
	}
	if b.Fdebug.Fsource != 0 {
		w.shown(b, depth)
	}
	constants := unsafe.Slice(atAddress[jsValue](b.Fcpool), int(b.Fcpool_count))
	for _, v := range constants {
		if tagOf(v) == lib.EJS_TAG_FUNCTION_BYTECODE {
			w.function(pointer(v), depth+1)
		}
	}
}

func (w *rewriter) shown(b *lib.TJSFunctionBytecode, depth int) {
	text := string(unsafe.Slice(atAddress[byte](b.Fdebug.Fsource), int(b.Fdebug.Fsource_len)))
	shown := ""
	if depth > wrappers {
		shown = w.program.AuthorText(w.sited.original(text))
	}
	if shown == text {
		return
	}
	lib.Xjs_free(w.m.tls, w.m.ctx, b.Fdebug.Fsource)
	b.Fdebug.Fsource = lib.Xjs_malloc(w.m.tls, w.m.ctx, size(len(shown)+1))
	fillC(b.Fdebug.Fsource, shown)
	b.Fdebug.Fsource_len = int32(len(shown))
}

// table rewrites the table of a function: its own place, then for each change of
// place the bytes of code since the last and the differences of line and column.
func (w *rewriter) table(b *lib.TJSFunctionBytecode) {
	in := tableReader{unsafe.Slice(atAddress[byte](b.Fdebug.Fpc2line_buf), int(b.Fdebug.Fpc2line_len))}
	at := place{int32(in.unsigned()), int32(in.unsigned())} // both from 0
	was := w.author(at)
	out := binary.AppendUvarint(nil, uint64(was.line))
	out = binary.AppendUvarint(out, uint64(was.column))
	skipped := uint64(0)
	for len(in.data) > 0 {
		code, line, column := in.entry()
		skipped += uint64(code)
		at.line += line
		at.column += column
		now := w.author(at)
		if now == was {
			continue
		}
		// Always the long form: its first byte is 0.
		out = binary.AppendUvarint(append(out, 0), skipped)
		out = binary.AppendVarint(out, int64(now.line-was.line))
		out = binary.AppendVarint(out, int64(now.column-was.column))
		was, skipped = now, 0
	}
	lib.Xjs_free(w.m.tls, w.m.ctx, b.Fdebug.Fpc2line_buf)
	b.Fdebug.Fpc2line_buf = lib.Xjs_malloc(w.m.tls, w.m.ctx, size(len(out)+1))
	fillC(b.Fdebug.Fpc2line_buf, string(out))
	b.Fdebug.Fpc2line_len = int32(len(out))
}

// author is the place in the author's text of one in the program's, both from 0.
// Columns are code points there and UTF-16 units here. What lowering added is on a
// line behind the author's last.
func (w *rewriter) author(at place) place {
	text := w.sited.programOffset(w.text.offset(int(at.line), int(at.column)))
	source := w.program.SourceOffset(text)
	if source < 0 {
		return place{int32(len(w.source.starts)), 0}
	}
	line, column := w.source.position(source)
	author := place{int32(line), int32(column)}
	w.places[author] = int32(text)
	return author
}

// A tableReader reads the engine's table of places.
type tableReader struct{ data []byte }

func (r *tableReader) unsigned() uint32 {
	v, n := binary.Uvarint(r.data)
	r.skip(n)
	return uint32(v)
}

// signed reads a number with its sign in the lowest bit.
func (r *tableReader) signed() int32 {
	v, n := binary.Varint(r.data)
	r.skip(n)
	return int32(v)
}

// skip ends the reading of a table that is not one.
func (r *tableReader) skip(n int) {
	if n <= 0 {
		n = len(r.data)
	}
	r.data = r.data[n:]
}

func (r *tableReader) entry() (code uint32, line, column int32) {
	op := uint32(r.data[0])
	r.data = r.data[1:]
	if op == 0 {
		code, line = r.unsigned(), r.signed()
	} else {
		op -= lib.MPC2LINE_OP_FIRST
		code, line = op/lib.MPC2LINE_RANGE, int32(op%lib.MPC2LINE_RANGE)+lib.MPC2LINE_BASE
	}
	return code, line, r.signed()
}
