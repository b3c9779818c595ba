package engine

import (
	"fmt"
	"time"
)

// Limits bound one run. As a caller's wish a zero field means "not given"; in a
// [Job] every field is set. No value means unlimited.
type Limits struct {
	// Timeout is the wall clock of the run.
	Timeout time.Duration
	// Statements is the number of statements, as docs/metering.md counts them.
	Statements int64
	// Memory is the number of bytes that the run may take.
	Memory int64
	// ResultNodes is the number of array elements and object members of a value
	// that leaves the guest: a result, or the arguments of one host call.
	ResultNodes int64
	// ResultDepth is how deep such a value may be nested; the top is at 0.
	ResultDepth int
	// ResultBytes is the number of bytes of text and binary data in such a value.
	ResultBytes int64
	// Source is the size of the script in bytes.
	Source int64
	// HostCalls is the number of calls of host functions.
	HostCalls int64
	// HostBytes is the number of bytes of all that host functions return.
	HostBytes int64
	// LogChars is the number of characters of log text that are kept.
	LogChars int64
}

// Names of limits, as [Error.Limit] gives them.
const (
	LimitStatements  = "statements"
	LimitMemory      = "memory"
	LimitResultNodes = "result-nodes"
	LimitResultDepth = "result-depth"
	LimitResultBytes = "result-bytes"
	LimitSource      = "source"
	LimitNesting     = "nesting"
	LimitHostCalls   = "host-calls"
	LimitHostBytes   = "host-bytes"
	LimitRunDepth    = "run-depth"
)

// Bounds that are the same for every run.
const (
	// MaxErrorText is the number of characters of an error's message that are
	// kept; a mark says how many are missing.
	MaxErrorText = 10_240
	// MinCallDepth is the number of nested plain calls that every engine allows.
	MinCallDepth = 800
)

// A LimitError says that a limit was passed. It ends the run: the guest never
// sees it.
type LimitError struct {
	// Limit is one of the Limit constants.
	Limit string
	// Max is the limit's value.
	Max int64
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("limit %s of %d passed", e.Limit, e.Max)
}

// A Budget counts what a value takes while it leaves the guest. A walk asks it
// before it spends memory; each method returns a *LimitError once the limit is
// passed. A Budget serves one value and one goroutine.
type Budget struct {
	limits Limits
	nodes  int64
	bytes  int64
	depth  int
}

// NewBudget returns an empty budget with the result limits of l.
func NewBudget(l Limits) *Budget { return &Budget{limits: l} }

// Nodes counts n array elements or object members of the container that was
// entered last, before they are walked.
func (b *Budget) Nodes(n int64) error {
	if n > 0 && b.depth > b.limits.ResultDepth {
		return b.tooDeep()
	}
	if n > b.limits.ResultNodes-b.nodes {
		return &LimitError{Limit: LimitResultNodes, Max: b.limits.ResultNodes}
	}
	b.nodes += n
	return nil
}

// Bytes counts n bytes of text or binary data.
func (b *Budget) Bytes(n int64) error {
	if n > b.limits.ResultBytes-b.bytes {
		return &LimitError{Limit: LimitResultBytes, Max: b.limits.ResultBytes}
	}
	b.bytes += n
	return nil
}

// Enter goes into a container. The top container stands at depth 0, its members
// at depth 1.
func (b *Budget) Enter() error {
	if b.depth > b.limits.ResultDepth {
		return b.tooDeep()
	}
	b.depth++
	return nil
}

func (b *Budget) tooDeep() error {
	return &LimitError{Limit: LimitResultDepth, Max: int64(b.limits.ResultDepth)}
}

// Leave goes one level up again.
func (b *Budget) Leave() { b.depth-- }
