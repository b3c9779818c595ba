package goja

import "github.com/dop251/goja"

// maxProxyNesting is how many proxies may stand one behind the other: each is a
// step of Go's own recursion.
const maxProxyNesting = 500

// A proxyRecord is what goja's proxy was made of.
type proxyRecord struct {
	target, handler *goja.Object
	nesting         int
}

// guardedProxy puts a handler of its own between a proxy and the script's, which
// bounds how deep traps may call each other.
func guardedProxy(c *runContext, f constructFunc) constructFunc {
	return func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		c.poll()
		args, record := c.proxyArguments(args)
		p := f(args, newTarget)
		c.recordProxy(p, record)
		return p
	}
}

var proxyGuards = []guard{
	{name: "revocable", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			args, record := c.proxyArguments(call.Arguments)
			call.Arguments = args
			v := f(call)
			if o, ok := v.(*goja.Object); ok {
				if p, ok := o.Get("proxy").(*goja.Object); ok {
					c.recordProxy(p, record)
				}
			}
			return v
		}
	}},
}

func (c *runContext) recordProxy(p *goja.Object, r *proxyRecord) {
	if p == nil || r == nil {
		return
	}
	if c.proxies == nil {
		c.proxies = make(map[*goja.Object]*proxyRecord)
	}
	c.proxies[p] = r
}

func (c *runContext) proxyArguments(args []goja.Value) ([]goja.Value, *proxyRecord) {
	if len(args) < 2 {
		return args, nil
	}
	target, ok1 := args[0].(*goja.Object)
	handler, ok2 := args[1].(*goja.Object)
	if !ok1 || !ok2 {
		return args, nil
	}
	record := &proxyRecord{target: target, handler: handler, nesting: 1 + max(c.nesting(target), c.nesting(handler))}
	if record.nesting > maxProxyNesting {
		c.throwTooDeep()
	}
	between := c.rt.NewDynamicObject(&handlerBetween{c: c, handler: handler})
	if err := between.SetPrototype(nil); err != nil {
		panic(err)
	}
	return []goja.Value{target, between}, record
}

// nesting is how many proxies a look-up on o can come to go through.
func (c *runContext) nesting(o *goja.Object) int {
	for o != nil {
		if r := c.proxies[o]; r != nil {
			return r.nesting
		}
		o = c.plainPrototype(o)
	}
	return 0
}

// plainPrototype is the prototype of an object that is no proxy.
func (c *runContext) plainPrototype(o *goja.Object) *goja.Object {
	if c.layout.implOf(o).Type().Elem() == c.layout.proxyType {
		return nil
	}
	return o.Prototype()
}

// handlerBetween passes look-ups of traps on, and makes the traps that it finds
// ones that count.
type handlerBetween struct {
	c       *runContext
	handler *goja.Object
	traps   map[string]trap
}

type trap struct{ found, counted goja.Value }

func (h *handlerBetween) Get(key string) goja.Value {
	h.c.descend()
	defer h.c.ascend()
	v := h.handler.Get(key)
	f, ok := goja.AssertFunction(v)
	if !ok {
		return v
	}
	if t, ok := h.traps[key]; ok && t.found == v {
		return t.counted
	}
	if h.traps == nil {
		h.traps = make(map[string]trap)
	}
	c, handler := h.c, h.handler
	counted := c.hidden(func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		return c.call(f, handler, call.Arguments...)
	})
	h.traps[key] = trap{v, counted}
	return counted
}

func (h *handlerBetween) Has(key string) bool         { return h.handler.Get(key) != nil }
func (h *handlerBetween) Set(string, goja.Value) bool { return false }
func (h *handlerBetween) Delete(string) bool          { return false }
func (h *handlerBetween) Keys() []string              { return nil }

// guardedSetPrototype refuses a chain of prototypes that leads back to where it
// starts through a proxy: every look-up in it would go round for ever.
func guardedSetPrototype(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		c.checkPrototype(call.Argument(0), call.Argument(1))
		return f(call)
	}
}

// guardedProtoSetter is the same for __proto__.
func guardedProtoSetter(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		c.checkPrototype(call.This, call.Argument(0))
		return f(call)
	}
}

func (c *runContext) checkPrototype(v, proto goja.Value) {
	o, ok1 := v.(*goja.Object)
	p, ok2 := proto.(*goja.Object)
	if !ok1 || !ok2 || c.proxies == nil {
		return
	}
	seen := make(map[*goja.Object]bool)
	// What a change of o's prototype changes: o, and where o is a proxy, what it
	// stands for.
	changed := map[*goja.Object]bool{}
	for o != nil && !changed[o] {
		changed[o] = true
		if r := c.proxies[o]; r != nil {
			o = r.target
		}
	}
	for queue := []*goja.Object{p}; len(queue) > 0; {
		next := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if next == nil || seen[next] {
			continue
		}
		seen[next] = true
		if changed[next] {
			panic(c.newError("TypeError", "Cyclic __proto__ value"))
		}
		if r := c.proxies[next]; r != nil {
			queue = append(queue, r.target, r.handler)
		} else {
			queue = append(queue, c.plainPrototype(next))
		}
	}
}
