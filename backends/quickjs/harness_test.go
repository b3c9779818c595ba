//go:build wip && !386 && !arm

package quickjs

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

// recordingRun stands in for the runner: it notes why a run ended.
type recordingRun struct {
	over    atomic.Bool
	mu      sync.Mutex
	limit   string
	context engine.Context
	started []*engine.Func
}

func (r *recordingRun) Stopped() bool { return r.over.Load() }

func (r *recordingRun) Call(host *engine.HostObject, fn *engine.Func, args []engine.Value) (engine.Value, error) {
	return fn.Call(context.Background(), host.Self, args)
}

func (r *recordingRun) Start(_ *engine.HostObject, fn *engine.Func, _ []engine.Value) (int64, error) {
	r.started = append(r.started, fn)
	return int64(len(r.started)), nil
}

func (r *recordingRun) Exhausted(limit string, _ int64) {
	if r.over.CompareAndSwap(false, true) {
		r.limit = limit
	}
	r.interrupt()
}

func (r *recordingRun) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.context != nil {
		r.context.Interrupt()
	}
}

func (r *recordingRun) cancel() {
	r.over.Store(true)
	r.interrupt()
}

var usualLimits = engine.Limits{
	Timeout: 20 * time.Second, Statements: 100_000_000, Memory: 64 << 20,
	ResultNodes: 1_000_000, ResultDepth: 64, ResultBytes: 16 << 20,
	Source: 1 << 20, HostCalls: 10_000, HostBytes: 32 << 20, LogChars: 64_000,
}

// A job is a script and what it runs with.
type job struct {
	script    string
	limits    engine.Limits // usualLimits where it has no timeout
	host      []engine.HostObject
	globals   []engine.Member
	now       func() time.Time
	unmetered bool
}

func buildProgram(tb testing.TB, script string, metered bool) *engine.Program {
	tb.Helper()
	p, failure := frontend.Build(script, frontend.Options{
		Name: "test.js", MaxSource: 1 << 20, Metered: metered, Dialect: NewInterpreter().Dialect(),
	})
	if failure != nil {
		tb.Fatalf("%s: %v", script, failure)
	}
	return p
}

// open makes a context for a job and its program's compiled form. The caller closes
// the context.
func open(tb testing.TB, j job) (*runContext, *recordingRun, engine.Compiled) {
	tb.Helper()
	if j.limits.Timeout == 0 {
		j.limits = usualLimits
	}
	if j.now == nil {
		j.now = time.Now
	}
	in := NewInterpreter()
	p := buildProgram(tb, j.script, !j.unmetered)
	code, err := in.Compile(p)
	require.NoError(tb, err)
	run := &recordingRun{}
	c, err := in.NewContext(&engine.ContextConfig{
		Limits: j.limits, Program: p, Host: j.host, Globals: j.globals,
		Now: j.now, Random: rand.New(rand.NewSource(1)).Float64, Run: run,
	})
	require.NoError(tb, err)
	run.mu.Lock()
	run.context = c
	run.mu.Unlock()
	return c.(*runContext), run, code
}

var errPending = errors.New("the script's promise is pending")

// evaluate runs the program to its value.
func evaluate(c *runContext, code engine.Compiled) (engine.Value, error) {
	if err := c.Eval(code); err != nil {
		return engine.Value{}, err
	}
	if err := c.Drain(); err != nil {
		return engine.Value{}, err
	}
	switch c.State() {
	case engine.Pending:
		return engine.Value{}, errPending
	case engine.Rejected:
		return engine.Value{}, c.Rejection()
	}
	return c.Result(engine.NewBudget(c.cfg.Limits))
}

// run runs a job to its end and closes the context.
func run(tb testing.TB, j job) (v engine.Value, r *recordingRun, err error) {
	tb.Helper()
	c, r, code := open(tb, j)
	defer c.Close()
	timer := time.AfterFunc(c.cfg.Limits.Timeout, r.cancel)
	defer timer.Stop()
	v, err = evaluate(c, code)
	return v, r, err
}

// valueOfScript is a good script's value as JSON.
func valueOfScript(tb testing.TB, script string) string {
	tb.Helper()
	v, _, err := run(tb, job{script: script})
	require.NoError(tb, err, script)
	return string(v.AppendJSON(nil))
}
