package goja

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/core/engine"
)

// displayLimits bound the JSON of one logged or thrown object. What does not fit
// is shown by its kind alone.
var displayLimits = engine.Limits{ResultNodes: 10_000, ResultDepth: 64, ResultBytes: 1 << 18}

// displayPrimitive is the text of a primitive value, as String() gives it.
func displayPrimitive(v goja.Value) string {
	if v == nil {
		return "undefined"
	}
	if s, ok := v.(*goja.Symbol); ok {
		return "Symbol(" + s.String() + ")"
	}
	return v.String()
}

// display is the text of a value as a person would read it: what console.log
// prints. It may run guest code; what that throws is not shown.
func (c *runContext) display(v goja.Value) string {
	o, ok := v.(*goja.Object)
	if !ok {
		return displayPrimitive(v)
	}
	text := ""
	if c.try(func() { text = c.displayObject(o) }) && text != "" {
		return text
	}
	return "[object Object]"
}

func (c *runContext) displayObject(o *goja.Object) string {
	if _, ok := goja.AssertFunction(o); ok {
		name := ""
		if n, ok := o.Get("name").(goja.String); ok {
			name = n.String()
		}
		return strings.TrimRight("function "+name, " ")
	}
	if c.isError(o) {
		name, message := c.textOf(o.Get("name"), "Error"), c.textOf(o.Get("message"), "")
		switch {
		case name == "":
			return message
		case message == "":
			return name
		}
		return name + ": " + message
	}
	b := engine.NewBudget(displayLimits)
	value, err := c.export(o, b)
	if err != nil {
		return ""
	}
	return value.Text()
}
