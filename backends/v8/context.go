//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"errors"
	"fmt"
	"sync/atomic"

	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/prelude"
	"github.com/ringfence-js/ringfence/internal/wire"
)

// A runContext is a V8 context in use for one run.
type runContext struct {
	in    *interpreter
	iso   *isolate
	cfg   *engine.ContextConfig
	run   engine.Run
	ctx   *v8go.Context
	guest functions
	watch watch

	// stopped is set once by Interrupt or by the context itself, and decides how
	// every call ends: V8's own word for a termination is not to be relied on, for
	// one in a promise job looks like success.
	stopped atomic.Bool
	// crash is a panic of the dispatcher, which must not unwind V8's frames.
	crash any

	compiled *compiled
	value    *v8go.Value
	promise  *v8go.Promise // the value, where it is a promise

	meter    meter
	failures prelude.Failures
	places   map[string]int // where a place of the author's stands in the program's text
	started  map[int64]int  // where the script began an asynchronous call
	thrownAt int            // where the script threw, or -1
	answer   *v8go.Value    // what the dispatcher returned last
}

// newContext makes a context. It returns one to be closed with an error too.
func newContext(in *interpreter, iso *isolate, cfg *engine.ContextConfig) (*runContext, error) {
	c := &runContext{in: in, iso: iso, cfg: cfg, run: cfg.Run, places: map[string]int{}, started: map[int64]int{}, thrownAt: -1}
	c.meter.limit = cfg.Limits.Statements
	iso.current = c
	iso.begin(cfg.Limits.Memory)
	c.watch.start(c)
	c.ctx = v8go.NewContext(iso.Isolate)
	return c, c.boot()
}

// enter runs something that may run guest code, and turns the ways in which that
// ends into the errors of the interface.
func (c *runContext) enter(f func() error) error {
	if c.stopped.Load() || !theCage.resume(c.stopped.Load) {
		return engine.ErrStopped
	}
	defer theCage.pause()
	return c.ended(f())
}

// ended looks at how a call into V8 ended.
func (c *runContext) ended(err error) error {
	if c.crash != nil {
		panic(c.crash)
	}
	if c.iso.settle() {
		c.exhausted(engine.LimitMemory, c.cfg.Limits.Memory)
	}
	if c.stopped.Load() {
		return engine.ErrStopped
	}
	return err
}

// exhausted ends the run for a limit.
func (c *runContext) exhausted(limit string, max int64) {
	c.run.Exhausted(limit, max)
	c.stop()
}

// stop makes the guest stop.
func (c *runContext) stop() {
	c.stopped.Store(true)
	c.watch.now()
}

// call calls a function of the prelude.
func (c *runContext) call(f *v8go.Function, args ...v8go.Valuer) (*v8go.Value, error) {
	v, err := f.Call(v8go.Undefined(c.iso.Isolate), args...)
	if err != nil {
		return nil, fmt.Errorf("v8: %w", err)
	}
	return v, nil
}

// textOf calls a function of the prelude that returns a text.
func (c *runContext) textOf(f *v8go.Function, args ...v8go.Valuer) (string, error) {
	v, err := c.call(f, args...)
	if err != nil {
		return "", err
	}
	defer v.Release()
	return v.String(), nil
}

// Eval evaluates the program.
func (c *runContext) Eval(code engine.Compiled) error {
	p, ok := code.(*compiled)
	if !ok {
		return fmt.Errorf("not a compiled program: %T", code)
	}
	c.compiled = p
	return c.enter(func() error {
		script, err := p.in(c.iso)
		if err != nil {
			return err
		}
		outer, err := script.Run(c.ctx)
		if err != nil {
			return fmt.Errorf("v8: %w", err)
		}
		description, err := c.textOf(c.guest.run, outer)
		if err != nil {
			return err
		}
		if description != "" {
			err := c.thrown(description)
			if t, ok := err.(*engine.Thrown); ok && len(t.Frames) == 0 && c.thrownAt >= 0 {
				t.Frames = []engine.ThrownFrame{{Offset: c.thrownAt}}
			}
			return err
		}
		if c.value, err = c.call(c.guest.value); err != nil {
			return err
		}
		if c.value.IsPromise() {
			c.promise, err = c.value.AsPromise()
		}
		return err
	})
}

// Drain runs promise jobs.
func (c *runContext) Drain() error {
	return c.enter(func() error {
		c.ctx.PerformMicrotaskCheckpoint()
		return nil
	})
}

// State tells how far the script's value is.
func (c *runContext) State() engine.State {
	if c.promise == nil {
		return engine.Fulfilled
	}
	switch c.promise.State() {
	case v8go.Fulfilled:
		return engine.Fulfilled
	case v8go.Rejected:
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

// unreadable is the message of a thrown value that could not be read.
const unreadable = "(a thrown value that cannot be read)"

func (c *runContext) rejection(p *v8go.Promise) *engine.Thrown {
	var thrown *engine.Thrown
	if err := c.enter(func() error {
		description, err := c.textOf(c.guest.describe, p.Result())
		if err != nil {
			return err
		}
		if !errors.As(c.thrown("!"+description), &thrown) {
			return errors.New("v8: a description could not be read")
		}
		return nil
	}); err != nil {
		return &engine.Thrown{Message: unreadable}
	}
	return thrown
}

// Result converts the script's value. What the script's getters queue meanwhile is
// run before it returns: a kept isolate has one queue for all its contexts.
func (c *runContext) Result(b *engine.Budget) (v engine.Value, err error) {
	value := c.value
	if c.promise != nil {
		value = c.promise.Result()
	}
	err = c.enter(func() error {
		text, err := c.textOf(c.guest.encode, value)
		if err != nil || c.stopped.Load() {
			return err
		}
		if text == "" {
			return errors.New("v8: a value was not encoded")
		}
		if text[0] != '=' {
			return c.thrown(text)
		}
		if v, err = wire.ParseText(text[1:], b); err != nil {
			return err
		}
		c.ctx.PerformMicrotaskCheckpoint()
		return nil
	})
	if err != nil {
		return engine.Value{}, err
	}
	return v, nil
}

// Settle resolves or rejects the promise of an asynchronous call.
func (c *runContext) Settle(call int64, v engine.Value, err error) error {
	if errors.Is(err, engine.ErrStopped) {
		return err
	}
	at, known := c.started[call]
	delete(c.started, call)
	return c.enter(func() error {
		message := ""
		if err != nil {
			if known {
				// An error of its own for this call: one Go error may come of many.
				err = &callError{error: err, at: at}
			}
			message = c.failures.Message(err)
		} else {
			message = prelude.Result(v)
		}
		id, err := c.newText(prelude.Started(call))
		if err != nil {
			return err
		}
		defer id.Release()
		m, err := c.newText(message)
		if err != nil {
			return err
		}
		defer m.Release()
		_, err = c.call(c.guest.settle, id, m)
		return err
	})
}

// newText makes a string of V8. It is to be released: it belongs to the isolate, not
// to the context.
func (c *runContext) newText(s string) (*v8go.Value, error) {
	v, err := v8go.NewValue(c.iso.Isolate, s)
	if err != nil {
		return nil, fmt.Errorf("v8: a text of %d bytes: %w", len(s), err)
	}
	return v, nil
}

// Unhandled returns the rejections that nobody has handled.
func (c *runContext) Unhandled() []*engine.Thrown {
	var promises []*v8go.Promise
	if err := c.enter(func() error {
		n, err := c.call(c.guest.rejected)
		if err != nil {
			return err
		}
		for i := range n.Int32() {
			index, err := v8go.NewValue(c.iso.Isolate, i)
			if err != nil {
				return err
			}
			v, err := c.call(c.guest.promise, index)
			index.Release()
			if err != nil {
				return err
			}
			if c.promise != nil && v.SameValue(c.value) {
				continue // the run tells of it itself
			}
			if p, err := v.AsPromise(); err == nil {
				promises = append(promises, p)
			}
		}
		return nil
	}); err != nil {
		return nil
	}
	var list []*engine.Thrown
	for _, p := range promises {
		list = append(list, c.rejection(p))
	}
	return list
}

// Memory is the most that was seen taken.
func (c *runContext) Memory() int64 {
	c.iso.heap()
	return c.iso.peak()
}

// Interrupt stops the guest.
func (c *runContext) Interrupt() { c.stop() }

// Close releases the context, and its isolate: into the pool, where nothing of the
// run is left in it.
func (c *runContext) Close() {
	c.watch.end()
	if c.stopped.Load() || c.crash != nil || c.iso.settle() {
		c.iso.broken = true
	} else {
		c.forgetJobs()
	}
	c.iso.end()
	if c.answer != nil {
		c.answer.Release()
	}
	c.ctx.Close()
	c.iso.current = nil
	c.in.pool.put(c.iso, func() { theCage.leave(c.cfg.Limits.Memory) })
}

// forgetJobs empties the queue of promise jobs, which V8 does when it is told to
// terminate.
func (c *runContext) forgetJobs() {
	c.iso.TerminateExecution()
	c.ctx.PerformMicrotaskCheckpoint()
	c.iso.resume()
}
