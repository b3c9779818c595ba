// Package examples_test runs the examples and compares all that comes out.
package examples_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/backends/goja"
	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/server"
	"github.com/ringfence-js/ringfence/internal/mocktools"
)

var update = flag.Bool("update", false, "write the expected.json of each example")

func TestExamplesGiveWhatTheyPromise(t *testing.T) {
	for _, name := range []string{"essay", "cleanup", "hook"} {
		t.Run(name, func(t *testing.T) {
			args := optional(t, filepath.Join(name, "args.json"))
			input := optional(t, filepath.Join(name, "input.json"))
			got := indented(t, run(t, name, args, input))

			path := filepath.Join(name, "expected.json")
			if *update {
				require.NoError(t, os.WriteFile(path, got, 0o644))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
}

func TestHookDecides(t *testing.T) {
	for _, test := range []struct{ name, input, verdict string }{
		{
			"a plain call is allowed",
			`{"tool": "file_read", "arguments": {"path": "docs/a.md", "tags": [1, null, true]}}`,
			`{"decision": "allow"}`,
		},
		{
			"a call without arguments is allowed",
			`{"tool": "time_now"}`,
			`{"decision": "allow"}`,
		},
		{
			"a tool that the project switched off is blocked",
			`{"tool": "shell_exec", "arguments": {"command": "ls"}}`,
			`{"decision": "block", "reason": "shell_exec is switched off in this project"}`,
		},
		{
			"a path out of the workspace is blocked",
			`{"tool": "file_read", "arguments": {"path": "docs/../../secret"}}`,
			`{"decision": "block", "reason": "docs/../../secret leaves the workspace"}`,
		},
		{
			"a protected path is blocked however it is written",
			`{"tool": "file_write", "arguments": {"path": "docs\\..\\.git\\config"}}`,
			`{"decision": "block", "reason": ".git/config is protected"}`,
		},
		{
			"a limit below the project's stays as it is",
			`{"tool": "db_export", "arguments": {"limit": 500}}`,
			`{"decision": "allow"}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := run(t, "hook", core.Value{}, parse(t, test.input))
			value, err := json.Marshal(got.Value)
			require.NoError(t, err)
			assert.JSONEq(t, test.verdict, string(value))
		})
	}
}

// outcome is what expected.json has: a part of what the command line prints.
type outcome struct {
	Value      core.Value       `json:"value"`
	Statements int64            `json:"statements"`
	Warnings   []core.Warning   `json:"warnings"`
	Logs       []core.LogEntry  `json:"logs"`
	Calls      []mocktools.Call `json:"calls"`
}

// run runs an example on goja as the command line does.
func run(t *testing.T, name string, args, input core.Value) outcome {
	t.Helper()
	tools, err := mocktools.Load(filepath.Join(name, "tools.json"))
	require.NoError(t, err)
	eng, err := goja.New(nil)
	require.NoError(t, err)
	ex, err := core.New(eng, nil)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, ex.Close()) })

	var calls mocktools.Recorder
	srv, err := server.New(ex, dispatcher{tools}, &server.Options{
		OnToolCall: func(_ context.Context, call server.ToolCall) func(core.Value, error) {
			calls.Record(call.Name, call.Params)
			return nil
		},
	})
	require.NoError(t, err)
	request := server.Request{
		Scope: server.Scope{Tenant: "cli", Project: "cli", Process: "cli"},
		Args:  args,
	}
	if !input.IsNull() {
		request.Input = input
	}
	result, err := srv.RunFile(t.Context(), filepath.Join(name, name+".js"), request)
	require.NoError(t, err)

	out := outcome{result.Value, result.Statements, result.Warnings, result.Logs, calls.Calls()}
	if out.Warnings == nil {
		out.Warnings = []core.Warning{}
	}
	if out.Logs == nil {
		out.Logs = []core.LogEntry{}
	}
	return out
}

// dispatcher offers canned tools.
type dispatcher struct{ *mocktools.Set }

func (d dispatcher) List(context.Context, server.Scope) ([]server.Tool, error) {
	var tools []server.Tool
	for _, name := range d.Names() {
		tools = append(tools, server.Tool{Name: name, Schema: d.Schema(name)})
	}
	return tools, nil
}

func (d dispatcher) Call(ctx context.Context, _ server.Scope, tool string, params core.Value) (core.Value, error) {
	return d.Set.Call(ctx, tool, params)
}

// optional reads a JSON file; where there is none it gives null.
func optional(t *testing.T, path string) core.Value {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return core.Value{}
	}
	require.NoError(t, err)
	return parse(t, string(data))
}

func parse(t *testing.T, text string) core.Value {
	t.Helper()
	v, err := engine.ParseJSON([]byte(text))
	require.NoError(t, err)
	return v
}

func indented(t *testing.T, x any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(x))
	return b.Bytes()
}
