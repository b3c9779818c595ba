package goja

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A runContext is a runtime in use for one run.
type runContext struct {
	in     *interpreter
	layout *layout
	cfg    *engine.ContextConfig
	run    engine.Run
	rt     *goja.Runtime

	meter        meter
	memory       account
	nested       int // built-ins that call each other, see descend
	proxies      map[*goja.Object]*proxyRecord
	guarded      map[string]bool
	counting     bool                // in chargeMatches
	arrayMethods map[string]callFunc // see arrayMethod
	exec         callFunc            // RegExp.prototype.exec, unguarded

	// stopped is set by Interrupt. The meter and every checked built-in look at
	// it and leave the guest by a panic that no script can catch. attention says
	// that there is something for the meter to look at: that, or a verdict of the
	// sampler to wait for.
	stopped   atomic.Bool
	attention atomic.Bool
	closed    atomic.Bool
	late      atomic.Pointer[time.Timer]

	compiled *compiled
	value    goja.Value
	promise  *goja.Promise // the value, where it is a promise

	calls      map[int64]settler
	hostErrors map[*goja.Object]error
	madeAt     map[*goja.Object][]engine.ThrownFrame // of errors of asynchronous calls
	rejected   []*goja.Promise
	helpers    helpers
}

// stopSignal is the panic that ends a run. goja takes a panic that it does not
// know for none of the script's business: no catch, no finally, no handler sees
// it.
type stopSignal struct{}

// interruptGrace is how long a script may take to reach the next charge before
// goja's own interrupt is used as well. Charges stand in every loop and function,
// so that only built-ins called in a row, without a loop, take longer. goja's
// interrupt comes late because it can lock the run up for good: it reads the name
// of every native function on the stack under its own lock, and a script may have
// made such a name a getter.
const interruptGrace = 250 * time.Millisecond

// maxCallStack is the backstop of goja's own, for calls that no charge sees, as of
// the initializers of class fields. A script cannot catch what it ends in.
const maxCallStack = maxCallDepth + 200

func newContext(in *interpreter, l *layout, cfg *engine.ContextConfig) (*runContext, error) {
	c := &runContext{in: in, layout: l, cfg: cfg, run: cfg.Run, rt: goja.New()}
	c.rt.SetParserOptions(parser.WithDisableSourceMaps)
	c.rt.SetMaxCallStackSize(maxCallStack)
	c.rt.SetTimeSource(cfg.Now)
	c.rt.SetRandSource(cfg.Random)
	c.rt.SetPromiseRejectionTracker(c.trackRejection)
	c.meter.init(c)
	if err := c.useTemplates(); err != nil {
		return nil, err
	}
	if err := c.enter(func() error {
		c.seal()
		c.installGlobals()
		c.installHost()
		return nil
	}); err != nil {
		return nil, err
	}
	c.memory = account{run: cfg.Run, limit: cfg.Limits.Memory, hold: func() { c.attention.Store(true) }}
	in.sampler.join(&c.memory)
	return c, nil
}

// enter runs something that may run guest code. It turns the ways in which that
// ends into the errors of the interface; a panic that is none of them goes on.
func (c *runContext) enter(f func() error) (err error) {
	defer func() {
		x := recover()
		if c.stopped.Load() {
			err = engine.ErrStopped
			return
		}
		switch x := x.(type) {
		case nil:
		case stopSignal, *goja.InterruptedError:
			err = engine.ErrStopped
		case *goja.StackOverflowError:
			err = c.tooDeep(x.Stack())
		default:
			// The place where it happened is lost once this function returns.
			panic(fmt.Sprintf("%v\n%s", x, debug.Stack()))
		}
	}()
	// What a getter throws outside of any call of the script comes as a panic.
	exception := c.rt.Try(func() { err = f() })
	if exception != nil {
		return c.thrown(exception.Value(), exception.Stack())
	}
	// Not by errors.As: to unwrap an exception is to look at its value, which may be
	// a Proxy.
	switch err := err.(type) {
	case *goja.StackOverflowError:
		return c.tooDeep(err.Stack())
	case *goja.InterruptedError:
		return engine.ErrStopped
	case *goja.Exception:
		return c.thrown(err.Value(), err.Stack())
	}
	return err
}

// stop leaves the guest for good.
func (c *runContext) stop() {
	c.stopped.Store(true)
	c.attention.Store(true)
	panic(stopSignal{})
}

// attend does what there is to be done at a charge.
func (c *runContext) attend() {
	c.attention.Store(false)
	c.memory.wait()
	if c.stopped.Load() {
		c.stop()
	}
}

// exhausted ends the run for a limit.
func (c *runContext) exhausted(limit string, max int64) {
	c.run.Exhausted(limit, max)
	c.stop()
}

// failed throws an error at the guest, as a host function or a checked built-in
// does, or ends the run where the error says so.
func (c *runContext) failed(err error) {
	if limit, ok := errors.AsType[*engine.LimitError](err); ok {
		c.exhausted(limit.Limit, limit.Max)
	}
	if errors.Is(err, engine.ErrStopped) {
		c.stop()
	}
	panic(c.hostError(err))
}

// Eval evaluates the program.
func (c *runContext) Eval(code engine.Compiled) error {
	p, ok := code.(*compiled)
	if !ok {
		return fmt.Errorf("not a compiled program: %T", code)
	}
	c.compiled = p
	return c.enter(func() error {
		for _, name := range p.needs {
			c.need(name)
		}
		wrapper, err := c.rt.RunProgram(p.program)
		if err != nil {
			return err
		}
		outer, _ := goja.AssertFunction(wrapper)
		script, err := outer(goja.Undefined(), c.meter.fn, c.programGlobals(), c.operandGuard())
		if err != nil {
			return err
		}
		inner, _ := goja.AssertFunction(script)
		c.value, err = inner(goja.Undefined())
		if err != nil {
			return err
		}
		if o, ok := c.value.(*goja.Object); ok && c.layout.implOf(o).Type().Elem().Name() == "Promise" {
			// Asked first: Export copies whatever else it is, to any depth.
			c.promise, _ = o.Export().(*goja.Promise)
		}
		return nil
	})
}

// Drain has nothing to do: goja runs all jobs before a call from outside returns.
func (c *runContext) Drain() error {
	if c.stopped.Load() {
		return engine.ErrStopped
	}
	return nil
}

// State tells how far the script's value is.
func (c *runContext) State() engine.State {
	if c.promise == nil {
		return engine.Fulfilled
	}
	switch c.promise.State() {
	case goja.PromiseStateFulfilled:
		return engine.Fulfilled
	case goja.PromiseStateRejected:
		return engine.Rejected
	}
	return engine.Pending
}

// Rejection is what the script's promise was rejected with.
func (c *runContext) Rejection() *engine.Thrown {
	if c.promise == nil {
		return nil
	}
	return c.rejection(c.promise)
}

func (c *runContext) rejection(p *goja.Promise) (t *engine.Thrown) {
	if err := c.enter(func() error {
		t = c.thrown(p.Result(), nil)
		return nil
	}); err != nil {
		return &engine.Thrown{Message: unreadable}
	}
	return t
}

// Result converts the script's value.
func (c *runContext) Result(b *engine.Budget) (v engine.Value, err error) {
	value := c.value
	if c.promise != nil {
		value = c.promise.Result()
	}
	err = c.enter(func() (err error) {
		v, err = c.export(value, b)
		return err
	})
	if err != nil {
		return engine.Value{}, err
	}
	return v, nil
}

// trackRejection keeps the promises that were rejected without a handler, in the
// order of their rejection.
func (c *runContext) trackRejection(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		c.rejected = append(c.rejected, p)
		return
	}
	for i, r := range c.rejected {
		if r == p {
			c.rejected = append(c.rejected[:i], c.rejected[i+1:]...)
			return
		}
	}
}

// Unhandled returns the rejections that nobody has handled.
func (c *runContext) Unhandled() []*engine.Thrown {
	var list []*engine.Thrown
	for _, p := range c.rejected {
		if p == c.promise {
			continue // the run tells of it itself
		}
		list = append(list, c.rejection(p))
	}
	return list
}

// Statements is what was charged so far.
func (c *runContext) Statements() int64 { return c.meter.total }

// Memory is the most that was put down to the run.
func (c *runContext) Memory() int64 { return c.memory.peak() }

// Interrupt stops the guest at its next charge, and by goja's own interrupt where
// it does not reach one.
func (c *runContext) Interrupt() {
	if c.stopped.Swap(true) {
		return
	}
	c.attention.Store(true)
	c.memory.resume()
	if c.closed.Load() {
		return
	}
	c.late.Store(time.AfterFunc(interruptGrace, func() {
		if !c.closed.Load() {
			c.rt.Interrupt(engine.ErrStopped)
		}
	}))
}

// Close lets go of the runtime. A runtime is never used for a second run.
func (c *runContext) Close() {
	c.closed.Store(true)
	if t := c.late.Load(); t != nil {
		t.Stop()
	}
	c.in.sampler.leave(&c.memory)
}
