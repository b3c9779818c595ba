package frontend

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCountsAreExact(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		want         int
	}{
		{"three statements", `1; 2; 3;`, 3},
		{"nothing", ``, 0},
		{"a comment", `/* x */ // y`, 0},
		{"a branch taken", `if (true) { 1; 2 } else { 3; 4; 5 }`, 3},
		{"the other branch", `if (false) { 1; 2 } else { 3; 4; 5 }`, 4},
		{"a function", `function f() { return 1 } f();`, 3},
		{"a while loop", `let n = 0; while (n < 3) n++;`, 8},
		{"do with an empty body", `do ; while (0)`, 2},
		{"do without a semicolon", `let i = 0; do i++; while (i < 3) i`, 9},
		{"for with an empty body", `for (let i = 0; i < 4; i++);`, 5},
		{"for with a block", `for (let i = 0; i < 2; i++) { i; i }`, 7},
		{"for-of", `for (const x of [1,2,3]) x`, 7},
		{"for-in", `for (const x in {a:1,b:2}) { }`, 3},
		{"an early return gives nothing back", `function f() { return 1; 2; 3 } f()`, 5},
		{"an early break gives nothing back", `for (;;) { break; 1; 2 }`, 5},
		{"directives cost nothing", `'use strict'; 1`, 1},
		{"a directive in parentheses is none", `('use strict'); 1`, 2},
		{"directives of a function", `function f() { 'use strict'; 'x'; return 1 } f()`, 3},
		{"a directive without a semicolon", "'use strict'\n1", 1},
		{"blocks, empty statements, labels and debugger", `{ { ; ; } } l: ; debugger; m: 1`, 1},
		{"a labelled loop", `l: for (;;) { break l }`, 3},
		{"an arrow with an expression", `(x => x + 1)(1)`, 2},
		{"arrows in arrows", `(a => b => c => a)(1)(2)(3)`, 4},
		{"an arrow with a block", `(() => { 1; 2 })()`, 4},
		{"a callback", `[1,2,3].map(x => x * 2)`, 4},
		{"a getter", `({ get x() { return 1 } }).x`, 3},
		{"a setter", `({ set x(v) { v; v } }).x = 1`, 4},
		{"a method", `({ m() { } }).m()`, 2},
		{"a constructor", `class A { constructor() { this.x = 1 } } new A()`, 4},
		{"a class without constructor", `class A { } new A()`, 2},
		{"class fields cost nothing, what they call does", `let f = () => 1; class A { x = f(); [f()] = 2 } new A()`, 5},
		{"a static block", `class A { static { 1; 2 } }`, 3},
		{"a private method", `class A { #m() { return 1 } n() { return this.#m() } } new A().n()`, 6},
		{"default parameters", `let g = () => 1; function f(a = g(), b = 2) { } f()`, 4},
		{"a switch", `switch (2) { case 1: 1; case 2: 2; 3; case 3: 4; break; default: 5 }`, 5},
		{"a default clause", `switch (9) { case 1: 1; default: 2; 3 }`, 3},
		{"a case with a conditional", `switch (1) { case (true ? 1 : 2): 1; 2 }`, 3},
		{"try and finally", `try { 1 } catch { 2 } finally { 3; 4 }`, 4},
		{"catch", `try { throw 1 } catch (e) { e; e } finally { }`, 4},
		{"a generator pays when it is entered", `function* g() { yield 1; yield 2 } [...g()]`, 4},
		{"a generator that is not entered", `function* g() { yield 1 } g()`, 1},
		{"a nested unbraced statement", `if (1) if (0) 1; else 2`, 3},
		{"else if", `if (0) 1; else if (1) 2; else 3`, 3},
		{"else without a blank", `if(0);else(1)`, 2},
		{"else and regular expression", `if(0);else/x/.test('x')`, 2},
		{"with", `with ({a: 1}) a`, 2},
		{"a function declaration in a branch", `if (1) function f() { }`, 1},
		{"spread and destructuring", `let {a = (() => 1)()} = {}; a`, 3},
		{"tagged templates", "let t = (s) => s[0]; t`x${1}y`", 3},
		{"comments everywhere", "if/*a*/(/*b*/1/*c*/)/*d*/1/*e*/;/*f*/else/*g*/2", 2},
		{"comments around an arrow", "((/*a*/x/*b*/)/*c*/=>/*d*/(/*e*/x/*f*/)/*g*/)(1)", 2},
		{"an async arrow", `(async x => x)(1); (async (x) => { await x })(2)`, 5},
		{"async as a name", `var async = x => x; async (1)`, 3},
		{"an arrow named async", `(async => async)(1)`, 2},
		{"a loop in a loop", `for (let i = 0; i < 2; i++) for (let j = 0; j < 2; j++) j`, 13},
		{"a conditional of arrows", `(true ? x => x : y => y)(1)`, 2},
		{"in an arrow in the head of a loop", `for (let f = x => x; f(0); ) ;`, 2},
		{"regular expressions after brackets", "if (1) /a}{/.test('a')\n{}\n/b{/.test('b')", 3},
		{"regular expressions of all kinds", `[{ a: /\b(?:x|y)-[A-Z/]{1,}\b/g, b: /\//, c: /[/]/ }].map(o => o.a.test('x-A') / 1 / 2)`, 2},
		{"top-level await", `await 1; (await 2)`, 2},
		{"for await over an async generator", `async function* g() { yield 1; yield 2 } let n = 0; for await (const x of g()) n += x; n`, 10},
		{"an async generator method", `const o = { async *m() { yield* [1, 2] } }; const l = []; for await (const x of o.m()) l.push(x); l + ''`, 10},
		{"for await in a function", `async function f() { for await (const x of [1]) { x } } await f(); 1`, 6},
		{"await in an async generator", `async function* g() { const x = await 1; yield x } (await g().next()).value`, 4},
		{"async times a call", `var async = 2, b = x => x; async * b(3)`, 3},
		{"await in parentheses is await", `await (1)`, 1},
		{"await as a name", `var await = 1; await`, 2},
		{"shifts and powers", `let x = 1n; x << 2n; 2 ** 3; x <<= (2n); x`, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := build(t, test.source, true)
			got := runText(t, p, nil)
			require.NoError(t, got.err, p.Text)
			assert.Equal(t, test.want, got.charged, p.Text)
			plain := runText(t, build(t, test.source, false), nil)
			require.NoError(t, plain.err)
			assert.Equal(t, plain.value.String(), got.value.String(), "metering changes no value")
			assert.Zero(t, plain.charged)
		})
	}
}
