package main

import (
	"context"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/client"
	"github.com/ringfence-js/ringfence/hostapi/server"
	"github.com/ringfence-js/ringfence/internal/mocktools"
)

// scopeName stands for tenant, project and process of a script that runs here, and
// for the client and its request.
const scopeName = "cli"

// A stage is how far a script is taken.
type stage int

const (
	toEnd stage = iota
	toFirstStatement
)

// do takes the script as far as asked with the host object that the flags name.
func (p *prepared) do(ctx context.Context, to stage) (*core.Result, error) {
	switch p.surface {
	case "server":
		return p.asServer(ctx, to)
	case "client":
		return p.asClient(ctx, to)
	}
	return p.plain(ctx, to, p.allowed)
}

func (p *prepared) asServer(ctx context.Context, to stage) (*core.Result, error) {
	ex, err := server.New(p.core, serverTools{p.tools}, &server.Options{
		OnToolCall: func(_ context.Context, call server.ToolCall) func(core.Value, error) {
			p.calls.Record(call.Name, call.Params)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	req := server.Request{
		Source:       p.source,
		Name:         p.name,
		Scope:        server.Scope{Tenant: scopeName, Project: scopeName, Process: scopeName},
		Args:         p.args,
		AllowedTools: p.allowed,
		Limits:       p.limits,
		Time:         p.time,
		Seed:         p.seed,
	}
	if p.input != nil {
		req.Input = *p.input
	}
	if to == toFirstStatement {
		return ex.Precompile(ctx, req)
	}
	return ex.Run(ctx, req)
}

func (p *prepared) asClient(ctx context.Context, to stage) (*core.Result, error) {
	ex, err := client.New(p.core, clientTools{p.tools}, &client.Options{
		OnToolCall: func(_ context.Context, call client.ToolCall) func(core.Value, error) {
			p.calls.Record(call.Name, call.Params)
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	req := client.Request{
		Source:       p.source,
		Name:         p.name,
		Scope:        client.Scope{FootID: scopeName, RequestID: scopeName},
		Args:         p.args,
		AllowedTools: p.allowed,
		Limits:       p.limits,
		Time:         p.time,
		Seed:         p.seed,
	}
	if p.input != nil {
		req.Input = *p.input
	}
	if to == toFirstStatement {
		return ex.Precompile(ctx, req)
	}
	return ex.Run(ctx, req)
}

// plain is for a script without a host object. Allowed may be nil, for all tools.
func (p *prepared) plain(ctx context.Context, to stage, allowed []string) (*core.Result, error) {
	args := p.args
	if args.IsNull() {
		args = engine.Object()
	}
	req := core.Request{
		Source:       p.source,
		Name:         p.name,
		Globals:      map[string]any{"args": args},
		AllowedTools: allowed,
		Limits:       p.limits,
		Key:          scopeName,
		Scope:        []string{scopeName, scopeName},
		Time:         p.time,
		Seed:         p.seed,
	}
	if p.input != nil {
		req.Globals["input"] = *p.input
	}
	if to == toFirstStatement {
		return p.core.Precompile(ctx, req)
	}
	return p.core.Run(ctx, req)
}

// serverTools and clientTools offer canned tools to the two surfaces.
type (
	serverTools struct{ set *mocktools.Set }
	clientTools struct{ set *mocktools.Set }
)

func (t serverTools) List(context.Context, server.Scope) ([]server.Tool, error) {
	var tools []server.Tool
	for _, name := range t.set.Names() {
		tools = append(tools, server.Tool{Name: name, Description: t.set.Description(name), Schema: t.set.Schema(name)})
	}
	return tools, nil
}

func (t serverTools) Call(ctx context.Context, _ server.Scope, tool string, params core.Value) (core.Value, error) {
	return t.set.Call(ctx, tool, params)
}

func (t clientTools) List(context.Context, client.Scope) ([]client.Tool, error) {
	var tools []client.Tool
	for _, name := range t.set.Names() {
		tools = append(tools, client.Tool{Name: name, Description: t.set.Description(name)})
	}
	return tools, nil
}

func (t clientTools) Call(ctx context.Context, _ client.Scope, tool string, params core.Value) (core.Value, error) {
	return t.set.Call(ctx, tool, params)
}
