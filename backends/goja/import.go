package goja

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/core/engine"
)

// text is a Go string in the guest.
func (c *runContext) text(s string) goja.Value {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return c.rt.ToValue(s)
}

// give makes a copy of a value in the guest: plain objects and arrays, tied to
// no Go data.
func (c *runContext) give(v engine.Value) goja.Value {
	switch v.Kind() {
	case engine.KindBool:
		b, _ := v.AsBool()
		return c.rt.ToValue(b)
	case engine.KindInt:
		i, _ := v.AsInt()
		return c.rt.ToValue(i)
	case engine.KindFloat:
		f, _ := v.AsFloat()
		return c.rt.ToValue(f)
	case engine.KindBigInt:
		c.need("BigInt")
		i, _ := v.AsBigInt()
		return c.rt.ToValue((*big.Int)(i))
	case engine.KindString:
		s, _ := v.AsString()
		return c.text(s)
	case engine.KindTime:
		t, _ := v.AsTime()
		return c.construct("Date", c.rt.ToValue(t.UnixMilli()))
	case engine.KindBytes:
		b, _ := v.AsBytes()
		buffer := c.rt.NewArrayBuffer(append([]byte{}, b...))
		return c.construct("Uint8Array", c.rt.ToValue(buffer))
	case engine.KindList:
		items, _ := v.Items()
		list := make([]any, len(items))
		for i, item := range items {
			list[i] = c.give(item)
		}
		return c.rt.NewArray(list...)
	case engine.KindObject:
		members, _ := v.Members()
		o := c.rt.NewObject()
		for _, m := range members {
			// Defined, not assigned: no setter of Object.prototype, __proto__ included,
			// takes part.
			if err := o.DefineDataProperty(m.Key, c.give(m.Value), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
				panic(err)
			}
		}
		return o
	}
	return goja.Null()
}

func (c *runContext) construct(name string, args ...goja.Value) *goja.Object {
	o, err := c.rt.New(c.layout.original(c.rt, name), args...)
	if err != nil {
		panic(err)
	}
	return o
}

// installGlobals defines the run's data as globals.
func (c *runContext) installGlobals() {
	global := c.rt.GlobalObject()
	for _, m := range c.cfg.Globals {
		if err := global.DefineDataProperty(m.Key, c.give(m.Value), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
}

// programGlobals is the object of initial values for the script's top-level vars
// that are named like a global, or null.
func (c *runContext) programGlobals() goja.Value {
	var o *goja.Object
	for _, name := range c.cfg.Program.Vars {
		if !c.isGlobal(name) {
			continue
		}
		if o == nil {
			o = c.rt.CreateObject(nil)
		}
		v := c.rt.GlobalObject().Get(name)
		if v == nil {
			continue
		}
		_ = o.DefineDataProperty(name, v, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	if o == nil {
		return goja.Null()
	}
	return o
}

func (c *runContext) isGlobal(name string) bool {
	if builtinGlobals()[name] {
		return true
	}
	for i := range c.cfg.Globals {
		if c.cfg.Globals[i].Key == name {
			return true
		}
	}
	for i := range c.cfg.Host {
		if c.cfg.Host[i].Shape.Name() == name {
			return true
		}
	}
	return false
}

// giveFrozen is give for values that must not change.
func (c *runContext) giveFrozen(v engine.Value) goja.Value {
	switch v.Kind() {
	case engine.KindList:
		items, _ := v.Items()
		o := c.rt.NewArray()
		for i, item := range items {
			define(o, strconv.Itoa(i), c.giveFrozen(item), goja.FLAG_TRUE)
		}
		define(o, "length", c.rt.ToValue(len(items)), goja.FLAG_FALSE)
		c.layout.preventExtensions(o)
		return o
	case engine.KindObject:
		members, _ := v.Members()
		o := c.rt.NewObject()
		for _, m := range members {
			define(o, m.Key, c.giveFrozen(m.Value), goja.FLAG_TRUE)
		}
		c.layout.preventExtensions(o)
		return o
	case engine.KindTime, engine.KindBytes:
		// An object whose inside no freezing reaches; each run has its own.
		o := c.give(v).(*goja.Object)
		c.layout.preventExtensions(o)
		return o
	}
	return c.give(v)
}
