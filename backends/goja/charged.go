package goja

import (
	"math"
	"reflect"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// What things take in goja, roughly and rather less than they do: a charge must
// not stop what would have fitted.
const (
	slotBytes   = 16 // an element of an array
	stringBytes = 32 // an element that is a short string
	objectBytes = 160
)

// argument is an argument as a number, with its valueOf called once: what the
// built-in gets to see afterwards is the number.
func argument(args []goja.Value, i int) (goja.Value, float64) {
	if i >= len(args) {
		return goja.Undefined(), 0
	}
	v := args[i]
	if goja.IsUndefined(v) {
		return v, 0
	}
	n := v.ToNumber()
	f := n.ToFloat()
	if math.IsNaN(f) {
		f = 0
	}
	return n, f
}

// withArgument returns a call with one argument replaced.
func withArgument(call goja.FunctionCall, i int, v goja.Value) goja.FunctionCall {
	if i < len(call.Arguments) {
		args := make([]goja.Value, len(call.Arguments))
		copy(args, call.Arguments)
		args[i] = v
		call.Arguments = args
	}
	return call
}

// receiver is the string that a method of String.prototype is called on, made one
// once. ok is false for undefined and null, which the method itself refuses.
func receiver(call *goja.FunctionCall) (s goja.String, ok bool) {
	if call.This == nil || goja.IsUndefined(call.This) || goja.IsNull(call.This) {
		return nil, false
	}
	if s, ok = stringOf(call.This); ok {
		call.This = s
	}
	return s, ok
}

// stringOf is ECMAScript's ToString for all but symbols. goja's own leaves numbers
// as they are.
func stringOf(v goja.Value) (s goja.String, ok bool) {
	switch v := v.(type) {
	case goja.String:
		return v, true
	case nil, *goja.Symbol:
		return nil, false
	case *goja.Object:
		return stringOf(v.ToString())
	}
	return goja.StringFromUTF16(utf16.Encode([]rune(v.String()))), true
}

// unitBytes is what a UTF-16 unit of a string takes.
func unitBytes(s goja.String) int64 {
	if reflect.TypeOf(s).Name() == "asciiString" {
		return 1
	}
	return 2
}

// stringGuards: methods that make a string as long as a number says, or many
// strings out of one.
var stringGuards = []guard{
	{name: "repeat", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			if s, ok := receiver(&call); ok {
				n, count := argument(call.Arguments, 0)
				if s.Length() > 0 && !math.IsInf(count, 0) {
					c.charge(clamp(count * float64(s.Length()) * float64(unitBytes(s))))
				}
				call = withArgument(call, 0, n)
			}
			return f(call)
		}
	}},
	{name: "padStart", call: chargedPad},
	{name: "padEnd", call: chargedPad},
	{name: "split", call: chargedSplit},
	{name: "replace", call: chargedReplace},
	{name: "replaceAll", call: chargedReplace},
	{name: "concat", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			total := int64(0)
			if s, ok := receiver(&call); ok {
				total = int64(s.Length())
			}
			for _, arg := range call.Arguments {
				if s, ok := arg.(goja.String); ok {
					total += int64(s.Length())
				}
			}
			c.charge(total)
			return f(call)
		}
	}},
	{name: "match", call: boundPattern},
	{name: "matchAll", call: boundPattern},
	{name: "search", call: boundPattern},
	{symbol: goja.SymIterator, call: polledIterator("%StringIterator%")},
}

func clamp(f float64) int64 {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(max(f, 0))
}

func chargedPad(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		if _, ok := receiver(&call); ok {
			n, length := argument(call.Arguments, 0)
			c.charge(clamp(length))
			call = withArgument(call, 0, n)
		}
		return f(call)
	}
}

// chargedSplit charges what a split at a string gives. A regular expression's
// pieces cannot be counted beforehand.
func chargedSplit(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		if _, regexp := call.Argument(0).(*goja.Object); regexp {
			return f(call)
		}
		if s, ok := receiver(&call); ok && len(call.Arguments) > 0 && int64(s.Length()) > c.cfg.Limits.Memory/stringBytes {
			pieces := int64(s.Length())
			if sep, ok := call.Arguments[0].(goja.String); ok && sep.Length() > 0 {
				pieces = int64(strings.Count(s.String(), sep.String())) + 1
			}
			c.chargeEach(pieces, stringBytes)
		}
		return f(call)
	}
}

// chargedReplace charges the replacement of strings. Where a regular expression
// is replaced, its own method does.
func chargedReplace(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		if _, isObject := call.Argument(0).(*goja.Object); isObject {
			return f(call)
		}
		if s, ok := receiver(&call); ok {
			call = c.chargedReplacement(call, s)
		}
		return f(call)
	}
}

// arrayLike is the length that a generic method of Array.prototype will go by.
// For a full array, which is as long as what it holds, it is 0: nothing to check.
func (c *runContext) arrayLike(v goja.Value) int64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return 0
	}
	impl := c.layout.implOf(o)
	switch impl.Type().Elem() {
	case c.layout.arrayType:
		p := impl.UnsafePointer()
		length := int64(*at[uint32](p, c.layout.arrayLength))
		if length <= int64(len(*at[[]goja.Value](p, c.layout.arrayValues))) {
			return 0
		}
		return length
	}
	n := o.Get("length")
	if n == nil {
		return 0
	}
	return clamp(n.ToFloat())
}

// lengthOf is arrayLike with the length of full arrays.
func (c *runContext) lengthOf(v goja.Value) int64 {
	if o, ok := v.(*goja.Object); ok {
		if impl := c.layout.implOf(o); impl.Type().Elem() == c.layout.arrayType {
			return int64(*at[uint32](impl.UnsafePointer(), c.layout.arrayLength))
		}
		if n := o.Get("length"); n != nil {
			return clamp(n.ToFloat())
		}
	}
	return 0
}

// boundLength refuses a length that the run's memory could not hold. The loops of
// these methods look at nothing else and cannot be interrupted.
func boundLength(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		c.chargeEach(c.arrayLike(call.This), slotBytes)
		return f(call)
	}
}

// deepLength is boundLength for methods that can call themselves.
func deepLength(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		c.chargeEach(c.arrayLike(call.This), slotBytes)
		return f(call)
	}
}

// tame turns a crash inside of a built-in into a TypeError.
func tame(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		defer c.tameCrash()
		return f(call)
	}
}

func (c *runContext) tameCrash() {
	x := recover()
	if x == nil {
		return
	}
	if _, crash := x.(interface{ RuntimeError() }); crash {
		panic(c.newError("TypeError", "the built-in function was used in a way that it does not support"))
	}
	panic(x)
}

func both(a, b func(*runContext, callFunc) callFunc) func(*runContext, callFunc) callFunc {
	return func(c *runContext, f callFunc) callFunc { return a(c, b(c, f)) }
}

// arrayGuards: methods that loop over a length without looking up.
var arrayGuards = append(lengthGuards(
	"copyWithin", "every", "filter", "find", "findIndex", "findLast", "findLastIndex",
	"flatMap", "forEach", "includes", "indexOf", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "shift",
	"some", "unshift", "with", "toReversed", "toSpliced", "fill",
),
	guard{name: "slice", call: noted("slice")},
	guard{name: "splice", call: noted("splice")},
	guard{name: "sort", call: guardedSort},
	guard{name: "toSorted", call: guardedSort},
	guard{name: "join", call: chargedJoin},
	guard{name: "toLocaleString", call: deepLength},
	guard{name: "concat", call: chargedConcat},
	guard{name: "flat", call: chargedFlat},
	guard{name: "values", once: "%values%", call: polledIterator("%ArrayIterator%")},
	guard{symbol: goja.SymIterator, once: "%values%", call: polledIterator("%ArrayIterator%")},
	guard{name: "keys", call: polledIterator("%ArrayIterator%")},
	guard{name: "entries", call: polledIterator("%ArrayIterator%")},
)

func lengthGuards(names ...string) []guard {
	guards := make([]guard, len(names))
	for i, name := range names {
		guards[i] = guard{name: name, call: boundLength}
	}
	return guards
}

// chargedJoin charges the separators and the strings among the elements. It is
// reached without being named: an array becomes a string by it.
func chargedJoin(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		n := c.lengthOf(call.This)
		c.chargeEach(n, 1)
		separator := int64(1)
		if len(call.Arguments) > 0 {
			if s, ok := stringOf(call.Arguments[0]); ok && !goja.IsUndefined(call.Arguments[0]) {
				call = withArgument(call, 0, s)
				separator = int64(s.Length())
			}
		}
		total := float64(n) * float64(separator)
		if o, ok := call.This.(*goja.Object); ok {
			if impl := c.layout.implOf(o); impl.Type().Elem() == c.layout.arrayType {
				for _, v := range *at[[]goja.Value](impl.UnsafePointer(), c.layout.arrayValues) {
					if s, ok := v.(goja.String); ok {
						total += float64(s.Length())
					}
				}
			}
		}
		c.charge(clamp(total))
		return f(call)
	}
}

// quickConcat is the number of elements from which on concat is done by the two
// methods that copy: goja's own adds them one by one, which takes seconds where
// arrays are doubled up to the memory limit, and cannot be interrupted.
const quickConcat = 4096

func chargedConcat(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		total, full := int64(0), true
		for _, v := range append([]goja.Value{call.This}, call.Arguments...) {
			o, ok := v.(*goja.Object)
			if !ok {
				continue
			}
			switch impl := c.layout.implOf(o); impl.Type().Elem() {
			case c.layout.arrayType, c.layout.sparseType:
				total += c.lengthOf(o)
				full = full && c.isFull(impl) && o.GetSymbol(goja.SymIsConcatSpreadable) == nil
			default:
				full = false
			}
		}
		c.chargeEach(total, slotBytes)
		if this, ok := call.This.(*goja.Object); ok && full && total >= quickConcat {
			c.chargeEach(total, 2*slotBytes) // with the copy on the way
			return c.concat(this, call.Arguments)
		}
		return f(call)
	}
}

// isFull says whether an array has all its elements and none with attributes.
func (c *runContext) isFull(impl reflect.Value) bool {
	if impl.Type().Elem() != c.layout.arrayType {
		return false
	}
	p := impl.UnsafePointer()
	values := *at[[]goja.Value](p, c.layout.arrayValues)
	if int(*at[uint32](p, c.layout.arrayLength)) != len(values) {
		return false
	}
	for _, v := range values {
		if v == nil || reflect.TypeOf(v) == c.layout.propertyType {
			return false
		}
	}
	return true
}

// concat appends values, and the elements of arrays, to a copy of an array.
func (c *runContext) concat(this *goja.Object, args []goja.Value) goja.Value {
	items := []goja.Value{nil, c.rt.ToValue(0)}
	for _, arg := range args {
		if o, ok := arg.(*goja.Object); ok {
			items = append(items, *at[[]goja.Value](c.layout.implOf(o).UnsafePointer(), c.layout.arrayValues)...)
		} else {
			items = append(items, arg)
		}
	}
	result, ok := c.arrayMethod("slice")(goja.FunctionCall{This: this}).(*goja.Object)
	if !ok {
		return goja.Undefined()
	}
	items[0] = result.Get("length")
	c.arrayMethod("splice")(goja.FunctionCall{This: result, Arguments: items})
	return result
}

// arrayMethod is a method of Array.prototype as goja made it. A guard takes note
// of it when it is made, also where that is because a script replaces it.
func (c *runContext) arrayMethod(name string) callFunc {
	if c.arrayMethods[name] == nil {
		c.layout.prototype(c.rt, "ArrayPrototype").Get(name)
	}
	return c.arrayMethods[name]
}

func noted(name string) func(*runContext, callFunc) callFunc {
	return func(c *runContext, f callFunc) callFunc {
		if c.arrayMethods == nil {
			c.arrayMethods = make(map[string]callFunc)
		}
		c.arrayMethods[name] = f
		return boundLength(c, f)
	}
}

// sortPolls is the length from which on a sort without a comparing function of
// the script is given one that can be stopped.
const sortPolls = 4096

// guardedSort keeps a sort stoppable, and a comparing function that changes the
// array from crashing it.
func guardedSort(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		defer c.tameCrash()
		n := c.lengthOf(call.This)
		c.chargeEach(n, slotBytes)
		if n >= sortPolls {
			compare := call.Argument(0)
			if goja.IsUndefined(compare) {
				args := []goja.Value{c.hidden(c.compareText)}
				call.Arguments = args
			} else if o, ok := compare.(*goja.Object); ok {
				if function, ok := goja.AssertFunction(o); ok {
					call.Arguments = []goja.Value{c.hidden(func(pair goja.FunctionCall) goja.Value {
						c.poll()
						return c.call(function, goja.Undefined(), pair.Arguments...)
					})}
				}
			}
		}
		return f(call)
	}
}

// compareText is the order of sort where none is given.
func (c *runContext) compareText(pair goja.FunctionCall) goja.Value {
	c.poll()
	a, ok1 := stringOf(pair.Argument(0))
	b, ok2 := stringOf(pair.Argument(1))
	if !ok1 || !ok2 {
		panic(c.newError("TypeError", "Cannot convert a Symbol value to a string"))
	}
	return c.rt.ToValue(a.CompareTo(b))
}

// chargedFlat looks through nested arrays first: flat goes down by recursion.
func chargedFlat(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		n, depth := argument(call.Arguments, 0)
		if len(call.Arguments) == 0 || goja.IsUndefined(call.Arguments[0]) {
			depth = 1
		}
		w := walk{c: c, arraysOnly: true, maxDepth: int(min(max(depth, 0)+1, maxTreeDepth))}
		w.visit(call.This)
		c.chargeEach(max(w.nodes, w.slots), slotBytes)
		if w.tooDeep && depth >= maxTreeDepth {
			c.throwTooDeep()
		}
		return f(withArgument(call, 0, n))
	}
}

var arrayConstructorGuards = []guard{
	{name: "from", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			c.chargeEach(c.arrayLike(call.Argument(0)), slotBytes)
			return f(call)
		}
	}},
	{name: "of", call: polled},
}

// chargedBuffer and chargedTypedArray: what allocates as many bytes as it is
// told.
func chargedBuffer(c *runContext, f constructFunc) constructFunc {
	return func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		c.poll()
		if len(args) > 0 {
			n, size := argument(args, 0)
			c.charge(clamp(size))
			args = append([]goja.Value{n}, args[1:]...)
		}
		return f(args, newTarget)
	}
}

func chargedTypedArray(size int64) func(*runContext, constructFunc) constructFunc {
	return func(c *runContext, f constructFunc) constructFunc {
		return func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			c.poll()
			if len(args) > 0 {
				if o, ok := args[0].(*goja.Object); ok {
					if c.layout.implOf(o).Type().Elem().Name() != "arrayBufferObject" {
						c.chargeEach(c.lengthOf(o), size)
					}
				} else if !goja.IsUndefined(args[0]) {
					_, n := argument(args, 0)
					c.chargeEach(clamp(n), size)
				}
			}
			return f(args, newTarget)
		}
	}
}

// typedArrayPrototypeGuards: fill writes all elements in one go; here it writes
// some at a time.
var typedArrayPrototypeGuards = []guard{
	{name: "fill", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			n := c.lengthOf(call.This)
			if n <= fillAtOnce || len(call.Arguments) != 1 {
				return f(call)
			}
			value := call.Arguments[0]
			if _, ok := value.(*goja.Object); ok {
				value = c.toNumeric(value)
			}
			result := call.This
			for at := int64(0); at < n; at += fillAtOnce {
				c.poll()
				result = f(goja.FunctionCall{This: call.This, Arguments: []goja.Value{value, c.rt.ToValue(at), c.rt.ToValue(min(at+fillAtOnce, n))}})
			}
			return result
		}
	}},
}

const fillAtOnce = 1 << 18

var typedArrayGuards = []guard{
	{name: "from", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			c.chargeEach(c.arrayLike(call.Argument(0)), slotBytes)
			return f(call)
		}
	}},
}

// functionGuards: apply allocates a list as long as its argument says, and the
// three can call each other for ever.
var functionGuards = []guard{
	{name: "apply", call: chargedList(1)},
	{name: "call", call: deep},
	{name: "bind", call: guardedBind},
}

func chargedList(at int) func(*runContext, callFunc) callFunc {
	return func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.descend()
			defer c.ascend()
			c.chargeEach(c.arrayLike(call.Argument(at)), slotBytes)
			return f(call)
		}
	}
}

var reflectGuards = []guard{
	{name: "apply", call: chargedList(2)},
	{name: "construct", call: chargedList(1)},
	{name: "get", call: deep},
	{name: "set", call: deep},
	{name: "has", call: deep},
	{name: "setPrototypeOf", call: guardedSetPrototype},
}

var objectGuards = []guard{
	{name: "setPrototypeOf", call: guardedSetPrototype},
}

var stringConstructorGuards = []guard{
	{name: "raw", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			if o, ok := call.Argument(0).(*goja.Object); ok {
				c.chargeEach(c.arrayLike(o.Get("raw")), slotBytes)
			}
			return f(call)
		}
	}},
}

var bigIntGuards = []guard{
	{name: "asUintN", call: chargedBits},
	{name: "asIntN", call: chargedBits},
}

// chargedBits charges the width that a BigInt is cut to: -1n takes all of it.
func chargedBits(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		n, bits := argument(call.Arguments, 0)
		c.charge(clamp(bits / 8))
		return tame(c, f)(withArgument(call, 0, n))
	}
}
