package inproc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A run is one job under way.
type run struct {
	runner *runner
	job    *engine.Job
	// caller is the context of the caller, ctx that of the run: it ends with the
	// caller's, and at the run's deadline.
	caller, ctx context.Context
	calls       hostCalls

	// reason is why the run is over, nil as long as it goes on.
	reason atomic.Pointer[reason]
	// stopped is closed once a reason other than finished is recorded.
	stopped chan struct{}
	// done has the outcome, ended is closed after the context is closed.
	done  chan *engine.Outcome
	ended chan struct{}

	mu      sync.Mutex // guards context against Interrupt after Close
	context engine.Context

	statements int64
	memory     int64
}

func newRun(r *runner, caller, ctx context.Context, job *engine.Job) *run {
	run := &run{
		runner:  r,
		job:     job,
		caller:  caller,
		ctx:     ctx,
		stopped: make(chan struct{}),
		done:    make(chan *engine.Outcome, 1),
		ended:   make(chan struct{}),
		memory:  -1,
	}
	run.calls.init(run)
	return run
}

// stop records why the run is over, unless it is over already.
func (run *run) stop(s *reason) {
	if run.reason.CompareAndSwap(nil, s) {
		close(run.stopped)
	}
}

// checkTime stops the run if its time is over or its caller has gone.
func (run *run) checkTime() {
	if run.ctx.Err() != nil {
		run.stop(timeOrCancel(run.caller, run.phase()))
	}
}

// finish records that the guest is done and reports whether it was in time.
func (run *run) finish() bool { return run.reason.CompareAndSwap(nil, finished) }

// Stopped says whether the run is over.
func (run *run) Stopped() bool { return run.reason.Load() != nil }

// Exhausted records that a limit was passed and stops the guest.
func (run *run) Exhausted(limit string, max int64) {
	run.stop(&reason{class: engine.ResourceExhausted, limit: limit, max: max})
	run.interrupt()
}

// interrupt tells the context to stop, if there is one.
func (run *run) interrupt() {
	run.mu.Lock()
	defer run.mu.Unlock()
	if run.context != nil {
		run.context.Interrupt()
	}
}

// phase says where the run is, in words of an error.
func (run *run) phase() string {
	if fn := run.calls.inside.Load(); fn != nil {
		return "in host function " + fn.Path
	}
	return "running"
}

// guest is the goroutine that parses, evaluates and converts.
func (run *run) guest(body func(*run) *engine.Outcome) {
	defer close(run.ended)
	out := run.recovered(body)
	run.checkTime() // the watchdog may not have had its turn yet
	if !run.finish() {
		// The run was over before the guest was: what it came to does not count.
		out = &engine.Outcome{Err: run.reason.Load().asError(run.job), Warnings: out.Warnings}
	}
	out.Statements, out.Memory = run.statements, run.memory
	run.calls.close()
	run.done <- out
}

func (run *run) recovered(body func(*run) *engine.Outcome) (out *engine.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			logger(run.job).Error("the engine panicked", "script", run.job.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			out = run.fail(&engine.Error{Class: engine.Internal, Message: "the engine broke down while it ran the script"})
		}
	}()
	return body(run)
}

func (run *run) fail(err *engine.Error) *engine.Outcome {
	if err.File == "" {
		err.File = run.job.Name
	}
	return &engine.Outcome{Err: err}
}

// prepare is the body of [engine.Engine.Prepare].
func (run *run) prepare() *engine.Outcome {
	if _, err := run.program(); err != nil {
		return run.fail(err)
	}
	return &engine.Outcome{}
}

// script is the body of [engine.Engine.Run].
func (run *run) script() *engine.Outcome {
	ready, failure := run.program()
	if failure != nil {
		return run.fail(failure)
	}
	c, err := run.open(ready.program)
	if err != nil {
		logger(run.job).Error("the engine made no context", "script", run.job.Name, "error", err)
		return run.fail(&engine.Error{Class: engine.Internal, Message: "the engine could not make a context"})
	}
	defer run.close(c)
	value, err := run.evaluate(c, ready.compiled)
	out := &engine.Outcome{Value: value, Warnings: unhandled(c, err)}
	if err != nil {
		out.Err = run.failure(ready.program, err)
	}
	return out
}

// open makes the run's context.
func (run *run) open(p *engine.Program) (engine.Context, error) {
	if run.Stopped() {
		return nil, engine.ErrStopped
	}
	c, err := run.runner.interpreter.NewContext(&engine.ContextConfig{
		Limits:  run.job.Limits,
		Program: p,
		Host:    run.job.Host,
		Globals: run.job.Globals,
		Now:     clock(run.job),
		Random:  random(run.job),
		Run:     run,
	})
	if err != nil {
		return nil, err
	}
	run.runner.contexts.Add(1)
	run.mu.Lock()
	run.context = c
	run.mu.Unlock()
	if run.Stopped() {
		c.Interrupt() // the reason may have come before there was a context
	}
	return c, nil
}

// close notes what the context counted and releases it.
func (run *run) close(c engine.Context) {
	run.statements, run.memory = c.Statements(), c.Memory()
	run.mu.Lock()
	run.context = nil
	run.mu.Unlock()
	c.Close()
	run.runner.contexts.Add(-1)
}

// errNeverSettles says that the script waits for something that cannot come.
var errNeverSettles = errors.New("the script's promise can never settle: no job is queued and no host call is under way")

// evaluate runs the program to its value: it drains promise jobs, settles
// asynchronous host calls as they end, and converts the value.
func (run *run) evaluate(c engine.Context, compiled engine.Compiled) (engine.Value, error) {
	if err := c.Eval(compiled); err != nil {
		return engine.Value{}, err
	}
	for {
		if err := c.Drain(); err != nil {
			return engine.Value{}, err
		}
		if run.Stopped() {
			return engine.Value{}, engine.ErrStopped
		}
		switch c.State() {
		case engine.Fulfilled:
			return c.Result(engine.NewBudget(run.job.Limits))
		case engine.Rejected:
			return engine.Value{}, c.Rejection()
		}
		ended, ok := run.calls.next()
		if !ok {
			return engine.Value{}, errNeverSettles
		}
		// A call that the run's end cut short must not reach the guest, though the
		// watchdog may not have had its turn yet.
		run.checkTime()
		if run.Stopped() {
			return engine.Value{}, engine.ErrStopped
		}
		for _, call := range ended {
			if err := c.Settle(call.id, call.value, call.err); err != nil {
				return engine.Value{}, err
			}
		}
	}
}

// maxUnhandled is how many unhandled rejections are told one by one.
const maxUnhandled = 10

// unhandled are the warnings for rejections that nobody handled. The one that
// made the run fail is none of them.
func unhandled(c engine.Context, failure error) []engine.Warning {
	if failure != nil {
		return nil
	}
	var warnings []engine.Warning
	rejections := c.Unhandled()
	for i, t := range rejections {
		if i == maxUnhandled {
			warnings = append(warnings, engine.Warning{
				Code:    engine.WarnUnhandledRejection,
				Message: fmt.Sprintf("%d more promises were rejected and nobody handled it", len(rejections)-i),
			})
			break
		}
		warnings = append(warnings, engine.Warning{
			Code:    engine.WarnUnhandledRejection,
			Message: "a promise was rejected and nobody handled it: " + engine.CutText(t.Error(), 1_000),
		})
	}
	return warnings
}

func clock(job *engine.Job) func() time.Time {
	if job.Time == nil {
		return time.Now
	}
	fixed := *job.Time
	return func() time.Time { return fixed }
}

// random is the job's random source. A seed drives a PCG generator here, on the
// host's side, so every engine shows the same numbers.
func random(job *engine.Job) func() float64 {
	if job.Seed == nil {
		return rand.Float64
	}
	return rand.New(rand.NewPCG(*job.Seed, 0)).Float64
}
