//go:build wip && !386 && !arm

package quickjs

import (
	"errors"
	"fmt"
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// compiled is a program as the engine's bytecode. It is shared between runs.
type compiled struct {
	program *engine.Program
	code    []byte
	places  places
	throws  []int32 // places of the throw statements in the program's text, from 1
}

// compileMemory bounds what the engine may take to compile one program.
const compileMemory = 512 << 20

// maxCompileStack is maxStack for the compiler.
const maxCompileStack = 20_000

var errCompileMemory = errors.New("quickjs: compiling the program took too much memory")

// Compile makes bytecode of a program. Functions carry the author's text, which is
// what their toString shows, and the author's places, which is what a stack shows.
func (*interpreter) Compile(p *engine.Program) (code engine.Compiled, err error) {
	m := newMachine()
	defer m.close()
	defer func() {
		if x := recover(); x == errCompileMemory {
			err = errCompileMemory
		} else if x != nil {
			panic(x)
		}
	}()
	if err := m.open(compileMemory, func() { panic(errCompileMemory) }); err != nil {
		return nil, err
	}
	m.ctx = lib.XJS_NewContextRaw(m.tls, m.rt)
	lib.XJS_AddIntrinsicBaseObjects(m.tls, m.ctx)
	lib.XJS_AddIntrinsicEval(m.tls, m.ctx)
	lib.XJS_AddIntrinsicRegExp(m.tls, m.ctx)

	// Flat chains, of else-ifs or operators, nest in the compiler. The front end has
	// bounded them.
	lib.XJS_SetMaxStackSize(m.tls, m.rt, maxCompileStack)

	sited := numberThrows(meterInside(p))
	var fn jsValue
	m.withText(sited.text, func(text uintptr) {
		m.withText(p.Name, func(name uintptr) {
			fn = lib.XJS_Eval(m.tls, m.ctx, text, size(len(sited.text)), name, lib.MJS_EVAL_TYPE_GLOBAL|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
		})
	})
	if isException(fn) {
		return nil, m.syntaxError(p, sited)
	}
	c := &compiled{program: p, places: places{}, throws: sited.throws()}
	newRewriter(m, p, sited, c.places).function(pointer(fn), 0)

	n := m.tls.Alloc(int(unsafe.Sizeof(uintptr(0))))
	defer m.tls.Free(int(unsafe.Sizeof(uintptr(0))))
	out := lib.XJS_WriteObject(m.tls, m.ctx, n, fn, lib.MJS_WRITE_OBJ_BYTECODE)
	if out == 0 {
		return nil, fmt.Errorf("quickjs: the program has no bytecode form")
	}
	c.code = append([]byte(nil), unsafe.Slice(atAddress[byte](out), *atAddress[int](n))...)
	return c, nil
}

// syntaxError is the pending exception of a parse.
func (m *machine) syntaxError(p *engine.Program, s *sited) error {
	e := lib.XJS_GetException(m.tls, m.ctx)
	if !isObject(e) {
		return errors.New("quickjs: the program could not be compiled")
	}
	text := func(name string) string {
		v, ok := m.flat(m.get(e, name))
		if !ok {
			return ""
		}
		return stringAt(pointer(v)).text()
	}
	whole := func(name string) int {
		f, _ := number(m.get(e, name))
		return int(f)
	}
	out := &engine.Error{
		Class:   engine.GuestException,
		Name:    text("name"),
		Message: engine.CutText(text("message"), engine.MaxErrorText),
		File:    p.Name,
	}
	w := newRewriter(m, p, s, places{})
	offset := w.text.offset(whole("lineNumber")-1, whole("columnNumber")-1)
	if line, column, ok := p.Position(s.programOffset(offset)); ok {
		out.Line, out.Column = line, column
		out.SourceLine = p.SourceLine(line)
		out.Stack = []engine.Frame{{File: p.Name, Line: line, Column: column}}
	}
	return out
}
