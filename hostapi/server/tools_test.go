package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// failure is the error of a failed run.
func failure(t testing.TB, err error) *core.Error {
	t.Helper()
	var failed *core.Error
	require.ErrorAs(t, err, &failed)
	return failed
}

func TestToolCallsCarryTheExecutorsScope(t *testing.T) {
	t.Parallel()
	var got server.Scope
	var params core.Value
	tools := server.Tools{"search": {Call: func(_ context.Context, scope server.Scope, p core.Value) (any, error) {
		got, params = scope, p
		return map[string]any{"hits": []any{1, "two"}}, nil
	}}}
	sent := json.RawMessage(`{"tenantId":"other","query":"a"}`)
	v, err := try(t, tools, server.Request{}, "vance.tools.call", "search", sent)
	require.NoError(t, err)
	assert.Equal(t, scope, got)
	assert.Equal(t, string(sent), params.Text())
	assert.Equal(t, `{"hits":[1,"two"]}`, v.Text())
}

func TestToolCallWithoutParametersSendsAnEmptyObject(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]any{"left out": {"echo"}, "null": {"echo", nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := try(t, server.Tools{"echo": echo}, server.Request{}, "vance.tools.call", args...)
			require.NoError(t, err)
			assert.Equal(t, "{}", v.Text())
		})
	}
}

func TestRefusedToolCalls(t *testing.T) {
	t.Parallel()
	called := server.FuncTool{Call: func(context.Context, server.Scope, core.Value) (any, error) {
		return nil, errors.New("the dispatcher was called")
	}}
	tools := server.Tools{"search": called, "secret": called}
	tests := map[string]struct {
		req     server.Request
		args    []any
		class   core.Class
		name    string
		message string
		is      error
	}{
		"a misspelt tool":                       {server.Request{}, []any{"serch"}, core.ErrHostException, "ToolException", "unknown tool: serch; did you mean search?", server.ErrUnknownTool},
		"a tool like one that is not allowed":   {server.Request{AllowedTools: []string{"search"}}, []any{"secrt"}, core.ErrHostException, "ToolException", "unknown tool: secrt", server.ErrUnknownTool},
		"a tool like no other":                  {server.Request{}, []any{"deploy"}, core.ErrHostException, "ToolException", "unknown tool: deploy", server.ErrUnknownTool},
		"an allowed tool that nobody offers":    {server.Request{AllowedTools: []string{"deploy"}}, []any{"deploy"}, core.ErrHostException, "ToolException", "unknown tool: deploy", server.ErrUnknownTool},
		"a tool outside the request's list":     {server.Request{AllowedTools: []string{"search"}}, []any{"secret"}, core.ErrHostException, "ToolException", "not allowed: secret", server.ErrNotAllowed},
		"any tool where the list is empty":      {server.Request{AllowedTools: []string{}}, []any{"search"}, core.ErrHostException, "ToolException", "not allowed: search", server.ErrNotAllowed},
		"a denied tool":                         {server.Request{DeniedTools: []string{"secret"}}, []any{"secret"}, core.ErrHostException, "ToolException", "not allowed: secret", server.ErrNotAllowed},
		"a tool outside the header's list":      {server.Request{Source: "/** @allowTools search */ 1"}, []any{"secret"}, core.ErrHostException, "ToolException", "not allowed: secret", server.ErrNotAllowed},
		"a tool that only the header would add": {server.Request{AllowedTools: []string{"search"}, Source: "/** @allowTools search, secret */ 1"}, []any{"secret"}, core.ErrHostException, "ToolException", "not allowed: secret", server.ErrNotAllowed},
		"a star in the header":                  {server.Request{Source: "/** @allowTools * */ 1"}, []any{"search"}, core.ErrHostException, "ToolException", "not allowed: search", server.ErrNotAllowed},
		"a name that is no string":              {server.Request{}, []any{7}, core.ErrGuestException, "TypeError", "vance.tools.call: name must be a string, got number", nil},
		"no name":                               {server.Request{}, nil, core.ErrGuestException, "TypeError", "vance.tools.call: name must be a string, got nothing", nil},
		"parameters that are no object":         {server.Request{}, []any{"search", []any{1}}, core.ErrGuestException, "TypeError", "vance.tools.call: params must be an object, got array", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := try(t, tools, test.req, "vance.tools.call", test.args...)
			failed := failure(t, err)
			assert.Equal(t, test.class, failed.Class)
			assert.Equal(t, test.name, failed.Name)
			assert.Equal(t, test.message, failed.Message)
			if test.is != nil {
				assert.ErrorIs(t, err, test.is)
			}
		})
	}
}

func TestListAndHasFollowTheEffectiveAllowList(t *testing.T) {
	t.Parallel()
	tools := server.Tools{"b": echo, "c": echo, "a": echo}
	tests := map[string]struct {
		req  server.Request
		want []string
	}{
		"without a list all that is offered": {server.Request{}, []string{"a", "b", "c"}},
		"an empty list":                      {server.Request{AllowedTools: []string{}}, []string{}},
		"a list with unknown names":          {server.Request{AllowedTools: []string{"z", "c", "a"}}, []string{"a", "c"}},
		"denied":                             {server.Request{DeniedTools: []string{"a"}}, []string{"b", "c"}},
		"narrowed by the header":             {server.Request{Source: "/** @allowTools b z */ 1", AllowedTools: []string{"a", "b"}}, []string{"b"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := try(t, tools, test.req, "vance.tools.list")
			require.NoError(t, err)
			assert.Equal(t, engine.MustValueOf(test.want).Text(), v.Text())
			for _, tool := range []string{"a", "b", "c", "z"} {
				has, err := try(t, tools, test.req, "vance.tools.has", tool)
				require.NoError(t, err)
				assert.Equal(t, engine.Bool(slices.Contains(test.want, tool)), has, tool)
			}
		})
	}
}

func TestRequiredToolsMustBeOfferedAndAllowed(t *testing.T) {
	t.Parallel()
	tools := server.Tools{"a": echo, "b": echo}
	tests := map[string]struct {
		req  server.Request
		want string
	}{
		"a tool that nobody offers":      {server.Request{Source: "/** @requiresTools a, z */ 1"}, "z"},
		"one that the request names too": {server.Request{Source: "/** @requiresTools z */ 1", AllowedTools: []string{"z"}}, "z"},
		"a tool that is not allowed":     {server.Request{Source: "/** @requiresTools a, b */ 1", AllowedTools: []string{"a"}}, "b"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.req.Scope = scope
			ex := newExecutor(t, tools, nil, func(*guest) (core.Value, error) {
				t.Error("the script ran")
				return core.Value{}, nil
			})
			result, err := ex.Run(t.Context(), test.req)
			require.ErrorIs(t, err, core.ErrMissingCapability)
			assert.NotNil(t, result)
			assert.Contains(t, failure(t, err).Message, ": "+test.want)
		})
	}
}

func TestDispatcherErrorsKeepTheirIdentity(t *testing.T) {
	t.Parallel()
	errBlocked := errors.New("blocked by the recipe")
	tools := server.Tools{"blocked": {Call: func(context.Context, server.Scope, core.Value) (any, error) {
		return nil, fmt.Errorf("dispatch: %w", errBlocked)
	}}}
	_, err := try(t, tools, server.Request{}, "vance.tools.call", "blocked")
	require.ErrorIs(t, err, core.ErrHostException)
	require.ErrorIs(t, err, errBlocked)
	assert.Equal(t, "dispatch: blocked by the recipe", failure(t, err).Message)
}

func TestAnswerWithoutFormInJavaScriptIsAnError(t *testing.T) {
	t.Parallel()
	_, err := try(t, server.Tools{"odd": answer(make(chan int))}, server.Request{}, "vance.tools.call", "odd")
	assert.Equal(t, "the answer of odd cannot be given to a script", failure(t, err).Message)
}

func TestToolsReportsCallsOfToolsThatAreNotThere(t *testing.T) {
	t.Parallel()
	_, err := server.Tools{"half": {}}.Call(t.Context(), scope, "half", engine.Object())
	assert.ErrorIs(t, err, server.ErrUnknownTool)
}

func TestProcessSpawnCallsProcessCreate(t *testing.T) {
	t.Parallel()
	v, err := try(t, server.Tools{"process_create": echo}, server.Request{}, "vance.process.spawn", map[string]any{"task": "x"})
	require.NoError(t, err)
	assert.Equal(t, `{"task":"x"}`, v.Text())

	_, err = try(t, server.Tools{"process_create": echo}, server.Request{AllowedTools: []string{}}, "vance.process.spawn")
	assert.Equal(t, "not allowed: process_create", failure(t, err).Message)
	_, err = try(t, server.Tools{"process_create": echo}, server.Request{}, "vance.process.spawn", "x")
	assert.Equal(t, "vance.process.spawn: params must be an object, got string", failure(t, err).Message)
}

func TestFilesAreAdaptersOverTheFileTools(t *testing.T) {
	t.Parallel()
	missing := server.FuncTool{Call: func(context.Context, server.Scope, core.Value) (any, error) {
		return nil, fmt.Errorf("open: %w", fs.ErrNotExist)
	}}
	tests := map[string]struct {
		tools server.Tools
		path  string
		args  []any
		want  string
	}{
		"read gives the content":               {server.Tools{"file_read": answer(map[string]any{"content": "text", "size": 4})}, "vance.files.read", []any{"a"}, "text"},
		"read gives an answer that is text":    {server.Tools{"file_read": answer("text")}, "vance.files.read", []any{"a"}, "text"},
		"read of empty text":                   {server.Tools{"file_read": answer(map[string]any{"content": ""})}, "vance.files.read", []any{"a"}, ""},
		"read gives null for null":             {server.Tools{"file_read": answer(nil)}, "vance.files.read", []any{"a"}, "null"},
		"read gives null without content":      {server.Tools{"file_read": answer(map[string]any{"exists": false})}, "vance.files.read", []any{"a"}, "null"},
		"read gives null for a file not there": {server.Tools{"file_read": missing}, "vance.files.read", []any{"a"}, "null"},
		"readRaw gives the answer":             {server.Tools{"file_read": answer(map[string]any{"content": "text"})}, "vance.files.readRaw", []any{"a"}, `{"content":"text"}`},
		"readRaw sends the path":               {server.Tools{"file_read": echo}, "vance.files.readRaw", []any{"a"}, `{"path":"a"}`},
		"write sends path and content":         {server.Tools{"file_read": echo, "file_write": echo}, "vance.files.write", []any{"a", "b"}, `{"path":"a","content":"b"}`},
		"list sends the path":                  {server.Tools{"file_read": echo, "file_list": echo}, "vance.files.list", []any{"a"}, `{"path":"a"}`},
		"list without a path":                  {server.Tools{"file_read": echo, "file_list": echo}, "vance.files.list", nil, `{}`},
		"enabled with file_read":               {server.Tools{"file_read": echo}, "vance.files.isEnabled", nil, "true"},
		"disabled without file_read":           {server.Tools{"file_write": echo}, "vance.files.isEnabled", nil, "false"},
		"list gives the answer":                {server.Tools{"file_read": echo, "file_list": answer([]any{"x"})}, "vance.files.list", nil, `["x"]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := try(t, test.tools, server.Request{}, test.path, test.args...)
			require.NoError(t, err)
			assert.Equal(t, test.want, v.Text())
		})
	}
}

func TestFilesThrowWhereFileReadMayNotBeCalled(t *testing.T) {
	t.Parallel()
	tools := server.Tools{"file_read": echo, "file_write": echo, "file_list": echo}
	req := server.Request{AllowedTools: []string{"file_write", "file_list"}}
	for path, args := range map[string][]any{
		"vance.files.read":    {"a"},
		"vance.files.readRaw": {"a"},
		"vance.files.write":   {"a", "b"},
		"vance.files.list":    nil,
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			_, err := try(t, tools, req, path, args...)
			require.ErrorIs(t, err, server.ErrFilesDisabled)
			failed := failure(t, err)
			assert.Equal(t, core.ErrHostException, failed.Class)
			assert.Equal(t, "ScriptHostException", failed.Name)
			assert.Equal(t, path+": vance.files is not enabled: the script may not call file_read", failed.Message)
		})
	}
}

func TestFilesDoNotBypassTheAllowList(t *testing.T) {
	t.Parallel()
	tools := server.Tools{"file_read": echo, "file_write": echo}
	_, err := try(t, tools, server.Request{AllowedTools: []string{"file_read"}}, "vance.files.write", "a", "b")
	assert.ErrorIs(t, err, server.ErrNotAllowed)
	_, err = try(t, tools, server.Request{}, "vance.files.list")
	assert.ErrorIs(t, err, server.ErrUnknownTool)
}

func TestReadSaysThatAFileIsNoText(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]any{"content": map[string]any{"content": []byte{1}}, "answer": 7} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := try(t, server.Tools{"file_read": answer(content)}, server.Request{}, "vance.files.read", "a")
			assert.Equal(t, "ScriptHostException", failure(t, err).Name)
		})
	}
}

func TestHookIsToldOfEveryToolCallInOrder(t *testing.T) {
	t.Parallel()
	type told struct {
		name, params, result string
		err                  string
	}
	var begun []string
	var ended []told
	opts := &server.Options{OnToolCall: func(ctx context.Context, c server.ToolCall) func(core.Value, error) {
		assert.Equal(t, scope, c.Scope)
		assert.NotNil(t, core.RunFrom(ctx))
		begun = append(begun, c.Name)
		return func(result core.Value, err error) {
			ended = append(ended, told{c.Name, c.Params.Text(), result.Text(), fmt.Sprint(err)})
		}
	}}
	tools := server.Tools{"file_read": answer("text"), "process_create": echo, "fails": {Call: func(context.Context, server.Scope, core.Value) (any, error) {
		return nil, errors.New("no")
	}}}
	ex := newExecutor(t, tools, opts, func(g *guest) (core.Value, error) {
		for _, args := range [][]any{{"serch", map[string]any{"q": 1}}, {"fails"}, {"fails", 7}} {
			_, err := g.call("vance.tools.call", args...)
			assert.Error(t, err)
		}
		_, err := g.call("vance.files.read", "a")
		assert.NoError(t, err)
		return g.call("vance.process.spawn")
	})
	_, err := ex.Run(t.Context(), server.Request{Scope: scope})
	require.NoError(t, err)
	assert.Equal(t, []string{"serch", "fails", "fails", "file_read", "process_create"}, begun)
	assert.Equal(t, []told{
		{"serch", `{"q":1}`, "null", "unknown tool: serch"},
		{"fails", `{}`, "null", "no"},
		{"fails", `7`, "null", "TypeError: vance.tools.call: params must be an object, got number"},
		{"file_read", `{"path":"a"}`, "text", "<nil>"},
		{"process_create", `{}`, "{}", "<nil>"},
	}, ended)
}

// lister counts how often it is asked.
type lister struct {
	server.Tools
	lists atomic.Int64
	err   error
	block bool
}

func (l *lister) List(ctx context.Context, scope server.Scope) ([]server.Tool, error) {
	l.lists.Add(1)
	if l.block {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if l.err != nil {
		return nil, l.err
	}
	return l.Tools.List(ctx, scope)
}

func TestDispatcherListsItsToolsOnceForARun(t *testing.T) {
	t.Parallel()
	tools := &lister{Tools: server.Tools{"echo": echo}}
	ex := newExecutor(t, tools, nil, func(g *guest) (core.Value, error) {
		for range 3 {
			for _, path := range []string{"vance.tools.call", "vance.tools.has", "vance.tools.list"} {
				if _, err := g.call(path, "echo"); err != nil {
					return core.Value{}, err
				}
			}
		}
		return core.Value{}, nil
	})
	for range 2 {
		_, err := ex.Run(t.Context(), server.Request{Scope: scope})
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2, tools.lists.Load())
}

func TestFailureToListEndsTheRunBeforeItBegins(t *testing.T) {
	t.Parallel()
	errDown := errors.New("the registry is down")
	ex := newExecutor(t, &lister{err: errDown}, nil, nil)
	result, err := ex.Run(t.Context(), server.Request{Scope: scope})
	require.ErrorIs(t, err, core.ErrHostException)
	require.ErrorIs(t, err, errDown)
	assert.Equal(t, "listing the tools: the registry is down", failure(t, err).Message)
	assert.NotNil(t, result.Header)
}

func TestListingIsBoundedByTheTimeout(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		timeout, want time.Duration
	}{
		"of the request": {2 * time.Second, 2 * time.Second},
		"of 30 seconds":  {0, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ex := newExecutor(t, &lister{block: true}, nil, nil)
				start := time.Now()
				_, err := ex.Run(t.Context(), server.Request{Scope: scope, Limits: core.Limits{Timeout: test.timeout}})
				require.ErrorIs(t, err, core.ErrTimeout)
				assert.Equal(t, test.want, time.Since(start))
			})
		})
	}
}

func TestCancelledCallerListsNothing(t *testing.T) {
	t.Parallel()
	tools := &lister{}
	ex := newExecutor(t, tools, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ex.Run(ctx, server.Request{Scope: scope})
	require.ErrorIs(t, err, core.ErrCancelled)
	assert.Zero(t, tools.lists.Load())
}
