//go:build wip && !386 && !arm

package quickjs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// thrownBy runs a script that must throw, and returns what it threw with the place
// of each frame.
func thrownBy(tb testing.TB, script string) (t *engine.Thrown, lines [][2]int) {
	tb.Helper()
	c, _, code := open(tb, job{script: script})
	defer c.Close()
	_, err := evaluate(c, code)
	require.ErrorAs(tb, err, &t, script)
	for _, f := range t.Frames {
		line, column, _ := c.cfg.Program.Position(f.Offset)
		lines = append(lines, [2]int{line, column})
	}
	return t, lines
}

func TestPlacesAreTheAuthors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script string
		want         [2]int
	}{
		{"an error of the engine's", "1; 2;\nif (true) { 3; undefinedName }", [2]int{2, 16}},
		{"an error made and thrown", "let x = 1\n  throw new Error('m')", [2]int{2, 18}},
		{"a number", "1\nfunction f() { 2; throw 42 }\nf()", [2]int{2, 19}},
		{"a number, thrown last of many", "try { throw 1 } catch { }\nthrow 2", [2]int{2, 1}},
		{"behind characters beyond the basic plane", "'😀'; 1; undefinedName", [2]int{1, 10}},
		{"behind a line end that only ECMAScript knows", "1;\u2028undefinedName", [2]int{2, 1}},
		{"an error whose stack was overwritten", "const e = new Error('m'); e.stack = 'x'\nthrow e", [2]int{1, 20}},
		{"an error whose stack is a getter", "const e = new Error('m'); Object.defineProperty(e, 'stack', { get() { return 1 } })\nthrow e", [2]int{1, 20}},
		{"in lowered code", "async function* g() { yield 1 }\n\nundefinedName", [2]int{3, 1}},
		{"after an await", "await 1\n\n  undefinedName", [2]int{3, 3}},
		{"in a strict script", "'use strict'\nundefinedName", [2]int{2, 1}},
		{"a number in a strict script", "'use strict'\nthrow 1", [2]int{2, 1}},
	} {
		_, places := thrownBy(t, tc.script)
		if assert.NotEmpty(t, places, tc.name) {
			assert.Equal(t, tc.want[0], places[0][0], tc.name)
			assert.InDelta(t, tc.want[1], places[0][1], 12, tc.name)
		}
	}
}

func TestALoneThrowKeepsItsMeaning(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"try { throw 1, 2 } catch (e) { e }":                                `2`,
		"try { throw (1) } catch (e) { e }":                                 `1`,
		"try { throw[1] } catch (e) { e }":                                  `[1]`,
		"try { throw/a/.source } catch (e) { e }":                           `"a"`,
		"try { throw x => x } catch (e) { String(e) }":                      `"x => x"`,
		"function f() { throw 'no' } String(f)":                             `"function f() { throw 'no' }"`,
		"const o = { throw: 1, m() { throw this.throw } }; String(o.m)":     `"m() { throw this.throw }"`,
		"function* g() { try { yield } catch (e) { throw yield e } } 1":     `1`,
		"'throw 1' + `throw ${2}`":                                          `"throw 1throw 2"`,
		"if (0) throw 1; else 5":                                            `5`,
		"l: for (;;) { try { throw 1 } catch { break l } } 'out'":           `"out"`,
		"const f = () => { throw 1 }; try { f() } catch (e) { typeof e }":   `"number"`,
		"switch (1) { case 1: try { throw { a: 1 } } catch ({ a }) { a } }": `1`,
	} {
		assert.Equal(t, want, valueOfScript(t, script), script)
	}
}

func TestErrorsStayWhatTheyAre(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"Reflect.ownKeys(new Error('m'))":                                                                                  `["message","stack"]`,
		"[Error.length, Error.name, String(Error), new TypeError('m').message]":                                            `[1,"Error","function Error() { [native code] }","m"]`,
		"class E extends RangeError {} const e = new E('m'); [e instanceof E, e instanceof RangeError, e.name, String(e)]": `[true,true,"RangeError","RangeError: m"]`,
		"new AggregateError([1], 'm').errors":                                                                              `[1]`,
		"function f() { f() } try { f() } catch (e) { [e.name, e instanceof RangeError, e.constructor === RangeError] }":   `["RangeError",true,true]`,
		"typeof InternalError": `"undefined"`,
	} {
		assert.Equal(t, want, valueOfScript(t, script), script)
	}
}

func TestNoProgramHasAMeterInItsText(t *testing.T) {
	t.Parallel()
	shown := valueOfScript(t, "function f(a) { for (const x of a) { if (x) throw x } return (y) => y + 1 } [String(f), String(f([])), new Error('x').stack]")
	assert.NotContains(t, shown, engine.ReservedName)
	assert.True(t, strings.HasPrefix(shown, `["function f(a) { for (const x of a) { if (x) throw x } return (y) => y + 1 }"`), shown)
}
