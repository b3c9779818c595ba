package goja

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

type toolError struct{ code int }

func (toolError) Error() string     { return "the tool failed" }
func (toolError) ErrorName() string { return "ToolError" }

var errTool = toolError{7}

// testHost is a host object with a function of each kind.
func testHost(t testing.TB) []engine.HostObject {
	t.Helper()
	fails := func(err error) *engine.Func {
		return &engine.Func{Call: func(context.Context, any, []engine.Value) (engine.Value, error) { return engine.Value{}, err }}
	}
	echo := func(_ context.Context, self any, args []engine.Value) (engine.Value, error) {
		return engine.List(append([]engine.Value{engine.String(self.(string))}, args...)...), nil
	}
	shape, err := engine.NewShape("host",
		engine.Field{Name: "echo", Func: &engine.Func{Call: echo}, Fields: []engine.Field{{Name: "again", Func: &engine.Func{Call: echo}}}},
		engine.Field{Name: "text", Func: &engine.Func{Text: true, Call: echo}},
		engine.Field{Name: "later", Func: &engine.Func{Async: true, Call: echo}},
		engine.Field{Name: "config", Const: true, Slot: 0},
		engine.Field{Name: "fails", Fields: []engine.Field{
			{Name: "tool", Func: fails(errTool)},
			{Name: "plain", Func: fails(errors.New("plain"))},
			{Name: "type", Func: fails(&engine.GuestError{Name: "TypeError", Message: "wrong argument"})},
			{Name: "range", Func: fails(&engine.GuestError{Name: "RangeError", Message: "out of range"})},
		}},
	)
	require.NoError(t, err)
	return []engine.HostObject{{Shape: shape, Self: "me", Consts: []engine.Value{
		engine.MustValueOf(map[string]any{"list": []any{1, map[string]any{"deep": true}}}),
	}}}
}

func TestHostFunctionsLookLikeBuiltins(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"host.echo(1, [2], {a: 3})":                                             `["me",1,[2],{"a":3}]`,
		"host.echo.again(4)":                                                    `["me",4]`,
		"host.echo.call(null, 1)":                                               `["me",1]`,
		"[host.echo.name, host.echo.length, typeof host.echo]":                  `["echo",0,"function"]`,
		"host.fails.tool.toString()":                                            `"function tool() { [native code] }"`,
		"Object.getPrototypeOf(host.echo) === Function.prototype":               `true`,
		"'prototype' in host.echo":                                              `false`,
		"Object.getPrototypeOf(host) === null":                                  `true`,
		"try { new host.echo } catch (e) { return e.name }; 0":                  `"TypeError"`,
		"try { host.echo.constructor('1') } catch (e) { return e.name }; 0":     `"EvalError"`,
		"Object.keys(host)":                                                     `["echo","text","later","config","fails"]`,
		"Object.getOwnPropertyNames(host.echo)":                                 `["length","name","again"]`,
		"JSON.stringify(host)":                                                  `"{\"config\":{\"list\":[1,{\"deep\":true}]},\"fails\":{}}"`,
		"host.echo === host.echo && host.fails === host.fails":                  `true`,
		"Object.getOwnPropertyDescriptor(host, 'fails').writable":               `false`,
		"Object.getOwnPropertyDescriptor(globalThis, 'host').get === undefined": `true`,
	} {
		o := eval(t, testCase{script: script, host: testHost(t)})
		require.NoError(t, o.err, script)
		assert.Equal(t, want, string(o.value.AppendJSON(nil)), script)
	}
}

func TestHostObjectsAreFrozen(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"host", "host.fails", "host.echo", "host.fails.tool", "host.config", "host.config.list", "host.config.list[1]"} {
		script := `const o = ` + target + `;
			const before = Object.getOwnPropertyNames(o).length, found = [Object.isFrozen(o), Object.isExtensible(o)];
			o.added = 1; o.name = 'x'; o.length = 5; delete o.name; delete o[Object.keys(o)[0]];
			for (const key of [...Object.getOwnPropertyNames(o), 'other']) try { Object.defineProperty(o, key, { value: 99 }); found.push(key) } catch (e) { found.push(e.name === 'TypeError') }
			try { Object.setPrototypeOf(o, {}); found.push('prototype') } catch (e) { found.push(true) }
			found.push(Object.getOwnPropertyNames(o).length === before);
			try { 'use strict'; (function () { 'use strict'; o.added = 1 })(); found.push('strict') } catch (e) { found.push(true) }
			found.filter(x => x !== true)`
		o := eval(t, testCase{script: script, host: testHost(t)})
		require.NoError(t, o.err, target)
		assert.Equal(t, `[false]`, string(o.value.AppendJSON(nil)), target)
	}
}

func TestHostErrors(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"try { host.fails.tool() } catch (e) { return [e.name, e.message, e instanceof Error, Object.keys(e), String(e)] }; 0":       `["ToolError","the tool failed",true,[],"ToolError: the tool failed"]`,
		"try { host.fails.type() } catch (e) { return [e.name, e.message, e instanceof TypeError, e.constructor === TypeError] }; 0": `["TypeError","wrong argument",true,true]`,
		"RangeError = 1; try { host.fails.range() } catch (e) { return [e.name, e instanceof Error, e.constructor.name] }; 0":        `["RangeError",true,"RangeError"]`,
		"try { host.fails.plain() } catch (e) { return e.stack.split('\\n').filter(l => /goja|ringfence|github/.test(l)) }; 0":       `[]`,
	} {
		o := eval(t, testCase{script: script, host: testHost(t)})
		require.NoError(t, o.err, script)
		assert.Equal(t, want, string(o.value.AppendJSON(nil)), script)
	}
}

func TestUncaughtHostErrorsKeepTheirIdentity(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script string
		host         bool
	}{
		{"uncaught", "host.fails.tool()", true},
		{"thrown again", "try { host.fails.tool() } catch (e) { throw e }", true},
		{"thrown by a promise", "Promise.resolve().then(() => host.fails.tool())", true},
		{"from a finally", "try { host.fails.tool() } finally { 1 }", true},
		{"wrapped", "try { host.fails.tool() } catch (e) { throw new Error('wrapped: ' + e.message) }", false},
		{"as a cause", "try { host.fails.tool() } catch (e) { throw new Error('m', { cause: e }) }", false},
		{"the guest's own fault", "host.fails.type()", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			o := eval(t, testCase{script: tc.script, host: testHost(t)})
			thrown, ok := errors.AsType[*engine.Thrown](o.err)
			require.True(t, ok, "%v", o.err)
			if tc.host {
				assert.Equal(t, errTool, thrown.Host)
				assert.Equal(t, "ToolError", thrown.Name)
			} else {
				assert.NoError(t, thrown.Host)
			}
		})
	}
}

func TestTextFunctionsGetWhatAPersonWouldRead(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"'plain'":               "plain",
		"1.50":                  "1.5",
		"-0":                    "0",
		"null":                  "null",
		"undefined":             "undefined",
		"12n":                   "12",
		"Symbol('s')":           "Symbol(s)",
		"function named() {}":   "function named",
		"() => 1":               "function",
		"new TypeError('bad')":  "TypeError: bad",
		"[1, 'a', {b: [true]}]": `[1,"a",{"b":[true]}]`,
		"new Map([['a', 1]])":   `{"a":1}`,
		"(() => { const o = {}; o.o = o; return o })()": "[object Object]",
		"({ get a() { throw 1 } })":                     "[object Object]",
		"({ get name() { throw 1 } })":                  "[object Object]",
		"new Proxy({}, { ownKeys() { throw 1 } })":      "[object Object]",
	} {
		o := eval(t, testCase{script: "host.text(" + arg + ")[1]", host: testHost(t)})
		require.NoError(t, o.err, arg)
		got, _ := o.value.AsString()
		assert.Equal(t, want, got, arg)
	}
}

func TestAsyncHostFunctionsSettle(t *testing.T) {
	t.Parallel()
	c, run, err := start(t, testCase{host: testHost(t), script: `
		const seen = [];
		const all = [host.later(1), host.later(2), host.later(3)];
		for (const p of all) p.then(v => seen.push(v), e => seen.push(e.name + ':' + e.message));
		await Promise.allSettled(all);
		seen`})
	require.NoError(t, err)
	require.Equal(t, engine.Pending, c.State())
	require.Len(t, run.started, 3)
	require.NoError(t, c.Settle(2, engine.String("two"), nil))
	require.NoError(t, c.Settle(1, engine.Value{}, errTool))
	require.Equal(t, engine.Pending, c.State())
	require.NoError(t, c.Settle(3, engine.MustValueOf(map[string]any{"then": 1}), nil))
	require.NoError(t, c.Drain())
	require.Equal(t, engine.Fulfilled, c.State())
	v, err := c.Result(engine.NewBudget(testLimits))
	require.NoError(t, err)
	assert.Equal(t, `["two","ToolError:the tool failed",{"then":1}]`, string(v.AppendJSON(nil)))
	assert.Empty(t, c.Unhandled())
}

func TestUnhandledRejections(t *testing.T) {
	t.Parallel()
	c, _, err := start(t, testCase{script: `
		Promise.reject(new TypeError('lost'));
		Promise.reject(1).catch(() => 0);
		const p = Promise.reject('late'); Promise.resolve().then(() => p.catch(() => 0));
		Promise.reject({ toString() { throw 1 } });
		42`})
	require.NoError(t, err)
	var got []string
	for _, thrown := range c.Unhandled() {
		got = append(got, thrown.Error())
	}
	assert.Equal(t, []string{"TypeError: lost", unreadable}, got)
}

func TestArgumentsOverTheLimitsEndTheRun(t *testing.T) {
	t.Parallel()
	for script, limit := range map[string]string{
		"try { host.echo(new Array(2e6)) } catch (e) { 1 } finally { host.echo(1) }": engine.LimitResultNodes,
		"const o = {}; o.o = o; try { host.echo(o) } catch (e) { 1 }":                engine.LimitResultDepth,
		"try { host.echo('x'.repeat(2e7)) } catch (e) { 1 }":                         engine.LimitResultBytes,
		"try { host.echo('x'.repeat(9e6), 'x'.repeat(9e6)) } catch (e) { 1 }":        engine.LimitResultBytes,
		"try { host.text('x'.repeat(2e7)) } catch (e) { 1 }":                         engine.LimitResultBytes,
		"host.later(new Array(2e6)).catch(() => 1)":                                  engine.LimitResultNodes,
	} {
		o := eval(t, testCase{script: script, host: testHost(t)})
		require.ErrorIs(t, o.err, engine.ErrStopped, script)
		assert.Equal(t, limit, o.limit(), script)
	}
}

func TestGlobalsAreCopiesOfTheRunsData(t *testing.T) {
	t.Parallel()
	proto, err := engine.ParseJSON([]byte(`{"__proto__": {"polluted": 1}, "2": "b", "1": "a"}`))
	require.NoError(t, err)
	globals := []engine.Member{
		{Key: "list", Value: engine.MustValueOf([]any{1, "a", nil, 1.5, true})},
		{Key: "bytes", Value: engine.Bytes([]byte{1, 2, 255})},
		{Key: "proto", Value: proto},
		{Key: "args", Value: engine.MustValueOf(map[string]any{"n": 1})},
	}
	for script, want := range map[string]string{
		"[Array.isArray(list), list.length, list.push(1), Object.getPrototypeOf(list) === Array.prototype]":         `[true,5,6,true]`,
		"[bytes instanceof Uint8Array, bytes.length, bytes[2]]":                                                     `[true,3,255]`,
		"[proto.polluted, Object.keys(proto), Object.getPrototypeOf(proto) === Object.prototype]":                   `[null,["1","2","__proto__"],true]`,
		"const d = Object.getOwnPropertyDescriptor(globalThis, 'args'); [d.writable, d.enumerable, d.configurable]": `[true,true,true]`,
		"var args = args || {}; args.n":                `1`,
		"var Math = Math; Math.max(1, 2)":              `2`,
		"var undeclared = undeclared || 5; undeclared": `5`,
		"let args = 3; args":                           `3`,
		"args = 4; globalThis.args":                    `4`,
	} {
		o := eval(t, testCase{script: script, globals: globals})
		require.NoError(t, o.err, script)
		assert.Equal(t, want, string(o.value.AppendJSON(nil)), script)
	}
}
