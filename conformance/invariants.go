package conformance

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// markRoom is room for the mark that says how much of a text is missing.
const markRoom = 100

// invariants are what holds for every error, whatever the case is about.
func (c *checker) invariants(e *core.Error) {
	if (e.Limit != "") != (e.Class == core.ErrResourceExhausted) {
		c.differ("limit", "one with RESOURCE_EXHAUSTED and none else", fmt.Sprintf("%q with %s", e.Limit, e.Class))
	}
	if !errors.Is(e, e.Class) {
		c.differ("errors.Is", "true for the error's class", false)
	}
	if line := e.Error(); strings.ContainsAny(line, "\n\r") {
		c.differ("Error()", "one line", shortened(line))
	}
	if e.File == "" {
		c.differ("file", "the source name", "none")
	}
	whole := !strings.HasSuffix(e.SourceLine, " more characters)") // a line that is too long is cut
	if e.Line > 0 && (e.Column < 0 || whole && e.Column > len(e.SourceLine)+1) {
		c.differ("column", fmt.Sprintf("one of the line, which has %d bytes", len(e.SourceLine)), e.Column)
	}
	for what, s := range map[string]string{"name": e.Name, "message": e.Message, "source line": e.SourceLine, "report": e.Report()} {
		if !utf8.ValidString(s) {
			c.differ(what, "valid UTF-8", fmt.Sprintf("%q", shortened(s)))
		}
		if what != "source line" {
			c.hidden(what, s)
		}
		// Only a script that uses the reserved name is told of it.
		if e.Name != "SyntaxError" && strings.Contains(s, engine.ReservedName) {
			c.differ(what, "no reserved name", shortened(s))
		}
	}
	if n := utf8.RuneCountInString(e.Message); n > engine.MaxErrorText+markRoom {
		c.differ("characters of the message", fmt.Sprint("at most ", engine.MaxErrorText, " and a mark"), n)
	}
	for _, f := range e.Stack {
		c.hidden("stack", f.Func+" "+f.File)
		if f.File != e.File {
			c.differ("file of a frame", e.File, f.File)
		}
		if f.Line < 1 || f.Column < 1 {
			c.differ("position of a frame", "one in the author's text", fmt.Sprintf("%d:%d", f.Line, f.Column))
		}
	}
}

// hostText are pieces of text that would show the host's inside.
var hostText = []string{".go:", "goroutine ", "github.com/", "runtime.", "panic:"}

// hidden says where a text for the guest or the author shows the host's inside.
func (c *checker) hidden(what, s string) {
	for _, piece := range hostText {
		if strings.Contains(s, piece) {
			c.differ(what, "nothing of the host", fmt.Sprintf("%q in %s", piece, shortened(s)))
		}
	}
	if dir, err := os.Getwd(); err == nil && len(dir) > 1 && strings.Contains(s, dir) {
		c.differ(what, "no path of the host", shortened(s))
	}
}

func shortened(s string) string { return engine.CutText(s, 600) }
