//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"errors"
	"strconv"
	"strings"

	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
)

// scriptName is the name under which V8 is given the text of a program. The source
// name stays out of V8: it is the caller's, and shown by the host.
const scriptName = "program"

// A compiled is a program as an isolate takes it. It is shared between isolates.
type compiled struct {
	program *engine.Program
	text    string // without NUL, which v8go would take for the end
	cache   []byte // V8's code cache, or nil
}

// leastCached is the size of a text from which on a code cache saves more than
// it costs.
const leastCached = 2 << 10

func compile(iso *isolate, p *engine.Program) (*compiled, error) {
	c := &compiled{program: p, text: withoutNUL(p.Text)}
	script, err := iso.CompileUnboundScript(c.text, scriptName, v8go.CompileOptions{})
	if err != nil {
		if js, ok := errors.AsType[*v8go.JSError](err); ok {
			return nil, syntaxError(p, js)
		}
		return nil, err
	}
	iso.scripts[c] = script
	if len(c.text) >= leastCached {
		c.cache = script.CreateCodeCache().Bytes
	}
	return c, nil
}

// in returns the program as a script of the isolate.
func (c *compiled) in(iso *isolate) (*v8go.UnboundScript, error) {
	if script, ok := iso.scripts[c]; ok {
		return script, nil
	}
	var opts v8go.CompileOptions
	if c.cache != nil {
		opts.CachedData = &v8go.CompilerCachedData{Bytes: c.cache}
	}
	script, err := iso.CompileUnboundScript(c.text, scriptName, opts)
	if err != nil {
		return nil, err
	}
	iso.scripts[c] = script
	return script, nil
}

// nulEscape stands for a NUL in a text for V8. The front end let the script pass, so
// that a NUL stands in a literal or in a comment.
const nulEscape = `\x00`

func withoutNUL(text string) string { return strings.ReplaceAll(text, "\x00", nulEscape) }

// offsetIn leads from a line and a column of V8, both from 1, to a byte offset in the
// program's text.
func offsetIn(p *engine.Program, line, column int) int {
	offset := p.OffsetOfUTF16(line, column)
	if offset < 0 || !strings.Contains(p.Text, "\x00") {
		return offset
	}
	// Each NUL before it on the line took more room in what V8 saw.
	start := p.OffsetOfUTF16(line, 1)
	end, units := start, 1
	for i, r := range p.Text[start:] {
		if end = start + i; units >= column {
			break
		}
		switch {
		case r == 0:
			units += len(nulEscape)
		case r > 0xFFFF:
			units += 2
		default:
			units++
		}
	}
	return end
}

// syntaxError is what a program that V8 does not compile fails with. The front end
// has parsed the script before, so that these are the rules that only V8 checks.
func syntaxError(p *engine.Program, js *v8go.JSError) error {
	out := &engine.Error{Class: engine.GuestException, Name: "SyntaxError", Message: js.Message, File: p.Name}
	if name, message, ok := strings.Cut(js.Message, ": "); ok && strings.HasSuffix(name, "Error") {
		out.Name, out.Message = name, message
	}
	parts := strings.Split(js.Location, ":")
	if len(parts) < 3 {
		return out
	}
	line, err1 := strconv.Atoi(parts[len(parts)-2])
	column, err2 := strconv.Atoi(parts[len(parts)-1])
	if err1 != nil || err2 != nil {
		return out
	}
	if l, c, ok := p.Position(offsetIn(p, line, column)); ok {
		out.Line, out.Column = l, c
		out.SourceLine = p.SourceLine(l)
	}
	return out
}
