//go:build wip && !386 && !arm

package quickjs

import (
	"math"
	"strings"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// forbidden are globals of the engine that a script must not see. InternalError is
// left to the engine, which makes it a RangeError: see seal.
var forbidden = []string{"Atomics", "SharedArrayBuffer", "InternalError", "DOMException", "navigator", "performance", "queueMicrotask", "gc"}

// Flags of members.
const (
	hidden = lib.MJS_PROP_WRITABLE | lib.MJS_PROP_CONFIGURABLE // as built-ins are
	plain  = lib.MJS_PROP_C_W_E                                // as by assignment
	fixed  = lib.MJS_PROP_ENUMERABLE                           // as in a frozen object
)

// Places of the engine's error prototypes.
const (
	evalError = iota
	rangeError
	referenceError
	syntaxError
	typeError
	uriError
	internalError
)

var errorKinds = map[string]int{
	"EvalError": evalError, "RangeError": rangeError, "ReferenceError": referenceError,
	"SyntaxError": syntaxError, "TypeError": typeError, "URIError": uriError,
}

// captured are built-ins that are taken before a script can replace them. They are
// held as long as the context.
type captured struct {
	global, freeze, bigInt, uint8Array, date, dateToString, functionToString, localeCompare jsValue
}

// seal takes away what a script must not have.
func (c *runContext) seal() {
	ctx := c.context()
	global := lib.XJS_GetGlobalObject(c.tls, c.ctx)
	c.captured.global = global
	object := c.get(global, "Object")
	c.captured.freeze = c.get(object, "freeze")
	c.free(object)
	c.captured.bigInt = c.get(global, "BigInt")
	c.captured.uint8Array = c.get(global, "Uint8Array")
	for _, name := range forbidden {
		c.remove(global, name)
	}
	c.captured.functionToString = c.replace("Function", "toString", 0, showFunction)
	c.captured.localeCompare = c.replace("String", "localeCompare", 1, compareLocale)
	c.keepStacks()
	// All ways to make code of a string come through here.
	ctx.Feval_internal = function(refuseCode)
	// What the engine throws when its stack is full is the language's RangeError.
	internal, rng := ctx.Fnative_error_proto[internalError], ctx.Fnative_error_proto[rangeError]
	for _, name := range []string{"name", "message", "constructor"} {
		c.remove(internal, name)
	}
	lib.XJS_SetPrototype(c.tls, c.ctx, internal, rng)
}

// replace puts a function of Go in the place of a method and returns that.
func (c *runContext) replace(constructor, name string, length int32, f any) (was jsValue) {
	ctor := c.get(c.captured.global, constructor)
	proto := c.get(ctor, "prototype")
	was = c.get(proto, name)
	c.define(proto, name, c.cfunction(name, length, lib.EJS_CFUNC_generic, 0, f), hidden)
	c.free(proto)
	c.free(ctor)
	return was
}

// engineForm is how the engine shows a function that is not of the script. The other
// engines have it on one line.
const (
	engineForm = "() {\n    [native code]\n}"
	nativeForm = "() { [native code] }"
)

// showFunction is Function.prototype.toString.
func showFunction(_ *libc.TLS, ctx uintptr, this jsValue, _ int32, _ uintptr) jsValue {
	c := contextOf(ctx)
	shown := c.call(c.captured.functionToString, this)
	if isException(shown) {
		return shown
	}
	switch classOf(this) {
	case lib.EJS_CLASS_BYTECODE_FUNCTION, lib.EJS_CLASS_GENERATOR_FUNCTION, lib.EJS_CLASS_ASYNC_FUNCTION, lib.EJS_CLASS_ASYNC_GENERATOR_FUNCTION:
		return shown
	}
	defer c.free(shown)
	return c.text(strings.Replace(c.displayPrimitive(shown), engineForm, nativeForm, 1))
}

// compareLocale is String.prototype.localeCompare. The engine's own returns a
// difference, all others -1, 0 or 1.
func compareLocale(_ *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	c := contextOf(ctx)
	order := lib.XJS_Call(c.tls, c.ctx, c.captured.localeCompare, this, argc, argv)
	if n, ok := number(order); ok && n != 0 {
		return jsNumber(math.Copysign(1, n))
	}
	return order
}

// refuseCode stands in the place of the engine's compiler.
func refuseCode(_ *libc.TLS, ctx uintptr, _ jsValue, _ uintptr, _ libc.Tsize_t, _ uintptr, _, _ int32) jsValue {
	c := contextOf(ctx)
	return c.throw(c.newError("EvalError", "code generation from strings is not allowed"))
}

// throw throws an error that the caller has made.
func (c *runContext) throw(e jsValue) jsValue { return lib.XJS_Throw(c.tls, c.ctx, e) }

// newError makes an error of one of ECMAScript's constructors, whatever the script
// has done to its globals.
func (c *runContext) newError(name, message string) jsValue {
	ctx := c.context()
	kind, known := errorKinds[name]
	var e jsValue
	if known {
		e = lib.XJS_NewObjectProtoClass(c.tls, c.ctx, ctx.Fnative_error_proto[kind], lib.EJS_CLASS_ERROR)
	} else {
		e = lib.XJS_NewError(c.tls, c.ctx)
	}
	c.define(e, "message", c.str(message), hidden)
	return e
}

// installGlobals defines the run's data as globals.
func (c *runContext) installGlobals() {
	for _, m := range c.cfg.Globals {
		c.define(c.captured.global, m.Key, c.give(m.Value), plain)
	}
}

// programGlobals is the object of initial values for the script's top-level vars
// that are named like a global, or null.
func (c *runContext) programGlobals() jsValue {
	o := null
	for _, name := range c.cfg.Program.Vars {
		a := c.atom(name)
		if lib.XJS_GetOwnProperty(c.tls, c.ctx, 0, c.captured.global, a) > 0 {
			if o == null {
				o = lib.XJS_NewObjectProto(c.tls, c.ctx, null)
			}
			v := lib.XGetProperty(c.tls, c.ctx, c.captured.global, a)
			lib.XJS_DefinePropertyValue(c.tls, c.ctx, o, a, v, plain)
		}
		c.freeAtom(a)
	}
	return o
}
