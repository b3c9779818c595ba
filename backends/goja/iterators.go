package goja

import "github.com/dop251/goja"

// A spread, a rest element, Array.from, new Set and their kind call next in a
// loop of Go that looks at no interrupt. The iterators of strings and arrays,
// which can be longer than what they are made of, look for themselves.

// polledIterator guards what makes such an iterator: once there is one, so is the
// prototype that all of its kind share.
func polledIterator(kind string) func(*runContext, callFunc) callFunc {
	return func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			v := f(call)
			if o, ok := v.(*goja.Object); ok && c.once(kind) {
				if p := o.Prototype(); p != nil {
					c.guardMembers(p, iteratorGuards)
				}
			}
			return v
		}
	}
}

var iteratorGuards = []guard{{name: "next", call: polled}}

// once says whether a thing is asked for the first time.
func (c *runContext) once(key string) bool {
	if c.guarded[key] {
		return false
	}
	if c.guarded == nil {
		c.guarded = make(map[string]bool)
	}
	c.guarded[key] = true
	return true
}
