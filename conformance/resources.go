package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// defaultHammerRuns is how many runs each goroutine of the hammer makes.
const defaultHammerRuns = 100

// hammerGoroutines is how many there are.
const hammerGoroutines = 8

var resourceChecks = []goCheck{
	{
		group: "resources", name: "hammer",
		rule: "Many goroutines run mixed scripts with random cancellations on one engine: each gets its own outcome, and nothing is left.",
		run:  hammer,
	},
	{
		group: "resources", name: "runs_leaveNothing",
		rule: "After 2,000 runs of all outcomes no goroutine, context or run is left.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			ex := newExecutor(t, eng, nil)
			scripts := []string{
				"40 + 2", "throw new Error('x')", "let x = ;", "await probe.later(1)", "probe.never(); 1",
				"Promise.reject(1); 2", "for (;;) {}", "await new Promise(() => {})", "function f() { f() } f()",
				"probe.fail('E', 'm')", "const a = []; for (let i = 0; i < 100; i++) a.push({ i }); a",
			}
			run := func(n int) {
				for i := range n {
					p := &probe{}
					_, _ = ex.Run(t.Context(), core.Request{
						Source: scripts[i%len(scripts)], Host: []core.HostObject{p.object()}, Limits: core.Limits{Statements: 2_000},
					})
				}
			}
			run(200)
			waitSettled(t, eng)
			before := runtime.NumGoroutine()
			run(2_000)
			waitSettled(t, eng)
			assert.True(t, eventually(5*time.Second, func() bool { return runtime.NumGoroutine() <= before+2 }),
				"%d goroutines before, %d after", before, runtime.NumGoroutine())
			stats := eng.Stats()
			assert.Zero(t, stats.AbandonedTotal)
			assert.Equal(t, len(scripts)-1, stats.Programs, "a script that does not parse is no program")
		},
	},
	{
		group: "resources", name: "hostCalls_leaveNothing",
		rule: "A great many host calls in a great many runs leave no memory behind.",
		run: func(t *testing.T, s *suite) {
			surface, err := server.New(newExecutor(t, s.ownEngine(t), nil), server.Tools{"k1": tool(nil)}, nil)
			require.NoError(t, err)
			run := func(n int) {
				for range n {
					result, err := surface.Run(t.Context(), server.Request{Scope: suiteScope, Source: "let n = 0; for (var i = 0; i < 50; i++) if (vance.tools.has('k' + i)) n++; n"})
					require.NoError(t, err)
					require.Equal(t, int64(1), result.Value.Any())
				}
			}
			run(300)
			before := heapInUse()
			run(2_000)
			after := heapInUse()
			assert.Less(t, int64(after)-int64(before), int64(8<<20), "%d bytes before, %d after", before, after)
		},
	},
	{
		group: "resources", name: "programs_areKept",
		rule: "A script that ran before is not parsed again: not for the same caller, and nothing is shared between callers.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			ex := newExecutor(t, eng, nil)
			for i, step := range []struct {
				req  core.Request
				want int
			}{
				{core.Request{Source: "1 + 1"}, 1},
				{core.Request{Source: "1 + 1"}, 1},
				{core.Request{Source: "1 + 1", Limits: core.Limits{Statements: 5_000}}, 1},
				{core.Request{Source: "1 + 1", Key: "a"}, 2},
				{core.Request{Source: "1 + 1", Key: "b"}, 3},
				{core.Request{Source: "1 + 1", Key: "a"}, 3},
				{core.Request{Source: "1 + 1", Name: "other.js"}, 4},
				{core.Request{Source: "1 + 1", Unmetered: true}, 5},
				{core.Request{Source: "1 + 2"}, 6},
			} {
				_, err := ex.Run(t.Context(), step.req)
				require.NoError(t, err)
				assert.Equal(t, step.want, eng.Stats().Programs, "step %d", i)
			}
			_, err := ex.Precompile(t.Context(), core.Request{Source: "7"})
			require.NoError(t, err)
			assert.Equal(t, 7, eng.Stats().Programs)
		},
	},
	{
		group: "resources", name: "programs_saveParsing",
		rule: "A run whose program is kept costs a part of one that parses.",
		run: func(t *testing.T, s *suite) {
			ex := newExecutor(t, s.ownEngine(t), nil)
			long := "function unused() {\n" + strings.Repeat("  if (a) { b(c, d); } else { e = { f: [1, 2, 3] }; }\n", 2_000) + "}\n"
			run := func(source string) time.Duration {
				start := time.Now()
				_, err := ex.Run(t.Context(), core.Request{Source: source})
				require.NoError(t, err)
				return time.Since(start)
			}
			fresh, kept := time.Hour, time.Hour
			for i := range 5 {
				source := long + fmt.Sprint(i)
				fresh = min(fresh, run(source))
				kept = min(kept, run(source))
			}
			assert.Less(t, 3*kept, fresh, "kept %v, fresh %v", kept, fresh)
		},
	},
	{
		group: "resources", name: "programs_areBounded",
		rule: "The programs that are kept are bounded.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			ex := newExecutor(t, eng, nil)
			const runs = 3_000
			for i := range runs {
				_, err := ex.Run(t.Context(), core.Request{Source: fmt.Sprint(i)})
				require.NoError(t, err)
			}
			assert.Less(t, eng.Stats().Programs, runs)
			assert.Positive(t, eng.Stats().Programs)
		},
	},
}

func heapInUse() uint64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// A blow is one kind of run of the hammer: its script and what it must come to.
type blow struct {
	source string
	// endless says that only a cancellation ends it, however long that takes.
	endless bool
	check   func(i int64, result *core.Result, err error) error
}

var blows = []blow{
	{"i", false, wantValue(func(i int64) any { return i })},
	{"const n = i; let sum = 0; for (let k = 0; k < 100; k++) sum += n; sum", false, wantValue(func(i int64) any { return i * 100 })},
	{"globalThis.mine === undefined ? (globalThis.mine = i, mine) : 'leaked'", false, wantValue(func(i int64) any { return i })},
	{"Object.prototype.leaked === undefined ? (Object.prototype.leaked = i, ({}).leaked) : 'leaked'", false, wantValue(func(i int64) any { return i })},
	{"probe.add(i, 1)", false, wantValue(func(i int64) any { return i + 1 })},
	{"(await Promise.all([probe.later(i), probe.later(i)])).join()", false, wantValue(func(i int64) any { return fmt.Sprintf("%d,%d", i, i) })},
	{"console.log('run ' + i); probe.echo({ list: [i, 'x'] }).list[0]", false, func(i int64, r *core.Result, err error) error {
		if err == nil && (len(r.Logs) != 1 || r.Logs[0].Message != fmt.Sprint("run ", i)) {
			return fmt.Errorf("the log of run %d is %v", i, r.Logs)
		}
		return wantValue(func(i int64) any { return i })(i, r, err)
	}},
	{"throw new RangeError('run ' + i)", false, wantError(core.ErrGuestException)},
	{"probe.fail('Refused', 'run ' + i)", false, wantError(core.ErrHostException)},
	{"'run ' + i; for (;;) {}", false, wantError(core.ErrResourceExhausted)},
	{"let x = ; // run", false, wantError(core.ErrGuestException)},
	{"probe.cancel(); for (;;) {}", true, wantError(core.ErrCancelled)},
}

func wantValue(want func(i int64) any) func(int64, *core.Result, error) error {
	return func(i int64, r *core.Result, err error) error {
		if err != nil {
			return fmt.Errorf("run %d: %w", i, err)
		}
		if got := r.Value.Any(); got != want(i) {
			return fmt.Errorf("run %d: want %v, got %v", i, want(i), got)
		}
		return nil
	}
}

func wantError(class core.Class) func(int64, *core.Result, error) error {
	return func(i int64, _ *core.Result, err error) error {
		var e *core.Error
		if !errors.As(err, &e) || e.Class != class {
			return fmt.Errorf("run %d: want %s, got %v", i, class, err)
		}
		if strings.HasPrefix(e.Message, "run ") && e.Message != fmt.Sprint("run ", i) {
			return fmt.Errorf("run %d: got the error of another run: %v", i, e)
		}
		return nil
	}
}

func hammer(t *testing.T, s *suite) {
	eng := s.ownEngine(t)
	ex := newExecutor(t, eng, nil)
	runs := s.harness.HammerRuns
	if runs <= 0 {
		runs = defaultHammerRuns
	}
	before := runtime.NumGoroutine()
	var group sync.WaitGroup
	var done atomic.Int64
	for g := range hammerGoroutines {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(g), 1))
			for k := range runs {
				i := int64(g*1_000_000 + k)
				if err := strike(t.Context(), ex, random, i); err != nil {
					t.Error(err)
				}
				done.Add(1)
			}
		})
	}
	group.Wait()
	assert.EqualValues(t, hammerGoroutines*runs, done.Load())
	waitSettled(t, eng)
	assert.True(t, eventually(5*time.Second, func() bool { return runtime.NumGoroutine() <= before+2 }),
		"%d goroutines before, %d after", before, runtime.NumGoroutine())
}

// strike is one run of the hammer. Some are cancelled at a random moment, and may
// then end either way.
func strike(ctx context.Context, ex *core.Executor, random *rand.Rand, i int64) error {
	b := blows[random.IntN(len(blows))]
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &probe{cancel: cancel}
	mayCancel := random.IntN(4) == 0
	if mayCancel {
		stop := time.AfterFunc(time.Duration(random.IntN(2_000))*time.Microsecond, cancel)
		defer stop.Stop()
	}
	limits := core.Limits{Statements: 20_000}
	if b.endless {
		limits.Statements = 100_000_000
	}
	result, err := ex.Run(ctx, core.Request{
		Source: b.source, Key: fmt.Sprint(i % 3),
		Globals: map[string]any{"i": engine.Int(i)},
		Host:    []core.HostObject{p.object()},
		Limits:  limits,
	})
	if mayCancel && errors.Is(err, core.ErrCancelled) {
		return nil
	}
	return b.check(i, result, err)
}
