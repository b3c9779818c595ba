package conformance

import (
	"context"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/server"
	"github.com/ringfence-js/ringfence/internal/mocktools"
)

// suiteScope is on whose behalf the cases run.
var suiteScope = server.Scope{Tenant: "acme", Project: "site", Process: "p-17", Session: "s-1", QuotaBucket: "small"}

// A toolbox is the tools of a case.
type toolbox struct{ *mocktools.Set }

func newToolbox(tools map[string]value) (toolbox, error) {
	members := make([]engine.Member, 0, len(tools))
	for name, tool := range tools {
		members = append(members, engine.Member{Key: name, Value: tool.Value})
	}
	set, err := mocktools.Parse(engine.Object(members...).AppendJSON(nil))
	return toolbox{set}, err
}

// List makes a toolbox a dispatcher, whatever the scope.
func (b toolbox) List(context.Context, server.Scope) ([]server.Tool, error) {
	var tools []server.Tool
	for _, name := range b.Names() {
		tools = append(tools, server.Tool{Name: name, Description: b.Description(name), Schema: b.Schema(name)})
	}
	return tools, nil
}

// Call answers for a tool.
func (b toolbox) Call(ctx context.Context, _ server.Scope, tool string, params core.Value) (core.Value, error) {
	return b.Set.Call(ctx, tool, params)
}

// run runs a request on the server surface and notes the calls of tools.
func (b toolbox) run(ctx context.Context, ex *core.Executor, req server.Request) (outcome, error) {
	var recorder mocktools.Recorder
	surface, err := server.New(ex, b, &server.Options{
		OnToolCall: func(_ context.Context, call server.ToolCall) func(core.Value, error) {
			recorder.Record(call.Name, call.Params)
			return nil
		},
	})
	if err != nil {
		return outcome{}, err
	}
	var o outcome
	o.result, o.err = surface.Run(ctx, req)
	for _, c := range recorder.Calls() {
		o.calls = append(o.calls, call{Name: c.Name, Args: value{c.Args}})
	}
	return o, nil
}
