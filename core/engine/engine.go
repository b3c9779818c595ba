package engine

import (
	"context"
	"log/slog"
	"time"
)

// An Engine runs jobs. All methods may be called from any goroutine.
type Engine interface {
	// Info describes the engine: its name, its version, what it enforces by
	// itself. It never changes.
	Info() Info

	// Run runs one job and returns its outcome, which is never nil. Run returns
	// by the job's deadline plus a short grace, also when the guest cannot be
	// stopped, and as soon when ctx is cancelled. After it has returned no host
	// function of the job acts any more. ctx and its values reach the host
	// functions.
	Run(ctx context.Context, job *Job) *Outcome

	// Prepare does what Run does before the first statement: it guards, parses
	// and compiles the source and keeps the program for later runs. It returns
	// nil where the source is good.
	Prepare(ctx context.Context, job *Job) *Error

	// Stats reports what the engine holds right now.
	Stats() Stats

	// Close releases the engine. The caller has ended its runs before.
	Close() error
}

// A Job is one run, with every decision already made: the limits are effective
// limits, the deadline is absolute. The engine reads it and changes nothing.
type Job struct {
	// Name is the source name of stack frames and errors, never empty.
	Name string
	// Source is the author's text, UTF-8.
	Source string
	// Limits are the effective limits; none of them is zero.
	Limits Limits
	// Deadline bounds everything: parsing, evaluation, promise jobs, host calls,
	// and conversion of the result.
	Deadline time.Time
	// Key is the caller key: nothing is shared between runs of different keys,
	// a cached program included.
	Key string
	// Host are the host objects of the run.
	Host []HostObject
	// Globals are data given to the guest, as copies of its own.
	Globals []Member
	// Time, when not nil, is the fixed time that the guest's clock shows.
	Time *time.Time
	// Seed, when not nil, makes the guest's random numbers repeat; the same seed
	// gives the same numbers on every engine.
	Seed *uint64
	// Unmetered leaves the charges for statements out of the program. It exists
	// to measure what they cost; the statement limit does not hold.
	Unmetered bool
	// Logger receives what the service should know and the guest must not: a
	// panic in a host function, an abandoned run. Nil means discard.
	Logger *slog.Logger
}

// An Outcome is how a run ended.
type Outcome struct {
	// Value is the script's value where Err is nil.
	Value Value
	// Err is nil for a run that gave a value.
	Err *Error
	// Statements is what the run was charged, as docs/metering.md counts; -1
	// where the engine could not report it.
	Statements int64
	// Memory is the peak of bytes that the run took as far as the engine knows
	// it; -1 where it does not.
	Memory int64
	// Warnings are those that arose while running.
	Warnings []Warning
	// Abandoned says that the guest did not stop in time and is still running on
	// its own, closed off from everything.
	Abandoned bool
}

// Info describes an engine.
type Info struct {
	// Name is the engine's name: goja, quickjs, v8.
	Name string
	// Version is the version of the interpreter's library.
	Version string
	// Isolation is "none" for an engine in the service's own process, "process"
	// for one in a worker.
	Isolation string
	// Enforces lists, in words, the limits and stops that the engine can promise.
	Enforces []string
	// Lacks lists, in words, what the engine cannot promise or does not have.
	Lacks []string
}

// Stats counts what an engine holds at one moment.
type Stats struct {
	// Running is the number of runs under way, abandoned ones not included.
	Running int
	// Abandoned is the number of runs that were given up and have not ended yet.
	Abandoned int
	// AbandonedTotal is the number of runs given up since the engine was made.
	AbandonedTotal int64
	// Contexts is the number of contexts open, those of abandoned runs included.
	Contexts int
	// Programs is the number of programs in the cache.
	Programs int
}

// A Warning tells of something that a script's author should know and that did
// not stop the run.
type Warning struct {
	// Code is one of the Warn constants, or a code of package header.
	Code string `json:"code"`
	// Message names the tag, limit or error that it is about.
	Message string `json:"message"`
}

// Codes of warnings. Those of the header are in package header.
const (
	// WarnClamped: a limit was brought into its bounds.
	WarnClamped = "clamped"
	// WarnUnhandledRejection: a promise was rejected and nobody handled it.
	WarnUnhandledRejection = "unhandled-rejection"
	// WarnLogTruncated: the log passed its limit and what came after is missing.
	WarnLogTruncated = "log-truncated"
)
