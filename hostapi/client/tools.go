package client

import (
	"context"
	"errors"

	"github.com/ringfence-js/ringfence/core"
)

// A ToolDispatcher carries out tool calls on this machine. Its methods may be called
// from any goroutine.
type ToolDispatcher interface {
	// List returns the tools that are registered here. It is called once for each
	// run, before the run, under a deadline of the request's timeout or 30 seconds.
	List(ctx context.Context, scope Scope) ([]Tool, error)

	// Call calls a tool that List offered and that the script may call. The scope
	// is the executor's, never the script's. Params is an object. The context ends
	// with the run; core.RunFrom finds the run in it. An error is thrown in the
	// script, and errors.Is and errors.As reach it when the script leaves it
	// uncaught.
	Call(ctx context.Context, scope Scope, tool string, params core.Value) (core.Value, error)
}

// A Tool is what a dispatcher says of a tool.
type Tool struct {
	// Name is what scripts call it by.
	Name string
	// Description tells a person or a model what it does.
	Description string
}

// What a [ToolError] may be about, for errors.Is.
var (
	ErrUnknownTool = errors.New("unknown tool")
	ErrNotAllowed  = errors.New("tool not allowed")
)

// A ToolError says why a tool was not called. A script sees it under the name
// ToolException.
type ToolError struct {
	// Tool is the name that the script gave.
	Tool string
	// Message is the text for the script.
	Message string
	// Err is what it is about, one of the errors above.
	Err error
}

func (e *ToolError) Error() string { return e.Message }

// ErrorName is the name that a script sees.
func (e *ToolError) ErrorName() string { return "ToolException" }

// Unwrap returns Err.
func (e *ToolError) Unwrap() error { return e.Err }
