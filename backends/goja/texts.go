package goja

import (
	"math"
	"reflect"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

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
	{name: "replace", call: chargedReplace(1)},
	{name: "replaceAll", call: chargedReplace(-1)},
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
	{name: "toUpperCase", call: piecewise("")},
	{name: "toLocaleUpperCase", call: piecewise("")},
	{name: "toLowerCase", call: piecewise("Σ")},
	{name: "toLocaleLowerCase", call: piecewise("Σ")},
	{name: "normalize", call: chargedText(16)},
	{name: "localeCompare", call: chargedText(16)},
	{symbol: goja.SymIterator, call: polledIterator("%StringIterator%")},
}

// pieceUnits is how much of a long text is converted at a time.
const pieceUnits = 1 << 14

// piecewise converts a long text in pieces, with a look at the run between them.
// A text with the character that depends on its surroundings is left as one.
func piecewise(whole string) func(*runContext, callFunc) callFunc {
	return func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			s, ok := receiver(&call)
			if !ok || s.Length() <= pieceUnits || unitBytes(s) == 1 || whole != "" && strings.Contains(s.String(), whole) {
				return f(call)
			}
			return c.pieces(s, func(piece goja.String) goja.Value { return f(goja.FunctionCall{This: piece}) })
		}
	}
}

// textFunctionGuards: global functions that write several characters for one.
var textFunctionGuards = []guard{
	{name: "encodeURI", call: chargedEscapes},
	{name: "encodeURIComponent", call: chargedEscapes},
	{name: "escape", call: chargedEscapes},
}

// chargedEscapes converts a long text in pieces, and charges what they become.
func chargedEscapes(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		if s, ok := stringOf(call.Argument(0)); ok && s.Length() > pieceUnits {
			return c.pieces(s, func(piece goja.String) goja.Value {
				return f(goja.FunctionCall{This: call.This, Arguments: []goja.Value{piece}})
			})
		}
		return f(call)
	}
}

// pieces applies a conversion to a long text piece by piece, with a look at the
// run between them. Pieces end nowhere within a surrogate pair.
func (c *runContext) pieces(s goja.String, convert func(goja.String) goja.Value) goja.Value {
	var b goja.StringBuilder
	total := int64(0)
	for at := 0; at < s.Length(); {
		c.poll()
		end := min(at+pieceUnits, s.Length())
		if end < s.Length() && s.CharAt(end-1)&0xFC00 == 0xD800 {
			end--
		}
		if piece, ok := convert(s.Substring(at, end)).(goja.String); ok {
			total += int64(piece.Length())
			c.charge(total)
			b.WriteString(piece)
		}
		at = end
	}
	return b.String()
}

// chargedText charges methods that work on copies of a text which are not ASCII,
// or on more than a copy, by the bytes for each unit.
func chargedText(each int64) func(*runContext, callFunc) callFunc {
	return func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			if s, ok := receiver(&call); ok && (unitBytes(s) > 1 || len(call.Arguments) > 0) {
				c.chargeEach(int64(s.Length()), each)
			}
			return f(call)
		}
	}
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

// chargedReplace charges the replacement of one string, or of all (-1). Where a
// regular expression is replaced, its own method does.
func chargedReplace(all int) func(*runContext, callFunc) callFunc {
	return func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.descend()
			defer c.ascend()
			if _, isObject := call.Argument(0).(*goja.Object); isObject {
				return f(call)
			}
			s, ok1 := receiver(&call)
			search, ok2 := stringOf(call.Argument(0))
			if !ok1 || !ok2 {
				return f(call)
			}
			count := func() int64 {
				if all > 0 {
					return int64(all)
				}
				return int64(strings.Count(s.String(), search.String()))
			}
			if all < 0 && int64(s.Length()) > c.cfg.Limits.Memory/matchBytes {
				c.chargeEach(count(), matchBytes)
			}
			return f(c.chargedReplacement(call, s, count))
		}
	}
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
