package goja

import (
	"context"
	"errors"
	"math/rand"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/frontend"
)

// A testRun is a run without a runner: it records what the context tells it.
type testRun struct {
	mu      sync.Mutex
	limit   string
	max     int64
	stopped atomic.Bool
	called  atomic.Bool // a host function acted
	context engine.Context
	started []engine.Value
}

func (r *testRun) Call(host *engine.HostObject, fn *engine.Func, args []engine.Value) (engine.Value, error) {
	if r.stopped.Load() {
		return engine.Value{}, engine.ErrStopped
	}
	r.called.Store(true)
	return fn.Call(context.Background(), host.Self, args)
}

func (r *testRun) Start(host *engine.HostObject, fn *engine.Func, args []engine.Value) (int64, error) {
	if r.stopped.Load() {
		return 0, engine.ErrStopped
	}
	r.started = append(r.started, engine.List(args...))
	return int64(len(r.started)), nil
}

func (r *testRun) Exhausted(limit string, max int64) {
	r.mu.Lock()
	if r.limit == "" && !r.stopped.Load() {
		r.limit, r.max = limit, max
	}
	r.stopped.Store(true)
	c := r.context
	r.mu.Unlock()
	if c != nil {
		c.Interrupt()
	}
}

func (r *testRun) Stopped() bool { return r.stopped.Load() }

// stop is what the runner's watchdog does.
func (r *testRun) stop() {
	r.stopped.Store(true)
	r.context.Interrupt()
}

func (r *testRun) exhausted() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.limit
}

var testLimits = engine.Limits{
	Timeout:     10 * time.Second,
	Statements:  1_000_000,
	Memory:      64 << 20,
	ResultNodes: 1_000_000,
	ResultDepth: 64,
	ResultBytes: 16 << 20,
	Source:      1 << 20,
	HostCalls:   10_000,
	HostBytes:   32 << 20,
	LogChars:    64_000,
}

// A testCase is a script to run, and what it runs with.
type testCase struct {
	script  string
	limits  func(*engine.Limits)
	host    []engine.HostObject
	globals []engine.Member
	timeout time.Duration
	now     time.Time
}

// build makes a program as the runner does.
func build(t testing.TB, script string) *engine.Program {
	t.Helper()
	p, err := frontend.Build(script, frontend.Options{
		Name: "test.js", MaxSource: 1 << 20, Metered: true, Dialect: newInterpreter().Dialect(),
	})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return p
}

type outcome struct {
	value      engine.Value
	err        error
	run        *testRun
	context    *runContext
	statements int64
}

// limit is the limit that the run recorded, or that the conversion met.
func (o outcome) limit() string {
	if l, ok := errors.AsType[*engine.LimitError](o.err); ok {
		return l.Limit
	}
	return o.run.exhausted()
}

var testInterpreter = sync.OnceValue(newInterpreter)

// start makes a context and evaluates the script's synchronous part.
func start(t testing.TB, tc testCase) (*runContext, *testRun, error) {
	t.Helper()
	in := testInterpreter()
	p := build(t, tc.script)
	compiled, err := in.Compile(p)
	require.NoError(t, err)
	limits := testLimits
	if tc.limits != nil {
		tc.limits(&limits)
	}
	run := &testRun{}
	now := time.Now
	if !tc.now.IsZero() {
		now = func() time.Time { return tc.now }
	}
	random := rand.New(rand.NewSource(1)).Float64
	c, err := in.NewContext(&engine.ContextConfig{
		Limits: limits, Program: p, Host: tc.host, Globals: tc.globals,
		Now: now, Random: random, Run: run,
	})
	require.NoError(t, err)
	run.mu.Lock()
	run.context = c
	run.mu.Unlock()
	timeout := tc.timeout
	if timeout == 0 {
		timeout = 20 * time.Second
	}
	timer := time.AfterFunc(timeout, run.stop)
	t.Cleanup(func() {
		timer.Stop()
		c.Close()
	})
	err = c.Eval(compiled)
	return c.(*runContext), run, err
}

// eval runs a script to its end.
func eval(t testing.TB, tc testCase) outcome {
	t.Helper()
	c, run, err := start(t, tc)
	o := outcome{run: run, context: c, err: err}
	if err == nil {
		err = c.Drain()
	}
	if err == nil {
		switch c.State() {
		case engine.Rejected:
			err = c.Rejection()
			if run.Stopped() { // the rejection is what could be read of it
				err = engine.ErrStopped
			}
		case engine.Pending:
			err = errors.New("the script's promise is pending")
		}
	}
	if err == nil {
		limits := testLimits
		if tc.limits != nil {
			tc.limits(&limits)
		}
		o.value, err = c.Result(engine.NewBudget(limits))
	}
	o.err = err
	o.statements = c.Statements()
	return o
}

// value runs a script that must succeed and returns its value as JSON.
func value(t testing.TB, script string) string {
	t.Helper()
	o := eval(t, testCase{script: script})
	require.NoError(t, o.err, script)
	return string(o.value.AppendJSON(nil))
}
