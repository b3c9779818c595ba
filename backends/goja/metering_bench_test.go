package goja

import (
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/core/engine"
)

// meteredScripts have § where a list of statements is entered and ¶ where a
// function is.
var meteredScripts = map[string]string{
	"loop": `¶ let n = 0; for (let i = 0; i < 100000; i++) { § n = (n + i) % 1000003 } return n`,
	"fib":  `¶ function fib(n) { ¶ return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(20)`,
	"tool": `¶ const rows = []; for (let i = 0; i < 300; i++) { § rows.push({ id: i, name: 'row' + i, tags: ['a', 'b', 'c' + i % 7], n: i * 3.5 }) }
		const groups = {}; for (const row of rows) { § const key = row.tags[2]; if (!groups[key]) { § groups[key] = [] } groups[key].push(row) }
		const out = Object.keys(groups).sort().map(k => { ¶ return { k, total: groups[k].reduce((s, r) => { ¶ return s + r.n }, 0), names: groups[k].map(r => { ¶ return r.name.toUpperCase() }).join(',') } });
		return JSON.stringify(out).length`,
}

// BenchmarkCharge compares the forms that a charge can have. form=none is the
// script without a meter.
func BenchmarkCharge(b *testing.B) {
	forms := []struct{ name, prologue, charge string }{
		{"none", "", ""},
		{"hostcall", "", "$(3)"},
		{"closure", "let $n=1e15;", "($n-=3)<0&&$(3)"},
		{"global", "", "($g-=3)<0&&$(3)"},
		{"hostcall_bare", "", "$b(3)"},
	}
	for script, text := range meteredScripts {
		for _, form := range forms {
			b.Run("script="+script+"/form="+form.name, func(b *testing.B) {
				body := strings.NewReplacer("§", form.charge+";", "¶", form.charge+";").Replace(text)
				compiled := goja.MustCompile("", "($,$G,$K,$b)=>{"+form.prologue+"return()=>{"+body+"}}", false)
				in := newInterpreter()
				defer in.Close()
				limits := testLimits
				limits.Statements = 1 << 60
				ctx, err := in.NewContext(&engine.ContextConfig{
					Limits: limits, Program: build(b, "0"),
					Now: time.Now, Random: func() float64 { return 0.5 }, Run: &testRun{},
				})
				if err != nil {
					b.Fatal(err)
				}
				c := ctx.(*runContext)
				_, _ = c.rt.RunProgram(goja.MustCompile("", "let $g = 1e15", false))
				v, err := c.rt.RunProgram(compiled)
				if err != nil {
					b.Fatal(err)
				}
				outer, _ := goja.AssertFunction(v)
				bare := c.hidden(func(goja.FunctionCall) goja.Value { return goja.Undefined() })
				v, _ = outer(goja.Undefined(), c.meter.fn, goja.Null(), goja.Null(), bare)
				inner, _ := goja.AssertFunction(v)
				for b.Loop() {
					if _, err := inner(goja.Undefined()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
