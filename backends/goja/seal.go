package goja

import (
	"reflect"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

// seal takes code generation from strings away.
//
// Every way to make code (eval, Function and its kin, however they are reached)
// ends in goja's parser, which asks the runtime's parser options first. An option
// that throws EvalError there closes all of them at once and touches no object
// that a script can look at.
func (c *runContext) seal() {
	refuse := reflect.MakeFunc(parserOption, func([]reflect.Value) []reflect.Value {
		panic(c.newError("EvalError", "code generation from strings is not allowed"))
	})
	c.rt.SetParserOptions(refuse.Interface().(parser.Option), parser.WithDisableSourceMaps)
}

var parserOption = reflect.TypeFor[parser.Option]()

// helpers are functions of JavaScript for what goja has no call for. They are
// compiled once for all runtimes, made when first needed, and never handed to a
// script.
type helpers struct {
	numeric, member, keys goja.Callable
}

var (
	numericProgram = goja.MustCompile("", "(function (x) { return x++ })", true)
	// The copy has no prototype and neither an iterator nor a method is called, so
	// that nothing of the script's takes part but its own getters.
	keysProgram   = goja.MustCompile("", "(function (o) { o = { __proto__: null, ...o }; const keys = { __proto__: null, length: 0 }; for (const k in o) keys[keys.length++] = k; return keys })", true)
	memberProgram = goja.MustCompile("", "(function (o, k) { return o[k] })", true)
)

func (c *runContext) helper(f *goja.Callable, p *goja.Program) goja.Callable {
	if *f == nil {
		v, err := c.rt.RunProgram(p)
		if err != nil {
			panic(err)
		}
		*f, _ = goja.AssertFunction(v)
	}
	return *f
}

// call calls a function on behalf of the host, with what it throws as a panic
// that goja understands.
func (c *runContext) call(f goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	v, err := f(this, args...)
	if err != nil {
		panic(err)
	}
	return v
}

// toNumeric is ECMAScript's ToNumeric: a number or a bigint.
func (c *runContext) toNumeric(v goja.Value) goja.Value {
	return c.call(c.helper(&c.helpers.numeric, numericProgram), goja.Undefined(), v)
}
