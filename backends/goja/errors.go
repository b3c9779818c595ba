package goja

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/core/engine"
)

// unreadable stands for a thrown value that could not be read: its own code threw
// in turn.
const unreadable = "(a thrown value that cannot be read)"

// maxFrames is how many frames of a stack are handed on.
const maxFrames = 100

// newError makes an error of one of ECMAScript's constructors, whatever the
// script has done to its globals.
func (c *runContext) newError(name, message string) *goja.Object {
	o, err := c.rt.New(c.layout.original(c.rt, name), c.text(message))
	if err != nil {
		panic(err)
	}
	return o
}

// hostError makes the error object for a Go error of a host function, and
// remembers which one it stands for.
func (c *runContext) hostError(err error) *goja.Object {
	name, message := engine.GuestForm(err)
	_, standard := c.layout.originals[name]
	standard = standard && strings.HasSuffix(name, "Error") && name != "AggregateError"
	var o *goja.Object
	if standard {
		o = c.newError(name, message)
	} else {
		o = c.newError("Error", message)
		_ = o.DefineDataProperty("name", c.text(name), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	}
	if !engine.IsGuestError(err) {
		if c.hostErrors == nil {
			c.hostErrors = make(map[*goja.Object]error)
		}
		c.hostErrors[o] = err
	}
	return o
}

// thrown reads what a script threw. It may run guest code, and is bounded by
// nothing but the run itself.
func (c *runContext) thrown(v goja.Value, stack []goja.StackFrame) *engine.Thrown {
	t := &engine.Thrown{}
	o, isObject := v.(*goja.Object)
	if !isObject {
		t.Message = displayPrimitive(v)
		t.Frames = c.frames(stack)
		return t
	}
	t.Host = c.hostErrors[o]
	if own := c.creationStack(o); own != nil {
		stack = own
	}
	t.Frames = c.frames(stack)
	if len(t.Frames) == 0 {
		t.Frames = c.madeAt[o]
	}
	isError := false
	t.Message = unreadable
	c.try(func() { isError = c.isError(o) })
	if isError {
		t.Name = "Error"
		c.try(func() { t.Name = c.textOf(o.Get("name"), "Error") })
		c.try(func() { t.Message = c.textOf(o.Get("message"), "") })
		if t.Name == "" {
			t.Name = "Error" // an empty name means that no Error was thrown
		}
		return t
	}
	c.try(func() { t.Message = c.displayThrown(o) })
	return t
}

// try runs something that may throw and says whether it did not. The end of the
// run passes through.
func (c *runContext) try(f func()) bool { return c.rt.Try(f) == nil }

// isError says whether an object is an Error: made by an error constructor, or
// with Error.prototype among its prototypes.
func (c *runContext) isError(o *goja.Object) bool {
	if c.layout.implOf(o).Type().Elem() == c.layout.errorType {
		return true
	}
	ctor := c.layout.original(c.rt, "Error")
	return c.rt.InstanceOf(o, ctor)
}

// textOf is a property of an error as text.
func (c *runContext) textOf(v goja.Value, missing string) string {
	switch v := v.(type) {
	case nil:
		return missing
	case *goja.Object:
		return v.String()
	}
	if goja.IsUndefined(v) {
		return missing
	}
	return displayPrimitive(v)
}

// displayThrown is the text of a thrown object that is no Error: what its own
// toString says, else its JSON.
func (c *runContext) displayThrown(o *goja.Object) string {
	text := o.String()
	if text == "[object Object]" {
		text = c.display(o)
	}
	return text
}

// creationStack is where an error was made, nil for what goja keeps none for.
func (c *runContext) creationStack(o *goja.Object) []goja.StackFrame {
	impl := c.layout.implOf(o)
	if impl.Type().Elem() != c.layout.errorType {
		return nil
	}
	return *at[[]goja.StackFrame](impl.UnsafePointer(), c.layout.errorStack)
}

// frames keeps the frames of the program's own text.
func (c *runContext) frames(stack []goja.StackFrame) []engine.ThrownFrame {
	var frames []engine.ThrownFrame
	for i := range stack {
		if len(frames) == maxFrames {
			break
		}
		f := &stack[i]
		pos := f.Position()
		if pos.Line == 0 || c.compiled == nil || f.SrcName() != c.cfg.Program.Name {
			continue
		}
		start := c.cfg.Program.SourceLineStart(pos.Line)
		if start < 0 {
			continue // of what lowering added
		}
		name := f.FuncName()
		if name == "<anonymous>" {
			name = ""
		}
		frames = append(frames, engine.ThrownFrame{
			Func:   name,
			Offset: c.compiled.textOffset(start + pos.Column - 1),
		})
	}
	return frames
}
