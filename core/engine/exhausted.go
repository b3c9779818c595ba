package engine

import "fmt"

// limitHints say, for each limit, what a script's author can do.
var limitHints = map[string]string{
	LimitStatements:  "raise it with @statements, or do less work per run; a loop without an end shows like this",
	LimitMemory:      "raise it with @memory, or keep less data at a time",
	LimitResultNodes: "raise it with @maxResultNodes, or return less: a summary, a page, a count",
	LimitResultDepth: "return a flatter value; a value that contains itself shows like this",
	LimitResultBytes: "return less text or data",
	LimitSource:      "split the script, or pass its data as a global",
	LimitNesting:     "split the expression or the nested functions into named parts",
	LimitHostCalls:   "call host functions less often: pass them lists",
	LimitHostBytes:   "ask host functions for less data",
	LimitRunDepth:    "let the outer run do the work of the inner ones",
}

// Exhausted is the error of a run that passed a limit.
func Exhausted(limit string, max int64) *Error {
	return &Error{
		Class:   ResourceExhausted,
		Limit:   limit,
		Max:     max,
		Message: fmt.Sprintf("the run passed its %s limit of %d", limit, max),
		Hint:    limitHints[limit],
	}
}
