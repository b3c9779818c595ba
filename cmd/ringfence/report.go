package main

import (
	"encoding/json"
	"io"
	"math"
	"time"

	"github.com/ringfence-js/ringfence/core"
)

// A report is what a command has to say.
type report interface {
	// failure is nil where the command did what was asked.
	failure() *core.Error
	// object is the JSON form.
	object() any
	// text writes the text form.
	text(w *textWriter)
}

// print writes the report and returns the exit status.
func print(rep report, asJSON bool, std streams) int {
	var err error
	if asJSON {
		err = writeJSON(std.out, rep.object())
	} else {
		w := newTextWriter(std)
		rep.text(w)
		err = w.flush()
	}
	status := exitStatus(rep.failure())
	if err != nil && status == exitValue {
		return exitInternal // the value did not arrive
	}
	return status
}

// writeJSON writes x in one line. Text is left as it is: nobody puts it into a web
// page.
func writeJSON(w io.Writer, x any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(x)
}

// errorObject is a failure in JSON. The members are always there.
type errorObject struct {
	Class   core.Class `json:"class"`
	Name    string     `json:"name"`
	Message string     `json:"message"`
	File    string     `json:"file"`
	Line    int        `json:"line"`
	Column  int        `json:"column"`
	Limit   string     `json:"limit"`
	Source  string     `json:"source"`
	Report  string     `json:"report"`
}

func newErrorObject(e *core.Error) *errorObject {
	if e == nil {
		return nil
	}
	return &errorObject{
		Class: e.Class, Name: e.Name, Message: e.Message,
		File: e.File, Line: e.Line, Column: e.Column,
		Limit: e.Limit, Source: e.SourceLine, Report: e.Report(),
	}
}

// limitsObject are effective limits in JSON.
type limitsObject struct {
	TimeoutMs   float64 `json:"timeoutMs"`
	Statements  int64   `json:"statements"`
	MemoryBytes int64   `json:"memoryBytes"`
	ResultNodes int64   `json:"resultNodes"`
	ResultDepth int     `json:"resultDepth"`
}

func newLimitsObject(l core.Limits) limitsObject {
	return limitsObject{
		TimeoutMs:   milliseconds(l.Timeout),
		Statements:  l.Statements,
		MemoryBytes: l.Memory,
		ResultNodes: l.ResultNodes,
		ResultDepth: l.ResultDepth,
	}
}

// milliseconds has three decimal places.
func milliseconds(d time.Duration) float64 {
	return math.Round(float64(d)/float64(time.Microsecond)) / 1000
}

// orEmpty makes an empty list of a nil one, which JSON would show as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
