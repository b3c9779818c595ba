package goja

import (
	"github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A settler resolves or rejects the promise of an asynchronous host call.
type settler struct {
	// frames are where the call was made: its error has no place of its own.
	frames          []engine.ThrownFrame
	resolve, reject func(any) error
}

// installHost puts the run's host objects in place. What is in them is made when
// it is used: see hosttree.go.
func (c *runContext) installHost() {
	for i := range c.cfg.Host {
		h := &c.cfg.Host[i]
		o := c.newHostObject(h, c.in.shapes.node(c.layout, h.Shape))
		if err := c.rt.GlobalObject().DefineDataProperty(h.Shape.Name(), o, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
			panic(err)
		}
	}
}

// define adds a member that can be neither changed nor removed.
func define(o *goja.Object, name string, v goja.Value, enumerable goja.Flag) {
	if err := o.DefineDataProperty(name, v, goja.FLAG_FALSE, goja.FLAG_FALSE, enumerable); err != nil {
		panic(err)
	}
}

// hostConst gives the value of a constant, frozen all the way down.
func (c *runContext) hostConst(h *engine.HostObject, slot int) goja.Value {
	if slot >= len(h.Consts) {
		return goja.Undefined()
	}
	return c.giveFrozen(h.Consts[slot])
}

// callSync calls a synchronous host function.
func (c *runContext) callSync(h *engine.HostObject, fn *engine.Func, args []goja.Value) goja.Value {
	result, err := c.run.Call(h, fn, c.arguments(fn, args))
	if err != nil {
		c.failed(err)
	}
	if c.stopped.Load() {
		c.stop()
	}
	return c.give(result)
}

// callAsync starts an asynchronous host function. Its arguments are converted
// before there is a promise: what that throws is thrown, as by any function.
func (c *runContext) callAsync(h *engine.HostObject, fn *engine.Func, args []goja.Value) goja.Value {
	values := c.arguments(fn, args)
	c.need("Promise")
	promise, resolve, reject := c.rt.NewPromise()
	call, err := c.run.Start(h, fn, values)
	if err != nil {
		if engine.IsGuestError(err) || !c.over(err) {
			_ = reject(c.hostError(err))
		}
		return c.rt.ToValue(promise)
	}
	if c.calls == nil {
		c.calls = make(map[int64]settler)
	}
	c.calls[call] = settler{c.frames(c.rt.CaptureCallStack(0, nil)), resolve, reject}
	return c.rt.ToValue(promise)
}

// over ends the run where an error says that it is over.
func (c *runContext) over(err error) bool {
	switch err := err.(type) {
	case *engine.LimitError:
		c.exhausted(err.Limit, err.Max)
	}
	if err == engine.ErrStopped {
		c.stop()
	}
	return false
}

// arguments converts the arguments of a call, all under one budget.
func (c *runContext) arguments(fn *engine.Func, args []goja.Value) []engine.Value {
	if len(args) == 0 {
		return nil
	}
	budget := engine.NewBudget(c.cfg.Limits)
	values := make([]engine.Value, len(args))
	for i, arg := range args {
		var err error
		if fn.Text {
			text := c.display(arg)
			err = budget.Bytes(int64(len(text)))
			values[i] = engine.String(text)
		} else {
			values[i], err = c.export(arg, budget)
		}
		if err != nil {
			c.failed(err)
		}
	}
	return values
}

// Settle brings the result of an asynchronous call. goja runs the jobs that
// follow from it at once.
func (c *runContext) Settle(call int64, v engine.Value, err error) error {
	s, ok := c.calls[call]
	if !ok {
		return nil
	}
	delete(c.calls, call)
	return c.enter(func() error {
		if err != nil {
			o := c.hostError(err)
			if c.madeAt == nil {
				c.madeAt = make(map[*goja.Object][]engine.ThrownFrame)
			}
			c.madeAt[o] = s.frames
			return s.reject(o)
		}
		return s.resolve(c.give(v))
	})
}
