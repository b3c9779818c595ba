package engine

import (
	"fmt"
	"strings"
)

// A Class says what kind of end a run came to. Each class is an error of its
// own, so errors.Is(err, Timeout) holds for every [*Error] of that class.
type Class string

// The classes. docs/errors.md says when each is given.
const (
	InvalidHeader     Class = "INVALID_HEADER"
	MissingCapability Class = "MISSING_CAPABILITY"
	GuestException    Class = "GUEST_EXCEPTION"
	HostException     Class = "HOST_EXCEPTION"
	ResourceExhausted Class = "RESOURCE_EXHAUSTED"
	Timeout           Class = "TIMEOUT"
	Cancelled         Class = "CANCELLED"
	Busy              Class = "BUSY"
	Internal          Class = "INTERNAL"
)

func (c Class) Error() string { return string(c) }

// An Error is how a run failed. It is immutable once returned.
type Error struct {
	// Class is the kind of failure; act on it, never on the message.
	Class Class
	// Limit names the limit that was passed, one of the Limit constants, and Max
	// is its value. Limit is empty unless Class is ResourceExhausted.
	Limit string
	Max   int64
	// Name is the guest error's name (TypeError), empty where the guest threw
	// something that is no Error, and where no guest error is behind it.
	Name string
	// Message says what happened, at most MaxErrorText characters and a mark.
	Message string
	// File is the source name. Line and Column count from 1, Column in UTF-16
	// units of the author's line; 0 where there is no position.
	File   string
	Line   int
	Column int
	// Stack are the guest's frames, innermost first.
	Stack []Frame
	// SourceLine is the author's line at Line, at most MaxErrorText characters of
	// it and a mark.
	SourceLine string
	// Hint is one sentence that helps to mend it, or empty.
	Hint string
	// Phase says where a TIMEOUT or CANCELLED struck: "queued", "running", or
	// "in host function NAME".
	Phase string
	// Cause is the Go error behind it: that of the host function, or the
	// context's. errors.Is and errors.As reach it.
	Cause error
}

// A Frame is a stack frame in the author's text.
type Frame struct {
	Func   string `json:"func,omitempty"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Error is one line: class, message, position.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(string(e.Class))
	b.WriteString(": ")
	b.WriteString(oneLine(e.text()))
	if e.Line > 0 {
		fmt.Fprintf(&b, " (%s)", e.place())
	}
	return b.String()
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is the error's class.
func (e *Error) Is(target error) bool {
	class, ok := target.(Class)
	return ok && class == e.Class
}

// Report is the compact report for a person or a model: class and message, the
// position, the source line with a caret under the column, the hint.
func (e *Error) Report() string {
	var b strings.Builder
	b.WriteString(string(e.Class))
	b.WriteString(": ")
	b.WriteString(e.text())
	if e.Line > 0 {
		fmt.Fprintf(&b, "\n  at %s", e.place())
		if e.SourceLine != "" && e.Column <= utf16Len(e.SourceLine)+1 {
			line, caret := caretLine(e.SourceLine, e.Column)
			fmt.Fprintf(&b, "\n    %s\n    %s", line, caret)
		}
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\n  hint: %s", e.Hint)
	}
	return b.String()
}

func (e *Error) text() string {
	if e.Name == "" {
		return e.Message
	}
	if e.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Message
}

func (e *Error) place() string {
	if e.Column > 0 {
		return fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	return fmt.Sprintf("%s:%d", e.File, e.Line)
}

// caretWindow is how much of a source line a report shows around the column.
const caretWindow = 100

// caretLine cuts a source line to a window around a column in UTF-16 units and
// returns it with the line that has the caret.
func caretLine(line string, column int) (shown, caret string) {
	runes := []rune(line)
	at, units := 0, 1
	for at < len(runes) && units < column {
		units += utf16Width(runes[at])
		at++
	}
	from := max(0, at-caretWindow/2)
	to := min(len(runes), from+caretWindow)
	prefix, suffix := "", ""
	if from > 0 {
		prefix = "…"
	}
	if to < len(runes) {
		suffix = "…"
	}
	pad := make([]rune, 0, at-from+1)
	for range []rune(prefix) {
		pad = append(pad, ' ')
	}
	for _, r := range runes[from:at] {
		if r != '\t' {
			r = ' '
		}
		pad = append(pad, r)
	}
	return prefix + string(runes[from:to]) + suffix, string(pad) + "^"
}

func oneLine(s string) string {
	return strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(s)
}

// CutText bounds a text to limit characters and says how many are missing.
// Invalid UTF-8 is replaced.
func CutText(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	count := 0
	for i := range s {
		if count == limit {
			missing := len([]rune(s[i:]))
			return fmt.Sprintf("%s… (%d more characters)", s[:i], missing)
		}
		count++
	}
	return s
}
