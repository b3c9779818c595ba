package conformance

import (
	"context"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/hostapi"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// spinning is a request that goes on until it is stopped.
func spinning(source string, host ...core.HostObject) core.Request {
	return core.Request{Source: source, Host: host, Limits: core.Limits{Statements: 100_000_000}}
}

// next checks that the executor still works.
func next(t *testing.T, ex *core.Executor) {
	t.Helper()
	for _, problem := range checkNext(t.Context(), ex) {
		t.Error(problem)
	}
}

var cancelChecks = []goCheck{
	{
		group: "cancel", name: "cancel_whileRunning",
		rule: "The caller's cancellation ends a running script with CANCELLED, uncatchably.",
		run: func(t *testing.T, s *suite) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := &probe{cancel: cancel}
			ex := s.executor(t)
			start := time.Now()
			result, err := ex.Run(ctx, spinning("probe.cancel(); try { for (;;) {} } catch (e) { probe.note('caught') } finally { probe.note('finally') }", p.object()))
			e := failed(t, err, core.ErrCancelled)
			onTime(t, start, 0)
			assert.Contains(t, []string{"running", "in host function probe.cancel"}, e.Phase)
			assert.Empty(t, p.noted())
			assert.False(t, result.Abandoned)
			next(t, ex)
		},
	},
	{
		group: "cancel", name: "cancel_fromAnotherGoroutine",
		rule: "The caller may cancel from any goroutine.",
		run: func(t *testing.T, s *suite) {
			ctx, cancel := context.WithCancel(t.Context())
			running := make(chan struct{})
			object := hostapi.MustNew("host", hostapi.Object{"started": hostapi.Func(func() { close(running) })}).MustBind(nil)
			go func() {
				<-running
				cancel()
			}()
			start := time.Now()
			_, err := s.executor(t).Run(ctx, spinning("host.started(); for (;;) {}", object))
			e := failed(t, err, core.ErrCancelled)
			onTime(t, start, 0)
			assert.ErrorIs(t, e, context.Canceled)
		},
	},
	{
		group: "cancel", name: "cancel_beforeTheStart",
		rule: "A context that is cancelled already gives CANCELLED, and no engine context is made.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			p := &probe{}
			result, err := newExecutor(t, eng, nil).Run(ctx, spinning("probe.note('ran')", p.object()))
			e := failed(t, err, core.ErrCancelled)
			assert.Equal(t, "queued", e.Phase)
			assert.Empty(t, p.noted())
			assert.Zero(t, result.Statements)
			assert.Zero(t, eng.Stats().Programs)
		},
	},
	{
		group: "cancel", name: "deadline_beforeTheStart",
		rule: "A caller's deadline that has passed already gives TIMEOUT, and nothing runs.",
		run: func(t *testing.T, s *suite) {
			ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
			defer cancel()
			p := &probe{}
			_, err := s.executor(t).Run(ctx, spinning("probe.note('ran')", p.object()))
			e := failed(t, err, core.ErrTimeout)
			assert.Equal(t, "queued", e.Phase)
			assert.Empty(t, p.noted())
		},
	},
	{
		group: "cancel", name: "deadline_countsParsing",
		rule: "The time of parsing counts: a source that takes long to parse ends at the caller's deadline.",
		run: func(t *testing.T, s *suite) {
			ex := newExecutor(t, s.ownEngine(t), nil)
			source := strings.Repeat("var a=function(b,c){return b+c*2};\n", 10_000)
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := ex.Run(ctx, core.Request{Source: source, Limits: core.Limits{Source: 16 << 20}})
			e := failed(t, err, core.ErrTimeout)
			assert.Equal(t, "running", e.Phase)
			onTime(t, start, 50*time.Millisecond)
			next(t, ex)
		},
	},
	{
		group: "cancel", name: "deadline_inAHostFunction",
		rule: "The deadline reaches a host function by its context; TIMEOUT says in which function the run was.",
		run: func(t *testing.T, s *suite) {
			p := &probe{}
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			start := time.Now()
			ex := s.executor(t)
			result, err := ex.Run(ctx, spinning("try { probe.block() } catch (e) { probe.note('caught') }", p.object()))
			e := failed(t, err, core.ErrTimeout)
			onTime(t, start, 200*time.Millisecond)
			assert.Equal(t, "in host function probe.block", e.Phase)
			assert.Contains(t, e.Message, "probe.block")
			assert.Equal(t, []string{"block called"}, p.noted())
			assert.False(t, result.Abandoned)
			next(t, ex)
		},
	},
	{
		group: "cancel", name: "cancel_inATool",
		rule: "The caller's cancellation reaches a tool by its context; the run is CANCELLED.",
		run: func(t *testing.T, s *suite) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			seen := make(chan error, 1)
			surface := s.onServer(t, server.Tools{"sleep": tool(func(ctx context.Context, _ server.Scope, _ core.Value) (any, error) {
				cancel()
				<-ctx.Done()
				seen <- ctx.Err()
				return nil, ctx.Err()
			})}, nil)
			_, err := surface.Run(ctx, server.Request{Scope: suiteScope, Source: `vance.tools.call('sleep', { seconds: 30 })`})
			e := failed(t, err, core.ErrCancelled)
			assert.Equal(t, "in host function vance.tools.call", e.Phase)
			assert.ErrorIs(t, <-seen, context.Canceled)
		},
	},
	{
		group: "cancel", name: "tool_thatIgnoresItsContext",
		rule: "A host function that ignores its context cannot hold the caller up; the run is counted as abandoned until it returns, logged, and acts no more.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			var out syncBuffer
			ex := newExecutor(t, eng, &core.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
			release := make(chan struct{})
			after := make(chan string, 10)
			object := hostapi.MustNew("host", hostapi.Object{
				"ignore": hostapi.Func(func() string { <-release; return "late" }),
				"note":   hostapi.Func(func(text string) { after <- text }, "text"),
			}).MustBind(nil)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			start := time.Now()
			result, err := ex.Run(ctx, spinning("try { host.note(host.ignore()) } catch (e) { host.note('caught') } finally { host.note('finally') } for (;;) host.note('loop')", object))
			e := failed(t, err, core.ErrTimeout)
			onTime(t, start, 100*time.Millisecond)
			assert.Equal(t, "in host function host.ignore", e.Phase)
			assert.True(t, result.Abandoned)
			assert.Equal(t, 1, eng.Stats().Abandoned)
			assert.Contains(t, out.String(), "host.ignore")
			next(t, ex)
			close(release)
			waitSettled(t, eng)
			assert.Empty(t, after, "the script went on after its run was closed")
			assert.EqualValues(t, 1, eng.Stats().AbandonedTotal)
		},
	},
	{
		group: "cancel", name: "tool_thatIgnoresItsContextAtAGoodEnd",
		rule: "An asynchronous host function that ignores its end does not keep a good value back for long.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			ex := newExecutor(t, eng, nil)
			release := make(chan struct{})
			object := hostapi.MustNew("host", hostapi.Object{"ignore": hostapi.Async(func() { <-release })}).MustBind(nil)
			start := time.Now()
			result, err := ex.Run(t.Context(), core.Request{Source: "host.ignore(); 7", Host: []core.HostObject{object}})
			require.NoError(t, err)
			assert.Equal(t, int64(7), result.Value.Any())
			assert.True(t, result.Abandoned)
			onTime(t, start, 2*time.Second)
			next(t, ex)
			close(release)
			waitSettled(t, eng)
		},
	},
	{
		group: "cancel", name: "run_doesNotLeakContext_onTimeout",
		rule: "After a run that timed out no context is open.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			ex := newExecutor(t, eng, nil)
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				result, err := ex.Run(ctx, spinning("for (;;) {}"))
				cancel()
				failed(t, err, core.ErrTimeout)
				assert.False(t, result.Abandoned)
				require.True(t, eventually(time.Second, func() bool { return eng.Stats().Contexts == 0 }), "%+v", eng.Stats())
			}
			stats := eng.Stats()
			assert.Zero(t, stats.Running)
			assert.Zero(t, stats.Abandoned)
			assert.Zero(t, stats.AbandonedTotal)
		},
	},
	{
		group: "cancel", name: "deadline_onOneProcessor",
		rule: "A tight loop ends at the deadline on a machine with one processor.",
		run: func(t *testing.T, s *suite) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			start := time.Now()
			result, err := s.executor(t).Run(ctx, spinning("while (true) {}"))
			failed(t, err, core.ErrTimeout)
			onTime(t, start, 200*time.Millisecond)
			assert.False(t, result.Abandoned)
		},
	},
	{
		group: "cancel", name: "deadline_ofTheRunGoesBeforeTheCallers",
		rule: "The run's own timeout holds where the caller's deadline is later, and says so.",
		run: func(t *testing.T, s *suite) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			req := spinning("for (;;) {}")
			req.Limits.Timeout = 100 * time.Millisecond
			start := time.Now()
			_, err := s.executor(t).Run(ctx, req)
			e := failed(t, err, core.ErrTimeout)
			onTime(t, start, 100*time.Millisecond)
			assert.Contains(t, e.Message, "100ms")
			assert.NoError(t, ctx.Err())
		},
	},
	{
		group: "cancel", name: "deadline_inThePromiseJobsAndTheResult",
		rule: "One deadline covers evaluation, promise jobs and the reading of the result together.",
		run: func(t *testing.T, s *suite) {
			const part = "for (const end = Date.now() + 600; Date.now() < end;) {}"
			ctx, cancel := context.WithTimeout(t.Context(), 1700*time.Millisecond)
			defer cancel()
			p := &probe{}
			_, err := s.executor(t).Run(ctx, spinning(part+" await null; "+part+" ({ get a() { probe.note('reading'); "+part+" return 1 } })", p.object()))
			failed(t, err, core.ErrTimeout)
			assert.Equal(t, []string{"reading"}, p.noted())
		},
	},
}
