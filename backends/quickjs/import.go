//go:build wip && !386 && !arm

package quickjs

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// jsNumber is a number, in the engine's form of small integers where it is one.
func jsNumber(f float64) jsValue {
	if i := int32(f); float64(i) == f && (i != 0 || !signbit(f)) {
		return jsInt(i)
	}
	return jsFloat(f)
}

func signbit(f float64) bool { return *(*uint64)(unsafe.Pointer(&f))>>63 != 0 }

// text is a Go string in the guest.
func (c *runContext) text(s string) jsValue {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return c.str(s)
}

// give makes a copy of a value in the guest: plain objects and arrays, tied to no Go
// data. Only what the engine itself knows takes part in it.
func (c *runContext) give(v engine.Value) jsValue {
	switch v.Kind() {
	case engine.KindBool:
		b, _ := v.AsBool()
		return jsBool(b)
	case engine.KindInt:
		i, _ := v.AsInt()
		return jsNumber(float64(i))
	case engine.KindFloat:
		f, _ := v.AsFloat()
		return jsFloat(f)
	case engine.KindBigInt:
		i, _ := v.AsBigInt()
		if i.IsInt64() {
			return lib.XJS_NewBigInt64(c.tls, c.ctx, i.Int64())
		}
		digits := c.str(i.String())
		big := c.call(c.captured.bigInt, undefined, digits)
		c.free(digits)
		return big
	case engine.KindString:
		s, _ := v.AsString()
		return c.text(s)
	case engine.KindTime:
		t, _ := v.AsTime()
		return lib.XJS_NewDate(c.tls, c.ctx, float64(t.UnixMilli()))
	case engine.KindBytes:
		b, _ := v.AsBytes()
		return c.giveBytes(b)
	case engine.KindList:
		items, _ := v.Items()
		list := lib.XJS_NewArray(c.tls, c.ctx)
		for i, item := range items {
			lib.XJS_DefinePropertyValueUint32(c.tls, c.ctx, list, uint32(i), c.give(item), plain)
		}
		return list
	case engine.KindObject:
		members, _ := v.Members()
		o := lib.XJS_NewObject(c.tls, c.ctx)
		for _, m := range members {
			// Defined, not assigned: no setter of Object.prototype, __proto__ included,
			// takes part.
			a := c.atom(m.Key)
			lib.XJS_DefinePropertyValue(c.tls, c.ctx, o, a, c.give(m.Value), plain)
			c.freeAtom(a)
		}
		return o
	}
	return null
}

func (c *runContext) giveBytes(b []byte) jsValue {
	p := c.buffer(len(b) + 1)
	copy(unsafe.Slice(atAddress[byte](p), len(b)), b)
	data := lib.XJS_NewArrayBufferCopy(c.tls, c.ctx, p, size(len(b)))
	c.freeBuffer(p)
	list := c.construct(c.captured.uint8Array, c.captured.uint8Array, data)
	c.free(data)
	return list
}

// giveFrozen is give for values that must not change. The inside of a date or of
// binary data is out of reach of freezing; each run has its own.
func (c *runContext) giveFrozen(v engine.Value) jsValue {
	var o jsValue
	switch v.Kind() {
	case engine.KindList:
		items, _ := v.Items()
		o = lib.XJS_NewArray(c.tls, c.ctx)
		for i, item := range items {
			lib.XJS_DefinePropertyValueUint32(c.tls, c.ctx, o, uint32(i), c.giveFrozen(item), plain)
		}
	case engine.KindObject:
		members, _ := v.Members()
		o = lib.XJS_NewObject(c.tls, c.ctx)
		for _, m := range members {
			c.define(o, m.Key, c.giveFrozen(m.Value), plain)
		}
	case engine.KindTime, engine.KindBytes:
		o = c.give(v)
		lib.XJS_PreventExtensions(c.tls, c.ctx, o)
		return o
	default:
		return c.give(v)
	}
	c.free(c.call(c.captured.freeze, undefined, o))
	return o
}
