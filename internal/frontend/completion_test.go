package frontend

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The values are those of ECMAScript for these texts as scripts; another
// implementation's indirect eval gives the same.
func TestScriptsHaveTheirCompletionValue(t *testing.T) {
	t.Parallel()
	tests := []struct{ source, want string }{
		{"1", "1"},
		{"1; 2", "2"},
		{"var x = 1", "undefined"},
		{"1; var x = 2", "1"},
		{"let y = 5", "undefined"},
		{"1; {}", "1"},
		{"1; ;", "1"},
		{"1; if (false) 2", "undefined"},
		{"1; if (true) {}", "undefined"},
		{"if (true) { 3; var x }", "3"},
		{"1; if (true) 2; else 3", "2"},
		{"1; do { } while (false)", "undefined"},
		{"do { 2; continue; 3 } while (false)", "2"},
		{"do { 2; break; } while (false)", "2"},
		{"do { 2; if (true) { break } } while (0)", "undefined"},
		{"do { 2; if (true) { 7; break } } while (0)", "7"},
		{"1; while (false) 2", "undefined"},
		{"var i = 0; while (i < 3) { i++; }", "2"},
		{"var i = 0; while (i < 3) { i++; if (i == 2) { 'two' } }", "undefined"},
		{"for (var i = 0; i < 2; i++) i * 10", "10"},
		{"1; for (;false;);", "undefined"},
		{"for (const x of [1,2]) { x }", "2"},
		{"for (const k in {a:1}) k", "a"},
		{"for (const k in {}) k", "undefined"},
		{"5; for (const k in {}) k", "undefined"},
		{"switch (1) { case 1: 2; break }", "2"},
		{"9; switch (1) { case 2: 2 }", "undefined"},
		{"switch (1) { case 1: 2; case 2: var q; }", "2"},
		{"9; switch (1) { case 1: break; }", "undefined"},
		{"switch (3) { case 1: 1; default: 4; case 2: }", "4"},
		{"try { 1 } finally { 2 }", "1"},
		{"try { 1; throw 2 } catch (e) { }", "undefined"},
		{"try { 1; throw 2 } catch (e) { e + 1 }", "3"},
		{"1; try { } finally { 3 }", "undefined"},
		{"do { 39; try { 42 } finally { break } } while (0)", "undefined"},
		{"do { try { 1 } finally { 2; break } } while (0)", "2"},
		{"do { try { 1; continue } finally { 2 } } while (0)", "1"},
		{"1; function f() { }", "1"},
		{"1; class A { }", "1"},
		{"(class { })  && 8", "8"},
		{"'hello'", "hello"},
		{"'use strict'", "use strict"},
		{"'use strict'; 1", "1"},
		{"'use strict'; var a = 1", "use strict"},
		{"'a'; 'b'", "b"},
		{"('a')", "a"},
		{"l: { 1; break l; 2 }", "1"},
		{"l: { 1; { 2; break l } 3 }", "2"},
		{"3; l: { break l }", "3"},
		{"outer: for (var i = 0; i < 2; i++) { 5; for (;;) { 6; continue outer } 7 }", "6"},
		{"outer: while (1) { 5; while (1) { break outer } 3 }", "undefined"},
		{"do { if (true) { 1; break } 3 } while (0)", "1"},
		{"do { if (true) break; 3 } while (0)", "undefined"},
		{"4; do { if (true) break; 3 } while (0)", "undefined"},
		{"1; with ({}) { }", "undefined"},
		{"with ({a: 7}) a", "7"},
		{"1; debugger", "1"},
		{"(1, 2)", "2"},
		{"((3))", "3"},
		{"a = 4", "4"},
		{"var o = {a: 1}; o.a++", "1"},
		{"x => x, 5", "5"},
		{"if (1) if (0) 1; else 2", "2"},
		{"var n = 0; while (n < 3) if (n++ == 1) 'x'", "undefined"},
		{"var n = 0; while (n < 2) l: if (n++ == 0) 'x'", "undefined"},
		{"1\n;[2].length", "1"},
		{"`t`", "t"},
		{"String.raw`x`", "x"},
		{"-1", "-1"},
		{"!0", "true"},
		{"typeof 1", "number"},
		{"void 0", "undefined"},
		{"new Date(0).getTime()", "0"},
		{"/x/.source", "x"},
		{"(function () { return 3 })()", "3"},
		{"(() => 4)()", "4"},
		{"1; throwaway: ;", "1"},
		{"eval ? 1 : 2", "1"},
		{"{}", "undefined"},
		{"{ 1 }", "1"},
		{"{ 1; { 2 } var z }", "2"},
		{"1; { function g() {} }", "1"},
		{"do { 1; try { 2; break } catch (e) { } } while (0)", "2"},
		{"do { 1; try { throw 1 } catch (e) { 5; break } finally { 6 } } while (0)", "5"},
		{"do { try { 1 } finally { try { 2 } finally { 3; continue } } } while (0)", "3"},
		{"1; switch (1) { default: { 2; break } }", "2"},
		{"for (var i = 0; i < 3; i++) { if (i == 1) continue; i }", "2"},
		{"var r = 0; for (var i = 0; i < 3; i++) { r += i; if (i == 1) { 'mid'; continue } } r", "3"},
		{"var f = function () { }; f.name", "f"},
		{"0; x: for (;;) { 1; y: for (;;) { 2; break x } }", "2"},
		{"if (0); else 5", "5"},
		{"if (0) 1; else if (0) 2; else if (1) 3", "3"},
		{"1; if (0) 1; else if (0) 2", "undefined"},
		{"while (true) { 8; break }", "8"},
		{"this === globalThis", "true"},
		{"typeof arguments", "undefined"},
		{"var a = 1, b = 2; a + b", "3"},
		{"a: b: { 4; break a }", "4"},
		{"var i = 4\n++i", "5"},
	}
	for _, test := range tests {
		t.Run(test.source, func(t *testing.T) {
			t.Parallel()
			for _, metered := range []bool{true, false} {
				p := build(t, test.source, metered)
				got := runText(t, p, nil)
				if got.err != nil {
					assert.Fail(t, got.err.Error(), p.Text)
					continue
				}
				assert.Equal(t, test.want, got.value.String(), p.Text)
			}
		})
	}
}
