package prelude_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"modernc.org/quickjs"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/prelude"
	"github.com/ringfence-js/ringfence/internal/wire"
)

var limits = engine.Limits{ResultNodes: 1_000, ResultDepth: 8, ResultBytes: 1 << 16}

// A guest is a bare engine with the prelude, and the Go side of it.
type guest struct {
	t        *testing.T
	vm       *quickjs.VM
	failures prelude.Failures
	limit    string
	got      []string // arguments of host calls, as JSON
}

// thrown describes an error that the test wants of a host function.
var errHost = errors.New("the host failed")

func newGuest(t *testing.T, globals ...engine.Member) *guest {
	t.Helper()
	vm, err := quickjs.NewVM()
	require.NoError(t, err)
	t.Cleanup(func() { _ = vm.Close() })
	g := &guest{t: t, vm: vm}
	call := func(_ context.Context, _ any, args []engine.Value) (engine.Value, error) { return engine.Null(), nil }
	shape, err := engine.NewShape("api",
		engine.Field{Name: "echo", Func: &engine.Func{Call: call}, Fields: []engine.Field{{Name: "deep", Func: &engine.Func{Call: call}}}},
		engine.Field{Name: "later", Func: &engine.Func{Call: call, Async: true}},
		engine.Field{Name: "show", Func: &engine.Func{Call: call, Text: true}},
		engine.Field{Name: "fail", Func: &engine.Func{Call: call}},
		engine.Field{Name: "wrong", Func: &engine.Func{Call: call}},
		engine.Field{Name: "config", Const: true, Slot: 0},
		engine.Field{Name: "ns", Fields: []engine.Field{{Name: "n", Const: true, Slot: 1}}},
	)
	require.NoError(t, err)
	cfg := &engine.ContextConfig{
		Limits:  limits,
		Program: &engine.Program{Name: "test.js", Vars: []string{"mine", "absent"}},
		Host: []engine.HostObject{{Shape: shape, Consts: []engine.Value{
			engine.Object(engine.Member{Key: "list", Value: engine.List(engine.Int(1))}), engine.BigInt(nil),
		}}},
		Globals: globals,
	}
	require.NoError(t, vm.RegisterHostFunc("dispatch", func(args []any) (any, error) { return g.dispatch(shape, args), nil }))
	_, err = vm.Eval(fmt.Sprintf("inside = (%s)(dispatch, %q); 0", prelude.Source, prelude.Spec(cfg, prelude.Options{Forbidden: []string{"Atomics"}})), quickjs.EvalGlobal)
	require.NoError(t, err)
	return g
}

func (g *guest) dispatch(shape *engine.Shape, args []any) any {
	switch prelude.Op(args[0].(int)) {
	case prelude.OpCall, prelude.OpStart:
		fn := shape.Funcs()[args[2].(int)]
		values, err := prelude.Args(args[3].(string), fn, limits)
		if err != nil {
			g.t.Error(err)
		}
		g.got = append(g.got, string(engine.List(values...).AppendJSON(nil)))
		switch {
		case fn.Async:
			return prelude.Started(7)
		case fn.Name == "fail":
			return g.failures.Message(errHost)
		case fn.Name == "wrong":
			return g.failures.Message(&engine.GuestError{Name: "TypeError", Message: "wrong"})
		case len(values) > 0:
			return prelude.Result(values[0])
		}
		return prelude.Result(engine.Null())
	case prelude.OpAuthor:
		return "author's text"
	case prelude.OpNow:
		return 86400000
	case prelude.OpRandom:
		return 0.25
	case prelude.OpLimit:
		g.limit = prelude.LimitName(args[1].(int))
	}
	return nil
}

// run runs a script of the guest and returns its value's text.
func (g *guest) run(script string) string {
	g.t.Helper()
	s := g.eval("inside.run(() => () => {" + script + "}) || inside.encode(inside.value())")
	_, err := g.vm.ExecutePendingJobs()
	require.NoError(g.t, err)
	return s
}

func (g *guest) eval(script string) string {
	g.t.Helper()
	v, err := g.vm.Eval(script, quickjs.EvalGlobal)
	if e, ok := errors.AsType[*quickjs.Error](err); ok {
		g.t.Fatalf("%v\n%s", e, e.Stack)
	}
	require.NoError(g.t, err)
	s, _ := v.(string)
	return s
}

func (g *guest) thrown(description string) prelude.Thrown {
	g.t.Helper()
	require.NotEmpty(g.t, description)
	require.Equal(g.t, byte('!'), description[0], description)
	t, err := prelude.ParseThrown(description[1:])
	require.NoError(g.t, err)
	return t
}

func TestValuesLeaveByTheTable(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"return undefined":                                        "null",
		"return [1, , -0, 'a\\u0000']":                            `[1,null,-0,"a\u0000"]`,
		"return [NaN, -Infinity]":                                 "[NaN,-Inf]",
		"return -255n":                                            "-255n",
		"return [new Date(5), new Date(NaN)]":                     "[5ms,null]",
		"return new Uint16Array([1, 2]).subarray(1)":              "bytes 0200",
		"return new DataView(new ArrayBuffer(3), 1)":              "bytes 0000",
		"return new Uint8Array(5000).fill(255).subarray(4999)":    "bytes ff",
		"return new Map([['b', 1], ['0', 2]])":                    `{"b":1,"0":2}`,
		"return new Map([[1, [2]]])":                              `[[1,[2]]]`,
		"return new Set(['a', {}])":                               `["a",{}]`,
		"return [new TypeError('m', { cause: 1 })]":               `[{"name":"TypeError","message":"m","cause":1}]`,
		"return { '': 1, __proto__: { x: 1 }, ['__proto__']: 2 }": `{"":1,"__proto__":2}`,
		"return { a: undefined, b() {}, c: Symbol(), d: new WeakMap, e: Promise.resolve(1) }": `{"e":null}`,
		"return { a: { toJSON(k) { return k + '!' } }, b: { toJSON: 1 } }":                    `{"a":"a!","b":{"toJSON":1}}`,
		"return { toJSON() { return () => 1 } }":                                              "null",
		"return [Object('s'), Object(1), Object(true), Object(Symbol())]":                     `["s",1,true,null]`,
		"return new Proxy([1, 2], {})":                                                        "[1,2]",
		"return Object.create(Map.prototype)":                                                 "{}",
		"class P { #s = 1; x = 1; get y() { return 2 } } return new P":                        `{"x":1}`,
		"return {'': ['n', 'NaN']}":                                                           `{"":["n","NaN"]}`,
		"return {2: 'two', a: 1, 1: 'one'}":                                                   `{"1":"one","2":"two","a":1}`,
	} {
		g := newGuest(t)
		got := g.run(script)
		require.Equal(t, byte('='), got[0], "%s: %s", script, got)
		v, err := wire.ParseText(got[1:], engine.NewBudget(limits))
		require.NoError(t, err, "%s: %s", script, got)
		assert.Equal(t, want, shown(v), script)
	}
}

// shown is a value with everything that JSON would lose.
func shown(v engine.Value) string {
	switch v.Kind() {
	case engine.KindFloat:
		f, _ := v.AsFloat()
		return fmt.Sprint(f)
	case engine.KindBigInt:
		i, _ := v.AsBigInt()
		return i.String() + "n"
	case engine.KindTime:
		t, _ := v.AsTime()
		return fmt.Sprint(t.UnixMilli()) + "ms"
	case engine.KindBytes:
		b, _ := v.AsBytes()
		return fmt.Sprintf("bytes %x", b)
	case engine.KindList:
		items, _ := v.Items()
		s := "["
		for i, item := range items {
			if i > 0 {
				s += ","
			}
			s += shown(item)
		}
		return s + "]"
	case engine.KindObject:
		members, _ := v.Members()
		s := "{"
		for i, m := range members {
			if i > 0 {
				s += ","
			}
			s += string(engine.String(m.Key).AppendJSON(nil)) + ":" + shown(m.Value)
		}
		return s + "}"
	}
	return string(v.AppendJSON(nil))
}

func TestLimitsHoldWhileWalking(t *testing.T) {
	t.Parallel()
	for script, limit := range map[string]string{
		"const a = []; a.length = 4294967295; return a":                   engine.LimitResultNodes,
		"const o = {}; o.o = o; return o":                                 engine.LimitResultDepth,
		"return 'x'.repeat(65537)":                                        engine.LimitResultBytes,
		"return new ArrayBuffer(65537)":                                   engine.LimitResultBytes,
		"return { get a() { return this } }":                              engine.LimitResultDepth,
		"return new Set(Array(1001).keys())":                              engine.LimitResultNodes,
		"const o = {}; for (let i = 0; i < 1001; i++) o[i] = 1; return o": engine.LimitResultNodes,
		"try { api.echo(new Array(2000)) } catch {}":                      engine.LimitResultNodes,
	} {
		g := newGuest(t)
		g.run(script)
		assert.Equal(t, limit, g.limit, script)
	}
}

func TestValuesEnterAsCopies(t *testing.T) {
	t.Parallel()
	g := newGuest(t, engine.Member{Key: "mine", Value: engine.Object(
		engine.Member{Key: "", Value: engine.List(engine.Int(1))},
		engine.Member{Key: "__proto__", Value: engine.Time(time.UnixMilli(5))},
		engine.Member{Key: "b", Value: engine.Bytes([]byte{1, 255})},
	)})
	assert.Equal(t, `=[true,true,[1,255],"[object Object]"]`,
		g.run("return [mine[''][0] === 1, Object.getOwnPropertyDescriptor(mine, '__proto__').value instanceof Date, Array.from(mine.b), String(mine)]"))
}

// pollution replaces everything that a guest can replace, but for setters of array
// indexes: the engine of this test calls these in its own JSON.stringify.
const pollution = `
	const bad = () => { globalThis.seen = true; throw new Error('polluted') };
	const { defineProperty, ownKeys } = Reflect;
	const all = [Object, Array, String, Map, Set, WeakMap, Function, JSON, Reflect, Number, BigInt, Promise, Date, RegExp, Uint8Array, Object.getPrototypeOf(Uint8Array), Math, Symbol];
	for (let i = 0; i < all.length; i++) for (let j = 0; j < 2; j++) {
		const o = j ? all[i].prototype : all[i];
		const keys = o ? ownKeys(o) : [];
		for (let n = 0; n < keys.length; n++) if (keys[n] !== 'prototype' && keys[n] !== 'constructor') try { defineProperty(o, keys[n], { get: bad, set: bad }) } catch {}
	}
	const more = ['toJSON', 'then', 'value', '', 'n'];
	for (let i = 0; i < more.length; i++) defineProperty(Array.prototype, more[i], { get: bad, set: bad });
	for (let i = 0; i < more.length; i++) if (more[i] !== 'value' && more[i] !== 'toJSON') defineProperty(Object.prototype, more[i], { get: bad, set: bad });
`

func TestAGuestThatReplacesEverythingChangesNothing(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	got := g.run(`
		const value = [{ a: [1n, -0, 'x', { b: [true] }] }, new Map([['k', 1], ['l', 2]]), new Map([[1, 2]]), new Set([3]), new Date(4), new Uint8Array([5, 6]), new TypeError('m')];
		const { echo, show } = api;` + pollution + `
		echo(value);
		show({ a: [1] }, value);
		return value;`)
	require.Equal(t, byte('='), got[0], got)
	v, err := wire.ParseText(got[1:], engine.NewBudget(limits))
	require.NoError(t, err)
	assert.Equal(t, `[{"a":[1n,-0,"x",{"b":[true]}]},{"k":1,"l":2},[[1,2]],[3],4ms,bytes 0506,{"name":"TypeError","message":"m"}]`, shown(v))
	assert.Len(t, g.got, 2)
	assert.Equal(t, "", g.eval("typeof seen === 'undefined' ? '' : 'seen'"))
}

func TestHostObjectsAreFrozenAndOrdinary(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"return api.echo.toString()": `="function echo() { [native code] }"`,
		"return [Object.getPrototypeOf(api), Object.getPrototypeOf(api.ns), Object.getPrototypeOf(api.echo) === Function.prototype]":                           "=[null,null,true]",
		"return ['prototype' in api.echo, Object.getOwnPropertyNames(api.echo).sort()]":                                                                        `=[false,["deep","length","name"]]`,
		"try { new api.echo() } catch (e) { return e.name }":                                                                                                   `="TypeError"`,
		"return [api, api.ns, api.echo, api.config, api.config.list].map(Object.isFrozen)":                                                                     "=[true,true,true,true,true]",
		"'use strict'; try { api.x = 1 } catch (e) { return e.name }":                                                                                          `="TypeError"`,
		"return [api.echo({ a: [1] }), api.echo.deep('x'), api.ns.n, api.config]":                                                                              `=[{"a":[1]},"x",null,{"list":[1]}]`,
		"return [Date.now(), +new Date(), new Date(5).getTime(), Math.random()]":                                                                               "=[86400000,86400000,5,0.25]",
		"class D extends Date {} return [new D() instanceof D, new D(7).getTime(), Date.prototype.constructor === Date, Date.length, Date.name, String(Date)]": `=[true,7,true,7,"Date","function Date() { [native code] }"]`,
		"return typeof Atomics": `="undefined"`,
		"function f() { '__ringfence_meter' } return f.toString()": `="author's text"`,
		"return String(Function.prototype.toString)":               `="function toString() { [native code] }"`,
	} {
		assert.Equal(t, want, newGuest(t).run(script), script)
	}
}

func TestThrownValuesAreDescribed(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]prelude.Thrown{
		"throw new RangeError('m')":                         {IsError: true, Name: "RangeError", Message: "m"},
		"throw { name: 'Error', message: 'm' }":             {Message: `{"name":"Error","message":"m"}`},
		"throw 'text'":                                      {Message: "text"},
		"throw undefined":                                   {Message: "undefined"},
		"throw Symbol('s')":                                 {Message: "Symbol(s)"},
		"throw { toString() { throw 1 } }":                  {Message: "(a thrown value that cannot be read)"},
		"throw Object.assign(new Error('m'), { name: '' })": {IsError: true, Name: "Error", Message: "m"},
		"throw new Proxy({}, { getPrototypeOf() { throw 1 }, get() { throw 2 } })": {Message: "(a thrown value that cannot be read)"},
		"api.fail()": {IsError: true, Name: "Error", Message: "the host failed", Host: 1},
		"try { api.fail() } catch (e) { throw e }":                    {IsError: true, Name: "Error", Message: "the host failed", Host: 1},
		"try { api.fail() } catch (e) { throw new Error(e.message) }": {IsError: true, Name: "Error", Message: "the host failed"},
		"api.wrong()": {IsError: true, Name: "TypeError", Message: "wrong"},
	} {
		g := newGuest(t)
		got := g.thrown(g.run(script))
		got.Stack = ""
		assert.Equal(t, want, got, script)
		if want.Host != 0 {
			assert.Equal(t, errHost, g.failures.At(got.Host))
		}
	}
}

func TestTextArgumentsAreShown(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.run("api.show('s', 1n, { a: [1, new Date(0)] }, new TypeError('m'), function f() {}, Symbol('x'), undefined, Object('boxed'), { get a() { throw 1 } })")
	assert.Equal(t, []string{`["s","1","{\"a\":[1,\"1970-01-01T00:00:00.000Z\"]}","TypeError: m","function f","Symbol(x)","undefined","boxed","[object Object]"]`}, g.got)
}

func TestAsynchronousCallsSettle(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		prelude.Result(engine.Int(5)):          `="got 5"`,
		(&prelude.Failures{}).Message(errHost): `="Error the host failed"`,
	} {
		g := newGuest(t)
		g.run("api.later(1).then(v => { globalThis.out = 'got ' + v }, e => { globalThis.out = e.name + ' ' + e.message })")
		g.eval(fmt.Sprintf("inside.settle('#7', %q); inside.settle('#7', %q); ''", message, message))
		_, err := g.vm.ExecutePendingJobs()
		require.NoError(t, err)
		assert.Equal(t, want, g.eval("inside.encode(globalThis.out)"))
	}
}
