//go:build wip && !386 && !arm

package quickjs

import (
	"strings"

	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// displayLimits bound the JSON of one logged or thrown object. What does not fit is
// shown by its kind alone.
var displayLimits = engine.Limits{ResultNodes: 10_000, ResultDepth: 64, ResultBytes: 1 << 18}

// displayPrimitive is the text of a value that is no object, as String() gives it.
func (c *runContext) displayPrimitive(v jsValue) string {
	if tagOf(v) == lib.EJS_TAG_SYMBOL {
		return "Symbol(" + stringAt(pointer(v)).text() + ")"
	}
	flat, ok := c.flat(v)
	if !ok {
		c.drop()
		return ""
	}
	defer c.free(flat)
	return stringAt(pointer(flat)).text()
}

// display is the text of a value as a person would read it: what console.log
// prints. It may run code of the script; what that throws is not shown.
func (c *runContext) display(v jsValue) string {
	if !isObject(v) {
		return c.displayPrimitive(v)
	}
	text, err := c.displayObject(v)
	if err == errThrown {
		c.drop()
	}
	if err != nil || text == "" {
		return "[object Object]"
	}
	return text
}

func (c *runContext) displayObject(o jsValue) (string, error) {
	if lib.XJS_IsFunction(c.tls, c.ctx, o) != 0 {
		name := c.get(o, "name")
		if isException(name) {
			return "", errThrown
		}
		defer c.free(name)
		if !isString(name) {
			return "function", nil
		}
		return strings.TrimRight("function "+c.displayPrimitive(name), " "), nil
	}
	is, err := c.isError(o)
	if err != nil {
		return "", err
	}
	if is {
		name, err := c.textOf(o, "name", "Error")
		if err != nil {
			return "", err
		}
		message, err := c.textOf(o, "message", "")
		switch {
		case err != nil || name == "":
			return message, err
		case message == "":
			return name, nil
		}
		return name + ": " + message, nil
	}
	value, err := c.export(o, engine.NewBudget(displayLimits))
	if err != nil {
		return "", err
	}
	return value.Text(), nil
}
