package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/backends/goja"
	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/client"
)

var scope = client.Scope{FootID: "foot-3", RequestID: "r-17"}

// localTools are the tools of a machine; they note what they are called with.
type localTools struct {
	names  []string
	err    error
	scopes []client.Scope
	params []string
}

func (l *localTools) List(context.Context, client.Scope) ([]client.Tool, error) {
	var tools []client.Tool
	for _, name := range l.names {
		tools = append(tools, client.Tool{Name: name})
	}
	return tools, nil
}

func (l *localTools) Call(_ context.Context, scope client.Scope, tool string, params core.Value) (core.Value, error) {
	l.scopes = append(l.scopes, scope)
	l.params = append(l.params, params.Text())
	return engine.MustValueOf(map[string]any{"from": tool}), l.err
}

func newExecutor(t *testing.T, tools client.ToolDispatcher, opts *client.Options) *client.Executor {
	t.Helper()
	eng, err := goja.New(nil)
	require.NoError(t, err)
	inner, err := core.New(eng, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, inner.Close()) })
	ex, err := client.New(inner, tools, opts)
	require.NoError(t, err)
	return ex
}

// value runs a script and returns its value as JSON.
func value(t *testing.T, ex *client.Executor, source string) string {
	t.Helper()
	result, err := ex.Run(t.Context(), client.Request{Source: source, Scope: scope})
	require.NoError(t, err)
	return string(result.Value.AppendJSON(nil))
}

func TestContextIsReadable(t *testing.T) {
	ex := newExecutor(t, &localTools{}, nil)
	assert.JSONEq(t, `["foot-3", "r-17", null]`,
		value(t, ex, `[client.context.footId, client.context.requestId, client.context.sessionId]`))

	withSession := scope
	withSession.Session = "s-1"
	result, err := ex.Run(t.Context(), client.Request{Source: `client.context.sessionId`, Scope: withSession})
	require.NoError(t, err)
	assert.Equal(t, "s-1", result.Value.Text())
}

func TestClientIsFrozen(t *testing.T) {
	ex := newExecutor(t, &localTools{}, nil)
	assert.JSONEq(t, `["foot-3", "function"]`, value(t, ex, `
		client.context.footId = "other";
		client.tools.call = null;
		client.added = 1;
		[client.context.footId, typeof client.tools.call].concat(client.added ?? [])`))

	_, err := ex.Run(t.Context(), client.Request{Source: `"use strict"; client.context.footId = "other"`, Scope: scope})
	var failed *core.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, core.ErrGuestException, failed.Class)
	assert.Equal(t, "TypeError", failed.Name)
}

func TestNothingOfTheServiceIsThere(t *testing.T) {
	ex := newExecutor(t, &localTools{}, nil)
	assert.JSONEq(t, `["undefined", "undefined", "undefined", "undefined", ["context", "log", "tools"], ["call"]]`, value(t, ex, `
		[typeof vance, typeof client.process, typeof client.files, typeof client.params,
		 Object.keys(client).sort(), Object.keys(client.tools)]`))
}

// A client never carries the service's surface.
func TestClientDoesNotDependOnTheServer(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	assert.Contains(t, string(deps), "ringfence/hostapi\n")
	assert.NotContains(t, string(deps), "hostapi/server")
}

func TestToolsAreCalledWithTheScopeOfTheRequest(t *testing.T) {
	tools := &localTools{names: []string{"client_exec_run"}}
	ex := newExecutor(t, tools, nil)
	assert.JSONEq(t, `{"from": "client_exec_run"}`, value(t, ex,
		`client.tools.call("client_exec_run", {command: "ls", footId: "other"})`))
	assert.Equal(t, []client.Scope{scope}, tools.scopes)
	assert.Equal(t, []string{`{"command":"ls","footId":"other"}`}, tools.params)

	value(t, ex, `client.tools.call("client_exec_run")`)
	assert.Equal(t, "{}", tools.params[1], "no params are an empty object")
}

func TestToolsThatAreRefused(t *testing.T) {
	const attempt = `try { client.tools.call(args.name, args.params) } catch (e) { e.name + ": " + e.message }`
	for _, test := range []struct {
		name, source, tool, params, want string
	}{
		{"a tool of the service is unknown here", attempt, "web_search", `{}`,
			"ToolException: unknown tool: web_search"},
		{"a misspelt tool gets the nearest one", attempt, "client_file_reed", `{}`,
			"ToolException: unknown tool: client_file_reed; did you mean client_file_read?"},
		{"the header narrows what may be called", "/** @allowTools client_exec_run */\n" + attempt, "client_file_read", `{}`,
			"ToolException: not allowed: client_file_read"},
		{"params are an object", attempt, "client_file_read", `[1]`,
			"TypeError: client.tools.call: params must be an object, got array"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tools := &localTools{names: []string{"client_exec_run", "client_file_read"}}
			ex := newExecutor(t, tools, nil)
			result, err := ex.Run(t.Context(), client.Request{
				Source: test.source,
				Scope:  scope,
				Args:   map[string]any{"name": test.tool, "params": json.RawMessage(test.params)},
			})
			require.NoError(t, err)
			assert.Equal(t, test.want, result.Value.Text())
			assert.Empty(t, tools.params)
		})
	}
}

func TestRequiredToolsMustBeHere(t *testing.T) {
	ex := newExecutor(t, &localTools{names: []string{"client_exec_run"}}, nil)
	source := "/** @requiresTools client_exec_run, web_search */ 1"
	_, err := ex.Run(t.Context(), client.Request{Source: source, Scope: scope})
	require.ErrorIs(t, err, core.ErrMissingCapability)
	assert.Contains(t, err.Error(), "web_search")
	assert.NotContains(t, err.Error(), "client_exec_run")

	_, err = ex.Precompile(t.Context(), client.Request{Source: "/** @requiresTools client_exec_run */ 1", Scope: scope})
	require.NoError(t, err)
	_, err = ex.Precompile(t.Context(), client.Request{
		Source: "/** @requiresTools client_exec_run */ 1", Scope: scope, AllowedTools: []string{},
	})
	require.ErrorIs(t, err, core.ErrMissingCapability)
}

func TestErrorOfAToolKeepsItsIdentity(t *testing.T) {
	broken := errors.New("disk is gone")
	ex := newExecutor(t, &localTools{names: []string{"client_file_read"}, err: broken}, nil)
	_, err := ex.Run(t.Context(), client.Request{Source: `client.tools.call("client_file_read", {})`, Scope: scope})
	require.ErrorIs(t, err, core.ErrHostException)
	require.ErrorIs(t, err, broken)
}

func TestEveryCallIsTold(t *testing.T) {
	var calls []string
	ex := newExecutor(t, &localTools{names: []string{"a"}}, &client.Options{
		OnToolCall: func(_ context.Context, call client.ToolCall) func(core.Value, error) {
			return func(_ core.Value, err error) {
				outcome := "ok"
				if err != nil {
					outcome = err.Error()
				}
				calls = append(calls, call.Scope.RequestID+" "+call.Name+" "+outcome)
			}
		},
	})
	value(t, ex, `client.tools.call("a"); try { client.tools.call("bbbb", {}) } catch {}`)
	assert.Equal(t, []string{"r-17 a ok", "r-17 bbbb unknown tool: bbbb"}, calls)
}

func TestLogsCarryTheRequest(t *testing.T) {
	var text bytes.Buffer
	ex := newExecutor(t, &localTools{}, &client.Options{
		Logger: slog.New(slog.NewJSONHandler(&text, &slog.HandlerOptions{Level: slog.LevelInfo})),
	})
	result, err := ex.Run(t.Context(), client.Request{
		Name: "step.js", Scope: scope,
		Source: `client.log.info("script step", {handled: 7}); client.log("plain"); client.log.debug("d"); client.log.warn("w"); client.log.error("e")`,
	})
	require.NoError(t, err)

	var levels []string
	for _, entry := range result.Logs {
		levels = append(levels, entry.Level+" "+entry.Message)
	}
	assert.Equal(t, []string{"info script step", "info plain", "debug d", "warn w", "error e"}, levels)

	var first map[string]any
	require.NoError(t, json.NewDecoder(&text).Decode(&first))
	delete(first, "time")
	assert.Equal(t, map[string]any{
		"level": "INFO", "msg": "script step", "foot": "foot-3", "request": "r-17", "script": "step.js",
		"fields": map[string]any{"handled": 7.0},
	}, first)
}

func TestScopeMustBeComplete(t *testing.T) {
	ex := newExecutor(t, &localTools{}, nil)
	for field, scope := range map[string]client.Scope{
		"Scope.FootID":    {RequestID: "r-17"},
		"Scope.RequestID": {FootID: "foot-3"},
	} {
		_, err := ex.Run(t.Context(), client.Request{Source: "1", Scope: scope})
		var refused *core.RequestError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, field, refused.Field)
	}
}

func TestArgsAndInputAreGlobals(t *testing.T) {
	ex := newExecutor(t, &localTools{}, nil)
	assert.JSONEq(t, `[{}, "undefined"]`, value(t, ex, `[args, typeof input]`))
	result, err := ex.Run(t.Context(), client.Request{
		Source: `args.added = 1; [args, input]`, Scope: scope,
		Args: map[string]any{"a": 1}, Input: "x", Globals: map[string]any{"more": 2},
	})
	require.NoError(t, err)
	assert.JSONEq(t, `[{"a": 1, "added": 1}, "x"]`, result.Value.Text())

	_, err = ex.Run(t.Context(), client.Request{Source: "1", Scope: scope, Globals: map[string]any{"args": 1}})
	var refused *core.RequestError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, "Globals", refused.Field)
}

func TestNothingStaysFromOneRequestToTheNext(t *testing.T) {
	ex := newExecutor(t, &localTools{}, nil)
	value(t, ex, `globalThis.left = 1; globalThis.client = null; 1`)
	next := client.Scope{FootID: "foot-3", RequestID: "r-18"}
	result, err := ex.Run(t.Context(), client.Request{Source: `[typeof left, client.context.requestId]`, Scope: next})
	require.NoError(t, err)
	assert.JSONEq(t, `["undefined", "r-18"]`, result.Value.Text())
}
