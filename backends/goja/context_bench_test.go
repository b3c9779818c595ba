package goja

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// hostTree is a host object with n functions in namespaces of five.
func hostTree(t testing.TB, name string, n int) engine.HostObject {
	t.Helper()
	var fields []engine.Field
	for len(fields)*5 < n {
		ns := engine.Field{Name: fmt.Sprintf("ns%d", len(fields))}
		for i := range min(5, n-len(fields)*5) {
			ns.Fields = append(ns.Fields, engine.Field{Name: fmt.Sprintf("fn%d", i), Func: &engine.Func{
				Call: func(_ context.Context, _ any, args []engine.Value) (engine.Value, error) {
					if len(args) == 0 {
						return engine.Null(), nil
					}
					return args[0], nil
				},
			}})
		}
		fields = append(fields, ns)
	}
	shape, err := engine.NewShape(name, fields...)
	require.NoError(t, err)
	return engine.HostObject{Shape: shape}
}

// BenchmarkContext measures what one run costs beside the script itself: a fresh
// context with its host objects, a trivial program, its value. step=bare is goja
// alone with the same program.
func BenchmarkContext(b *testing.B) {
	in := newInterpreter()
	defer in.Close()
	plain := build(b, "40+2")
	code, err := in.Compile(plain)
	require.NoError(b, err)
	host := []engine.HostObject{hostTree(b, "vance", 20)}
	uses := build(b, "vance.ns1.fn2(); 40+2")
	codeUses, err := in.Compile(uses)
	require.NoError(b, err)

	b.Run("step=bare", func(b *testing.B) {
		charge := func(goja.FunctionCall) goja.Value { return goja.Undefined() }
		b.ReportAllocs()
		for b.Loop() {
			rt := goja.New()
			v, _ := rt.RunProgram(code.(*compiled).program)
			outer, _ := goja.AssertFunction(v)
			v, _ = outer(goja.Undefined(), rt.ToValue(charge), goja.Null(), goja.Null())
			inner, _ := goja.AssertFunction(v)
			v, err := inner(goja.Undefined())
			if err != nil || v.ToInteger() != 42 {
				b.Fatal(v, err)
			}
		}
	})
	for _, bm := range []struct {
		name     string
		p        *engine.Program
		compiled engine.Compiled
		host     []engine.HostObject
	}{
		{"step=empty", plain, code, nil},
		{"step=host", plain, code, host},
		{"step=host_used", uses, codeUses, host},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run := &testRun{}
				c, err := in.NewContext(&engine.ContextConfig{
					Limits: testLimits, Program: bm.p, Host: bm.host,
					Now: time.Now, Random: func() float64 { return 0.5 }, Run: run,
				})
				if err != nil {
					b.Fatal(err)
				}
				if err := c.Eval(bm.compiled); err != nil {
					b.Fatal(err)
				}
				v, err := c.Result(engine.NewBudget(testLimits))
				if i, _ := v.AsInt(); i != 42 || err != nil {
					b.Fatal(v, err)
				}
				c.Close()
			}
		})
	}
}
