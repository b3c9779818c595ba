package server

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A ToolDispatcher carries out tool calls for scripts. Its methods may be called
// from any goroutine.
type ToolDispatcher interface {
	// List returns the tools that the dispatcher offers in the scope. It is called
	// once for each run, before the run, under a deadline of the request's timeout
	// or 30 seconds.
	List(ctx context.Context, scope Scope) ([]Tool, error)

	// Call calls a tool that List offered, that the script may call, and whose
	// schema params meet. The scope is the executor's, never the script's. Params
	// is an object. The context ends with the run; core.RunFrom finds the run in
	// it. An error is thrown in the script, and errors.Is and errors.As reach it
	// when the script leaves it uncaught.
	Call(ctx context.Context, scope Scope, tool string, params core.Value) (core.Value, error)
}

// A Tool is what a dispatcher says of a tool.
type Tool struct {
	// Name is what scripts call it by.
	Name string
	// Description tells a person or a model what it does.
	Description string
	// Schema is the JSON Schema of the parameters; empty means that they are not
	// checked. Where it lists properties and leaves additionalProperties out,
	// other keys are refused as well. A reference to another document is an error.
	Schema json.RawMessage
}

// Tools is a dispatcher of Go functions by name, the same in every scope.
type Tools map[string]FuncTool

// A FuncTool is a tool of [Tools].
type FuncTool struct {
	// Description and Schema are those of [Tool].
	Description string
	Schema      json.RawMessage
	// Call does the work; its result is converted by [engine.ValueOf].
	Call func(ctx context.Context, scope Scope, params core.Value) (any, error)
}

// List returns all tools.
func (t Tools) List(context.Context, Scope) ([]Tool, error) {
	tools := make([]Tool, 0, len(t))
	for _, name := range slices.Sorted(maps.Keys(t)) {
		tools = append(tools, Tool{Name: name, Description: t[name].Description, Schema: t[name].Schema})
	}
	return tools, nil
}

// Call calls the function of a tool.
func (t Tools) Call(ctx context.Context, scope Scope, tool string, params core.Value) (core.Value, error) {
	f, ok := t[tool]
	if !ok || f.Call == nil {
		return core.Value{}, &ToolError{Tool: tool, Message: "unknown tool: " + tool, Err: ErrUnknownTool}
	}
	result, err := f.Call(ctx, scope, params)
	if err != nil {
		return core.Value{}, err
	}
	v, err := engine.ValueOf(result)
	if err != nil {
		return core.Value{}, &ToolError{Tool: tool, Message: "the answer of " + tool + " cannot be given to a script", Err: err}
	}
	return v, nil
}

// What a [ToolError] may be about, for errors.Is.
var (
	ErrUnknownTool  = errors.New("unknown tool")
	ErrNotAllowed   = errors.New("tool not allowed")
	ErrBrokenSchema = errors.New("broken tool schema")
)

// A ToolError says why a tool was not called. A script sees it under the name
// ToolException.
type ToolError struct {
	// Tool is the name that the script gave.
	Tool string
	// Message is the text for the script.
	Message string
	// Err is what it is about, and wraps one of the errors above.
	Err error
}

func (e *ToolError) Error() string { return e.Message }

// ErrorName is the name that a script sees.
func (e *ToolError) ErrorName() string { return "ToolException" }

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }

// ErrFilesDisabled is thrown by vance.files, under the name ScriptHostException,
// where the script may not call the tool file_read.
var ErrFilesDisabled = errors.New("vance.files is not enabled: the script may not call file_read")

// A hostError is an error of the surface itself.
type hostError struct {
	message string
	err     error
}

func (e *hostError) Error() string     { return e.message }
func (e *hostError) ErrorName() string { return "ScriptHostException" }
func (e *hostError) Unwrap() error     { return e.err }
