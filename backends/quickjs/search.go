//go:build wip && !386 && !arm

package quickjs

import (
	"unsafe"
)

// The engine searches a string for another by trying every place, which takes time
// in the product of their lengths. Where that is much, the search is made here, in
// time in their sum.

// searches are the methods of strings that look for another.
var searches = map[string]instead{
	"indexOf": func(c *runContext, this jsValue, args []jsValue) (jsValue, bool) {
		at, done := c.search(this, args)
		return jsInt(int32(at)), done
	},
	"includes": func(c *runContext, this jsValue, args []jsValue) (jsValue, bool) {
		at, done := c.search(this, args)
		return jsBool(at >= 0), done
	},
}

// longSearch is the product of lengths up to which the engine does it itself.
const longSearch = 1 << 26

// search looks for the first argument in a string, from the place on that the second
// says. done is false for what the engine had better do itself: short searches, and
// those whose arguments are no plain values.
func (c *runContext) search(in jsValue, args []jsValue) (at int, done bool) {
	if len(args) == 0 || !isString(in) || !isString(args[0]) || lengthOf(in)*lengthOf(args[0]) < longSearch {
		return 0, false
	}
	from := 0
	if len(args) > 1 && args[1] != undefined {
		f, ok := number(args[1])
		if !ok {
			return 0, false
		}
		from = int(min(max(f, 0), float64(lengthOf(in)))) // NaN is 0
	}
	text, ok := c.flat(in)
	if !ok {
		c.drop()
		return 0, false
	}
	defer c.free(text)
	pattern, ok := c.flat(args[0])
	if !ok {
		c.drop()
		return 0, false
	}
	defer c.free(pattern)
	t, p := stringAt(pointer(text)), stringAt(pointer(pattern))
	switch {
	case !t.wide && !p.wide:
		return find(c.check, units[byte](t), units[byte](p), from), true
	case t.wide && p.wide:
		return find(c.check, units[uint16](t), units[uint16](p), from), true
	case t.wide:
		return find(c.check, units[uint16](t), units[byte](p), from), true
	}
	return find(c.check, units[byte](t), units[uint16](p), from), true
}

func units[T byte | uint16](s jsString) []T { return unsafe.Slice(atAddress[T](s.data), s.length) }

// find is the search of Knuth, Morris and Pratt. It looks up now and then.
func find[T, P byte | uint16](lookUp func(), text []T, pattern []P, from int) int {
	const often = 1 << 16
	// For each beginning of the pattern, how much of its end is a beginning again.
	again := make([]int32, len(pattern)+1)
	again[0] = -1
	for i, k := 0, int32(-1); i < len(pattern); i++ {
		for k >= 0 && pattern[k] != pattern[i] {
			k = again[k]
		}
		k++
		again[i+1] = k
	}
	k := int32(0)
	for i := from; i < len(text); i++ {
		if i%often == 0 {
			lookUp()
		}
		for k >= 0 && uint16(pattern[k]) != uint16(text[i]) {
			k = again[k]
		}
		if k++; int(k) == len(pattern) {
			return i + 1 - len(pattern)
		}
	}
	return -1
}
