package core

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/header"
)

// ctxError is the error of a context that has ended: its deadline is a TIMEOUT,
// anything else CANCELLED. It is nil for a context that goes on.
func ctxError(ctx context.Context, phase string) *Error {
	err := ctx.Err()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Class: ErrTimeout, Message: "the caller's deadline passed (" + phase + ")", Phase: phase, Cause: err}
	}
	return &Error{Class: ErrCancelled, Message: "the caller cancelled the run (" + phase + ")", Phase: phase, Cause: context.Cause(ctx)}
}

func headerError(err error, name, source string) *Error {
	e := &Error{Class: ErrInvalidHeader, Message: err.Error(), File: name, Cause: err}
	var bad *header.Error
	if errors.As(err, &bad) {
		e.Line = bad.Line
		e.SourceLine = sourceLine(source, bad.Line)
	}
	return e
}

func missingCapability(missing []string, name string) *Error {
	if len(missing) == 0 {
		return nil
	}
	return &Error{
		Class:   ErrMissingCapability,
		Message: fmt.Sprintf("the script requires tools that it may not call: %s", strings.Join(missing, ", ")),
		File:    name,
		Hint:    "allow these tools for the process, name them in @allowTools, or leave them out of @requiresTools",
	}
}

// sourceLine returns a line, counted from 1, without its end.
func sourceLine(source string, line int) string {
	p := engine.Program{Source: source}
	p.Seal()
	return p.SourceLine(line)
}
