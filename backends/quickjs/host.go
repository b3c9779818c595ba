//go:build wip && !386 && !arm

package quickjs

import (
	"errors"
	"fmt"
	"math"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A hostFunction is a function of a host object; the engine knows it by its place
// in the context's list.
type hostFunction struct {
	host *engine.HostObject
	fn   *engine.Func
}

// A settler has the functions that resolve or reject the promise of an asynchronous
// host call.
type settler struct{ resolve, reject jsValue }

// maxFunctions is how many host functions one context can have: the engine keeps the
// place in 16 bits.
const maxFunctions = math.MaxInt16

// installHost puts the run's host objects in place.
func (c *runContext) installHost() error {
	for i := range c.cfg.Host {
		h := &c.cfg.Host[i]
		if len(c.functions)+len(h.Shape.Funcs()) > maxFunctions {
			return fmt.Errorf("quickjs: more than %d host functions", maxFunctions)
		}
		o := lib.XJS_NewObjectProto(c.tls, c.ctx, null)
		c.fill(o, h, h.Shape.Fields())
		c.define(c.captured.global, h.Shape.Name(), o, hidden)
	}
	return nil
}

// fill adds the members of a host object and freezes it.
func (c *runContext) fill(o jsValue, h *engine.HostObject, fields []engine.Field) {
	for i := range fields {
		f := &fields[i]
		var v jsValue
		switch {
		case f.Const:
			v = undefined
			if f.Slot < len(h.Consts) {
				v = c.giveFrozen(h.Consts[f.Slot])
			}
		case f.Func != nil:
			c.functions = append(c.functions, hostFunction{h, f.Func})
			v = c.cfunction(f.Name, 0, lib.EJS_CFUNC_generic_magic, len(c.functions)-1, callHost)
			c.fill(v, h, f.Fields)
		default:
			v = lib.XJS_NewObjectProto(c.tls, c.ctx, null)
			c.fill(v, h, f.Fields)
		}
		a := c.atom(f.Name)
		if lib.XJS_GetOwnProperty(c.tls, c.ctx, 0, o, a) > 0 {
			c.free(v) // a function's own name or length goes before a field's
		} else {
			lib.XJS_DefinePropertyValue(c.tls, c.ctx, o, a, v, fixed)
		}
		c.freeAtom(a)
	}
	c.free(c.call(c.captured.freeze, undefined, o))
}

// callHost is what every host function of a script comes to.
func callHost(_ *libc.TLS, ctx uintptr, _ jsValue, argc int32, argv uintptr, place int32) jsValue {
	c := contextOf(ctx)
	c.check()
	f := &c.functions[place]
	args, err := c.arguments(f.fn, argsAt(argc, argv))
	if err != nil {
		return c.failed(err)
	}
	if f.fn.Async {
		return c.callAsync(f, args)
	}
	result, err := c.run.Call(f.host, f.fn, args)
	if err != nil {
		return c.failed(err)
	}
	c.check()
	return c.give(result)
}

// arguments converts the arguments of a call, all under one budget.
func (c *runContext) arguments(fn *engine.Func, args []jsValue) ([]engine.Value, error) {
	if len(args) == 0 {
		return nil, nil
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
			return nil, err
		}
	}
	return values, nil
}

// failed throws an error at the script, as a host function does, or ends the run
// where the error says so.
func (c *runContext) failed(err error) jsValue {
	if err == errThrown {
		return exception
	}
	if limit, ok := errors.AsType[*engine.LimitError](err); ok {
		c.exhausted(limit.Limit, limit.Max)
	}
	if errors.Is(err, engine.ErrStopped) {
		c.stop()
	}
	return c.throw(c.hostError(err))
}

// callAsync starts an asynchronous host function.
func (c *runContext) callAsync(f *hostFunction, args []engine.Value) jsValue {
	promise, s := c.newPromise()
	call, err := c.run.Start(f.host, f.fn, args)
	if err != nil {
		if errors.Is(err, engine.ErrStopped) {
			c.stop()
		}
		c.settle(s, s.reject, c.hostError(err))
		return promise
	}
	if c.calls == nil {
		c.calls = make(map[int64]settler)
	}
	c.calls[call] = s
	return promise
}

func (c *runContext) newPromise() (promise jsValue, s settler) {
	const n = 2 * int(valueSize)
	functions := c.tls.Alloc(n)
	defer c.tls.Free(n)
	promise = lib.XJS_NewPromiseCapability(c.tls, c.ctx, functions)
	two := argsAt(2, functions)
	return promise, settler{two[0], two[1]}
}

// settle calls one of the functions of a promise and lets go of both.
func (c *runContext) settle(s settler, how, with jsValue) {
	if r := c.call(how, undefined, with); isException(r) {
		c.drop()
	} else {
		c.free(r)
	}
	c.free(with)
	c.free(s.resolve)
	c.free(s.reject)
}

// Settle brings the result of an asynchronous call.
func (c *runContext) Settle(call int64, v engine.Value, err error) error {
	s, ok := c.calls[call]
	if !ok {
		return nil
	}
	delete(c.calls, call)
	return c.enter(func() error {
		if err != nil {
			c.settle(s, s.reject, c.hostError(err))
			return nil
		}
		c.settle(s, s.resolve, c.give(v))
		return nil
	})
}
