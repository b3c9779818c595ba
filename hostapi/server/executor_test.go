package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

func TestRequestsThatMakeNoSenseRunNothing(t *testing.T) {
	t.Parallel()
	object := hostapi.MustNew("vance", hostapi.Object{}).MustBind(nil)
	tests := map[string]struct {
		req   server.Request
		field string
	}{
		"no tenant":                    {server.Request{Scope: server.Scope{Project: "p", Process: "q"}}, "Scope.Tenant"},
		"no project":                   {server.Request{Scope: server.Scope{Tenant: "t", Process: "q"}}, "Scope.Project"},
		"no process":                   {server.Request{Scope: server.Scope{Tenant: "t", Project: "p"}}, "Scope.Process"},
		"another language":             {server.Request{Scope: scope, Language: "py"}, "Language"},
		"arguments that have no form":  {server.Request{Scope: scope, Args: make(chan int)}, "Args"},
		"input that has no form":       {server.Request{Scope: scope, Input: func() {}}, "Input"},
		"a global called args":         {server.Request{Scope: scope, Globals: map[string]any{"args": 1}}, "Globals"},
		"a global called input, twice": {server.Request{Scope: scope, Input: 1, Globals: map[string]any{"input": 1}}, "Globals"},
		"a global called vance":        {server.Request{Scope: scope, Globals: map[string]any{"vance": 1}}, "Globals"},
		"another vance":                {server.Request{Scope: scope, Host: []core.HostObject{object}}, "Host"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ex := newExecutor(t, server.Tools{}, nil, func(*guest) (core.Value, error) {
				t.Error("the script ran")
				return core.Value{}, nil
			})
			result, err := ex.Run(t.Context(), test.req)
			var bad *core.RequestError
			require.ErrorAs(t, err, &bad)
			assert.Equal(t, test.field, bad.Field)
			assert.Nil(t, result)
			_, err = ex.Precompile(t.Context(), test.req)
			assert.ErrorAs(t, err, &bad)
		})
	}
}

func TestContextTellsTheScope(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ session, want string }{
		"without a session": {"", `["acme","site",null,"p-17"]`},
		"with a session":    {"s-1", `["acme","site","s-1","p-17"]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ex := newExecutor(t, server.Tools{}, nil, func(g *guest) (core.Value, error) {
				return engine.List(g.get("vance.context.tenantId"), g.get("vance.context.projectId"),
					g.get("vance.context.sessionId"), g.get("vance.context.processId")), nil
			})
			req := server.Request{Scope: scope}
			req.Scope.Session = test.session
			result, err := ex.Run(t.Context(), req)
			require.NoError(t, err)
			assert.Equal(t, test.want, result.Value.Text())
		})
	}
}

func TestArgumentsAndInput(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		req             server.Request
		args            string
		input           string
		inputIsDeclared bool
	}{
		"none":           {server.Request{}, "{}", "null", false},
		"arguments":      {server.Request{Args: map[string]any{"topic": "x"}}, `{"topic":"x"}`, "null", false},
		"null arguments": {server.Request{Args: core.Value{}}, `{}`, "null", false},
		"input":          {server.Request{Input: []int{1}}, "{}", "[1]", true},
		"null input":     {server.Request{Input: core.Value{}}, "{}", "null", true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ex := newExecutor(t, server.Tools{}, nil, func(g *guest) (core.Value, error) {
				args, _ := g.global("args")
				input, declared := g.global("input")
				return engine.List(g.get("vance.params"), args, input, engine.Bool(declared)), nil
			})
			test.req.Scope = scope
			result, err := ex.Run(t.Context(), test.req)
			require.NoError(t, err)
			items, _ := result.Value.Items()
			assert.Equal(t, test.args, items[0].Text())
			assert.Equal(t, test.args, items[1].Text())
			assert.Equal(t, test.input, items[2].Text())
			assert.Equal(t, engine.Bool(test.inputIsDeclared), items[3])
		})
	}
}

func TestRequestReachesTheJob(t *testing.T) {
	t.Parallel()
	now, seed := time.Unix(0, 0), uint64(7)
	extra := hostapi.MustNew("extra", hostapi.Object{"n": hostapi.Const(1)}).MustBind(nil)
	ex := newExecutor(t, server.Tools{}, nil, func(g *guest) (core.Value, error) {
		assert.Equal(t, "a.js", g.job.Name)
		assert.Equal(t, "1", g.job.Source)
		assert.Equal(t, int64(5000), g.job.Limits.Statements)
		assert.Equal(t, &now, g.job.Time)
		assert.Equal(t, &seed, g.job.Seed)
		assert.True(t, g.job.Unmetered)
		assert.Equal(t, "acme/site/p-17", g.job.Key)
		datum, _ := g.global("datum")
		assert.Equal(t, "1", datum.Text())
		return g.get("extra.n"), nil
	})
	result, err := ex.Run(t.Context(), server.Request{
		Scope: scope, Source: "1", Name: "a.js", Language: "js", Limits: core.Limits{Statements: 5000},
		Time: &now, Seed: &seed, Unmetered: true, Globals: map[string]any{"datum": 1}, Host: []core.HostObject{extra},
	})
	require.NoError(t, err)
	assert.Equal(t, "1", result.Value.Text())
}

func TestCallerKeysOfScopesDoNotCollide(t *testing.T) {
	t.Parallel()
	keyOf := func(scope server.Scope, key string) string {
		var got string
		ex := newExecutor(t, server.Tools{}, nil, func(g *guest) (core.Value, error) {
			got = g.job.Key
			return core.Value{}, nil
		})
		_, err := ex.Run(t.Context(), server.Request{Scope: scope, Key: key})
		require.NoError(t, err)
		return got
	}
	a := keyOf(server.Scope{Tenant: "a/b", Project: "c", Process: "d"}, "")
	b := keyOf(server.Scope{Tenant: "a", Project: "b/c", Process: "d"}, "")
	assert.NotEqual(t, a, b)
	assert.Equal(t, "own", keyOf(scope, "own"))
}

func TestRunFileNamesTheScriptByItsPath(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.js")
	require.NoError(t, os.WriteFile(path, []byte("6*7"), 0o600))
	ex := newExecutor(t, server.Tools{}, nil, func(g *guest) (core.Value, error) {
		return engine.List(engine.String(g.job.Name), engine.String(g.job.Source)), nil
	})
	result, err := ex.RunFile(t.Context(), path, server.Request{Scope: scope})
	require.NoError(t, err)
	assert.Equal(t, engine.MustValueOf([]string{path, "6*7"}).Text(), result.Value.Text())

	var bad *core.RequestError
	_, err = ex.RunFile(t.Context(), path+".none", server.Request{Scope: scope})
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, "Source", bad.Field)
}

func TestPrecompileChecksTools(t *testing.T) {
	t.Parallel()
	ex := newExecutor(t, server.Tools{"a": echo}, nil, nil)
	_, err := ex.Precompile(t.Context(), server.Request{Scope: scope, Source: "/** @requiresTools a */ 1"})
	require.NoError(t, err)
	_, err = ex.Precompile(t.Context(), server.Request{Scope: scope, Source: "/** @requiresTools b */ 1"})
	assert.ErrorIs(t, err, core.ErrMissingCapability)
}

func TestNewWantsACoreAndADispatcher(t *testing.T) {
	t.Parallel()
	_, err := server.New(nil, server.Tools{}, nil)
	require.Error(t, err)
	ex, err := core.New(&scriptEngine{}, nil)
	require.NoError(t, err)
	_, err = server.New(ex, nil, nil)
	assert.Error(t, err)
}

func TestLogReachesTheRunAndTheService(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 {
				return slog.Attr{}
			}
			return a
		},
	}))
	ex := newExecutor(t, server.Tools{}, &server.Options{Logger: logger}, func(g *guest) (core.Value, error) {
		for _, line := range []struct {
			path string
			args []any
		}{
			{"vance.log", []any{"plain"}},
			{"vance.log.debug", []any{"fine", nil}},
			{"vance.log.info", []any{"step done", json.RawMessage(`{"count":3,"a":[1]}`)}},
			{"vance.log.warn", []any{map[string]any{"no": "text"}}},
			{"vance.log.error", []any{"bad"}},
		} {
			if v, err := g.call(line.path, line.args...); err != nil || !v.IsNull() {
				return v, err
			}
		}
		return core.Value{}, nil
	})
	req := server.Request{Scope: scope, Name: "a.js"}
	req.Scope.Session = "s-1"
	result, err := ex.Run(t.Context(), req)
	require.NoError(t, err)

	logs, err := json.Marshal(result.Logs)
	require.NoError(t, err)
	assert.Equal(t, `[{"level":"info","message":"plain"},{"level":"debug","message":"fine"},`+
		`{"level":"info","message":"step done","fields":{"count":3,"a":[1]}},`+
		`{"level":"warn","message":"{\"no\":\"text\"}"},{"level":"error","message":"bad"}]`, string(logs))
	const attrs = `"tenant":"acme","project":"site","process":"p-17","script":"a.js","session":"s-1"`
	assert.Equal(t, `{"level":"INFO","msg":"plain",`+attrs+"}\n"+
		`{"level":"DEBUG","msg":"fine",`+attrs+"}\n"+
		`{"level":"INFO","msg":"step done",`+attrs+`,"fields":{"count":3,"a":[1]}}`+"\n"+
		`{"level":"WARN","msg":"{\"no\":\"text\"}",`+attrs+"}\n"+
		`{"level":"ERROR","msg":"bad",`+attrs+"}\n", out.String())
}

func TestLogPastItsLimitDoesNotReachTheService(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	opts := &server.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))}
	ex := newExecutor(t, server.Tools{}, opts, func(g *guest) (core.Value, error) {
		for range 100 {
			if _, err := g.call("vance.log.info", string(bytes.Repeat([]byte("x"), 1000))); err != nil {
				return core.Value{}, err
			}
		}
		return core.Value{}, nil
	})
	result, err := ex.Run(t.Context(), server.Request{Scope: scope})
	require.NoError(t, err)
	assert.Equal(t, len(result.Logs)-1, bytes.Count(out.Bytes(), []byte("\n")), "all but the notice")
	assert.Less(t, len(result.Logs), 100)
}

func TestLogRefusesFieldsThatAreNoObject(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"vance.log":       "vance.log: fields must be an object, got number",
		"vance.log.error": "vance.log.error: fields must be an object, got number",
	} {
		_, err := try(t, server.Tools{}, server.Request{}, path, "text", 7)
		assert.Equal(t, want, failure(t, err).Message)
	}
	_, err := try(t, server.Tools{}, server.Request{}, "vance.log.info")
	assert.Equal(t, "vance.log.info: message must be a value, got nothing", failure(t, err).Message)
}

func TestSurfaceIsWhatTheContractSays(t *testing.T) {
	t.Parallel()
	var paths []string
	ex := newExecutor(t, server.Tools{}, nil, func(g *guest) (core.Value, error) {
		for _, host := range g.job.Host {
			if host.Shape.Name() == "vance" {
				for _, fn := range host.Shape.Funcs() {
					assert.False(t, fn.Async, fn.Path)
					paths = append(paths, fn.Path)
				}
			}
		}
		return core.Value{}, nil
	})
	_, err := ex.Run(t.Context(), server.Request{Scope: scope})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"vance.files.isEnabled", "vance.files.list", "vance.files.read", "vance.files.readRaw", "vance.files.write",
		"vance.log", "vance.log.debug", "vance.log.error", "vance.log.info", "vance.log.warn",
		"vance.process.spawn",
		"vance.tools.call", "vance.tools.has", "vance.tools.list",
	}, paths)
}

func TestToolEndsWithTheRun(t *testing.T) {
	t.Parallel()
	tools := server.Tools{"wait": {Call: func(ctx context.Context, _ server.Scope, _ core.Value) (any, error) {
		_, bounded := ctx.Deadline()
		return bounded, nil
	}}}
	v, err := try(t, tools, server.Request{}, "vance.tools.call", "wait")
	require.NoError(t, err)
	assert.Equal(t, "true", v.Text())
}
