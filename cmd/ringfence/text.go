package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"unicode"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"

	"github.com/ringfence-js/ringfence/core"
)

// wantsColor says whether text on the file should be in colour: on a terminal that
// can, unless NO_COLOR says no.
func wantsColor(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// A textWriter writes the text form: the value to standard output, all else to
// standard error.
type textWriter struct {
	out, err *bufio.Writer
	color    bool
}

func newTextWriter(std streams) *textWriter {
	return &textWriter{out: bufio.NewWriter(std.out), err: bufio.NewWriter(std.err), color: std.color}
}

// flush sends everything off, what comes first on a terminal first, and returns
// what went wrong on standard output.
func (w *textWriter) flush() error {
	w.err.Flush()
	return w.out.Flush()
}

// value writes a string as it is and anything else as indented JSON.
func (w *textWriter) value(v core.Value) {
	text, isString := v.AsString()
	if !isString {
		var b bytes.Buffer
		if err := json.Indent(&b, v.AppendJSON(nil), "", "  "); err == nil {
			text = b.String()
		}
	}
	w.out.WriteString(text)
	if !strings.HasSuffix(text, "\n") {
		w.out.WriteByte('\n')
	}
}

func (w *textWriter) logs(entries []core.LogEntry) {
	for _, e := range entries {
		text := e.Message
		if !e.Fields.IsNull() {
			text += " " + e.Fields.Text()
		}
		w.note(levelColors[e.Level], fmt.Sprintf("%-5s", e.Level), text)
	}
}

var levelColors = map[string]color.Attribute{
	"debug": color.Faint,
	"info":  color.FgCyan,
	"warn":  color.FgYellow,
	"error": color.FgRed,
}

func (w *textWriter) warnings(warnings []core.Warning) {
	for _, warning := range warnings {
		w.note(color.FgYellow, "warning "+warning.Code+":", warning.Message)
	}
}

func (w *textWriter) failure(e *core.Error) {
	first, rest, _ := strings.Cut(printable(e.Report()), "\n")
	fmt.Fprintln(w.err, w.paint(color.FgRed, first))
	if rest != "" {
		fmt.Fprintln(w.err, rest)
	}
}

// note writes a line to standard error. Further lines of the text are indented, so
// that no script can make one up.
func (w *textWriter) note(attr color.Attribute, label, text string) {
	text = strings.ReplaceAll(printable(text), "\n", "\n  ")
	fmt.Fprintln(w.err, w.paint(attr, label), text)
}

func (w *textWriter) paint(attr color.Attribute, text string) string {
	c := color.New(attr)
	if w.color {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c.Sprint(text)
}

// printable shows control characters rather than sending them to a terminal that
// would obey them.
func printable(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, isControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isControl(r) {
			fmt.Fprintf(&b, `\x%02x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isControl(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
