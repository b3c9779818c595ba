package client

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/header"
)

// Options are what an [Executor] may be made with. A nil *Options means the zero
// Options. They are copied when the executor is made.
type Options struct {
	// Logger receives what scripts write with client.log, as far as the run's own
	// log keeps it, with foot, request, session and script as attributes and the
	// fields in the group "fields". Nil means discard.
	Logger *slog.Logger
	// OnToolCall, when not nil, is told of every call that a script makes of a
	// tool, refused ones too. It runs before the call. What it returns, unless it
	// is nil, runs after the call, with the answer or the error.
	OnToolCall func(ctx context.Context, call ToolCall) (done func(result core.Value, err error))
}

// A ToolCall is a call that a script makes of a tool.
type ToolCall struct {
	Scope  Scope
	Name   string
	Params core.Value
}

// An Executor runs scripts that see client. Make it with [New]. Its methods may be
// called from any goroutine.
type Executor struct {
	core  *core.Executor
	tools ToolDispatcher
	opts  Options
}

// New returns an executor that runs scripts on ex with the dispatcher's tools. The
// caller still owns ex and closes it.
func New(ex *core.Executor, tools ToolDispatcher, opts *Options) (*Executor, error) {
	if ex == nil {
		return nil, errors.New("client: no core executor given")
	}
	if tools == nil {
		return nil, errors.New("client: no tool dispatcher given")
	}
	e := &Executor{core: ex, tools: tools}
	if opts != nil {
		e.opts = *opts
	}
	if e.opts.Logger == nil {
		e.opts.Logger = slog.New(slog.DiscardHandler)
	}
	return e, nil
}

// Run runs a script and waits for its end, as [core.Executor.Run] does. A scope
// without foot or request is a [*core.RequestError]. Where the dispatcher fails to
// list its tools the error is a [*core.Error] of class HOST_EXCEPTION, TIMEOUT or
// CANCELLED, and the script does not start.
func (e *Executor) Run(ctx context.Context, req Request) (*Result, error) {
	r, failed, err := e.bind(ctx, req)
	if err != nil {
		return failed, err
	}
	return e.core.Run(ctx, r)
}

// Precompile does all that Run does before the first statement, as
// [core.Executor.Precompile] does.
func (e *Executor) Precompile(ctx context.Context, req Request) (*Result, error) {
	r, failed, err := e.bind(ctx, req)
	if err != nil {
		return failed, err
	}
	return e.core.Precompile(ctx, r)
}

// bind turns a request into one for the core, with tools and the host object. The
// result is there where the error is a *core.Error.
func (e *Executor) bind(ctx context.Context, req Request) (core.Request, *Result, error) {
	r, err := req.core()
	if err != nil {
		return core.Request{}, nil, err
	}
	start := time.Now()
	run, err := e.newRun(ctx, req)
	if err != nil {
		return core.Request{}, &Result{Header: &header.Header{}, Limits: req.Limits, Duration: time.Since(start)}, err
	}
	r.AllowedTools = run.names
	if req.AllowedTools != nil {
		r.AllowedTools = []string{} // not nil, which would mean all
		for _, name := range run.names {
			if slices.Contains(req.AllowedTools, name) {
				r.AllowedTools = append(r.AllowedTools, name)
			}
		}
	}
	r.Host = []core.HostObject{surface.MustBind(run)} // constants are strings or null
	return r, nil, nil
}

// maxListTime bounds the listing of tools where the request has no timeout.
const maxListTime = 30 * time.Second

// newRun asks the dispatcher for the tools. The error is a *core.Error.
func (e *Executor) newRun(ctx context.Context, req Request) (*run, error) {
	limit := maxListTime
	if req.Limits.Timeout > 0 {
		limit = min(limit, req.Limits.Timeout)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var tools []Tool
	err := ctx.Err()
	if err == nil {
		tools, err = e.tools.List(ctx, req.Scope)
	}
	if err != nil {
		failure := &core.Error{
			Class:   core.ErrHostException,
			Message: "listing the tools: " + err.Error(),
			File:    req.Name,
			Cause:   err,
		}
		if ctx.Err() != nil {
			failure.Class, failure.Phase = core.ErrCancelled, "queued"
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				failure.Class = core.ErrTimeout
			}
		}
		return nil, failure
	}
	r := &run{executor: e, scope: req.Scope, offered: make(map[string]bool, len(tools)), names: []string{}}
	for _, tool := range tools {
		if tool.Name == "" || r.offered[tool.Name] {
			continue
		}
		r.offered[tool.Name] = true
		r.names = append(r.names, tool.Name)
	}
	slices.Sort(r.names)
	return r, nil
}
