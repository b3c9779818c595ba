package bench

import (
	"context"
	"strings"
	"testing"

	bare "github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/backends/goja"
	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// rows is what the tool fetch_rows answers.
var rows = engine.MustValueOf(map[string]any{"rows": []map[string]any{
	{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"},
}})

func newServer(b *testing.B) *server.Executor {
	b.Helper()
	js, err := goja.New(nil)
	if err != nil {
		b.Fatal(err)
	}
	ex, err := core.New(js, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ex.Close() })
	srv, err := server.New(ex, server.Tools{
		"fetch_rows": {Call: func(context.Context, server.Scope, core.Value) (any, error) { return rows, nil }},
		"save":       {Call: func(context.Context, server.Scope, core.Value) (any, error) { return nil, nil }},
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return srv
}

// ringfenceRun runs a script through the executor: header, limits, surface.
func ringfenceRun(b *testing.B, script string, unmetered bool) func() {
	srv := newServer(b)
	req := server.Request{
		Source:    script,
		Scope:     server.Scope{Tenant: "t", Project: "p", Process: "x"},
		Unmetered: unmetered,
	}
	return func() {
		if _, err := srv.Run(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// bareRun runs the same script on goja alone, and takes the value out with Export.
func bareRun(b *testing.B, script string) func() {
	last := strings.LastIndex(strings.TrimSpace(script), "\n") + 1
	program, err := bare.Compile("script.js", "(()=>{"+script[:last]+"return "+script[last:]+"\n})", false)
	if err != nil {
		b.Fatal(err)
	}
	return func() {
		vm := bare.New()
		vance, tools := vm.NewObject(), vm.NewObject()
		_ = tools.Set("call", func(call bare.FunctionCall) bare.Value {
			call.Argument(1).Export()
			if call.Argument(0).String() == "fetch_rows" {
				list := make([]any, 3)
				for i := range list {
					row := vm.NewObject()
					_ = row.Set("id", i+1)
					_ = row.Set("name", "a")
					list[i] = row
				}
				answer := vm.NewObject()
				_ = answer.Set("rows", vm.NewArray(list...))
				return answer
			}
			return bare.Null()
		})
		_ = vance.Set("tools", tools)
		_ = vm.Set("vance", vance)
		fn, err := vm.RunProgram(program)
		if err != nil {
			b.Fatal(err)
		}
		call, _ := bare.AssertFunction(fn)
		value, err := call(bare.Undefined())
		if err != nil {
			b.Fatal(err)
		}
		value.Export()
	}
}

func BenchmarkGoja(b *testing.B) {
	for _, test := range []struct{ name, script string }{{"trivial", trivialScript}, {"tools", toolScript}} {
		b.Run("engine=goja/script="+test.name+"/metering=on", func(b *testing.B) {
			pair(b, ringfenceRun(b, test.script, false), bareRun(b, test.script))
		})
		b.Run("engine=goja/script="+test.name+"/metering=off", func(b *testing.B) {
			pair(b, ringfenceRun(b, test.script, true), bareRun(b, test.script))
		})
	}
}
