//go:build wip && !386 && !arm

package quickjs

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A runContext is a runtime in use for one run.
type runContext struct {
	*machine
	cfg *engine.ContextConfig
	run engine.Run

	meter meter
	// stopped is set by Interrupt. The engine looks at it every now and then, and
	// every function of Go that it calls does.
	stopped atomic.Bool
	// mu guards the engine's memory against an Interrupt after it was freed.
	mu     sync.Mutex
	closed bool
	// dead says that a panic left the engine. It is not entered again.
	dead bool

	compiled *compiled
	value    jsValue

	captured   captured
	functions  []hostFunction
	calls      map[int64]settler
	makeError  uintptr           // the engine's constructor of errors
	hostErrors map[uintptr]error // by error object; each is held
	rejected   []jsValue         // promises
	keys       map[lib.TJSAtom]string
}

// stopSignal is the panic that ends a run, out of the engine and past it.
type stopSignal struct{}

// errThrown says that an exception is pending in the engine. It does not leave
// enter.
var errThrown = errors.New("quickjs: thrown")

func contextOf(ctx uintptr) *runContext {
	return fromOpaque[runContext](atAddress[lib.TJSContext](ctx).Fuser_opaque)
}

// NewContext makes a context.
func (*interpreter) NewContext(cfg *engine.ContextConfig) (engine.Context, error) {
	c := &runContext{machine: newMachine(), cfg: cfg, run: cfg.Run, value: undefined}
	if err := c.enter(func() error { return c.begin() }); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *runContext) begin() error {
	limit := c.cfg.Limits.Memory
	if err := c.open(limit, func() { c.exhausted(engine.LimitMemory, limit) }); err != nil {
		return err
	}
	c.memory.check = c.check
	c.ctx = lib.XJS_NewContext(c.tls, c.rt)
	if c.ctx == 0 {
		return errNoRuntime
	}
	c.context().Fuser_opaque = opaque(c)
	lib.XJS_SetInterruptHandler(c.tls, c.rt, function(lookUp), opaque(c))
	lib.XJS_SetHostPromiseRejectionTracker(c.tls, c.rt, function(trackRejection), opaque(c))
	c.seal()
	c.guardMethods()
	c.useClock()
	c.installGlobals()
	return c.installHost()
}

// lookUp is what the engine calls every now and then.
func lookUp(_ *libc.TLS, _, of uintptr) int32 {
	fromOpaque[runContext](of).check()
	return 0
}

// check leaves the engine where the run is over.
func (c *runContext) check() {
	if c.stopped.Load() {
		c.stop()
	}
}

// exhausted ends the run for a limit.
func (c *runContext) exhausted(limit string, max int64) {
	c.run.Exhausted(limit, max)
	c.stop()
}

func (c *runContext) stop() {
	c.stopped.Store(true)
	c.meter.freeze()
	panic(stopSignal{})
}

// enter runs something that may run the engine. It turns the ways in which that ends
// into the errors of the interface.
func (c *runContext) enter(f func() error) (err error) {
	if c.dead || c.stopped.Load() {
		return engine.ErrStopped
	}
	defer func() {
		switch x := recover(); x.(type) {
		case nil:
		case stopSignal:
			c.dead, err = true, engine.ErrStopped
		default:
			c.dead = true
			c.meter = meter{final: c.meter.granted} // at most that
			if c.stopped.Load() {
				err = engine.ErrStopped
				return
			}
			// The place where it happened is lost once this function returns.
			panic(fmt.Sprintf("%v\n%s", x, debug.Stack()))
		}
	}()
	err = f()
	if err == errThrown {
		return c.thrown(c.take())
	}
	return err
}

// take takes the pending exception.
func (c *runContext) take() jsValue { return lib.XJS_GetException(c.tls, c.ctx) }

// drop forgets the pending exception.
func (c *runContext) drop() { c.free(c.take()) }

// Eval evaluates the program.
func (c *runContext) Eval(code engine.Compiled) error {
	p, ok := code.(*compiled)
	if !ok {
		return fmt.Errorf("not a compiled program: %T", code)
	}
	c.compiled = p
	return c.enter(func() error {
		buffer := c.buffer(len(p.code) + 1)
		fillC(buffer, string(p.code))
		fn := lib.XJS_ReadObject(c.tls, c.ctx, buffer, size(len(p.code)), lib.MJS_READ_OBJ_BYTECODE)
		c.freeBuffer(buffer)
		if isException(fn) {
			c.drop()
			return errors.New("quickjs: the program's bytecode could not be read")
		}
		outer := lib.XJS_EvalFunction(c.tls, c.ctx, fn)
		if isException(outer) {
			return errThrown
		}
		meter := c.cfunction("", 1, lib.EJS_CFUNC_generic, 0, charge)
		globals := c.programGlobals()
		script := c.call(outer, undefined, meter, globals, undefined)
		c.free(outer)
		c.free(meter)
		c.free(globals)
		if isException(script) {
			return errThrown
		}
		c.value = c.call(script, undefined)
		c.free(script)
		if isException(c.value) {
			c.value = undefined
			return errThrown
		}
		return nil
	})
}

// Drain runs promise jobs until there is none.
func (c *runContext) Drain() error {
	return c.enter(func() error {
		of := c.tls.Alloc(8)
		defer c.tls.Free(8)
		for {
			switch r := lib.XJS_ExecutePendingJob(c.tls, c.rt, of); {
			case r == 0:
				return nil
			case r < 0:
				c.drop()
			}
			c.check()
		}
	})
}

// promise is the engine's record of the script's value, if that is a promise.
func (c *runContext) promise() *lib.TJSPromiseData {
	if !isObject(c.value) || classOf(c.value) != lib.EJS_CLASS_PROMISE {
		return nil
	}
	return atAddress[lib.TJSPromiseData](*slotOf[uintptr](c.value))
}

// State tells how far the script's value is.
func (c *runContext) State() engine.State {
	if p := c.promise(); p != nil {
		switch p.Fpromise_state {
		case lib.EJS_PROMISE_PENDING:
			return engine.Pending
		case lib.EJS_PROMISE_REJECTED:
			return engine.Rejected
		}
	}
	return engine.Fulfilled
}

// Rejection is what the script's promise was rejected with.
func (c *runContext) Rejection() *engine.Thrown {
	if c.promise() == nil {
		return nil
	}
	return c.rejection(c.value)
}

func (c *runContext) rejection(promise jsValue) *engine.Thrown {
	var t *engine.Thrown
	if err := c.enter(func() error {
		t = c.thrown(lib.XJS_PromiseResult(c.tls, c.ctx, promise))
		return nil
	}); err != nil {
		return &engine.Thrown{Message: unreadable}
	}
	return t
}

// Result converts the script's value.
func (c *runContext) Result(b *engine.Budget) (v engine.Value, err error) {
	err = c.enter(func() (err error) {
		value := c.value
		if p := c.promise(); p != nil {
			value = p.Fpromise_result
		}
		value = c.dup(value)
		v, err = c.export(value, b)
		c.free(value)
		return err
	})
	if err != nil {
		return engine.Value{}, err
	}
	return v, nil
}

// trackRejection keeps the promises that were rejected without a handler, in the
// order of their rejection.
func trackRejection(_ *libc.TLS, _ uintptr, promise, _ jsValue, handled int32, of uintptr) {
	c := fromOpaque[runContext](of)
	if handled == 0 {
		c.rejected = append(c.rejected, c.dup(promise))
		return
	}
	for i, r := range c.rejected {
		if pointer(r) == pointer(promise) {
			c.rejected = append(c.rejected[:i], c.rejected[i+1:]...)
			c.free(r)
			return
		}
	}
}

// Unhandled returns the rejections that nobody has handled.
func (c *runContext) Unhandled() []*engine.Thrown {
	var list []*engine.Thrown
	for _, p := range c.rejected {
		if isObject(c.value) && pointer(p) == pointer(c.value) {
			continue // the run tells of it itself
		}
		list = append(list, c.rejection(p))
	}
	return list
}

// Statements is what was charged so far.
func (c *runContext) Statements() int64 { return c.meter.total() }

// Memory is the most that the engine had allocated at once.
func (c *runContext) Memory() int64 { return c.memory.peak }

// Interrupt stops the guest when the engine looks up next, and makes that soon.
func (c *runContext) Interrupt() {
	c.stopped.Store(true)
	c.hurry(time.Millisecond)
}

// hurry sets the engine's count of calls and loops until it looks up to none. The
// engine counts without care for other goroutines, so this may be lost; it is done
// again until the context is closed.
func (c *runContext) hurry(again time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.ctx == 0 {
		return
	}
	atomic.StoreInt32(&c.context().Finterrupt_counter, 0)
	time.AfterFunc(again, func() { c.hurry(min(2*again, time.Second)) })
}

// Close frees the runtime. It is never used for a second run.
func (c *runContext) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead, c.closed = true, true
	c.meter = meter{}
	c.close()
}
