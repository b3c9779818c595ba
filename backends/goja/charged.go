package goja

import (
	"math"

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

func clamp(f float64) int64 {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(max(f, 0))
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
