package frontend

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// longScript has most of the language, with tabs, astral characters, CRLF.
const longScript = "#!/usr/bin/env node\n// 😀 first\n'use strict';\r\n" + `
/* a */ const list = [1, 2, 3].map((x) => x * 2), é = "😀";	let re = /[/]'/g;
function outer(a, { b = () => 2, c: [d] } = { c: [1] }, ...rest) {
	'inner directive'
	if (a) { return b() } else if (d) return d; else { rest.length }
	for (const x of rest) x
	for (let i = 0; i < 3; i++) { if (i == 1) continue; label: while (true) break label }
	do { a-- } while (a > 0)
	switch (a) { case (1): return 1; default: a }
	try { a } catch { b } finally { d }
	return ` + "`x${`y${a}`}z`" + `
}
class A extends Array { #p = 1; static s = 2; get p() { return this.#p } set p(v) { this.#p = v }
	static { this.t = 3 }
	constructor() { super(); this.q = async () => { await 1 } }
	*gen() { yield* [1, 2] } async am() { return (await 1) } ['comp' + 1]() { return new.target } }
const o = { m() { return 1 }, get g() { return 2 }, set g(v) { v }, f: function named() { }, async a() { }, async: x => x, ...{ z: 1 } };
var v = (((x) => ((x) + 1)))(1) ?? 2, w = o?.m?.() ** 2;
outer(1); new A().gen().next();
const arrow = a => b => (c => ({ a, b, c }));
[list.length, v, w, arrow(1)(2)(3).c, é, re.source]
`

func TestTextIsTheSourceWithItsEdits(t *testing.T) {
	t.Parallel()
	p := build(t, longScript, true)
	var rebuilt strings.Builder
	sourceAt, textAt := 0, 0
	for _, e := range p.Edits {
		piece := p.Source[sourceAt:e.At]
		rebuilt.WriteString(piece)
		textAt += len(piece)
		insert := p.Text[textAt : textAt+e.Insert]
		if e.At < len(p.Source) {
			assert.NotContains(t, insert, "\n", "lines stay what they are")
		}
		rebuilt.WriteString(insert)
		textAt += e.Insert
		sourceAt = e.At + e.Delete
	}
	rebuilt.WriteString(p.Source[sourceAt:])
	assert.Equal(t, p.Text, rebuilt.String())
	got := runText(t, p, nil)
	require.NoError(t, got.err)
	assert.Equal(t, "3,2,1,3,😀,[\\u002f]'", got.value.String())
}

func TestEveryTokenLeadsBackToItsPlace(t *testing.T) {
	t.Parallel()
	p := build(t, longScript, true)
	tokens := lex(p.Source, exactRegexps{strings.Index(p.Source, "/[/]"): true})
	textAt := 0
	for i, tok := range tokens {
		piece := p.Source[tok.start:tok.end]
		// The tokens of the source stand in the text in the same order; between
		// them stands only what was inserted, which has the reserved name or is a
		// bracket, and can be told by asking for the place.
		for {
			next := strings.Index(p.Text[textAt:], piece)
			require.GreaterOrEqual(t, next, 0, piece)
			textAt += next
			line, column, ok := p.Position(textAt)
			require.True(t, ok)
			wantLine, wantColumn := p.SourcePosition(tok.start)
			if line == wantLine && column == wantColumn {
				break
			}
			textAt++
			require.LessOrEqual(t, [2]int{line, column}[0], wantLine, "token %d %q", i, piece)
		}
		textAt += len(piece)
	}
}

func TestFunctionsShowTheAuthorsText(t *testing.T) {
	t.Parallel()
	source := `
function f(a) { 'use strict'; if (a) return 1; else return 2 }
const g = (x) => (x + 1), h = async y => { await y }, i = a => b => c => a, j = ((x) => ((x)));
class A { m(x) { return x } get y() { return 1 } static async *bad2() {} static { 1 } }
`
	source = strings.Replace(source, "static async *bad2() {} ", "", 1)
	names := map[string]string{
		"f":             "function f(a) { 'use strict'; if (a) return 1; else return 2 }",
		"g":             "(x) => (x + 1)",
		"h":             "async y => { await y }",
		"i":             "a => b => c => a",
		"j":             "(x) => ((x))",
		"A":             "class A { m(x) { return x } get y() { return 1 } static { 1 } }",
		"A.prototype.m": "m(x) { return x }",
	}
	for name, want := range names {
		p := build(t, source+name, true)
		got := runText(t, p, nil)
		require.NoError(t, got.err)
		assert.Equal(t, want, p.AuthorText(got.value.String()), name)
	}
	p := build(t, "1", true)
	assert.Equal(t, "function map() { [native code] }", p.AuthorText("function map() { [native code] }"))
}

func TestSyntaxErrorsAreWhereTheAuthorMadeThem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		line, column int
		message      string
	}{
		{"in the first line", "1 +", 1, 4, "end of input"},
		{"in the first line, after wide characters", "'😀é' )", 1, 7, ""},
		{"in a later line", "let a = 1;\nlet b = = 2;", 2, 9, ""},
		{"after CRLF", "1;\r\n2;\r\n  )", 3, 3, ""},
		{"after a hashbang", "#!x\n)", 2, 1, ""},
		{"after a byte order mark", "\uFEFF)", 1, 1, ""},
		{"after U+2028", "1;\u2028)", 2, 1, ""},
		{"a script that would step out of the wrapper", "1 })(); evil(); (()=>{", 1, 3, ""},
		{"a closing brace alone", "}", 1, 1, ""},
		{"an unterminated comment", "1 /* x", 1, 7, ""},
		{"an unterminated template", "`x", 1, 3, ""},
		{"an unterminated string", "'x", 1, 1, ""},
		{"break outside of a loop", "break", 1, 1, ""},
		{"an async error", "await 1;\n1 +;", 2, 4, ""},
		{"a reserved name", "let x = 1; __ringfence_meterV = 2", 1, 12, "reserved"},
		{"an escaped reserved name", `let x = 1; __ringf\u0065nce_meter = 2`, 1, 12, "reserved"},
		{"a reserved name with a long escape", `\u{5f}_ringfence_meter`, 1, 1, "reserved"},
		{"a reserved property", `({}).__ringfence_meter`, 1, 6, "reserved"},
		{"invalid UTF-8", "let a;\n\xff", 2, 1, "UTF-8"},
		{"the flag v of a regular expression", "let a;\n/[a]/v", 2, 1, ""},
		{"the flag d of a regular expression", "/a/d", 1, 1, ""},
		{"a regular expression without its end", "1 % /[", 1, 5, "missing /"},
		{"an error in a script that is lowered", "async function* g() { yield 1 }\nfor await (const x of g()) x;\nlet y = ;", 3, 9, ""},
		{"for await outside of an async function", "function f() {\n  for await (const x of []) x\n}", 2, 7, "await"},
		{"a regular expression over two lines", "/[\\\n]/", 1, 1, "missing /"},
		{"an HTML comment", "let a = 1;\na<!--b", 2, 2, "HTML"},
		{"import", "import x from 'y'", 1, 1, ""},
		{"export", "1;\nexport default 1", 2, 1, ""},
		{"dynamic import", "import('x')", 1, 1, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p, err := Build(test.source, testOptions(true))
			require.NotNil(t, err, "%v", p)
			assert.Equal(t, engine.GuestException, err.Class)
			assert.Equal(t, "SyntaxError", err.Name)
			assert.Contains(t, err.Message, test.message)
			assert.NotRegexp(t, regexp.MustCompile(`Line \d|\(anonymous\)|test\.js`), err.Message)
			assert.Equal(t, [2]int{test.line, test.column}, [2]int{err.Line, err.Column}, err.Message)
			assert.Equal(t, "test.js", err.File)
		})
	}
}

func TestSourceLimitIsCheckedFirst(t *testing.T) {
	t.Parallel()
	opts := testOptions(true)
	opts.MaxSource = 3
	_, err := Build("1+1", opts)
	assert.Nil(t, err)
	_, err = Build("\xff\xff\xff\xff", opts)
	require.NotNil(t, err)
	assert.Equal(t, engine.LimitSource, err.Limit)
	assert.Equal(t, "test.js", err.File)
}

func TestSourceMapCommentOpensNothing(t *testing.T) {
	t.Parallel()
	p := build(t, "1\n//# sourceMappingURL=/dev/zero", true)
	got := runText(t, p, nil)
	assert.Equal(t, "1", got.value.String())
}

func TestFormFollowsTheTopLevel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, source string
		async        bool
		want         string
	}{
		{"neither", "1 + 1", false, "2"},
		{"return", "return 42; 1", false, "42"},
		{"return in a branch, not taken", "if (false) return 1; 7", false, "7"},
		{"a bare return", "1; return", false, "undefined"},
		{"await", "const x = await 5; x", true, "5"},
		{"await and return", "return await 6", true, "6"},
		{"await without a value", "await 1; var y = 2", true, "1"},
		{"await in a function only", "(async () => { await 1 })(); 3", false, "3"},
		{"await as a name", "var await = 4; await", false, "4"},
		{"await in a text", "'await'", false, "await"},
		{"this is the global object", "this === globalThis", false, "true"},
		{"this in the async form", "await 0; this === globalThis", true, "true"},
		{"strict code", "'use strict'; (function () { return this })() === undefined", false, "true"},
		{"sloppy code", "(function () { return this })() === globalThis", false, "true"},
		{"arguments is not there", "typeof arguments", false, "undefined"},
		{"arguments cannot be reached", "try { arguments } catch (e) { e.name }", false, "ReferenceError"},
		{"top-level declarations are local", "var a = 1; function b() { } typeof globalThis.a + typeof globalThis.b", false, "undefinedundefined"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := build(t, test.source, true)
			assert.Equal(t, test.async, p.Async)
			got := runText(t, p, nil)
			require.NoError(t, got.err)
			assert.Equal(t, test.want, got.value.String())
		})
	}
}

func TestTopLevelVarsBeginWithTheGlobalOfTheirName(t *testing.T) {
	t.Parallel()
	source := `var args = args || {}, { a: [b = 1, ...c], d } = { a: [], d: 2 };
for (var e = 0; e < 1; e++) { var f }
for (var g in {}) ; for (var { h } of []) ;
function i() { var inner } var i
let k; const m = 1;
(() => { var alsoInner })();
args.x`
	p := build(t, source, true)
	assert.Equal(t, []string{"args", "b", "c", "d", "e", "f", "g", "h"}, p.Vars)
	got := runText(t, p, map[string]any{"args": map[string]any{"x": 9}})
	require.NoError(t, got.err)
	assert.Equal(t, "9", got.value.String())
	got = runText(t, p, nil)
	require.NoError(t, got.err)
	assert.Equal(t, "undefined", got.value.String())

	strict := build(t, `'use strict'; var args = args || 1; args`, true)
	assert.Equal(t, "7", runText(t, strict, map[string]any{"args": 7}).value.String())
}

func TestReachIsSoundAboutBuiltInNames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source  string
		reaches bool
	}{
		{"'a'.length + [1][0] + ({})['x']", false},
		{"'a'.repeat(2)", true},
		{"'a'.rep\\u0065at(2)", true},
		{"'a'['repeat'](2)", true},
		{"'a'['\\x72epeat'](2)", true},
		{"'a'[`repeat`](2)", true},
		{"'a'['re' + 'peat'](2)", true},
		{"let { repeat: r } = 'a'", true},
		{"let { 'repeat': r } = 'a'", true},
		{"let { ['re' + 'peat']: r } = 'a'", true},
		{"class A extends String { m(k) { return super[k] } }", true},
		{"Reflect.get('a', 'x')", true},
		{"Object.getOwnPropertyDescriptors(String.prototype)", true},
		{"with ('a') x", true},
		{"({ ['a']: 1, 'b': 2, 3: 4 })", false},
	}
	for _, test := range tests {
		assert.Equal(t, test.reaches, build(t, test.source, true).Reaches("repeat"), test.source)
	}
}

func TestOperandsOfBigIntOperatorsAreGuarded(t *testing.T) {
	t.Parallel()
	tests := []struct {
		source string
		guards int
	}{
		{"1 << 2; 2 ** 3; x => x << 0x10", 0},
		{"1n << 2n", 1},
		{"let a = 2; a ** (a ** a)", 2},
		{"let a = 2n; a <<= a; a **= (1n, 2n)", 2},
		{"let f = () => 2; 2 ** f() ** f()", 2},
		{"let a = 1n; a >> -2n; a >>= a", 2},
		{"let a = 2; a >>> a; a * a; a > a", 0},
	}
	for _, test := range tests {
		p := build(t, test.source, true)
		assert.Equal(t, test.guards, strings.Count(p.Text, engine.ReservedName+"K("), p.Text)
		if strings.HasPrefix(test.source, "1 <<") {
			continue // its value is a function
		}
		assert.Equal(t, runBare(t, test.source), runText(t, p, nil).value.String(), p.Text)
	}
}

func runBare(t *testing.T, source string) string {
	t.Helper()
	v, err := goja.New().RunString(source)
	require.NoError(t, err)
	return v.String()
}

func TestLoweredScriptsKeepPositionsAndTexts(t *testing.T) {
	t.Parallel()
	source := "const é = '😀'; async function* g() {\n  yield 1; await 2;\n  throw new Error('x') }\nasync function f() { for await (const x of g()) x }\nconst o = { async *m() { yield 3 } };\n"
	p := build(t, source+"f.toString()", true)
	got := runText(t, p, nil)
	require.NoError(t, got.err)
	assert.Equal(t, "async function f() { for await (const x of g()) x }", p.AuthorText(got.value.String()))

	p = build(t, source+"try { for await (const x of g()) x } catch (e) { e.stack }", true)
	got = runText(t, p, nil)
	require.NoError(t, got.err)
	place := regexp.MustCompile(`test\.js:(\d+):(\d+)`).FindStringSubmatch(got.value.String())
	require.NotNil(t, place, got.value.String())
	line, err := strconv.Atoi(place[1])
	require.NoError(t, err)
	column, err := strconv.Atoi(place[2])
	require.NoError(t, err)
	line, column, ok := p.Position(p.OffsetOfBytes(line, column))
	require.True(t, ok)
	assert.Equal(t, [2]int{3, 9}, [2]int{line, column})

	p = build(t, "typeof __await + typeof __asyncGenerator + typeof __forAwait; (async function* () {})", true)
	assert.NotContains(t, runText(t, build(t, "async function* g() { yield 1 } for await (const x of g()); typeof __forAwait", true), nil).value.String(), "function", "helpers stay out of sight")
	assert.NotNil(t, p)
}

func TestReservedNameGetsOutOfTheWayOfTheAuthorsTexts(t *testing.T) {
	t.Parallel()
	p := build(t, "'__ringfence_meter(1)'; /* __ringfence_meter1 */ (() => '__ringfence_meter(1);')", true)
	got := runText(t, p, nil)
	require.NoError(t, got.err)
	assert.Equal(t, "() => '__ringfence_meter(1);'", p.AuthorText(got.value.String()))
}

// FuzzBuild checks that Build never panics, and that what it makes is what the
// interpreter can read.
func FuzzBuild(f *testing.F) {
	f.Add(longScript)
	for _, seed := range []string{"", "1", "if(a)b;else c", "a=>b", "await x", "})(", "`${`${1}`}`", "/a/g", "x\n/b/g", "'use strict'", "l: for(;;) break l", "a?.b ** c", "class A{static{}}", "#!x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 4096 {
			return
		}
		p, failure := Build(source, testOptions(true))
		if failure != nil {
			if failure.Line < 0 || failure.Message == "" {
				t.Fatalf("an error that says nothing: %#v", failure)
			}
			return
		}
		// Whether it compiles is another matter: some errors, such as a malformed
		// regular expression, are found only then.
		if _, err := goja.Parse("fuzz", p.Text, parser.WithDisableSourceMaps); err != nil {
			t.Fatalf("%q became %q: %v", source, p.Text, err)
		}
	})
}
