package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

func (r *run) callTool(ctx context.Context, name string, params core.Value) (core.Value, error) {
	return r.call(ctx, "vance.tools.call", name, params)
}

// call is the one way to a tool. Path is the function that the script called.
func (r *run) call(ctx context.Context, path, name string, params core.Value) (core.Value, error) {
	if params.IsNull() {
		params = engine.Object()
	}
	var done func(core.Value, error)
	if hook := r.executor.opts.OnToolCall; hook != nil {
		done = hook(ctx, ToolCall{Scope: r.scope, Name: name, Params: params})
	}
	result, err := r.dispatch(ctx, path, name, params)
	if done != nil {
		done(result, err)
	}
	return result, err
}

func (r *run) dispatch(ctx context.Context, path, name string, params core.Value) (core.Value, error) {
	if params.Kind() != engine.KindObject {
		return core.Value{}, typeError(path, "params must be an object, got "+params.Kind().String())
	}
	tool, offered := r.offered[name]
	if !offered {
		return core.Value{}, r.unknownTool(ctx, name)
	}
	if !core.RunFrom(ctx).Allows(name) {
		return core.Value{}, &ToolError{Tool: name, Message: "not allowed: " + name, Err: ErrNotAllowed}
	}
	if err := r.checkParams(path, tool, params); err != nil {
		return core.Value{}, err
	}
	return r.executor.tools.Call(ctx, r.scope, name, params)
}

func (r *run) unknownTool(ctx context.Context, name string) error {
	message := "unknown tool: " + engine.CutText(name, maxShown)
	if near, ok := hostapi.Nearest(name, r.allowed(ctx)); ok {
		message += "; did you mean " + near + "?"
	}
	return &ToolError{Tool: name, Message: message, Err: ErrUnknownTool}
}

// checkParams holds params against the tool's schema.
func (r *run) checkParams(path string, tool Tool, params core.Value) error {
	if len(tool.Schema) == 0 {
		return nil
	}
	s, err := r.executor.schemas.get(tool.Schema)
	if err != nil {
		return &ToolError{
			Tool:    tool.Name,
			Message: fmt.Sprintf("tool %s: its schema is broken: %s", tool.Name, shortened(err.Error())),
			Err:     fmt.Errorf("%w: %w", ErrBrokenSchema, err),
		}
	}
	if faults := s.check(params); len(faults) > 0 {
		return typeError(path, tool.Name+": "+strings.Join(faults, "; "))
	}
	return nil
}
