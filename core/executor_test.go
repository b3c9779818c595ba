package core_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// fakeEngine answers jobs as a test says and remembers them.
type fakeEngine struct {
	run    func(ctx context.Context, job *engine.Job) *engine.Outcome
	jobs   []*engine.Job
	closed int
}

func (f *fakeEngine) Info() engine.Info { return engine.Info{Name: "fake"} }

func (f *fakeEngine) Run(ctx context.Context, job *engine.Job) *engine.Outcome {
	f.jobs = append(f.jobs, job)
	if f.run == nil {
		return &engine.Outcome{Value: engine.Int(42), Statements: 3, Memory: -1}
	}
	return f.run(ctx, job)
}

func (f *fakeEngine) Prepare(_ context.Context, job *engine.Job) *engine.Error {
	f.jobs = append(f.jobs, job)
	return nil
}

func (f *fakeEngine) Stats() engine.Stats { return engine.Stats{Running: 2} }
func (f *fakeEngine) Close() error        { f.closed++; return nil }

func newExecutor(t *testing.T, eng engine.Engine, opts *core.Options) *core.Executor {
	t.Helper()
	ex, err := core.New(eng, opts)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, ex.Close()) })
	return ex
}

func TestRunHandsTheEngineAFinishedJob(t *testing.T) {
	t.Parallel()
	fake := &fakeEngine{}
	ex := newExecutor(t, fake, nil)
	seed := uint64(1)
	result, err := ex.Run(t.Context(), core.Request{
		Source:  "/** @description d\n * @version 1.2.0\n * @timeout 2s */ 1",
		Globals: map[string]any{"b": 1, "a": []int{2}},
		Limits:  core.Limits{Statements: 5_000, Timeout: time.Minute},
		Key:     "k",
		Seed:    &seed,
	})
	require.NoError(t, err)
	assert.Equal(t, int64(42), result.Value.Any())
	assert.Equal(t, int64(3), result.Statements)
	assert.Equal(t, "d", result.Header.Description)
	assert.Equal(t, "1.2.0", result.Header.Version)
	assert.Positive(t, result.Duration)

	job := fake.jobs[0]
	assert.Equal(t, "<run>", job.Name)
	assert.Equal(t, 2*time.Second, job.Limits.Timeout, "the header goes before the caller")
	assert.Equal(t, int64(5_000), job.Limits.Statements)
	assert.Equal(t, result.Limits, job.Limits)
	assert.Equal(t, "k", job.Key)
	assert.Same(t, &seed, job.Seed)
	assert.Equal(t, "a", job.Globals[0].Key)
	assert.WithinDuration(t, time.Now().Add(2*time.Second), job.Deadline, time.Second)
	assert.Equal(t, "console", job.Host[0].Shape.Name())
}

func TestRequestsThatMakeNoSenseAreRefusedByField(t *testing.T) {
	t.Parallel()
	shape, err := engine.NewShape("vance", engine.Field{Name: "a", Const: true})
	require.NoError(t, err)
	vance := core.HostObject{Shape: shape, Consts: []core.Value{{}}}
	for name, test := range map[string]struct {
		req   core.Request
		field string
	}{
		"another language":               {core.Request{Language: "python"}, "Language"},
		"a host object without a shape":  {core.Request{Host: []core.HostObject{{}}}, "Host"},
		"a host object twice":            {core.Request{Host: []core.HostObject{vance, vance}}, "Host"},
		"a host object without its data": {core.Request{Host: []core.HostObject{{Shape: shape}}}, "Host"},
		"a global with a taken name":     {core.Request{Host: []core.HostObject{vance}, Globals: map[string]any{"vance": 1}}, "Globals"},
		"a global named console":         {core.Request{Globals: map[string]any{"console": 1}}, "Globals"},
		"a global named as a built-in":   {core.Request{Globals: map[string]any{"JSON": 1}}, "Globals"},
		"a global without a name":        {core.Request{Globals: map[string]any{"": 1}}, "Globals"},
		"a global that is no data":       {core.Request{Globals: map[string]any{"f": func() {}}}, "Globals"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &fakeEngine{}
			result, err := newExecutor(t, fake, nil).Run(t.Context(), test.req)
			var bad *core.RequestError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, test.field, bad.Field)
			assert.Nil(t, result)
			assert.Empty(t, fake.jobs, "nothing ran")
		})
	}
}

func TestFailuresBeforeTheEngineRunNothing(t *testing.T) {
	t.Parallel()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancelLate := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancelLate()
	for name, test := range map[string]struct {
		ctx  context.Context
		req  core.Request
		want core.Class
		line int
	}{
		"a malformed header":        {t.Context(), core.Request{Source: "/**\n * @timeout abc\n */"}, core.ErrInvalidHeader, 2},
		"a tool that is missing":    {t.Context(), core.Request{Source: "/** @requiresTools a, b */", AllowedTools: []string{"a"}}, core.ErrMissingCapability, 0},
		"a tool that is denied":     {t.Context(), core.Request{Source: "/** @requiresTools a */", DeniedTools: []string{"a"}}, core.ErrMissingCapability, 0},
		"a caller that cancelled":   {cancelled, core.Request{}, core.ErrCancelled, 0},
		"a caller that is too late": {late, core.Request{}, core.ErrTimeout, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := &fakeEngine{}
			result, err := newExecutor(t, fake, nil).Run(test.ctx, test.req)
			require.ErrorIs(t, err, test.want)
			var e *core.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.line, e.Line)
			require.NotNil(t, result)
			assert.Positive(t, result.Limits.Statements, "limits are there in failures too")
			assert.Empty(t, fake.jobs)
		})
	}
}

func TestMalformedHeaderShowsItsLine(t *testing.T) {
	t.Parallel()
	_, err := newExecutor(t, &fakeEngine{}, nil).Run(t.Context(), core.Request{Source: "/**\r\n * @statements -1\r\n */", Name: "a.js"})
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, " * @statements -1", e.SourceLine)
	assert.Contains(t, e.Message, "tag=")
	assert.Contains(t, e.Message, "value=")
	assert.Contains(t, e.Message, "reason=")
}

func TestEffectiveToolsAreTheIntersectionMinusWhatIsDenied(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name           string
		header         string
		process, deny  []string
		allowed, other []string
	}{
		{"no list allows all", "", nil, nil, []string{"a", "b"}, nil},
		{"an empty process list allows none", "", []string{}, nil, nil, []string{"a"}},
		{"the header narrows", "@allowTools a", []string{"a", "b"}, nil, []string{"a"}, []string{"b"}},
		{"the header cannot widen", "@allowTools a c", []string{"a"}, nil, []string{"a"}, []string{"c"}},
		{"the header alone", "@allowTools a", nil, nil, []string{"a"}, []string{"b"}},
		{"a bare tag allows none", "@allowTools", []string{"a"}, nil, nil, []string{"a"}},
		{"a star is a name like any other", "@allowTools *", []string{"a"}, nil, nil, []string{"a", "*"}},
		{"denied is denied", "", []string{"a", "b"}, []string{"b"}, []string{"a"}, []string{"b"}},
		{"denied of all", "", nil, []string{"b"}, []string{"a"}, []string{"b"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fake := &fakeEngine{run: func(ctx context.Context, _ *engine.Job) *engine.Outcome {
				run := core.RunFrom(ctx)
				for _, tool := range test.allowed {
					assert.True(t, run.Allows(tool), tool)
				}
				for _, tool := range test.other {
					assert.False(t, run.Allows(tool), tool)
				}
				return &engine.Outcome{}
			}}
			_, err := newExecutor(t, fake, nil).Run(t.Context(), core.Request{
				Source: "/** " + test.header + " */", AllowedTools: test.process, DeniedTools: test.deny,
			})
			assert.NoError(t, err)
		})
	}
}

func TestRequiresIsLeftToTheCallWhereSettingsSaySo(t *testing.T) {
	t.Parallel()
	settings := core.DefaultSettings()
	settings.EnforceRequires = false
	ex := newExecutor(t, &fakeEngine{}, &core.Options{Settings: settings})
	_, err := ex.Run(t.Context(), core.Request{Source: "/** @requiresTools x */", AllowedTools: []string{}})
	assert.NoError(t, err)
}

func TestWarningsAndLogsReachResultLoggerAndHook(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	var seen core.RunInfo
	fake := &fakeEngine{run: func(ctx context.Context, job *engine.Job) *engine.Outcome {
		console := job.Host[0]
		say := func(name string, texts ...string) {
			var args []core.Value
			for _, s := range texts {
				args = append(args, engine.String(s))
			}
			for _, fn := range console.Shape.Funcs() {
				if fn.Name == name {
					_, err := fn.Call(ctx, nil, args)
					assert.NoError(t, err)
				}
			}
		}
		say("log", "a", "b")
		say("error", "x")
		core.RunFrom(ctx).Log("debug", "own", engine.Object(core.Member{Key: "n", Value: engine.Int(1)}))
		return &engine.Outcome{
			Err:      &core.Error{Class: core.ErrGuestException, Message: "m"},
			Warnings: []core.Warning{{Code: engine.WarnUnhandledRejection, Message: "lost"}},
		}
	}}
	ex := newExecutor(t, fake, &core.Options{
		Logger: slog.New(slog.NewTextHandler(&text, nil)),
		OnRun:  func(info core.RunInfo) { seen = info },
	})
	result, err := ex.Run(t.Context(), core.Request{Source: "/** @nope x\n @timeout 2h */", Key: "k"})
	require.Error(t, err)
	assert.Equal(t, []core.LogEntry{
		{Level: "info", Message: "a b"},
		{Level: "error", Message: "x"},
		{Level: "debug", Message: "own", Fields: engine.Object(core.Member{Key: "n", Value: engine.Int(1)})},
	}, result.Logs)
	var codes []string
	for _, w := range result.Warnings {
		codes = append(codes, w.Code)
		assert.Contains(t, text.String(), "code="+w.Code)
	}
	assert.Equal(t, []string{"unknown-tag", "clamped", "unhandled-rejection"}, codes)
	assert.Same(t, result, seen.Result)
	assert.Equal(t, "k", seen.Key)
	assert.Equal(t, core.ErrGuestException, seen.Err.Class)
}

func TestLogIsBoundedAndClosedWithTheRun(t *testing.T) {
	t.Parallel()
	var kept *core.Run
	fake := &fakeEngine{run: func(ctx context.Context, _ *engine.Job) *engine.Outcome {
		kept = core.RunFrom(ctx)
		assert.True(t, kept.Log("info", "12345", core.Value{}))
		assert.False(t, kept.Log("info", "123456", core.Value{}))
		assert.False(t, kept.Log("info", "1", core.Value{}), "nothing comes after the notice")
		return &engine.Outcome{}
	}}
	ex := newExecutor(t, fake, nil)
	result, err := ex.Run(t.Context(), core.Request{Limits: core.Limits{LogChars: 10}})
	require.NoError(t, err)
	require.Len(t, result.Logs, 2)
	assert.Contains(t, result.Logs[1].Message, "limit")
	require.Len(t, result.Warnings, 1)
	assert.Equal(t, engine.WarnLogTruncated, result.Warnings[0].Code)
	assert.False(t, kept.Log("info", "late", core.Value{}), "a run that has ended writes no more")
}

func TestNestedRunsShareTheDeadlineAndEndAtTheDepthLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ex *core.Executor
		depth := 0
		var deadlines []time.Time
		fake := &fakeEngine{}
		fake.run = func(ctx context.Context, job *engine.Job) *engine.Outcome {
			depth++
			deadlines = append(deadlines, job.Deadline)
			time.Sleep(10 * time.Millisecond)
			_, err := ex.Run(ctx, core.Request{Limits: core.Limits{Timeout: time.Hour}})
			if core.ClassOf(err) == core.ErrResourceExhausted {
				return &engine.Outcome{Err: &core.Error{Class: core.ErrHostException, Cause: err}}
			}
			return &engine.Outcome{}
		}
		ex = newExecutor(t, fake, nil)
		_, err := ex.Run(t.Context(), core.Request{})
		require.NoError(t, err, "only the run that called the refused one failed")
		assert.Equal(t, 8, depth)
		for _, d := range deadlines {
			assert.Equal(t, deadlines[0], d)
		}
	})
}

func TestRunFileReadsTheScriptAndNamesItByItsPath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.js")
	require.NoError(t, os.WriteFile(path, []byte("40+2"), 0o600))
	fake := &fakeEngine{}
	ex := newExecutor(t, fake, nil)
	_, err := ex.RunFile(t.Context(), path, core.Request{})
	require.NoError(t, err)
	assert.Equal(t, path, fake.jobs[0].Name)
	assert.Equal(t, "40+2", fake.jobs[0].Source)
	_, err = ex.RunFile(t.Context(), path+"x", core.Request{})
	var bad *core.RequestError
	assert.ErrorAs(t, err, &bad)
}

func TestPrecompileChecksAndRunsNothing(t *testing.T) {
	t.Parallel()
	fake := &fakeEngine{run: func(context.Context, *engine.Job) *engine.Outcome {
		t.Error("a run")
		return &engine.Outcome{}
	}}
	ex := newExecutor(t, fake, nil)
	result, err := ex.Precompile(t.Context(), core.Request{Source: "/** @timeout 2h */"})
	require.NoError(t, err)
	assert.Equal(t, time.Hour, result.Limits.Timeout)
	assert.Len(t, result.Warnings, 1)
	_, err = ex.Precompile(t.Context(), core.Request{Source: "/** @timeout x */"})
	assert.ErrorIs(t, err, core.ErrInvalidHeader)
}

func TestCloseWaitsForRunsAndRefusesLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		fake := &fakeEngine{run: func(context.Context, *engine.Job) *engine.Outcome {
			<-release
			return &engine.Outcome{}
		}}
		ex, err := core.New(fake, nil)
		require.NoError(t, err)
		go func() { _, _ = ex.Run(t.Context(), core.Request{}) }()
		synctest.Wait()
		closed := make(chan struct{})
		go func() { assert.NoError(t, ex.Close()); close(closed) }()
		synctest.Wait()
		assert.Zero(t, fake.closed, "the run goes on")
		_, err = ex.Run(t.Context(), core.Request{})
		assert.ErrorIs(t, err, core.ErrClosed)
		close(release)
		<-closed
		assert.Equal(t, 1, fake.closed)
		assert.NoError(t, ex.Close(), "closing twice is harmless")
		assert.Equal(t, 1, fake.closed)
	})
}

func TestNewRefusesToWorkWithoutAnEngine(t *testing.T) {
	t.Parallel()
	_, err := core.New(nil, nil)
	assert.Error(t, err)
}
