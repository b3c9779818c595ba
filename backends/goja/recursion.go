package goja

import (
	"strings"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// maxTreeDepth is how deep a value may be nested that a built-in goes down into
// by recursion: JSON.parse, JSON.stringify, flat.
const maxTreeDepth = 5_000

// guardedBind gives bound functions a bound on how deep they may be nested.
// `o.toString = String.bind(null, o)` would otherwise end the process.
func guardedBind(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		v := f(call)
		if o, ok := v.(*goja.Object); ok {
			if inner, construct := c.layout.goFuncs(o); inner != nil {
				if *inner != nil {
					*inner = deep(c, *inner)
				}
				if *construct != nil {
					*construct = deepConstruct(c, *construct)
				}
			}
		}
		return v
	}
}

var objectPrototypeGuards = []guard{
	{name: "toLocaleString", call: deep},
	{name: "valueOf", call: polled},
	{name: "__proto__", setter: guardedProtoSetter},
}

var errorGuards = []guard{
	{name: "toString", call: deep},
}

var dateGuards = []guard{
	{name: "toJSON", call: deep},
}

// promiseGuards keep chains of promise jobs stoppable that no function of the
// script takes part in.
var promiseGuards = []guard{
	{name: "then", call: deep},
	{name: "catch", call: deep},
	{name: "finally", call: deep},
}

var jsonGuards = []guard{
	{name: "parse", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			if len(call.Arguments) > 0 {
				if s, ok := stringOf(call.Arguments[0]); ok {
					c.checkJSON(s.String())
					call = withArgument(call, 0, s)
				}
			}
			return f(call)
		}
	}},
	{name: "stringify", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.descend()
			defer c.ascend()
			w := walk{c: c, maxDepth: maxTreeDepth}
			w.visit(call.Argument(0))
			c.charge(w.bytes)
			if w.tooDeep && !w.cyclic {
				c.throwTooDeep()
			}
			return f(call)
		}
	}},
}

// checkJSON looks through a JSON text for what it would take: JSON.parse goes
// down by recursion, and makes a hundred bytes of three.
func (c *runContext) checkJSON(text string) {
	depth, bytes := 0, int64(0)
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			bytes += objectBytes
			if depth++; depth > maxTreeDepth {
				c.throwTooDeep()
			}
		case ']', '}':
			depth--
		case ',':
			bytes += slotBytes
		}
	}
	c.charge(bytes)
}

// A walk goes through the plain data below a value without running any guest
// code: to see how deep it is and how much a text of it would take. Shared parts
// count each time that they are met, as they do in the text.
type walk struct {
	c          *runContext
	arraysOnly bool
	maxDepth   int

	nodes, bytes    int64
	slots           int64 // the lengths of all arrays
	tooDeep, cyclic bool
	stack           []walkLevel
}

type walkLevel struct {
	object *goja.Object
	values []goja.Value
	length int64
}

func (w *walk) visit(v goja.Value) {
	limit := w.c.cfg.Limits.Memory
	w.enter(v)
	for len(w.stack) > 0 && !w.tooDeep {
		top := &w.stack[len(w.stack)-1]
		if len(top.values) == 0 {
			w.stack = w.stack[:len(w.stack)-1]
			continue
		}
		next := top.values[0]
		top.values = top.values[1:]
		w.enter(next)
		if w.nodes&1023 == 0 {
			w.c.poll()
		}
		if w.bytes > limit || w.nodes > limit {
			return
		}
	}
}

func (w *walk) enter(v goja.Value) {
	w.nodes++
	w.bytes += 2
	switch v := v.(type) {
	case goja.String:
		w.bytes += int64(v.Length())
	case *goja.Object:
		values, length, ok := w.children(v)
		if !ok {
			return
		}
		w.bytes += length
		w.slots += length
		if len(w.stack) >= w.maxDepth {
			w.tooDeep = true
			for i := range w.stack {
				if w.stack[i].object == v {
					w.cyclic = true
				}
			}
			return
		}
		w.stack = append(w.stack, walkLevel{object: v, values: values, length: length})
	}
}

// children are the values in an array or a plain object.
func (w *walk) children(o *goja.Object) (values []goja.Value, length int64, ok bool) {
	l := w.c.layout
	impl := l.implOf(o)
	switch impl.Type().Elem() {
	case l.arrayType:
		p := impl.UnsafePointer()
		return *at[[]goja.Value](p, l.arrayValues), int64(*at[uint32](p, l.arrayLength)), true
	case l.sparseType:
		return nil, int64(*at[uint32](impl.UnsafePointer(), l.sparseLength)), true
	case l.plainType:
		if w.arraysOnly {
			return nil, 0, false
		}
		members := *at[map[unistring.String]goja.Value](impl.UnsafePointer(), l.plainValues)
		values = make([]goja.Value, 0, len(members))
		for name, v := range members {
			values = append(values, v)
			length += int64(len(name))
		}
		return values, length, true
	}
	return nil, 0, false
}

// maxPatternNesting is how deep the groups of a regular expression may be nested.
const maxPatternNesting = 500

// boundPattern checks the patterns that methods of String.prototype make a
// regular expression of.
func boundPattern(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		c.need("RegExp")
		c.checkPattern(call.Argument(0))
		return f(call)
	}
}

func (c *runContext) checkPattern(v goja.Value) {
	s, ok := v.(goja.String)
	if !ok || s.Length() < maxPatternNesting {
		return
	}
	if strings.Count(s.String(), "(") > maxPatternNesting {
		panic(c.newError("SyntaxError", "Invalid regular expression: too many groups"))
	}
}
