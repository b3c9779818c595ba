//go:build wip && !386 && !arm

package quickjs

import (
	"sync"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Some built-ins go through a length without looking up once: of a sparse array, or
// of an object that only says that it is long. A guard stands before these and
// counts such a length as memory: what could not be there does not get walked.
//
// A guard is put into the record of the built-in's function, which stays what it is
// in every way that a script can see. A program that does not have the name of a
// built-in gets no guard for it.

// guardedMethods are the methods of arrays that go through their length.
var guardedMethods = []string{
	"concat", "copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap",
	"forEach", "includes", "indexOf", "join", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "shift", "slice", "some",
	"sort", "splice", "toLocaleString", "toReversed", "toSorted", "toSpliced", "toString", "unshift", "with",
}

// watched are the names that contexts ask programs for.
var watched = append([]string{"parse"}, guardedMethods...)

// The engine has two kinds of such functions: the second gets a number that tells
// functions with the same code apart.
type (
	plainCode  = func(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue
	magicCode  = func(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue
	instead    = func(c *runContext, this jsValue, args []jsValue) (result jsValue, done bool)
	afterwards = func(c *runContext, result jsValue) jsValue
)

// guards are the guards made so far, by the code that they stand before. They are
// the same for all contexts, and kept for ever, as the engine has their addresses.
var guards = struct {
	sync.Mutex
	by map[uintptr]uintptr
	// kept keeps the functions behind these addresses.
	kept []any
}{by: map[uintptr]uintptr{}}

// guard puts a guard into a function of the engine. first is called before it, and in
// its place where it says so; after with the result. Either may be nil.
func guard(f jsValue, first instead, after afterwards) {
	if !isObject(f) || classOf(f) != lib.EJS_CLASS_C_FUNCTION {
		return
	}
	slot := slotOf[cfunction](f)
	guards.Lock()
	defer guards.Unlock()
	if made, ok := guards.by[slot.code]; ok {
		slot.code = made
		return
	}
	code := slot.code
	before := func(c *runContext, this jsValue, argc int32, argv uintptr) (jsValue, bool) {
		if first == nil {
			return undefined, false
		}
		return first(c, this, argsAt(argc, argv))
	}
	behind := func(c *runContext, result jsValue) jsValue {
		if after != nil {
			return after(c, result)
		}
		return result
	}
	var made any
	switch lib.TJSCFunctionEnum(slot.proto) {
	case lib.EJS_CFUNC_generic:
		original := *(*plainCode)(unsafe.Pointer(&code))
		made = plainCode(func(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
			c := contextOf(ctx)
			if result, done := before(c, this, argc, argv); done {
				return result
			}
			return behind(c, original(tls, ctx, this, argc, argv))
		})
	case lib.EJS_CFUNC_generic_magic:
		original := *(*magicCode)(unsafe.Pointer(&code))
		made = magicCode(func(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue {
			c := contextOf(ctx)
			if result, done := before(c, this, argc, argv); done {
				return result
			}
			return behind(c, original(tls, ctx, this, argc, argv, magic))
		})
	default:
		return
	}
	guards.kept = append(guards.kept, made)
	guards.by[code] = function(made)
	slot.code = function(made)
}

// guardMethods puts the guards in that the program may need.
func (c *runContext) guardMethods() {
	p := c.cfg.Program
	var proto jsValue
	for _, name := range guardedMethods {
		if !p.Reaches(name) {
			continue
		}
		if !isObject(proto) {
			proto = lib.XJS_GetClassProto(c.tls, c.ctx, lib.EJS_CLASS_ARRAY)
		}
		f := c.get(proto, name)
		guard(f, checkLengths, nil)
		c.free(f)
	}
	c.free(proto)
	for name, search := range searches {
		if p.Reaches(name) {
			proto := lib.XJS_GetClassProto(c.tls, c.ctx, lib.EJS_CLASS_STRING)
			f := c.get(proto, name)
			guard(f, search, nil)
			c.free(f)
			c.free(proto)
		}
	}
	if p.Reaches("parse") {
		json := c.get(c.captured.global, "JSON")
		f := c.get(json, "parse")
		guard(f, nil, asRangeError)
		c.free(f)
		c.free(json)
	}
}

// wordsPerElement is what an element of an array would take at least.
const wordsPerElement = 8

// checkLengths ends the run where a list is longer than the memory limit allows and
// has not the elements for it.
func checkLengths(c *runContext, this jsValue, args []jsValue) (jsValue, bool) {
	c.checkLength(this)
	for _, arg := range args { // those of concat
		if isObject(arg) && classOf(arg) == lib.EJS_CLASS_ARRAY {
			c.checkLength(arg)
		}
	}
	return undefined, false
}

func (c *runContext) checkLength(list jsValue) {
	length, limit := c.saidLength(list), c.cfg.Limits.Memory
	if length > float64(limit/wordsPerElement) {
		c.exhausted(engine.LimitMemory, limit)
	}
}

// saidLength is the length that an object says it has, as far as it can be read
// without running code of the script; 0 where it cannot.
func (c *runContext) saidLength(o jsValue) float64 {
	for range 16 {
		if !isObject(o) {
			return 0
		}
		switch classOf(o) {
		case lib.EJS_CLASS_ARRAY:
			if isFast(o) && slotOf[arraySlot](o).count > 0 {
				a := slotOf[arraySlot](o)
				if length, _ := number(*atAddress[jsValue](objectAt(o).Fprop)); length == float64(a.count) {
					return 0
				}
			}
			length, _ := number(*atAddress[jsValue](objectAt(o).Fprop))
			return length
		case lib.EJS_CLASS_PROXY, lib.EJS_CLASS_STRING:
			return 0
		}
		if v, ok := c.ownData(o, lib.EJS_ATOM_length); ok {
			length, _ := number(v)
			return length
		}
		o = valueOf(uint64(atAddress[lib.TJSShape](objectAt(o).Fshape).Fproto), lib.EJS_TAG_OBJECT)
		if pointer(o) == 0 {
			return 0
		}
	}
	return 0
}

// asRangeError makes what the engine's JSON parser throws when its stack is full the
// error that everything else throws then.
func asRangeError(c *runContext, result jsValue) jsValue {
	if !isException(result) {
		return result
	}
	e := c.take()
	if isObject(e) && classOf(e) == lib.EJS_CLASS_ERROR {
		shape := atAddress[lib.TJSShape](objectAt(e).Fshape)
		syntax := c.context().Fnative_error_proto[syntaxError]
		if message, ok := c.ownText(e, lib.EJS_ATOM_message); ok && message == "stack overflow" && shape.Fproto == pointer(syntax) {
			c.free(e)
			e = c.newError("RangeError", message)
		}
	}
	return c.throw(e)
}
