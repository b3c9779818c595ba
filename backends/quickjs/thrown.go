//go:build wip && !386 && !arm

package quickjs

import (
	"strconv"
	"strings"
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// unreadable stands for a thrown value that could not be read: its own code threw in
// turn.
const unreadable = "(a thrown value that cannot be read)"

// maxFrames is how many frames of a stack are handed on.
const maxFrames = 100

// hostError makes the error object for a Go error of a host function, and remembers
// which one it stands for.
func (c *runContext) hostError(err error) jsValue {
	name, message := engine.GuestForm(err)
	e := c.newError(name, message)
	if _, standard := errorKinds[name]; !standard && name != "Error" {
		c.define(e, "name", c.str(name), hidden)
	}
	if !engine.IsGuestError(err) {
		if c.hostErrors == nil {
			c.hostErrors = make(map[uintptr]error)
		}
		c.hostErrors[pointer(c.dup(e))] = err
	}
	return e
}

// thrown reads what a script threw, and takes it over. It may run code of the
// script, and is bounded by nothing but the run itself.
func (c *runContext) thrown(v jsValue) *engine.Thrown {
	defer c.free(v)
	if !isObject(v) {
		return &engine.Thrown{Message: c.displayPrimitive(v), Frames: c.site()}
	}
	t := &engine.Thrown{Message: unreadable, Host: c.hostErrors[pointer(v)], Frames: c.frames(v)}
	if t.Frames == nil {
		t.Frames = c.site()
	}
	isError, err := c.isError(v)
	if !c.fine(err) {
		return t
	}
	if !isError {
		if text, err := c.displayThrown(v); c.fine(err) {
			t.Message = text
		}
		return t
	}
	t.Name = "Error" // an empty name means that no Error was thrown
	if name, err := c.textOf(v, "name", "Error"); c.fine(err) && name != "" {
		t.Name = name
	}
	if message, err := c.textOf(v, "message", ""); c.fine(err) {
		t.Message = message
	}
	return t
}

// fine says whether there was no error. It forgets an exception.
func (c *runContext) fine(err error) bool {
	if err == errThrown {
		c.drop()
	}
	return err == nil
}

// isError says whether an object is an Error: made by an error constructor, or with
// Error.prototype among its prototypes.
func (c *runContext) isError(o jsValue) (bool, error) {
	if classOf(o) == lib.EJS_CLASS_ERROR {
		return true, nil
	}
	prototype := lib.XJS_GetClassProto(c.tls, c.ctx, lib.EJS_CLASS_ERROR)
	defer c.free(prototype)
	for o = c.dup(o); isObject(o); {
		next := lib.XJS_GetPrototype(c.tls, c.ctx, o)
		c.free(o)
		if isException(next) {
			return false, errThrown
		}
		if isObject(next) && pointer(next) == pointer(prototype) {
			c.free(next)
			return true, nil
		}
		o = next
	}
	return false, nil
}

// textOf is a member of an error as text.
func (c *runContext) textOf(o jsValue, name, missing string) (string, error) {
	v := c.get(o, name)
	defer c.free(v)
	switch {
	case isException(v):
		return "", errThrown
	case v == undefined:
		return missing, nil
	case !isObject(v):
		return c.displayPrimitive(v), nil
	}
	return c.toText(v)
}

// toText is what an object's own toString says.
func (c *runContext) toText(o jsValue) (string, error) {
	text, ok := c.flat(o)
	if !ok {
		return "", errThrown
	}
	defer c.free(text)
	return stringAt(pointer(text)).text(), nil
}

// displayThrown is the text of a thrown object that is no Error: what its own
// toString says, else its JSON.
func (c *runContext) displayThrown(o jsValue) (string, error) {
	text, err := c.toText(o)
	if err == nil && text == "[object Object]" {
		text = c.display(o)
	}
	return text, err
}

// frames are the frames of the stack that the engine noted in an error. Nothing of
// the script runs: a stack that is a getter is none.
func (c *runContext) frames(o jsValue) []engine.ThrownFrame {
	if classOf(o) != lib.EJS_CLASS_ERROR || c.compiled == nil {
		return nil
	}
	stack, ok := c.ownText(o, stackOfOwn)
	if !ok {
		stack, _ = c.ownText(o, lib.EJS_ATOM_stack)
	}
	var frames []engine.ThrownFrame
	for line := range strings.SplitSeq(stack, "\n") {
		if frame, ok := c.frame(line); ok {
			if frames = append(frames, frame); len(frames) == maxFrames {
				break
			}
		}
	}
	return frames
}

// ownText is an own member that is a string.
func (c *runContext) ownText(o jsValue, key lib.TJSAtom) (string, bool) {
	v, ok := c.ownData(o, key)
	if !ok || !isString(v) {
		return "", false
	}
	return c.displayPrimitive(v), true
}

// ownData is an own member that is no accessor, of an object that is no proxy. It is
// borrowed from the object.
func (c *runContext) ownData(o jsValue, key lib.TJSAtom) (v jsValue, ok bool) {
	n := int(unsafe.Sizeof(lib.TJSPropertyDescriptor{}))
	at := c.tls.Alloc(n)
	defer c.tls.Free(n)
	if lib.XJS_GetOwnProperty(c.tls, c.ctx, at, o, key) <= 0 {
		return v, false
	}
	d := atAddress[lib.TJSPropertyDescriptor](at)
	c.free(d.Fgetter)
	c.free(d.Fsetter)
	c.free(d.Fvalue)
	return d.Fvalue, d.Fflags&lib.MJS_PROP_GETSET == 0
}

// site is the place of the throw statement that came last. It stands for the stack
// of what has none.
func (c *runContext) site() []engine.ThrownFrame {
	n := c.meter.lastThrow()
	if c.compiled == nil || n <= 0 || n >= len(c.compiled.throws) {
		return nil
	}
	return []engine.ThrownFrame{{Offset: int(c.compiled.throws[n])}}
}

// frame reads a line of a stack: "    at NAME (FILE:LINE:COLUMN)".
func (c *runContext) frame(line string) (f engine.ThrownFrame, ok bool) {
	rest, isFrame := strings.CutPrefix(line, "    at ")
	rest, hasPlace := strings.CutSuffix(rest, ")")
	if !isFrame || !hasPlace {
		return f, false
	}
	rest, column, _ := cutLast(rest, ":")
	rest, row, _ := cutLast(rest, ":")
	name, hasFile := strings.CutSuffix(rest, " ("+c.cfg.Program.Name)
	l, err := strconv.Atoi(row)
	k, err2 := strconv.Atoi(column)
	offset, known := c.compiled.places[place{int32(l - 1), int32(k - 1)}]
	if !hasFile || err != nil || err2 != nil || !known {
		return f, false
	}
	if name == "<anonymous>" {
		name = ""
	}
	return engine.ThrownFrame{Func: name, Offset: int(offset)}, true
}

func cutLast(s, separator string) (before, after string, ok bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}
