package inproc

import (
	"errors"

	"github.com/ringfence-js/ringfence/core/engine"
)

// failure turns how the guest's part ended into the error of the run. Where the
// run was stopped, the recorded reason replaces it later.
func (run *run) failure(p *engine.Program, err error) *engine.Error {
	var limit *engine.LimitError
	var thrown *engine.Thrown
	switch {
	case errors.As(err, &limit):
		return named(engine.Exhausted(limit.Limit, limit.Max), p.Name)
	case errors.As(err, &thrown):
		return guestFailure(p, thrown)
	case errors.Is(err, errNeverSettles):
		return &engine.Error{
			Class:   engine.GuestException,
			Message: err.Error(),
			File:    p.Name,
			Hint:    "await only promises of host functions, or promises that the script settles itself",
		}
	case errors.Is(err, engine.ErrStopped) && run.Stopped():
		return run.reason.Load().asError(run.job)
	}
	logger(run.job).Error("the engine failed", "script", p.Name, "error", err)
	return &engine.Error{Class: engine.Internal, Message: "the engine failed while it ran the script", File: p.Name}
}

// guestFailure is the error of something that the guest threw and nobody caught.
func guestFailure(p *engine.Program, t *engine.Thrown) *engine.Error {
	e := &engine.Error{
		Class:   engine.GuestException,
		Name:    engine.CutText(t.Name, maxErrorName),
		Message: engine.CutText(t.Message, engine.MaxErrorText),
		File:    p.Name,
		Cause:   t.Host,
	}
	if t.Host != nil {
		e.Class = engine.HostException
		var hinted interface{ Hint() string }
		if errors.As(t.Host, &hinted) {
			e.Hint = hinted.Hint()
		}
	}
	for _, frame := range t.Frames {
		line, column, ok := p.Position(frame.Offset)
		if !ok {
			continue
		}
		e.Stack = append(e.Stack, engine.Frame{
			Func: engine.CutText(frame.Func, maxErrorName), File: p.Name, Line: line, Column: column,
		})
		if len(e.Stack) == maxFrames {
			break
		}
	}
	if len(e.Stack) > 0 {
		top := e.Stack[0]
		e.Line, e.Column = top.Line, top.Column
		e.SourceLine = p.SourceLine(top.Line)
	}
	return e
}

// Bounds on parts of an error that the guest chooses.
const (
	maxErrorName = 200
	maxFrames    = 50
)

func named(e *engine.Error, file string) *engine.Error {
	e.File = file
	return e
}
