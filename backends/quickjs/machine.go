//go:build wip && !386 && !arm

package quickjs

import (
	"errors"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// A machine is one runtime of the engine with one context in it. It serves one
// goroutine at a time.
type machine struct {
	tls     *libc.TLS
	rt, ctx uintptr
	memory  memory
}

// maxStack is how deep the engine may nest, in frames of its own: one for a plain
// call, three to nine for a call through a built-in, a getter or a proxy. It bounds
// the goroutine's stack to 16 MiB.
const maxStack = 3_000

// newMachine makes a machine, on the heap: the engine keeps its address.
//
//go:noinline
func newMachine() *machine { return new(machine) }

var errNoRuntime = errors.New("quickjs: the engine made no runtime")

// open makes the runtime. passed is called when it wants more than limit bytes.
func (m *machine) open(limit int64, passed func()) error {
	m.memory.passed = passed
	m.memory.init(limit)
	m.tls = libc.NewTLS()
	m.rt = lib.XJS_NewRuntime2(m.tls, memoryFunctions, opaque(&m.memory))
	if m.rt == 0 {
		return errNoRuntime
	}
	m.memory.runtime = m.rt
	lib.XJS_SetMaxStackSize(m.tls, m.rt, maxStack)
	return nil
}

// close frees all that the runtime ever had, however it ended.
func (m *machine) close() {
	m.memory.close(m.tls)
	m.rt, m.ctx = 0, 0
}

func (m *machine) context() *lib.TJSContext { return atAddress[lib.TJSContext](m.ctx) }
func (m *machine) runtime() *lib.TJSRuntime { return atAddress[lib.TJSRuntime](m.rt) }

func (m *machine) dup(v jsValue) jsValue { return lib.XDupValue(m.tls, m.ctx, v) }

func (m *machine) free(v jsValue) {
	if v.Ftag < 0 {
		lib.XFreeValue(m.tls, m.ctx, v)
	}
}

// buffer is memory of the runtime, counted like all that it has. The caller frees
// it.
func (m *machine) buffer(n int) uintptr {
	return m.memory.allocate(m.tls, int64(n))
}

func (m *machine) freeBuffer(p uintptr) { m.memory.release(m.tls, p) }

// withText calls f with the string in C memory, NUL behind it.
func (m *machine) withText(s string, f func(p uintptr)) {
	const small = 256
	if len(s) < small {
		p := m.tls.Alloc(small)
		defer m.tls.Free(small)
		fillC(p, s)
		f(p)
		return
	}
	p := m.buffer(len(s) + 1)
	fillC(p, s)
	f(p)
	m.freeBuffer(p)
}

// str makes a string of the engine.
func (m *machine) str(s string) (v jsValue) {
	m.withText(s, func(p uintptr) { v = lib.XJS_NewStringLen(m.tls, m.ctx, p, size(len(s))) })
	return v
}

// atom makes a property key.
func (m *machine) atom(s string) (a lib.TJSAtom) {
	m.withText(s, func(p uintptr) { a = lib.XJS_NewAtomLen(m.tls, m.ctx, p, size(len(s))) })
	return a
}

func (m *machine) freeAtom(a lib.TJSAtom) { lib.XJS_FreeAtom(m.tls, m.ctx, a) }

// get reads a member. It may run code of the script.
func (m *machine) get(o jsValue, name string) jsValue {
	a := m.atom(name)
	defer m.freeAtom(a)
	return lib.XGetProperty(m.tls, m.ctx, o, a)
}

// define defines a member of an object that is the engine's own; v is handed on.
func (m *machine) define(o jsValue, name string, v jsValue, flags int32) {
	a := m.atom(name)
	lib.XJS_DefinePropertyValue(m.tls, m.ctx, o, a, v, flags)
	m.freeAtom(a)
}

// remove deletes a member.
func (m *machine) remove(o jsValue, name string) {
	a := m.atom(name)
	lib.XJS_DeleteProperty(m.tls, m.ctx, o, a, 0)
	m.freeAtom(a)
}

// call calls a function. It takes over none of the values.
func (m *machine) call(f, this jsValue, args ...jsValue) jsValue {
	return m.withArgs(args, func(argv uintptr) jsValue {
		return lib.XJS_Call(m.tls, m.ctx, f, this, int32(len(args)), argv)
	})
}

// construct calls a constructor.
func (m *machine) construct(f, target jsValue, args ...jsValue) jsValue {
	return m.withArgs(args, func(argv uintptr) jsValue {
		return lib.XJS_CallConstructor2(m.tls, m.ctx, f, target, int32(len(args)), argv)
	})
}

func (m *machine) withArgs(args []jsValue, f func(argv uintptr) jsValue) jsValue {
	n := max(1, len(args)) * int(valueSize)
	argv := m.tls.Alloc(n)
	defer m.tls.Free(n)
	copy(unsafe.Slice(atAddress[jsValue](argv), len(args)), args)
	return f(argv)
}

// argsAt are the arguments of a call from the engine. They are borrowed.
func argsAt(argc int32, argv uintptr) []jsValue {
	if argc == 0 {
		return nil
	}
	return unsafe.Slice(atAddress[jsValue](argv), int(argc))
}

// cfunction makes a function of the engine that is one of Go.
func (m *machine) cfunction(name string, length int32, kind lib.TJSCFunctionEnum, magic int, f any) (v jsValue) {
	m.withText(name, func(p uintptr) {
		v = lib.XJS_NewCFunction2(m.tls, m.ctx, function(f), p, length, kind, int32(magic))
	})
	return v
}

// flat makes one string of a string that may be a rope, or of any primitive value.
// ok is false where the engine failed.
func (m *machine) flat(v jsValue) (flat jsValue, ok bool) {
	flat = lib.XJS_ToString(m.tls, m.ctx, v)
	return flat, !isException(flat)
}
