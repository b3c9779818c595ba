package goja

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Recursions that leave no mark on goja's call stack, or no function of the script
// in between, would end the process where Go's stack ends.
func TestRecursionEndsInARangeError(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a function":               "(function f() { f() })()",
		"an arrow":                 "const f = () => f(); f()",
		"a method":                 "({ f() { this.f() } }).f()",
		"a constructor":            "class A { constructor() { new A } } new A",
		"a class field":            "class A { x = new A } new A",
		"a getter":                 "const o = { get x() { return o.x } }; o.x",
		"a setter":                 "const o = { set x(v) { o.x = v } }; o.x = 1",
		"toString":                 "const o = { toString() { return '' + o } }; '' + o",
		"toPrimitive":              "const o = { [Symbol.toPrimitive]: () => +o }; +o",
		"replace":                  "function f() { return 'a'.replace(/a/, f) } f()",
		"sort":                     "function f() { return [2, 1].sort(f) } f()",
		"map":                      "function f() { return [1].map(f) } f()",
		"a reviver":                "function f() { return JSON.parse('[1]', f) } f()",
		"toJSON":                   "const o = { toJSON() { return JSON.stringify(o) } }; JSON.stringify(o)",
		"a trap":                   "const p = new Proxy({}, { get() { return p.x } }); p.x",
		"an iterator":              "const o = { [Symbol.iterator]() { return o[Symbol.iterator]() } }; [...o]",
		"yield*":                   "function* g() { yield* g() } g().next()",
		"an async function":        "async function f() { await f() } f()",
		"Reflect.apply":            "function f() { Reflect.apply(f, null, []) } f()",
		"bind":                     "const o = {}; o.toString = String.bind(null, o); '' + o",
		"a bound constructor":      "const o = {}; let F = Array.bind(null, o); o.toString = () => new F + ''; '' + o",
		"Reflect.apply of itself":  "const a = [Reflect.apply, undefined, null]; a[2] = a; Reflect.apply(Reflect.apply, undefined, a)",
		"apply of itself":          "const f = Function.prototype.apply, a = [f, null]; a[1] = a; f.apply(f, a)",
		"a trap that is the proxy": "const h = {}, p = new Proxy(function () {}, h); h.apply = p; p()",
		"a handler's getter":       "const h = { get get() { return p.x } }, p = new Proxy({}, h); p.x",
		"proxies of proxies":       "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x",
		"proxies by prototypes":    "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(Object.create(p), {}); p.x",
		"toLocaleString":           "const o = {}; o.toString = Object.prototype.toLocaleString; '' + o",
		"an error's name":          "const e = new Error; e.name = e; '' + e",
		"an error's name, caught":  "try { null.x } catch (e) { e.name = e; '' + e }",
		"a date's toJSON":          "const o = { toISOString: Date.prototype.toJSON, valueOf: () => 1 }; Date.prototype.toJSON.call(o)",
		"a pattern's source":       "const r = /a/; Object.defineProperty(r, 'source', { get: RegExp.prototype.toString }); '' + r",
		"a promise's catch":        "const o = {}; o.then = Promise.prototype.catch; o.then()",
		"nested arrays to text":    "let a = []; for (let i = 0; i < 20000; i++) a = [a]; '' + a",
		"nested arrays, flat":      "let a = []; for (let i = 0; i < 20000; i++) a = [a]; a.flat(Infinity)",
		"nested objects to JSON":   "let o = {}; for (let i = 0; i < 20000; i++) o = { o }; JSON.stringify(o)",
		"nested JSON":              "JSON.parse('['.repeat(1e5))",
		"bound functions of bound": "let f = () => 1; for (let i = 0; i < 2000; i++) f = f.bind(); f()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := eval(t, testCase{script: script})
			thrown, ok := o.err.(*engine.Thrown)
			require.True(t, ok, "%v, limit %q", o.err, o.limit())
			assert.Equal(t, "RangeError: "+tooDeepMessage, thrown.Error())
		})
	}
}

func TestAFullCallStackCanBeCaught(t *testing.T) {
	t.Parallel()
	got := value(t, `let depth = 0; function f() { depth++; f() }
		try { f() } catch (e) { return [depth > 800, e instanceof RangeError, e.name, (() => 42)()] }`)
	assert.Equal(t, `[true,true,"RangeError",42]`, got)
	assert.Equal(t, "900", value(t, "(function f(n) { return n ? 1 + f(n - 1) : 0 })(900)"))
}

// Prototypes that lead back through a proxy are refused as plain cycles are.
func TestCyclesThroughProxiesAreRefused(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"const h = {}, p = new Proxy({}, h); Object.setPrototypeOf(h, p); p.x",
		"const h = {}, p = new Proxy({}, h); h.__proto__ = p; p.x",
		"const t = {}, p = new Proxy(t, {}); Object.setPrototypeOf(t, p); p.x",
		"const t = {}, p = new Proxy(t, {}); Reflect.setPrototypeOf(t, Object.create(p)); t.x",
		"const t = {}, p = Proxy.revocable(t, {}).proxy; Object.setPrototypeOf(t, p); t.x",
		"const t = {}, p = new Proxy(new Proxy(t, {}), {}); Object.setPrototypeOf(p, p)",
	} {
		o := eval(t, testCase{script: script})
		thrown, ok := o.err.(*engine.Thrown)
		require.True(t, ok, "%s: %v", script, o.err)
		assert.Equal(t, "TypeError: Cyclic __proto__ value", thrown.Error(), script)
	}
	assert.Equal(t, `["get x",7]`, value(t, `const log = [], h = { get(t, k) { log.push('get ' + k); return this === h ? t[k] : 'this' } };
		const p = new Proxy({ x: 7 }, h), o = Object.create(p); log.push(o.x); log`))
}

// Not parallel to anything: what one run takes could be put down to another.
func TestAllocationsAboveTheLimitEndTheRun(t *testing.T) {
	for _, script := range []string{
		"'ab'.repeat(2 ** 39)",
		"'ab'.repeat(2 ** 52)",
		"'é'.repeat(4e7)",
		"'x'.padEnd(5e8, 'yz')",
		"'x'.padStart(2 ** 53)",
		"new Array(1e9).fill(0)",
		"Array(5e7).fill(1)",
		"Array.from({ length: 1e9 })",
		"new Array(1e8).join('-')",
		"'' + new Array(1e9)",
		"new Array(4294967295).map(x => x)",
		"[...'x'.repeat(5e7)]",
		"[...Array(4e9)]",
		"new Set(Array(1e8).keys())",
		"let a = [0]; for (let i = 0; i < 34; i++) a = a.concat(a)",
		"let s = 'x'; for (let i = 0; i < 34; i++) s += s",
		"const k = []; for (;;) k.push(new Uint8Array(1 << 22))",
		"let head = null; for (;;) head = { next: head, pad: 'p'.repeat(64) }",
		"for (;;) try { const a = []; for (;;) a.push({}) } catch (e) { 1 }",
		"const m = new Map; for (let i = 0; ; i++) m.set(i, 'x' + i)",
		"const f = []; for (;;) f.push(() => f)",
		"new ArrayBuffer(1e13)",
		"new Float64Array(1e10)",
		"new Uint8Array({ length: 1e10 })",
		"Uint8Array.from({ length: 1e10 })",
		"String.fromCharCode.apply(null, { length: 1e9 })",
		"Reflect.apply(isNaN, null, { length: 1e9 })",
		"String.raw({ raw: { length: 1e10 } })",
		"[].indexOf.call({ length: 2 ** 53 - 1 }, 1)",
		"[].forEach.call({ length: 2 ** 53 - 1 }, isNaN)",
		"[].sort.call({ length: 2 ** 53 - 1 })",
		"BigInt.asUintN(2 ** 53 - 1, -1n)",
		"1n << 10000000000000n",
		"1n << { valueOf: () => 10000000000000n }",
		"let x = 1n; x <<= 10000000000000n",
		"(3n ** (2n ** 29n)).toString()",
		"'a'.repeat(1e6).replace(/a/g, 'x'.repeat(1e6))",
		"'a'.repeat(1e5).replaceAll('a', 'x'.repeat(1e5))",
		"'a'.repeat(1e5).replace(/a/g, \"$'\")",
		"'a'.repeat(3e7).split('')",
		"'ab'.repeat(2e6).split(/(?:)/)",
		"'ab'.repeat(2e6).match(/a?/g)",
		"JSON.stringify(Array(4e9))",
		"JSON.stringify({ a: { b: Array(4e9) } })",
		"let b = [1]; for (let i = 0; i < 40; i++) b = [b, b]; JSON.stringify(b)",
		"JSON.parse('[' + '{},'.repeat(2e6) + '{}]')",
	} {
		t.Run(script, func(t *testing.T) {
			o := eval(t, testCase{script: "try { " + script + " } catch (e) { 'caught' }", timeout: time.Minute, limits: func(l *engine.Limits) {
				l.Statements, l.Memory = 100_000_000, 16<<20
			}})
			require.ErrorIs(t, o.err, engine.ErrStopped)
			assert.Equal(t, engine.LimitMemory, o.limit())
		})
	}
}

// What the guards check must not stop what is in order.
func TestGuardedBuiltinsDoWhatTheyShould(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"'ab'.repeat({ valueOf: () => 2 })":                                                       `"abab"`,
		"'x'.padStart(3) + 'x'.padEnd('4', 'ab')":                                                 `"  xxaba"`,
		"try { 'a'.repeat(-1) } catch (e) { return e.name }; 0":                                   `"RangeError"`,
		"try { 'a'.repeat(Infinity) } catch (e) { return e.name }; 0":                             `"RangeError"`,
		"''.repeat(2 ** 40)":                                                                      `""`,
		"'a-b-c'.split('-', 2)":                                                                   `["a","b"]`,
		"'aXbX'.replaceAll('X', '$&$&')":                                                          `"aXXbXX"`,
		"'abc'.replace(/(?<m>b)/, '[$<m>$1$&$$$`$\\'$3]')":                                        `"a[bbb$ac$3]c"`,
		"[[3, 1, 2].sort(), [3, 1, 10].sort((a, b) => a - b), [3, 1, 10].toSorted()]":             `[[1,2,3],[1,3,10],[1,10,3]]`,
		"Array.from({ length: 5000 }, (_, i) => 5000 - i).sort()[1]":                              `10`,
		"Array.from({ length: 5000 }, (_, i) => 5000 - i).sort((a, b) => a - b)[1]":               `2`,
		"[1, [2, [3, [4]]]].flat(Infinity)":                                                       `[1,2,3,4]`,
		"[1, [2, [3]]].flat()":                                                                    `[1,2,[3]]`,
		"[1].concat([2], 3, [[4]])":                                                               `[1,2,3,[4]]`,
		"const a = Array(5000).fill(1); [a.concat(a, 7).length, a.concat(a, 7)[10000], a.length]": `[10001,7,5000]`,
		"class A extends Array {}; const a = A.from(Array(5000).keys()); [a.concat(a) instanceof A, a.concat(a)[9999]]": `[true,4999]`,
		"[].concat.call({ length: 1 }, [2]).length": `2`,
		"new Uint8Array(1e6).fill(7)[999999]":       `7`,
		"new Uint8Array([1, 2, 3]).fill(9, 1)":      `"AQkJ"`,
		"['aé𐐨'.repeat(20000).toUpperCase().slice(-4), 'aé'.repeat(20000).toUpperCase() === 'AÉ'.repeat(20000), ('ΑΣ '.repeat(9000)).toLowerCase().slice(0, 3), 'ÀB'.repeat(9000).toLowerCase().length]": `["AÉ𐐀",true,"ας ",18000]`,
		"[...'héllo👍'].length":         `6`,
		"Array.from('ab', x => x + x)": `["aa","bb"]`,
		"[BigInt.asUintN(8, -1n), BigInt.asIntN(8, 255n), 2n ** 10n, 1n << 70n, 2 ** 10, '2' ** '3']":                                     `["255","-1","1024","1180591620717411303424",1024,8]`,
		"({ valueOf: () => 3n }) ** ({ valueOf: () => 2n })":                                                                              `"9"`,
		"JSON.stringify({ a: [1, { b: 'x' }], c: undefined }, null, 1)":                                                                   `"{\n \"a\": [\n  1,\n  {\n   \"b\": \"x\"\n  }\n ]\n}"`,
		"const o = {}; o.o = o; try { JSON.stringify(o) } catch (e) { return e.name }; 0":                                                 `"TypeError"`,
		"JSON.parse('{\"a\":\"]]]{{{\\\\\\\"[\",\"b\":[1]}').b":                                                                           `[1]`,
		"try { JSON.parse('[') } catch (e) { return e.name }; 0":                                                                          `"SyntaxError"`,
		"'aaa'.match(/a/g).length + 'a1b2'.search(/\\d/)":                                                                                 `4`,
		"[...'a1b2'.matchAll(/\\d/g)].map(m => m.index)":                                                                                  `[1,3]`,
		"const r = /b/g; const m = []; while (r.exec('abab')) m.push(r.lastIndex); m":                                                     `[2,4]`,
		"'line\\n'.repeat(60000).replace(/\\n/g, '<br>').length":                                                                          `480000`,
		"'line\\n'.repeat(200000).split(/\\n/).length":                                                                                    `200001`,
		"try { 'a'.match('(') } catch (e) { return e.name }; 0":                                                                           `"SyntaxError"`,
		"((a, b) => a + b).bind(null, 1)(2)":                                                                                              `3`,
		"new (Date.bind(null, 0))().getTime()":                                                                                            `0`,
		"Math.max.apply(null, [1, 5, 3])":                                                                                                 `5`,
		"new Proxy([1, { a: 2 }], {})":                                                                                                    `[1,{"a":2}]`,
		"const h = { get() { return this === h } }; new Proxy({}, h).x":                                                                   `true`,
		"new Proxy(function () { return 1 }, {})()":                                                                                       `1`,
		"const p = Proxy.revocable({ a: 1 }, {}); const v = p.proxy.a; p.revoke(); try { p.proxy.a } catch (e) { return [v, e.name] }; 0": `[1,"TypeError"]`,
		"const d = new Date(0); d.toString = d.toISOString; '' + d":                                                                       `"1970-01-01T00:00:00.000Z"`,
	} {
		assert.Equal(t, want, value(t, script), script)
	}
}

func TestCrashesOfBuiltinsAreTheScriptsErrors(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"RegExp.prototype[Symbol.replace].call({}, 'x')",
		"const a = [3, 1, 2]; a.sort(() => { a.length = 0; return 1 })",
		"BigInt.asUintN(1e6, -1n, 0), new Proxy({}, null)",
	} {
		o := eval(t, testCase{script: script})
		thrown, ok := o.err.(*engine.Thrown)
		require.True(t, ok, "%s: %v", script, o.err)
		assert.Equal(t, "TypeError", thrown.Name, script)
	}
}

// The end of a run runs none of the script's code, whatever it has prepared.
func TestNothingOfTheScriptRunsAfterTheLimit(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"catch":     "try { for (;;) {} } catch (e) { host.echo('ran') }",
		"finally":   "try { for (;;) {} } finally { host.echo('ran') }",
		"iterators": "for (const x of { [Symbol.iterator]: () => ({ next: () => ({}), return(a = host.echo('ran')) { host.echo('ran') } }) }) for (;;) {}",
		"generator": "const g = (function* () { try { yield 1 } finally { host.echo('ran') } })(); for (const x of g) for (;;) {}",
		"promise":   "new Promise(() => { for (;;) {} }).catch(() => host.echo('ran')).finally(() => host.echo('ran'))",
		"job":       "Promise.resolve().then(() => { for (;;) {} }).catch(() => host.echo('ran')); Promise.resolve().then(() => host.echo('ran'))",
		"async":     "(async () => { try { await 1; for (;;) {} } catch (e) { host.echo('ran') } finally { host.echo('ran') } })()",
		"callback":  "[1, 2].forEach(x => { try { for (;;) {} } catch (e) {} finally { host.echo('ran') } })",
		"sort":      "try { [2, 1].sort(() => { for (;;) {} }) } finally { host.echo('ran') }",
		"getter":    "try { ({ get x() { for (;;) {} } }).x } catch (e) { host.echo('ran') }",
		"trap":      "try { new Proxy({}, { get() { for (;;) {} } }).x } catch (e) { host.echo('ran') }",
		"memory":    "try { 'x'.repeat(1e10) } catch (e) { host.echo('ran') } finally { host.echo('ran') }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := eval(t, testCase{script: script, host: testHost(t), limits: func(l *engine.Limits) { l.Statements = 5_000 }})
			require.ErrorIs(t, o.err, engine.ErrStopped)
			assert.False(t, o.run.called.Load())
		})
	}
}
