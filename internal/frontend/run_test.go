package frontend

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// testDialect writes charges as plain calls.
var testDialect = engine.Dialect{Charge: "$(#)", Enter: "$(#)", Operands: true, Watch: []string{"repeat", "padStart"}}

func testOptions(metered bool) Options {
	return Options{Name: "test.js", MaxSource: 1 << 20, Metered: metered, Dialect: testDialect}
}

func build(t testing.TB, source string, metered bool) *engine.Program {
	t.Helper()
	p, err := Build(source, testOptions(metered))
	if err != nil {
		t.Fatalf("%q: %v", source, err)
	}
	return p
}

// A ran is what running a program on a bare interpreter gave.
type ran struct {
	value   goja.Value
	err     error
	charged int
}

// runText runs a program's text.
func runText(t testing.TB, p *engine.Program, globals map[string]any) ran {
	t.Helper()
	tree, err := goja.Parse(p.Name, p.Text, parser.WithDisableSourceMaps)
	require.NoError(t, err, p.Text)
	compiled, err := goja.CompileAST(tree, false)
	require.NoError(t, err, p.Text)
	vm := goja.New()
	out := ran{}
	meter := func(call goja.FunctionCall) goja.Value {
		out.charged += int(call.Argument(0).ToInteger())
		return goja.Undefined()
	}
	identity := func(call goja.FunctionCall) goja.Value { return call.Argument(0) }
	g := goja.Value(goja.Null())
	if globals != nil {
		object := vm.CreateObject(nil)
		for name, value := range globals {
			require.NoError(t, vm.Set(name, value))
			require.NoError(t, object.Set(name, value))
		}
		g = object
	}
	outer, err := vm.RunProgram(compiled)
	require.NoError(t, err)
	call, ok := goja.AssertFunction(outer)
	require.True(t, ok)
	inner, err := call(goja.Undefined(), vm.ToValue(meter), g, vm.ToValue(identity))
	require.NoError(t, err)
	script, ok := goja.AssertFunction(inner)
	require.True(t, ok)
	out.value, out.err = script(goja.Undefined())
	if out.err == nil && p.Async {
		promise := out.value.Export().(*goja.Promise)
		if promise.State() == goja.PromiseStateRejected {
			out.value, out.err = nil, &rejected{promise.Result()}
		} else {
			out.value = promise.Result()
		}
	}
	return out
}

type rejected struct{ reason goja.Value }

func (r *rejected) Error() string { return r.reason.String() }
