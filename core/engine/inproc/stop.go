package inproc

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A reason is why a run ended before its script did. The first one that is
// recorded counts; it alone decides the error class.
type reason struct {
	class engine.Class
	limit string
	max   int64
	phase string
	cause error
	// caller says that it was the caller's deadline that passed, not the run's.
	caller bool
}

// finished is recorded when the guest is done, so that no reason comes after it.
var finished = &reason{}

func timeOrCancel(caller context.Context, phase string) *reason {
	err := caller.Err()
	switch {
	case err == nil:
		return &reason{class: engine.Timeout, phase: phase, cause: context.DeadlineExceeded}
	case errors.Is(err, context.DeadlineExceeded):
		return &reason{class: engine.Timeout, phase: phase, cause: err, caller: true}
	}
	return &reason{class: engine.Cancelled, phase: phase, cause: context.Cause(caller)}
}

func (s *reason) asError(job *engine.Job) *engine.Error {
	var e *engine.Error
	switch {
	case s.class == engine.ResourceExhausted:
		e = engine.Exhausted(s.limit, s.max)
	case s.class == engine.Cancelled:
		e = &engine.Error{Message: fmt.Sprintf("the caller cancelled the run (%s)", s.phase)}
	case s.caller:
		e = &engine.Error{Message: fmt.Sprintf("the caller's deadline passed (%s)", s.phase)}
	default:
		e = &engine.Error{
			Message: fmt.Sprintf("the run passed its timeout of %s (%s)", job.Limits.Timeout.Round(time.Millisecond), s.phase),
			Hint:    "raise it with @timeout, or do less work per run",
		}
	}
	e.Class, e.Phase, e.Cause, e.File = s.class, s.phase, s.cause, job.Name
	return e
}
