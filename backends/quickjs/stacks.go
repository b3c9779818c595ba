//go:build wip && !386 && !arm

package quickjs

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// The stack of an error is an ordinary member, which a script may overwrite. So the
// constructors of errors put the same string under a second key, one that no script
// can name or list.

// stackOfOwn is that key: one of the engine's private names, which it puts on the
// prototypes of classes with private methods only.
const stackOfOwn = lib.EJS_ATOM_Private_brand

// constructor is what the engine has for a function of C that makes errors.
type constructor = func(tls *libc.TLS, ctx uintptr, target jsValue, argc int32, argv uintptr, kind int32) jsValue

// A cfunction is what a function of C has in its record.
type cfunction struct {
	_     uintptr // its realm
	code  uintptr
	_     uint8 // its length
	proto uint8
	_     int16 // its number among those with the same code
}

// keepStacks puts keepStack before the constructors of errors, inside of them: they
// stay the functions that they are.
func (c *runContext) keepStacks() {
	for _, name := range []string{"Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"} {
		ctor := c.get(c.captured.global, name)
		slot := slotOf[cfunction](ctor)
		c.makeError = slot.code
		slot.code = function(keepStack)
		c.free(ctor)
	}
}

func keepStack(tls *libc.TLS, ctx uintptr, target jsValue, argc int32, argv uintptr, kind int32) jsValue {
	c := contextOf(ctx)
	e := (*(*constructor)(unsafe.Pointer(&c.makeError)))(tls, ctx, target, argc, argv, kind)
	if !isObject(e) || classOf(e) != lib.EJS_CLASS_ERROR {
		return e
	}
	stack := lib.XGetProperty(tls, ctx, e, lib.EJS_ATOM_stack)
	if isString(stack) {
		lib.XJS_DefinePropertyValue(tls, ctx, e, stackOfOwn, stack, 0)
	} else {
		c.free(stack)
	}
	return e
}
