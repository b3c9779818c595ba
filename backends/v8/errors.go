//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"strings"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/prelude"
)

// thrown reads the description of a thrown value, with the mark before it. It
// returns an *[engine.Thrown], or what was wrong with the description.
func (c *runContext) thrown(description string) error {
	t, err := prelude.ParseThrown(description[1:])
	if err != nil {
		return err
	}
	thrown := &engine.Thrown{
		Name:    t.Name,
		Message: t.Message,
		Frames:  c.frames(t.Stack),
		Host:    c.failures.At(t.Host),
	}
	if call, ok := thrown.Host.(*callError); ok {
		thrown.Host = call.error
		if len(thrown.Frames) == 0 {
			thrown.Frames = []engine.ThrownFrame{{Offset: call.at}}
		}
	}
	return thrown
}

// A callError is what an asynchronous call failed with, and where the script began
// it: the error that the guest gets is made when none of its frames is there.
type callError struct {
	error
	at int
}

func (e *callError) Unwrap() error { return e.error }

// maxFrames bounds the frames that are looked for in a stack, which may be a text
// of the script's own.
const maxFrames = 100

// frames finds the frames in a stack as the prelude writes it. Only places that
// the prelude has asked for count.
func (c *runContext) frames(stack string) []engine.ThrownFrame {
	var frames []engine.ThrownFrame
	for line := range strings.SplitSeq(stack, "\n") {
		at, ok := strings.CutPrefix(line, "    at ")
		if !ok {
			continue
		}
		name := ""
		if inner, ok := strings.CutSuffix(at, ")"); ok {
			name, at, ok = strings.Cut(inner, " ("+c.cfg.Program.Name+":")
			if !ok {
				continue
			}
		} else if at, ok = strings.CutPrefix(at, c.cfg.Program.Name+":"); !ok {
			continue
		}
		offset, ok := c.places[at]
		if !ok {
			continue
		}
		if frames = append(frames, engine.ThrownFrame{Func: name, Offset: offset}); len(frames) == maxFrames {
			break
		}
	}
	return frames
}

// ErrorName is the name that the guest sees of the error itself.
func (e *callError) ErrorName() string {
	name, _ := engine.GuestForm(e.error)
	return name
}
