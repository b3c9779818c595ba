package main

import (
	"errors"
	"fmt"

	"github.com/ringfence-js/ringfence/core"
)

// classBadRequest is the class of what the caller got wrong: nothing ran.
const classBadRequest core.Class = "BAD_REQUEST"

// badf is the error of a command line or a file named by it that makes no sense.
func badf(format string, args ...any) *core.Error {
	return &core.Error{Class: classBadRequest, Message: fmt.Sprintf(format, args...)}
}

// asError gives every error a class: a refused request is the caller's fault, and
// what nobody foresaw is the program's.
func asError(err error) *core.Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*core.Error](err); ok {
		return e
	}
	if refused, ok := errors.AsType[*core.RequestError](err); ok {
		return badf("%s: %s", refused.Field, refused.Reason)
	}
	return &core.Error{Class: core.ErrInternal, Message: err.Error(), Cause: err}
}

// Exit statuses.
const (
	exitValue    = 0
	exitScript   = 1 // the script or a tool failed
	exitRefused  = 2 // nothing ran
	exitStopped  = 3 // a limit, the clock, or the user ended it
	exitInternal = 4
)

func exitStatus(err *core.Error) int {
	if err == nil {
		return exitValue
	}
	switch err.Class {
	case core.ErrGuestException, core.ErrHostException:
		return exitScript
	case classBadRequest, core.ErrInvalidHeader, core.ErrMissingCapability:
		return exitRefused
	case core.ErrResourceExhausted, core.ErrTimeout, core.ErrCancelled, core.ErrBusy:
		return exitStopped
	}
	return exitInternal
}
