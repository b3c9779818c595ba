package core

import (
	"context"
	"log/slog"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A Run is what a host function may know of the run that called it. It is found
// in the function's context with [RunFrom]. Its methods may be called from any
// goroutine, and on a nil Run.
type Run struct {
	name     string
	limits   Limits
	allow    toolSet
	deadline time.Time
	depth    int
	logs     logBuffer
	logger   *slog.Logger
}

type runKey struct{}

// RunFrom returns the run that ctx belongs to, or nil.
func RunFrom(ctx context.Context) *Run {
	run, _ := ctx.Value(runKey{}).(*Run)
	return run
}

// Name returns the run's source name.
func (r *Run) Name() string {
	if r == nil {
		return ""
	}
	return r.name
}

// Limits returns the run's effective limits.
func (r *Run) Limits() Limits {
	if r == nil {
		return Limits{}
	}
	return r.limits
}

// Allows says whether the run may call the tool: the process allows it, the
// header does not leave it out, the request does not deny it.
func (r *Run) Allows(tool string) bool { return r != nil && r.allow.has(tool) }

// Log writes to the run's log. The level is "debug", "info", "warn" or "error";
// fields is an object or null. It says whether the entry was kept: not so after
// the log passed its limit or the run ended.
func (r *Run) Log(level, message string, fields Value) bool {
	if r == nil {
		return false
	}
	return r.logs.add(LogEntry{
		Level:   level,
		Message: engine.CutText(message, int(r.limits.LogChars)),
		Fields:  fields,
	})
}
