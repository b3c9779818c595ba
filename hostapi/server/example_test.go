package server_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// search is a tool with a schema; its result is any Go data.
var search = server.FuncTool{
	Description: "finds documents",
	Schema:      json.RawMessage(`{"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["query"]}`),
	Call: func(_ context.Context, scope server.Scope, params core.Value) (any, error) {
		query, _ := params.Get("query")
		return []string{fmt.Sprintf("%s: %s", scope.Tenant, query)}, nil
	},
}

// A service runs a script on behalf of a process. A real service makes the core
// executor with an engine of one of the backends.
func Example() {
	js := &scriptEngine{script: func(g *guest) (core.Value, error) {
		// in place of the source below
		return g.call("vance.tools.call", "search", map[string]any{"query": g.get("vance.params.topic")})
	}}
	coreExecutor, err := core.New(js, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = coreExecutor.Close() }()

	ex, err := server.New(coreExecutor, server.Tools{"search": search}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := ex.Run(context.Background(), server.Request{
		Scope:  server.Scope{Tenant: "acme", Project: "site", Process: "p-17"},
		Source: `vance.tools.call("search", {query: vance.params.topic})`,
		Args:   map[string]any{"topic": "sandboxing"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Value)
	// Output: ["acme: sandboxing"]
}

// A key that the tool's schema does not know is refused before the tool is called.
func ExampleExecutor_Run_misspeltKey() {
	coreExecutor, _ := core.New(&scriptEngine{script: func(g *guest) (core.Value, error) {
		return g.call("vance.tools.call", "search", map[string]any{"query": "a", "limt": 3})
	}}, nil)
	defer func() { _ = coreExecutor.Close() }()

	ex, _ := server.New(coreExecutor, server.Tools{"search": search}, nil)
	_, err := ex.Run(context.Background(), server.Request{
		Scope:  server.Scope{Tenant: "acme", Project: "site", Process: "p-17"},
		Source: `vance.tools.call("search", {query: "a", limt: 3})`,
	})
	fmt.Println(err)
	// Output: GUEST_EXCEPTION: TypeError: vance.tools.call: search: unknown key limt; did you mean limit?
}
