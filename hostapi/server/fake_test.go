package server_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// A script is Go code in the place of a guest's.
type script func(g *guest) (core.Value, error)

// scriptEngine is an engine that runs a script whatever the source is.
type scriptEngine struct{ script script }

func (e *scriptEngine) Info() engine.Info                                  { return engine.Info{Name: "script"} }
func (e *scriptEngine) Prepare(context.Context, *engine.Job) *engine.Error { return nil }
func (e *scriptEngine) Stats() engine.Stats                                { return engine.Stats{} }
func (e *scriptEngine) Close() error                                       { return nil }

func (e *scriptEngine) Run(ctx context.Context, job *engine.Job) *engine.Outcome {
	ctx, cancel := context.WithDeadline(ctx, job.Deadline)
	defer cancel()
	v, err := e.script(&guest{ctx: ctx, job: job})
	if err == nil {
		return &engine.Outcome{Value: v}
	}
	failure := &engine.Error{Class: engine.HostException, Cause: err}
	if engine.IsGuestError(err) {
		failure.Class = engine.GuestException
	}
	failure.Name, failure.Message = engine.GuestForm(err)
	return &engine.Outcome{Err: failure}
}

// A guest is what a script sees.
type guest struct {
	ctx context.Context
	job *engine.Job
}

// call calls a host function by its path.
func (g *guest) call(path string, args ...any) (core.Value, error) {
	values := make([]core.Value, len(args))
	for i, arg := range args {
		values[i] = engine.MustValueOf(arg)
	}
	for _, host := range g.job.Host {
		for _, fn := range host.Shape.Funcs() {
			if fn.Path == path {
				return fn.Call(g.ctx, host.Self, values)
			}
		}
	}
	return core.Value{}, &engine.GuestError{Name: "TypeError", Message: path + " is not a function"}
}

// get reads a constant by its path, or what is in it.
func (g *guest) get(path string) core.Value {
	parts := strings.Split(path, ".")
	for _, host := range g.job.Host {
		if host.Shape.Name() == parts[0] {
			return dig(host, host.Shape.Fields(), parts[1:])
		}
	}
	return core.Value{}
}

func dig(host core.HostObject, fields []engine.Field, path []string) core.Value {
	for _, f := range fields {
		if f.Name != path[0] {
			continue
		}
		if !f.Const {
			return dig(host, f.Fields, path[1:])
		}
		v := host.Consts[f.Slot]
		for _, key := range path[1:] {
			v, _ = v.Get(key)
		}
		return v
	}
	return core.Value{}
}

// global reads a datum of the run.
func (g *guest) global(name string) (core.Value, bool) {
	return engine.Object(g.job.Globals...).Get(name)
}

var scope = server.Scope{Tenant: "acme", Project: "site", Process: "p-17", QuotaBucket: "gold"}

// newExecutor returns an executor whose scripts are s.
func newExecutor(t testing.TB, tools server.ToolDispatcher, opts *server.Options, s script) *server.Executor {
	t.Helper()
	ex, err := core.New(&scriptEngine{script: s}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = ex.Close() })
	executor, err := server.New(ex, tools, opts)
	require.NoError(t, err)
	return executor
}

// try runs one call of a host function as a script.
func try(t testing.TB, tools server.ToolDispatcher, req server.Request, path string, args ...any) (core.Value, error) {
	t.Helper()
	ex := newExecutor(t, tools, nil, func(g *guest) (core.Value, error) { return g.call(path, args...) })
	if req.Scope == (server.Scope{}) {
		req.Scope = scope
	}
	result, err := ex.Run(t.Context(), req)
	if err != nil {
		return core.Value{}, err
	}
	return result.Value, nil
}

// echo is a tool that answers with its parameters.
var echo = server.FuncTool{Call: func(_ context.Context, _ server.Scope, params core.Value) (any, error) { return params, nil }}

func answer(x any) server.FuncTool {
	return server.FuncTool{Call: func(context.Context, server.Scope, core.Value) (any, error) { return x, nil }}
}
