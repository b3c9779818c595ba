package core

import (
	"fmt"
	"time"

	"github.com/ringfence-js/ringfence/header"
)

// A Request asks for one run. Only Source is required.
type Request struct {
	// Language is "js", which is also what the empty string means. Any other
	// language is refused.
	Language string
	// Source is the script, UTF-8.
	Source string
	// Name is the source name in stack frames and errors; "<run>" if empty.
	Name string
	// Host are the host objects that the script sees.
	Host []HostObject
	// Globals are data that the script sees as globals, converted by
	// [engine.ValueOf]; the script gets copies.
	Globals map[string]any
	// Limits are the caller's wishes, zero meaning "not given". The header of the
	// script goes before them, and both are clamped.
	Limits Limits
	// AllowedTools are the tools that the process may call; a header can only
	// narrow them. Nil means all that the host objects offer, empty means none.
	AllowedTools []string
	// DeniedTools are taken away from AllowedTools.
	DeniedTools []string
	// Key is the caller key: what tells callers apart that must share nothing.
	Key string
	// Scope is asked of the [SettingsSource], outermost part first: tenant,
	// project.
	Scope []string
	// Time, when not nil, is the fixed time that the script's clock shows.
	Time *time.Time
	// Seed, when not nil, makes the script's random numbers repeat.
	Seed *uint64
	// Unmetered leaves out the charges for statements, to measure what they
	// cost. The statement limit does not hold then.
	Unmetered bool
}

// A Result says how a run went. It is there for failed runs as well, with what is
// known; its Value is null then.
type Result struct {
	// Value is the script's value.
	Value Value
	// Duration is the time from the call of Run to its end.
	Duration time.Duration
	// Statements is what the run was charged, as docs/metering.md counts; -1
	// where it is not known.
	Statements int64
	// Memory is the peak of bytes that the run took; -1 where it is not known.
	Memory int64
	// Limits are the effective limits.
	Limits Limits
	// Header is what the script declared: description and version for an audit,
	// and the limits it asked for. It is never nil.
	Header *header.Header
	// Warnings are in the order in which they arose.
	Warnings []Warning
	// Logs are what the script wrote with console and the log functions of its
	// host objects.
	Logs []LogEntry
	// Abandoned says that the script did not stop when told to, and is still
	// running, closed off.
	Abandoned bool
}

// A RequestError says that a request makes no sense. Nothing ran.
type RequestError struct {
	// Field names the part of the request, as in Request.
	Field string
	// Reason says what is wrong and what is allowed.
	Reason string
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("bad request: %s: %s", e.Field, e.Reason)
}
