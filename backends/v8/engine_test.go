//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
)

var testLimits = engine.Limits{
	Timeout:     20 * time.Second,
	Statements:  100_000_000,
	Memory:      64 << 20,
	ResultNodes: 1_000_000,
	ResultDepth: 64,
	ResultBytes: 16 << 20,
	Source:      1 << 20,
	HostCalls:   10_000,
	HostBytes:   32 << 20,
	LogChars:    64_000,
}

func newEngine(tb testing.TB) engine.Engine {
	tb.Helper()
	eng, err := New(nil)
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, eng.Close()) })
	return eng
}

func job(script string) *engine.Job {
	return &engine.Job{Name: "test.js", Source: script, Limits: testLimits, Deadline: time.Now().Add(testLimits.Timeout)}
}

func run(eng engine.Engine, script string) *engine.Outcome {
	return eng.Run(context.Background(), job(script))
}

// value runs a script that must succeed and returns its value as JSON.
func value(tb testing.TB, eng engine.Engine, script string) string {
	tb.Helper()
	out := run(eng, script)
	if out.Err != nil {
		tb.Errorf("%s: %v", script, out.Err)
	}
	return string(out.Value.AppendJSON(nil))
}

func TestTheIsolatePointerIsWhereV8goKeepsIt(t *testing.T) {
	iso, err := newIsolate()
	require.NoError(t, err)
	p, err := pointer(iso.Isolate)
	require.NoError(t, err)
	assert.NotNil(t, p)
	iso.dispose()
	_, err = pointer(iso.Isolate)
	assert.Error(t, err, "after it was disposed of")
}

func TestEachFlagHasItsEffect(t *testing.T) {
	iso, err := newIsolate()
	require.NoError(t, err)
	defer iso.dispose()
	ctx := v8go.NewContext(iso.Isolate)
	defer ctx.Close()
	for script, want := range map[string]string{
		"typeof WebAssembly":                               "undefined",
		"typeof SharedArrayBuffer":                         "undefined",
		"typeof [].toSorted":                               "function",
		"Intl.DateTimeFormat().resolvedOptions().timeZone": "UTC",
		"Intl.DateTimeFormat().resolvedOptions().locale":   "en-US",
		"let n = 0; (function f() { n++; f() }).call.call(() => { try { (function f() { n++; f() })() } catch {} }); n < 20000": "true",
	} {
		v, err := ctx.RunScript(script, "test")
		require.NoError(t, err, script)
		assert.Equal(t, want, v.String(), script)
	}
	limit := iso.GetHeapStatistics().HeapSizeLimit
	assert.InDelta(t, 1536<<20, limit, 64<<20, "the flag is not known, or came too late")
}

// resident is the resident memory of the process, or 0 where that is not known.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// growth is by how much the process's resident memory grew at most during f.
func growth(f func()) int64 {
	before := resident()
	peak := before
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				peak = max(peak, resident())
			}
		}
	}()
	f()
	close(done)
	<-ended
	return peak - before
}

func TestBombsEndAtTheMemoryLimit(t *testing.T) {
	eng := newEngine(t)
	for name, script := range map[string]string{
		"a fill of a huge array":   "new Array(1e9).fill(0).length",
		"a spread of a long text":  "[...'.'.repeat(1e8)].length",
		"buffers":                  "var k = []; for (;;) { var u = new Uint8Array(1 << 24); u.fill(1); k.push(u) }",
		"a linked list":            "var head = null; for (;;) head = { next: head, pad: 'p'.repeat(64) }",
		"a list":                   "var head = null; for (;;) head = { next: head }",
		"objects, caught":          "var n = 0; for (;;) { try { var a = []; for (;;) a.push({}) } catch (e) { if (++n > 3) break } } n",
		"doubling":                 "var s = 'x', a = [0]; for (var i = 0; i < 34; i++) { s += s; a = a.concat(a) }",
		"doubling of a text":       "let s = 'xy'; for (;;) { s += s; s.charCodeAt(1); [s].join() }",
		"an array that grows":      "const a = []; for (;;) a.push(a.length + 0.5)",
		"a Map":                    "const m = new Map(); for (let i = 0; ; i++) m.set(i, i)",
		"a Set of texts":           "const m = new Set(); for (let i = 0; ; i++) m.add('k' + i)",
		"closures":                 "let f = null; for (;;) { const g = f; f = () => g }",
		"small typed arrays":       "const k = []; for (;;) k.push(new Float64Array(100))",
		"one huge buffer, caught":  "try { new ArrayBuffer(2 ** 31) } catch (e) {} 4",
		"a huge buffer and a tiny": "try { new ArrayBuffer(2 ** 31) } catch (e) {} new ArrayBuffer(8); 4",
		"the promise queue":        "(function f() { Promise.resolve().then(f); Promise.resolve().then(f) })()",
		"promises":                 "const k = []; for (;;) k.push(Promise.resolve().then(() => 1))",
		"members":                  "const o = {}; for (let i = 0; ; i++) o['k' + i] = i",
		"a huge pattern":           "const a = []; for (;;) a.push(new RegExp('x'.repeat(10000) + a.length))",
	} {
		t.Run(name, func(t *testing.T) {
			var out *engine.Outcome
			began := time.Now()
			grown := growth(func() { out = run(eng, script) })
			t.Logf("%v, grew by %d MiB, saw %d MiB", time.Since(began), grown>>20, out.Memory>>20)
			require.NotNil(t, out.Err, "value %s", out.Value.AppendJSON(nil))
			assert.Equal(t, engine.ResourceExhausted, out.Err.Class, "%v", out.Err)
			assert.Equal(t, engine.LimitMemory, out.Err.Limit)
			assert.Less(t, grown, int64(256<<20))
			assert.Equal(t, "42", value(t, eng, "40 + 2"), "the next run")
		})
	}
}

func TestBuffersThatAreGarbageDoNotCount(t *testing.T) {
	eng := newEngine(t)
	assert.Equal(t, `"ok"`, value(t, eng, "for (let i = 0; i < 300; i++) new Uint8Array(1 << 24); 'ok'"))
	assert.Equal(t, `"ok"`, value(t, eng, "for (let i = 0; i < 100; i++) new Array(1e6).fill(i); 'ok'"))
}

// Without the guards each of these ends the process, or walks for hours.
func TestWhatEndsTheProcessIsRefused(t *testing.T) {
	eng := newEngine(t)
	for _, script := range []string{
		"Array.prototype.sort.call({ length: 2 ** 28 })",
		"'a'.repeat(2 ** 27 + 1).split('')",
		"'a'.repeat(2 ** 20).replace(/a/g, '$&'.repeat(200))",
		"'a'.repeat(2 ** 20).replaceAll(/a/g, '$&'.repeat(200))",
		"Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)",
		"const a = []; a.length = 4294967295; a.sort()",
		"const a = []; a.length = 4294967295; a.fill(0)",
		"[].forEach.call({ length: 2 ** 53 - 1 }, isNaN)",
		"Array.from({ length: 1e9 })",
		"String.raw({ raw: { length: 2 ** 40 } }, 'x')",
		"'ab'.repeat(2 ** 28)",
		"'x'.padEnd(5e8, 'yz').length",
	} {
		out := run(eng, script)
		if assert.NotNil(t, out.Err, script) {
			assert.Equal(t, engine.LimitMemory, out.Err.Limit, "%s: %v", script, out.Err)
		}
		assert.False(t, out.Abandoned, script)
	}
	out := run(eng, "new RegExp('(?='.repeat(100000) + ')'.repeat(100000)).test('x')")
	require.NotNil(t, out.Err)
	assert.Equal(t, "SyntaxError", out.Err.Name)
}

func TestGuardedBuiltInsLookLikeTheirOwn(t *testing.T) {
	eng := newEngine(t)
	for script, want := range map[string]string{
		"[[].fill.name, [].fill.length, String([].fill), 'prototype' in [].fill]":                    `["fill",1,"function fill() { [native code] }",false]`,
		"['a'.repeat.name, String('a'.padEnd), 'a'.padEnd.length]":                                   `["repeat","function padEnd() { [native code] }",1]`,
		"[String(RegExp), RegExp.name, RegExp.length, RegExp('a', 'g').flags]":                       `["function RegExp() { [native code] }","RegExp",2,"g"]`,
		"[/a/ instanceof RegExp, /a/.constructor === RegExp, 'xay'.match('a')[0]]":                   `[true,true,"a"]`,
		"class R extends RegExp { x() { return 1 } } [new R('a').x(), new R('a') instanceof RegExp]": "[1,true]",
		"[1, [2, [3]]].flat(Infinity).map(x => x * 2).sort((a, b) => b - a)":                         "[6,4,2]",
		"[Array.from('abc'), Array.from([1, 2], x => x + 1), String.raw`a\\n${1}`]":                  `[["a","b","c"],[2,3],"a\\n1"]`,
		"'a-b-c'.split('-').join('+').replace('+', '$&$&').padStart(8, '_')":                         `"__a++b+c"`,
		"JSON.parse('[1,{\"a\":2}]', (k, v) => typeof v === 'number' ? v + 1 : v)":                   `[2,{"a":3}]`,
		"[Array.prototype.indexOf.call('abc', 'b'), [].fill.call({ length: 2 }, 7)[1]]":              "[1,7]",
	} {
		assert.Equal(t, want, value(t, eng, script), script)
	}
}

func TestStatementsAreExact(t *testing.T) {
	eng := newEngine(t)
	for script, want := range map[string]int64{
		"1; 2; 3;":                       3,
		"let n = 0; while (n < 3) n++;":  8,
		"function f() { return 1 } f();": 3,
		"throw 1":                        1,
		"await null; 1":                  2,
		"const k = []; for (;;) k.push(new Float64Array(100))": -1,
	} {
		out := run(eng, script)
		if want < 0 {
			assert.Positive(t, out.Statements, script)
		} else {
			assert.Equal(t, want, out.Statements, script)
		}
	}
	j := job("let n = 0; try { for (;;) n++ } catch (e) { n = -1 } finally { n = -2 } n")
	j.Limits.Statements = 1_000
	out := eng.Run(t.Context(), j)
	require.NotNil(t, out.Err)
	assert.Equal(t, engine.LimitStatements, out.Err.Limit)
	assert.EqualValues(t, 1_002, out.Statements, "the first total above the limit, by steps of two")
}

// A kept isolate has one queue of promise jobs for all contexts that come and go.
func TestNoJobOfARunIsLeftToTheNext(t *testing.T) {
	eng := newEngine(t)
	for range 3 {
		out := run(eng, "({ get x() { Promise.resolve().then(function f() { return Promise.resolve().then(f) }); return 1 } })")
		_ = out // it ends by the jobs' own end or by a limit
		assert.Equal(t, "42", value(t, eng, "40 + 2"))
	}
}

func TestNothingIsLeftOfManyRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	before := isolates.Load()
	eng, err := New(nil)
	require.NoError(t, err)
	shape, err := engine.NewShape("host", engine.Field{Name: "add", Func: &engine.Func{
		Call: func(_ context.Context, _ any, args []engine.Value) (engine.Value, error) { return args[0], nil },
	}})
	require.NoError(t, err)
	once := func(n int) {
		j := job("for (let i = 0; i < 50; i++) host.add('k' + i)")
		j.Host = []engine.HostObject{{Shape: shape}}
		if n%500 == 0 {
			j.Source = "for (;;) {}"
			j.Limits.Statements = 1_000
		}
		out := eng.Run(t.Context(), j)
		if n%500 != 0 && out.Err != nil {
			t.Fatal(out.Err)
		}
	}
	for n := range 1_000 {
		once(n)
	}
	runtime.GC()
	warm, goroutines := resident(), runtime.NumGoroutine()
	for n := range 4_000 {
		once(n)
	}
	runtime.GC()
	t.Logf("resident: %d MiB warm, %d MiB after", warm>>20, resident()>>20)
	assert.Less(t, resident()-warm, int64(32<<20))
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines+2)
	require.NoError(t, eng.Close())
	assert.Equal(t, before, isolates.Load())
}

func TestTheCageLetsAsManyRunAsFit(t *testing.T) {
	c := &cage{size: 12, slack: 3}
	require.True(t, c.enter(2, never)) // 2 held, 3 active
	require.True(t, c.enter(2, never)) // 4 held, 6 active
	over := func() bool { return true }
	assert.False(t, c.enter(2, over), "no room for a third at work")
	c.pause()
	require.True(t, c.enter(2, over), "room once one waits: 6 held, 6 active")
	c.pause()
	c.pause()
	c.leave(2)
	c.leave(2)
	c.leave(2)
	assert.Zero(t, c.held)
	assert.Zero(t, c.active)
	assert.Empty(t, c.waiters)
}

func TestThoseWhoGoOnComeBeforeThoseWhoBegin(t *testing.T) {
	c := &cage{size: 10, slack: 4}
	require.True(t, c.enter(2, never))
	c.pause()
	require.True(t, c.enter(2, never)) // 4 held, 4 active: nobody else fits
	begun, resumed := make(chan struct{}), make(chan struct{})
	var order []string
	var mu sync.Mutex
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, s)
	}
	waiting := func(n int) {
		for {
			c.mu.Lock()
			enough := len(c.waiters) == n
			c.mu.Unlock()
			if enough {
				return
			}
			runtime.Gosched()
		}
	}
	go func() { c.enter(2, never); note("begins"); c.pause(); close(begun) }()
	waiting(1)
	go func() { c.resume(never); note("goes on"); c.pause(); close(resumed) }()
	waiting(2)
	c.pause()
	<-resumed
	<-begun
	assert.Equal(t, "goes on,begins", strings.Join(order, ","))
}

func TestMoreRunsThanFitWaitForTheirTurn(t *testing.T) {
	eng := newEngine(t)
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			j := job("let n = 0; for (let i = 0; i < 1e5; i++) n += i; n")
			j.Limits.Memory = 1 << 30
			out := eng.Run(t.Context(), j)
			assert.Nil(t, out.Err)
		})
	}
	group.Wait()
}
