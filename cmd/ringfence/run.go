package main

import (
	"context"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/internal/mocktools"
)

// runCommand is "ringfence run".
type runCommand struct{ scriptFlags }

func (c *runCommand) run(ctx context.Context, std streams) report {
	p, err := c.prepare(ctx, std)
	if err != nil {
		return c.refused(err)
	}
	defer p.core.Close()
	result, err := p.do(ctx, toEnd)
	rep := c.newReport(asError(err), result)
	rep.calls = p.calls.Calls()
	return rep
}

func (c *runCommand) refused(err error) report { return c.newReport(asError(err), nil) }

func (c *runCommand) newReport(err *core.Error, result *core.Result) *runReport {
	if result == nil {
		result = &core.Result{}
	}
	if result.Limits.ResultDepth == 0 { // ended before limits were worked out
		result.Limits = c.defaultLimits()
	}
	return &runReport{err: err, engine: c.engineName(), isolation: c.isolation(), result: result}
}

// runReport is how a run went.
type runReport struct {
	err               *core.Error
	engine, isolation string
	result            *core.Result // never nil
	calls             []mocktools.Call
}

func (r *runReport) failure() *core.Error { return r.err }

func (r *runReport) object() any {
	object := runObject{
		OK:         r.err == nil,
		Error:      newErrorObject(r.err),
		Engine:     r.engine,
		Isolation:  r.isolation,
		DurationMs: milliseconds(r.result.Duration),
		Limits:     newLimitsObject(r.result.Limits),
		Warnings:   orEmpty(r.result.Warnings),
		Logs:       orEmpty(r.result.Logs),
		Calls:      orEmpty(r.calls),
	}
	if r.err == nil {
		object.Value = &r.result.Value
	}
	if r.result.Statements >= 0 {
		object.Statements = &r.result.Statements
	}
	return object
}

// runObject is the JSON form: other programs read it, so it stays as it is.
type runObject struct {
	OK         bool             `json:"ok"`
	Value      *core.Value      `json:"value,omitempty"` // nil for a failure only
	Error      *errorObject     `json:"error,omitempty"`
	Engine     string           `json:"engine"`
	Isolation  string           `json:"isolation"`
	DurationMs float64          `json:"durationMs"`
	Statements *int64           `json:"statements"` // null where unknown
	Limits     limitsObject     `json:"limits"`
	Warnings   []core.Warning   `json:"warnings"`
	Logs       []core.LogEntry  `json:"logs"`
	Calls      []mocktools.Call `json:"calls"`
}

func (r *runReport) text(w *textWriter) {
	w.logs(r.result.Logs)
	w.warnings(r.result.Warnings)
	if r.err != nil {
		w.failure(r.err)
		return
	}
	w.value(r.result.Value)
}
