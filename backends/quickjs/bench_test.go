//go:build wip && !386 && !arm

package quickjs

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// hostTree is a host object with n functions in namespaces of five. Each returns its
// first argument.
func hostTree(tb testing.TB, name string, n int) engine.HostObject {
	tb.Helper()
	echo := func(_ context.Context, _ any, args []engine.Value) (engine.Value, error) {
		if len(args) == 0 {
			return engine.Null(), nil
		}
		return args[0], nil
	}
	var fields []engine.Field
	for len(fields)*5 < n {
		space := engine.Field{Name: fmt.Sprintf("ns%d", len(fields))}
		for i := range min(5, n-len(fields)*5) {
			space.Fields = append(space.Fields, engine.Field{Name: fmt.Sprintf("fn%d", i), Func: &engine.Func{Call: echo}})
		}
		fields = append(fields, space)
	}
	shape, err := engine.NewShape(name, fields...)
	require.NoError(tb, err)
	return engine.HostObject{Shape: shape}
}

// BenchmarkContext measures what one run costs beside the script itself: a fresh
// context, a trivial program, its value. step=bare is the engine alone.
func BenchmarkContext(b *testing.B) {
	in := NewInterpreter()
	bench := func(name, script string, host []engine.HostObject) {
		p := buildProgram(b, script, true)
		code, err := in.Compile(p)
		require.NoError(b, err)
		cfg := &engine.ContextConfig{
			Limits: usualLimits, Program: p, Host: host,
			Now: time.Now, Random: rand.Float64, Run: &recordingRun{},
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c, err := in.NewContext(cfg)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := evaluate(c.(*runContext), code); err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
		})
	}
	b.Run("step=bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m := newMachine()
			if err := m.open(64<<20, nil); err != nil {
				b.Fatal(err)
			}
			m.ctx = lib.XJS_NewContext(m.tls, m.rt)
			m.close()
		}
	})
	host := []engine.HostObject{hostTree(b, "vance", 20)}
	bench("step=empty", "40+2", nil)
	bench("step=host", "40+2", host)
	bench("step=host_used", "vance.ns1.fn2(); 40+2", host)
	bench("step=compiled_99KB", strings.Repeat("function f() { return [1, 2, 3].map(x => x + 1) }\n", 2000), nil)
}

// BenchmarkHostCall measures one call with a small object, there and back.
func BenchmarkHostCall(b *testing.B) {
	limits := usualLimits
	limits.HostCalls = 1 << 40
	for name, script := range map[string]string{
		"args=none":   "for (let i = 0; i < 1000; i++) vance.ns0.fn0()",
		"args=object": "for (let i = 0; i < 1000; i++) vance.ns0.fn0({ id: i, name: 'row' })",
	} {
		b.Run(name, func(b *testing.B) {
			c, _, code := open(b, job{script: script, limits: limits, host: []engine.HostObject{hostTree(b, "vance", 5)}})
			defer c.Close()
			for b.Loop() {
				c.meter = meter{}
				if err := c.Eval(code); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/call")
		})
	}
}

// BenchmarkResult measures how 10,000 objects leave the guest. way=stringify is the
// engine's own JSON, made and copied out.
func BenchmarkResult(b *testing.B) {
	const rows = "Array.from({ length: 10000 }, (_, i) => ({ id: i, name: 'row' + i, ok: i % 2 === 0 }))"
	limits := usualLimits
	b.Run("way=walk", func(b *testing.B) {
		c, _, code := open(b, job{script: rows, limits: limits})
		defer c.Close()
		require.NoError(b, c.Eval(code))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := c.Result(engine.NewBudget(limits)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("way=stringify", func(b *testing.B) {
		c, _, code := open(b, job{script: rows, limits: limits})
		defer c.Close()
		require.NoError(b, c.Eval(code))
		b.ReportAllocs()
		for b.Loop() {
			text := lib.XJS_JSONStringify(c.tls, c.ctx, c.value, undefined, undefined)
			flat, _ := c.flat(text)
			if len(stringAt(pointer(flat)).text()) < 10000 {
				b.Fatal()
			}
			c.free(flat)
			c.free(text)
		}
	})
}

// meteredScripts have § where a list of statements is entered and ¶ where a function
// is.
var meteredScripts = map[string]string{
	"loop": `¶; let n = 0; for (let i = 0; i < 100000; i++) { §; n = (n + i) % 1000003 } return n`,
	"fib":  `¶; function fib(n) { ¶; return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(20)`,
	"tool": `¶; const rows = []; for (let i = 0; i < 300; i++) { §; rows.push({ id: i, name: 'row' + i, tags: ['a', 'b', 'c' + i % 7], n: i * 3.5 }) }
		const groups = {}; for (const row of rows) { §; const key = row.tags[2]; if (!groups[key]) { §; groups[key] = [] } groups[key].push(row) }
		return JSON.stringify(Object.keys(groups).sort().map(k => { ¶; return { k, total: groups[k].reduce((s, r) => { ¶; return s + r.n }, 0) } })).length`,
}

// BenchmarkCharge compares the forms that a charge can have. form=none is the script
// without a meter, form=inside the one in use; inside and outside say where the
// counter is declared, seen from the script's function.
func BenchmarkCharge(b *testing.B) {
	const counter = "$N=0,$R=()=>{$N=$($N)};$($R);"
	forms := []struct{ name, outside, inside, charge string }{
		{"none", "", "", ""},
		{"inside", "", "var " + counter, "($N+=3,$N>0?$R():0)"},
		{"outside", "var " + counter, "", "($N+=3,$N>0?$R():0)"},
		{"outside_and", "var " + counter, "", "($N+=3)>0&&$R()"},
		{"outside_let", "let " + counter, "", "($N+=3)>0&&$R()"},
		{"global", "", "", "(G+=3)>0&&(G=$(G),0)"},
		{"hostcall", "", "", "$(3)"},
	}
	for script, text := range meteredScripts {
		for _, form := range forms {
			b.Run("script="+script+"/form="+form.name, func(b *testing.B) {
				body := strings.NewReplacer("§", form.charge, "¶", form.charge).Replace(text)
				limits := usualLimits
				limits.Statements = 1 << 60
				c, _, _ := open(b, job{script: "0", limits: limits})
				defer c.Close()
				p := &engine.Program{Name: "b.js", Text: "($)=>{" + form.outside + "return()=>{" + form.inside + body + "}}"}
				p.Seal()
				made, err := NewInterpreter().Compile(p)
				require.NoError(b, err)
				code := made.(*compiled).code
				c.define(c.captured.global, "G", jsInt(0), plain)
				buffer := c.buffer(len(code) + 1)
				fillC(buffer, string(code))
				outer := lib.XJS_EvalFunction(c.tls, c.ctx, lib.XJS_ReadObject(c.tls, c.ctx, buffer, size(len(code)), lib.MJS_READ_OBJ_BYTECODE))
				script := c.call(outer, undefined, c.cfunction("", 1, lib.EJS_CFUNC_generic, 0, charge))
				for b.Loop() {
					if isException(c.call(script, undefined)) {
						b.Fatal(c.thrown(c.take()))
					}
				}
			})
		}
	}
}
