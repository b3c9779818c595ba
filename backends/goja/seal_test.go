package goja

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCodeFromStringsIsRefused(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"eval":                               "eval('1')",
		"eval under another name":            "(0, eval)('1')",
		"eval by call":                       "eval.call(null, '1')",
		"Function":                           "Function('return 1')",
		"new Function":                       "new Function('return 1')",
		"the constructor of a function":      "(() => 1).constructor('return 1')",
		"the constructor of a built-in":      "isNaN.constructor.constructor('return 1')",
		"the constructor of async functions": "(async () => 1).constructor('return 1')",
		"the constructor of generators":      "(function* () {}).constructor('yield 1')",
		"Reflect.construct":                  "Reflect.construct(Function, ['return 1'])",
		"a class that extends Function":      "new (class extends Function { constructor() { super('return 1') } })",
		"a bound Function":                   "Function.bind(null, 'return 1')()",
		"a Proxy of Function":                "new (new Proxy(Function, {}))('return 1')",
		"a listed descriptor":                "Object.values(Object.getOwnPropertyDescriptors(globalThis)).find(d => d.value && d.value.name === 'eval').value('1')",
		"a replaced EvalError":               "EvalError = 1; Function('return 1')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := value(t, "try { "+script+" } catch (e) { return e.name + ': ' + e.message + ' ' + (e instanceof Error) }; 'no error'")
			assert.Equal(t, `"EvalError: code generation from strings is not allowed true"`, got)
		})
	}
}

func TestSealedBuiltinsLookAsTheyShould(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"[typeof Function, Function.name, Function.length]":                    `["function","Function",1]`,
		"[typeof eval, eval.name, eval.length, eval(1)]":                       `["function","eval",1,1]`,
		"(function () {}) instanceof Function":                                 `true`,
		"Object.getPrototypeOf(function () {}) === Function.prototype":         `true`,
		"[].join.toString()":                                                   `"function join() { [native code] }"`,
		"['x'.repeat.name, 'x'.repeat.length, Object.keys('x'.repeat).length]": `["repeat",1,0]`,
		"[typeof GoError, 'GoError' in globalThis]":                            `["undefined",false]`,
		"Object.getOwnPropertyNames(globalThis).includes('GoError')":           `false`,
		"['require', 'process', 'console', 'setTimeout', 'Atomics', 'SharedArrayBuffer', 'WebAssembly', 'Java', 'print', 'gc'].filter(n => n in globalThis)": `[]`,
		"function f(a) { if (a) return 1; return 2 } f.toString()":              `"function f(a) { if (a) return 1; return 2 }"`,
		"((a, b) => a ** b).toString()":                                         `"(a, b) => a ** b"`,
		"class A { m() { return 1 } } [A.toString(), A.prototype.m.toString()]": `["class A { m() { return 1 } }","m() { return 1 }"]`,
	} {
		assert.Equal(t, want, value(t, script), script)
	}
}
