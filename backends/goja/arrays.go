package goja

import (
	"reflect"

	"github.com/dop251/goja"
)

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
