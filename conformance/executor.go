package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// epoch is where the clocks of JavaScript begin.
var epoch = time.UnixMilli(0).UTC()

// executor returns an executor on the suite's engine, with the suite's settings.
func (s *suite) executor(t *testing.T) *core.Executor {
	t.Helper()
	return newExecutor(t, unowned{s.engine}, nil)
}

// newExecutor returns an executor whose settings are the suite's.
func newExecutor(t *testing.T, eng engine.Engine, opts *core.Options) *core.Executor {
	t.Helper()
	o := core.Options{}
	if opts != nil {
		o = *opts
	}
	if o.Settings == nil {
		o.Settings = suiteSettings()
	}
	ex, err := core.New(eng, &o)
	require.NoError(t, err)
	return ex
}

// ownEngine returns an engine of the check's own, which must be empty at its end.
func (s *suite) ownEngine(t *testing.T) engine.Engine {
	t.Helper()
	eng := s.harness.New(t)
	t.Cleanup(func() {
		waitSettled(t, eng)
		assert.NoError(t, eng.Close())
	})
	return unowned{eng}
}

// failed returns the error of a run as the executor's own.
func failed(t *testing.T, err error, class core.Class) *core.Error {
	t.Helper()
	var e *core.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, class, e.Class, "%v", e)
	return e
}

// onTime checks that a run ended not long after the limit.
func onTime(t *testing.T, start time.Time, limit time.Duration) {
	t.Helper()
	assert.Less(t, time.Since(start), limit+lateBy, "the run ended too late")
}

var executorChecks = []goCheck{
	{
		group: "executor", name: "run_durationIsMeasured",
		rule: "A result has the time that its run took.",
		run: func(t *testing.T, s *suite) {
			start := time.Now()
			result, err := s.executor(t).Run(t.Context(), core.Request{Source: "let n = 0; for (let i = 0; i < 1000; i++) n += i; n"})
			require.NoError(t, err)
			assert.Positive(t, result.Duration)
			assert.LessOrEqual(t, result.Duration, time.Since(start))
		},
	},
	{
		group: "executor", name: "run_durationIsMeasuredOfFailures",
		rule: "A failed run has its duration as well.",
		run: func(t *testing.T, s *suite) {
			result, err := s.executor(t).Run(t.Context(), core.Request{Source: "throw 1"})
			failed(t, err, core.ErrGuestException)
			assert.Positive(t, result.Duration)
		},
	},
	{
		group: "executor", name: "run_valueIsReadInEveryWay",
		rule: "A value can be read as plain data, decoded into a struct, and written as JSON in its order.",
		run: func(t *testing.T, s *suite) {
			result, err := s.executor(t).Run(t.Context(), core.Request{Source: `({ name: 'a', count: 2, tags: ['x'], at: new Date(0) })`})
			require.NoError(t, err)
			assert.Equal(t, map[string]any{"name": "a", "count": int64(2), "tags": []any{"x"}, "at": epoch}, result.Value.Any())
			var decoded struct {
				Name  string
				Count int
				Tags  []string
				At    time.Time
			}
			require.NoError(t, result.Value.Decode(&decoded))
			assert.Equal(t, "a", decoded.Name)
			assert.Equal(t, 2, decoded.Count)
			assert.Equal(t, []string{"x"}, decoded.Tags)
			assert.True(t, decoded.At.Equal(epoch))
			assert.Equal(t, `{"name":"a","count":2,"tags":["x"],"at":"1970-01-01T00:00:00.000Z"}`, string(result.Value.AppendJSON(nil)))
		},
	},
	{
		group: "executor", name: "run_fileHasItsPathAsName",
		rule: "A script from a file has the path as its source name; a file that cannot be read is a refused request.",
		run: func(t *testing.T, s *suite) {
			path := filepath.Join(t.TempDir(), "script.js")
			require.NoError(t, os.WriteFile(path, []byte("1;\nthrow new Error('x')"), 0o600))
			_, err := s.executor(t).RunFile(t.Context(), path, core.Request{})
			e := failed(t, err, core.ErrGuestException)
			assert.Equal(t, path, e.File)
			assert.Equal(t, 2, e.Line)
			_, err = s.executor(t).RunFile(t.Context(), path+".missing", core.Request{})
			refusedField(t, err, "Source")
		},
	},
	{
		group: "executor", name: "run_refusesAMissingScope",
		rule: "A run of the surface without tenant, project or process is refused, and nothing runs.",
		run: func(t *testing.T, s *suite) {
			surface, err := server.New(s.executor(t), server.Tools{}, nil)
			require.NoError(t, err)
			for field, scope := range map[string]server.Scope{
				"Scope.Tenant":  {Project: "p", Process: "q"},
				"Scope.Project": {Tenant: "t", Process: "q"},
				"Scope.Process": {Tenant: "t", Project: "p"},
			} {
				p := &probe{}
				_, err := surface.Run(t.Context(), server.Request{Source: "probe.note('ran')", Scope: scope, Host: []core.HostObject{p.object()}})
				refusedField(t, err, field)
				assert.Empty(t, p.noted())
			}
		},
	},
	{
		group: "executor", name: "run_afterCloseIsRefused",
		rule: "A closed executor runs nothing.",
		run: func(t *testing.T, s *suite) {
			ex := newExecutor(t, s.harness.New(t), nil)
			_, err := ex.Run(t.Context(), core.Request{Source: "1"})
			require.NoError(t, err)
			require.NoError(t, ex.Close())
			_, err = ex.Run(t.Context(), core.Request{Source: "1"})
			assert.ErrorIs(t, err, core.ErrClosed)
		},
	},
	{
		group: "executor", name: "precompile_runsNothing",
		rule: "Precompile finds what Run would refuse before its first statement, and runs nothing.",
		run: func(t *testing.T, s *suite) {
			ex := s.executor(t)
			p := &probe{}
			host := []core.HostObject{p.object()}
			_, err := ex.Precompile(t.Context(), core.Request{Source: "probe.note('ran')", Host: host})
			require.NoError(t, err)
			_, err = ex.Precompile(t.Context(), core.Request{Source: "let x = ;", Host: host})
			e := failed(t, err, core.ErrGuestException)
			assert.Equal(t, "SyntaxError", e.Name)
			assert.Equal(t, 9, e.Column)
			_, err = ex.Precompile(t.Context(), core.Request{Source: "/** @timeout x */ 1"})
			failed(t, err, core.ErrInvalidHeader)
			assert.Empty(t, p.noted())
		},
	},
	{
		group: "executor", name: "engine_saysWhatItIs",
		rule: "An engine names itself, its version, its isolation, what it enforces and what it lacks.",
		run: func(t *testing.T, s *suite) {
			info := s.executor(t).EngineInfo()
			assert.NotEmpty(t, info.Name)
			assert.NotEmpty(t, info.Version)
			assert.Contains(t, []string{"none", "process"}, info.Isolation)
			assert.NotEmpty(t, info.Enforces)
			assert.NotEmpty(t, info.Lacks)
		},
	},
	{
		group: "executor", name: "run_hookSeesEveryRun",
		rule: "The OnRun hook is told of good and of failed runs, with what Run returns.",
		run: func(t *testing.T, s *suite) {
			var infos []core.RunInfo
			ex := newExecutor(t, unowned{s.engine}, &core.Options{OnRun: func(i core.RunInfo) { infos = append(infos, i) }})
			good, err := ex.Run(t.Context(), core.Request{Source: "1", Name: "good.js", Key: "k"})
			require.NoError(t, err)
			bad, err := ex.Run(context.Background(), core.Request{Source: "throw 1"})
			e := failed(t, err, core.ErrGuestException)
			require.Len(t, infos, 2)
			assert.Equal(t, "good.js", infos[0].Name)
			assert.Equal(t, "k", infos[0].Key)
			assert.Same(t, good, infos[0].Result)
			assert.Nil(t, infos[0].Err)
			assert.Same(t, bad, infos[1].Result)
			assert.Same(t, e, infos[1].Err)
		},
	},
}

func refusedField(t *testing.T, err error, field string) {
	t.Helper()
	var refused *core.RequestError
	if !errors.As(err, &refused) {
		t.Fatalf("want a refused request, got %v", err)
	}
	assert.Equal(t, field, refused.Field)
}
