//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
)

var tightLoops = map[string]string{
	"loop":  "let n = 0; for (let i = 0; i < 3e7; i++) { n = (n * 31 + i) | 0 } n",
	"calls": "function f(a) { return a + 1 } let n = 0; for (let i = 0; i < 1e7; i++) { n = f(n) | 0 } n",
	"sieve": "const s = new Uint8Array(4e6); let n = 0; for (let i = 2; i < 4e6; i++) { if (s[i] === 0) { n++; for (let k = i * 2; k < 4e6; k += i) { s[k] = 1 } } } n",
	"fib":   "function fib(n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2) } fib(30)",
}

// BenchmarkCharge is what the charges cost: metered against unmetered.
func BenchmarkCharge(b *testing.B) {
	eng := newEngine(b)
	for name, script := range tightLoops {
		for metering, unmetered := range map[string]bool{"on": false, "off": true} {
			b.Run("script="+name+"/metering="+metering, func(b *testing.B) {
				for b.Loop() {
					j := job(script)
					j.Unmetered, j.Limits.Statements = unmetered, 1_000_000_000
					if out := eng.Run(context.Background(), j); out.Err != nil {
						b.Fatal(out.Err)
					}
				}
			})
		}
	}
}

// BenchmarkRun is a run of a kept program, BenchmarkBare a context of v8go's in a
// kept isolate that does the same without limits.
func BenchmarkRun(b *testing.B) {
	eng := newEngine(b)
	for name, script := range runScripts {
		b.Run("script="+name, func(b *testing.B) {
			for b.Loop() {
				j := job(script)
				j.Host = benchHost
				if out := eng.Run(context.Background(), j); out.Err != nil {
					b.Fatal(out.Err)
				}
			}
		})
	}
}

func BenchmarkBare(b *testing.B) {
	require.NoError(b, process())
	iso := v8go.NewIsolate()
	defer iso.Dispose()
	for name, script := range runScripts {
		b.Run("script="+name, func(b *testing.B) {
			lookup := v8go.NewFunctionTemplate(iso, func(info *v8go.FunctionCallbackInfo) *v8go.Value {
				defer info.Release()
				text, _ := v8go.NewValue(iso, `{"id":7,"name":"seven","tags":["a","b"]}`)
				v, _ := v8go.JSONParse(info.Context(), text.String())
				text.Release()
				return v
			})
			global := v8go.NewObjectTemplate(iso)
			host := v8go.NewObjectTemplate(iso)
			require.NoError(b, host.Set("lookup", lookup))
			require.NoError(b, global.Set("host", host))
			compiled, err := iso.CompileUnboundScript(script, "bare", v8go.CompileOptions{})
			require.NoError(b, err)
			for b.Loop() {
				ctx := v8go.NewContext(iso, global)
				v, err := compiled.Run(ctx)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := v8go.JSONStringify(ctx, v); err != nil {
					b.Fatal(err)
				}
				ctx.Close()
			}
		})
	}
}

var runScripts = map[string]string{
	"trivial": "40 + 2",
	"tool": `
		const found = [];
		for (let i = 0; i < 200; i++) {
			const item = host.lookup({ id: i, fields: ['name', 'tags'] });
			if (item.tags.includes('a')) found.push({ id: item.id + i, name: item.name.toUpperCase() });
		}
		found.sort((a, b) => b.id - a.id).slice(0, 20)`,
	"objects": "const a = []; for (let i = 0; i < 2000; i++) a.push({ i, d: 'x' + i, l: [i, i + 1], o: { t: true } }); a",
}

var benchHost = func() []engine.HostObject {
	answer := engine.MustValueOf(map[string]any{"id": 7, "name": "seven", "tags": []any{"a", "b"}})
	shape, err := engine.NewShape("host", engine.Field{Name: "lookup", Func: &engine.Func{
		Call: func(context.Context, any, []engine.Value) (engine.Value, error) { return answer, nil },
	}})
	if err != nil {
		panic(err)
	}
	return []engine.HostObject{{Shape: shape}}
}()

// BenchmarkContext is what a run takes without the runner, by its parts.
func BenchmarkContext(b *testing.B) {
	for _, part := range []string{"isolate", "bare"} {
		b.Run("part="+part, func(b *testing.B) {
			iso, err := newIsolate()
			require.NoError(b, err)
			defer iso.dispose()
			for b.Loop() {
				if part == "isolate" {
					other, err := newIsolate()
					require.NoError(b, err)
					other.dispose()
					continue
				}
				v8go.NewContext(iso.Isolate).Close()
			}
		})
	}
}
