package frontend

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
)

// nested is a construct that can be repeated within itself.
type nested struct {
	name                               string
	before, open, middle, close, after string
	levels                             int // per repetition
}

func (n nested) source(times int) string {
	return n.before + strings.Repeat(n.open, times) + n.middle + strings.Repeat(n.close, times) + n.after
}

var nestedConstructs = []nested{
	{"parentheses", "", "(", "a", ")", "", 1},
	{"arrays", "x=", "[", "", "]", "", 1},
	{"objects", "x=", "{a:", "1", "}", "", 1},
	{"arrays of objects", "x=", "[{a:", "1", "}]", "", 2},
	{"indexes", "x=", "a[", "0", "]", "", 1},
	{"calls", "", "f(", "", ")", "", 1},
	{"optional calls", "", "f?.(", "", ")", "", 1},
	{"spread arguments", "", "f(...", "a", ")", "", 1},
	{"template holes", "", "`${", "a", "}`", "", 1},
	{"tagged template holes", "", "f`${", "a", "}`", "", 1},
	{"not", "x=", "!", "a", "", "", 1},
	{"minus", "", "- ", "a", "", "", 1},
	{"decrement", "", "-- ", "a", "", "", 1},
	{"tilde", "", "~", "a", "", "", 1},
	{"typeof", "", "typeof ", "a", "", "", 1},
	{"void", "", "void ", "a", "", "", 1},
	{"delete", "", "delete ", "a", "", "", 1},
	{"new", "", "new ", "a", "", "", 1},
	{"await", "async function f(){", "await ", "a", "", "}", 1},
	{"yield", "function* f(){", "yield ", "a", "", "}", 1},
	{"not and parenthesis", "x=", "!(", "a", ")", "", 2},
	{"conditionals behind the colon", "", "a?b:", "c", "", "", 1},
	{"conditionals before the colon", "", "a?", "b", ":c", "", 1},
	{"powers", "", "a**", "b", "", "", 1},
	{"assignments", "", "a=", "b", "", "", 1},
	{"compound assignments", "", "a.b+=", "c", "", "", 1},
	{"patterns", "", "[a]=", "b", "", "", 1},
	{"arrows", "", "a=>", "b", "", "", 1},
	{"parenthesised arrows", "", "(a,b)=>", "c", "", "", 1},
	{"async arrows", "", "async a=>", "b", "", "", 1},
	{"arrow bodies", "", "()=>{", "", "}", "", 2},
	{"functions", "", "function f(){", "", "}", "", 1},
	{"function expressions", "x=", "function(){return ", "a", "}", "", 1},
	{"classes", "", "class A{m(){", "", "}}", "", 2},
	{"class fields", "x=", "class{a=", "1", "}", "", 2},
	{"class heritages", "x=", "class extends ", "A", "{}", "", 1},
	{"static blocks", "", "class A{static{", "", "}}", "", 2},
	{"methods", "x=", "{m(){return ", "a", "}}", "", 2},
	{"computed names", "x=", "{[", "a", "]:1}", "", 2},
	{"blocks", "", "{", "", "}", "", 1},
	{"if", "", "if(a)", "b", "", "", 1},
	{"if with else", "", "if(a)", "b;", "else c;", "", 1},
	{"else", "if(a)b;", "else for(;;)if(a)b;", "", "", "", 2},
	{"for", "", "for(;;)", "a", "", "", 1},
	{"for of", "", "for(a of b)", "c", "", "", 1},
	{"while", "", "while(a)", "b", "", "", 1},
	{"with", "", "with(a)", "b", "", "", 1},
	{"do", "", "do ", "b;", "while(a)\n", "", 1},
	{"labels", "", "l:", "b", "", "", 1},
	{"switches", "", "switch(a){case b:", "", "}", "", 2},
	{"try", "", "try{", "", "}finally{}", "", 2},
	{"arrays over many lines", "x=", "[\n", "", "]\n", "", 1},
	{"not over many lines", "x=", "!\n", "a", "", "", 1},
}

func TestNestingPassesUpToItsLimit(t *testing.T) {
	for _, n := range nestedConstructs {
		t.Run(n.name, func(t *testing.T) {
			// What is around or inside takes two levels at most.
			if _, at, ok := guarded(n.source((maxNesting - 2) / n.levels)); !ok {
				t.Errorf("refused at offset %d below the limit", at)
			}
			source := n.source(maxNesting/n.levels + 1)
			_, at, ok := guarded(source)
			if ok {
				t.Error("accepted above the limit")
			}
			if least := len(n.before) + (maxNesting/n.levels-2)*len(n.open); at < least || at >= len(source) {
				t.Errorf("refused at offset %d of %d, the limit is not before %d", at, len(source), least)
			}
		})
	}
}

func TestChainPassesUpToItsLimit(t *testing.T) {
	for _, n := range []nested{
		{name: "plus", open: "a+", middle: "a"},
		{name: "or", open: "a||", middle: "a"},
		{name: "and", open: "a&&", middle: "a"},
		{name: "coalesce", open: "a??", middle: "a"},
		{name: "less", open: "a<", middle: "a"},
		{name: "in", open: "a in ", middle: "a"},
		{name: "plus over lines", open: "a\n+", middle: "a"},
		{name: "minus of minus", open: "-a - ", middle: "a"},
		{name: "members", before: "a", open: ".b"},
		{name: "members over lines", before: "a", open: "\n.b"},
		{name: "optional members", before: "a", open: "?.b"},
		{name: "calls", before: "a", open: "()"},
		{name: "indexes", before: "a", open: "[0]"},
		{name: "templates", before: "a", open: "``"},
		{name: "parenthesised lines without semicolons", before: "a", open: "\n(b)"},
		{name: "else if", before: "if(a)b;", open: "else if(a)b;"},
		{name: "else if with blocks", before: "if(a){b}", open: "else if(a){b}"},
	} {
		t.Run(n.name, func(t *testing.T) {
			if _, at, ok := guarded(n.source(maxChain - 1)); !ok {
				t.Errorf("refused at offset %d below the limit", at)
			}
			if _, _, ok := guarded(n.source(maxChain + 1)); ok {
				t.Error("accepted above the limit")
			}
		})
	}
}

// The parser reads the head of an arrow function twice, and the compiler evaluates
// constant operands again and again: a hundred bytes of these would take ages.
func TestExponentialWorkIsRefused(t *testing.T) {
	for _, n := range []nested{
		{name: "arrow heads", open: "(a=", middle: "1", close: ")=>1"},
		{name: "arrow heads with two parameters", open: "(a,b=", middle: "1", close: ")=>1"},
		{name: "async arrow heads", open: "async(a=", middle: "1", close: ")=>1"},
		{name: "arrow heads in patterns", open: "({a=", middle: "1", close: "})=>1"},
		{name: "arrow heads in calls", open: "f((a=", middle: "1", close: ")=>1)"},
		{name: "arrow heads in function bodies", open: "(a=function(){return ", middle: "1", close: "})=>1"},
		{name: "yield in error", before: "function*g(){", open: "yield f(", close: ")=1", after: "}"},
		{name: "constant or", before: "x=", open: "0||", middle: "1"},
		{name: "constant and", before: "x=", open: "1&&", middle: "1"},
		{name: "constant coalesce", before: "x=", open: "null??", middle: "1"},
		{name: "constant or that decides", before: "x=true", open: "||a"},
		{name: "constant in parentheses", before: "x=", open: "(", middle: "0", close: "||0)"},
		{name: "constant between operators", before: "x=", open: "-((", middle: "0", close: "||0)+0+0)"},
		{name: "constant behind a prefix", before: "x=", open: "!0||", middle: "1"},
	} {
		t.Run(n.name, func(t *testing.T) {
			if _, at, ok := guarded(n.source(3)); !ok {
				t.Errorf("3 levels refused at offset %d", at)
			}
			most := 1
			for ; most < 40; most++ {
				if _, _, ok := guarded(n.source(most + 1)); !ok {
					break
				}
			}
			if most == 40 {
				t.Fatal("40 levels accepted")
			}
			if took := compileTime(n.source(most)); took > 5*time.Second {
				t.Errorf("%d levels accepted, which took %v", most, took)
			}
		})
	}
}

// Leaving nested blocks takes code for each of them.
func TestExitsFromNestedBlocksAreBounded(t *testing.T) {
	source := func(depth, exits int) string {
		return "for(;;){" + strings.Repeat("try{", depth) + strings.Repeat("break;", exits) + strings.Repeat("}finally{}", depth) + "}"
	}
	if _, at, ok := guarded(source(5, 5000)); !ok {
		t.Errorf("5,000 exits from 5 blocks refused at offset %d", at)
	}
	if _, _, ok := guarded(source(90, 20000)); ok {
		t.Error("20,000 exits from 90 blocks accepted")
	}
}

// The parser goes on behind an error: a source that is full of them costs it time
// and memory without bounds. A few are its to report.
func TestErrorsInGreatNumberAreRefused(t *testing.T) {
	for _, n := range []nested{
		{name: "types of fields", before: "class A{", open: "b :"},
		{name: "labels in brackets", before: "for(;;){", open: ") ,1let[x=>", middle: "", close: "l: do\n"},
		{name: "brackets of another kind", open: "(]"},
		{name: "brackets that close nothing", open: "}"},
		{name: "arrows without heads", open: "1=>"},
		{name: "async without functions", open: "async "},
		{name: "statements in parentheses", before: "(", open: "if(a)b,"},
	} {
		t.Run(n.name, func(t *testing.T) {
			if _, at, ok := guarded(n.source(10)); !ok {
				t.Errorf("10 errors refused at offset %d", at)
			}
			if _, _, ok := guarded(n.source(5000)); ok {
				t.Error("5,000 errors accepted")
			}
		})
	}
}

func compileTime(source string) time.Duration {
	start := time.Now()
	tree, err := parser.ParseFile(nil, "", source, 0, parser.WithDisableSourceMaps)
	if err == nil {
		_, _ = goja.CompileAST(tree, false)
	}
	return time.Since(start)
}

// Sources of a size that a worker accepts, which end the process if they reach the
// parser, or keep it busy for ever.
func TestDeepSourcesAreRefusedEarly(t *testing.T) {
	for _, unit := range []string{
		"[", "(", "!", "1+", "{", "a=>", ".a", "-", "+ +", "new ", "typeof ", "a?b:", "a?", "a**", "a=", "`${", "if(a)",
		"for(;;)", "for(a of b)", "while(a)", "with(a)", "do ", "l:", "async a=>", "(a)=>", "()=>{", "function f(){", "class A{m(){",
		"class extends ", "[{a:", "{a:[", "x[", "f(", "a.b(", "a?.b(", "a?.[", "else if(a)b;", "if(a)b;else if(a)b;else ", "(a=", "a||", "0||",
		"switch(a){case 1:", "try{", "[\n", "!\n", "/a/[", "/[/]/+(", "'('+(", "`(`+(", "/*(*/(", "//(\n(", "f`${", "({", "[...", "{a(){", "a<",
		"yield ", "await ", "x=function(){", "case 1:{", "export default{a:", "import(",
	} {
		t.Run(unit, func(t *testing.T) {
			source := "a" + strings.Repeat(unit, 1<<20/len(unit))
			if unit[0] != '.' {
				source = source[1:]
			}
			if strings.HasPrefix(unit, "else") {
				source = "if(a)b;" + source
			}
			if unit == "yield " {
				source = "function*g(){" + source
			}
			start := time.Now()
			_, at, ok := guarded(source)
			if ok {
				t.Fatal("accepted")
			}
			if at > (maxChain+1)*(len(unit)+1) {
				t.Errorf("refused at offset %d", at)
			}
			if took := time.Since(start); took > time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

func TestOrdinarySourcesPass(t *testing.T) {
	repeat := strings.Repeat
	for name, source := range map[string]string{
		"lines with semicolons":                       repeat("a.b = c + d;\n", 5000),
		"lines without semicolons":                    repeat("a.b = c + d\n", 5000),
		"calls without semicolons":                    repeat("a.b(c, !d)\n", 5000),
		"declarations without semicolons":             repeat("const a = b ? -c : (d) => d\n", 5000),
		"if without semicolons":                       repeat("if (a) b()\n", 3000),
		"if and else without semicolons":              repeat("if (a) b()\nelse c()\n", 3000),
		"loops without semicolons":                    repeat("for (const a of b) c(a)\nwhile (d) e()\ndo f()\nwhile (g)\n", 1000),
		"do while":                                    repeat("if (a) do b(); while (c); else d();\n", 1000),
		"arrow functions without semicolons":          repeat("var f = x => {}\n", 1000),
		"updates without semicolons":                  repeat("a\n++b\nc--\n", 1000),
		"returns without semicolons":                  "function f() {\n" + repeat("if (a) return\nreturn b\n", 1000) + "}",
		"labels":                                      repeat("l: for (;;) { break l }\n", 1000),
		"a method chain over lines":                   "x" + repeat("\n  .map((a) => a.b)", 900),
		"an object of functions":                      "x = {" + repeat("m(a) { return -a },\n f: function () { return !a },\n g: (a) => a ? b : c,\n", 800) + "}",
		"a default export":                            "export default {\n" + repeat("a: 1,\n b() { return /c/ },\n", 500) + "}",
		"a switch of 1,000 cases":                     "switch (a) {" + repeat("case 1: b()\nbreak\n", 1000) + "}",
		"1,900 else if":                               "if (a) { b() }" + repeat(" else if (a) { b() }", 1900),
		"1,900 else if with loops":                    "if (a) for (x of y) { b() }" + repeat(" else if (a) for (x of y) { b() }", 1900),
		"an array of 50,000 elements":                 "x = [" + repeat("1,", 50000) + "]",
		"an array of 10,000 records":                  "x = [" + repeat("{a: 1, b: [2, -3], c: 'd'},\n", 10000) + "]",
		"5,000 variables":                             "var a" + repeat(", a = -1", 5000),
		"a sequence":                                  "x = (" + repeat("a, ", 50000) + "a)",
		"many arguments":                              "f(" + repeat("!a, ", 20000) + "a)",
		"signs in a sum":                              repeat("-a + ", 1900) + "a",
		"powers in a sum":                             repeat("a ** b + ", 900) + "a",
		"members in a sum":                            repeat("a.b.c().d + ", 1500) + "a",
		"try":                                         repeat("try { a() } catch (e) { b() } finally { c() }\n", 1000),
		"classes":                                     repeat("class A extends B { a = 1\n b = -2\n static c\n m() { return !a }\n static { x() }\n get y() { return 1 } }\n", 500),
		"callbacks in callbacks":                      repeat("f((a) => { ", 30) + repeat("})", 30),
		"promise chains":                              "f()" + repeat(".then(async (a) => { await b(a) })", 500),
		"arrows in the bodies of arrows":              repeat("(a) => ", 100) + "b",
		"arrows in the heads of arrows":               "(cb = (x) => x, d = (y = (z) => 1) => 2) => 1",
		"arrows in the heads of many functions":       repeat("f((a = (b) => b, {c = (d) => d}) => a(c));\n", 2000),
		"templates":                                   repeat("x = `a${b ? `c${d}` : ''}e`\n", 2000),
		"a template with many holes":                  "x = `" + repeat("${a} ", 5000) + "`",
		"regular expressions":                         repeat("x = /[/(]+/.test(y) / 2\n", 2000),
		"generators":                                  "function* g() {" + repeat("yield* f(yield x)\nyield call(function* () { yield y })\n", 1000) + "}",
		"constants":                                   repeat("x = a || 'b' || 1 + 2 * 3 || (4, 5)\ny = true && debug\n", 1000),
		"returns from nested blocks":                  repeat("function f() { for (;;) { try { if (a) { return b } } finally { break } } }\n", 1000),
		"brackets in text":                            repeat("x = '((((' + \"[[[[\" + `{{{{` // ((((\n/* [[[[ */", 1000),
		"an expression that is broken over the lines": "x = a" + repeat("\n  && b\n  || !c", 900),
	} {
		t.Run(name, func(t *testing.T) {
			tokens, at, ok := guarded(source)
			if !ok {
				t.Fatalf("refused at offset %d: %.40q", at, source[at:])
			}
			if at, ok := guardedTokens(source, tokens); !ok {
				t.Errorf("its own tokens are refused at offset %d", at)
			}
			for _, token := range tokens {
				if token.kind == tokenPunct && token.match < 0 && strings.Contains("([{", source[token.start:token.end]) {
					t.Fatalf("the bracket at offset %d is not closed", token.start)
				}
			}
		})
	}
}

// A slash is a division or begins a regular expression. Those are marked: §/a/§.
func TestGuardKnowsWhatASlashMeans(t *testing.T) {
	for _, marked := range slashes {
		source, want := unmark(marked)
		tokens, _, _ := guarded(source)
		got := map[int]bool{}
		for _, token := range tokens {
			if token.kind == tokenRegexp {
				got[token.start] = true
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: regular expressions at %v, want %v", marked, got, want)
		}
	}
}

func unmark(marked string) (source string, regexps map[int]bool) {
	regexps = map[int]bool{}
	for i, part := range strings.Split(marked, "§") {
		if i%2 == 1 {
			regexps[len(source)] = true
		}
		source += part
	}
	return source, regexps
}

var slashes = []string{
	// operands
	"a / b / c", "a = b\n/c/g", "f(a) / b / c", "a = (b) / c / d", "x = [] / 1 / 2", "x = {} / 1 / 2", "1 / 2 / 3", "1n / 2 / 3", "1. / 2 / 3", "'a' / 2 / 3",
	"`a` / 2 / 3", "a`b` / 1 / 2", "§/a/§ / 2", "§/a/§\n/ 2 / 3", "this / 2 / 3", "null / 2 / 3", "super.a / 1 / 2", "import.meta / 1 / 2", "new.target / 1 / 2",
	"a++ / b / c", "a\n++§/b/§.c", "new A / 2 / 3", "new A() / 2 / 3", "a?.[0] / b / c", "a?.(0) / b / c", "#a in b / 2 / 3", "a?.5/b/c:d",
	// operators
	"x = §/a/§", "x = a ? §/b/§ : §/c/§", "!§/a/§.b", "a in §/b/§", "a instanceof §/b/§", "typeof §/a/§", "void §/a/§", "delete §/a/§.b", "a ** §/b/§",
	"(§/a/§)", "[§/a/§]", "[, §/a/§]", "[...§/a/§]", "f(§/a/§, §/b/§)", "`${§/a/§}` / b / c", "a, §/b/§", "a ?? §/b/§", "a => §/b/§", "x = a => b / c / d",
	// property names
	"a.return / b / c", "a?.typeof / b / c", "a.if / b / c", "x = { if: 1 / 2 / 3, typeof() { return §/a/§ } }", "x = { return: §/a/§ }", "a.await / b / c",
	// statements
	"§/a/§", "§/a/§; §/b/§", "if (a) §/b/§.test(c)", "if (a) b\nelse §/c/§", "if (a) {} else {} §/b/§", "while (a) §/b/§", "while (a) { } §/b/§", "for (;;) §/b/§",
	"for (x of §/a/§) §/b/§", "for await (x of y) §/a/§", "for (let [a] of b) §/c/§", "for (const a in b) §/c/§", "for (;§/a/§;§/b/§) §/c/§", "with (a) §/b/§",
	"do §/a/§; while (b) §/c/§", "do { } while (a) §/b/§", "l: §/a/§", "{} §/a/§", "a\n{ } §/b/§", "{ a: §/b/§ }", "{ a: { §/b/§ } }", "return §/a/§", "throw §/a/§",
	"return {} / 1 / 2", "return\n{} §/a/§", "throw {} / 1 / 2", "break\n§/a/§", "debugger\n§/a/§", "if (a) ; else ; §/b/§", "try {} catch {} §/a/§",
	"try {} catch (e) {} finally {} §/a/§", "switch (a) { case §/a/§: §/b/§; default: §/c/§ }", "switch (a) { case b ? c : d: §/e/§ }", "switch (a) { case b: { } §/c/§ }", "switch (a) {} §/b/§",
	"export default §/a/§", "export default {a: 1} / 2 / 3", "export {a}\n§/b/§", "if (a) function f() {} §/b/§",
	// functions
	"function f() {} §/a/§", "async function f() {} §/a/§", "function* f() {} §/a/§", "x = function () {} / 1 / 2", "x = function* () {} / 1 / 2", "x = async function () {} / 1 / 2",
	"(function () {}) / 1 / 2", "f(function () {} / 1 / 2)", "a = b ? function () {} / 1 / 2 : c / 1 / 2", "x = a => {}\n§/a/§.b", "(a) => {}\n§/b/§", "x = y => ({}) / 1 / 2",
	"x = async a => §/b/§", "async (a) => §/b/§", "async(a) / b / c", "async / 1 / 2", "async function f(a = §/b/§) { §/c/§ }", "f(a => {}, §/b/§)", "x = a => class { b() { return §/c/§ } } / 1 / 2", "x = a => b\n{} §/c/§",
	// classes
	"class A {} §/a/§", "x = class {} / 1 / 2", "(class {}) / 1 / 2", "f(class {} / 1 / 2)", "x = class extends A {} / 2 / 3", "class A extends B {} §/a/§", "class A extends f({}) { m() { §/a/§ } }",
	"class A extends {}.b { m() { §/a/§ } } §/c/§", "x = class extends class {} { m() { §/a/§ } } / 1 / 2", "x = class extends function () {} { m() { §/a/§ } } / 1 / 2", "class A { m() {} } §/a/§",
	"class A { a = §/b/§; b = 1 / 2 / 3 }", "class A { a = 1 / 2 / 3\n b = §/c/§ }", "class A { static { §/a/§ } static a = §/b/§ }", "class A { 'b' = §/c/§; [d] = §/e/§; #f = §/g/§; 1 = §/h/§ }",
	"class A { get a() { return §/b/§ } set a(b) { §/c/§ } }", "class A { async #a() { await §/b/§ } async 'c'() { await §/d/§ } async *[e]() { yield §/f/§ } }",
	// objects
	"({a: §/b/§})", "({a: 1} / 2 / 3)", "({ m() {} } / 1 / 2)", "x = { a: {} / 1 / 2 }", "x = { a } / 1 / 2", "x = { get a() { return §/b/§ }, b: 1 / 2 / 3 }", "x = {a: b ? §/c/§ : §/d/§, e: §/f/§}",
	"({ async a() { await §/b/§ }, *b() { yield §/a/§ }, async *c() { yield §/a/§; await §/b/§ } })", "x = {...§/a/§}", "x = {[§/a/§]: §/b/§}", "a = b || {} / 1 / 2", "a ? b : {} / 1 / 2",
	"let { a } = b / c / d", "let [a] = b / c / d", "let { a = §/b/§ } = c", "({ a = §/b/§ } = c)",
	// words that are names as well
	"let / 2 / 3", "x = yield / 2 / 3", "function* f() { yield §/a/§ }", "function* f() { (function () { yield / 2 / 3 }) }", "async function f() { await §/a/§ }", "function f() { await / 2 / 3 }",
	"async function f() { () => { await / 2 / 3 } }", "async () => await §/a/§", "async () => { await §/a/§ }", "of / 1 / 2", "get / 1 / 2", "static / 1 / 2", "x = do_ / 1 / 2", `\u0069f / 1 / 2`, "as / 1 / 2",
}

// Code in what a careless lexer takes for text: the guard sees it.
func TestCodeCannotHideInText(t *testing.T) {
	deep := strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300)
	for name, source := range map[string]string{
		"behind an object":              "x = {}\n/1; " + deep + " /1",
		"behind a function expression":  "x = function () {}\n/1; " + deep + " /1",
		"behind a class expression":     "x = class {}\n/1; " + deep + " /1",
		"behind a name in another line": "x = a\n/b; " + deep + " /g",
		"behind a call":                 "x = f(a)\n/1; " + deep + " /1",
		"behind a property":             "x = a.typeof /1; " + deep + " /1",
		"behind an update":              "a++ /1; " + deep + " /1",
		"behind a template":             "x = `` /1; " + deep + " /1",
		"behind a regular expression":   "x = /a/ /1; " + deep + " /1",
		"a quote in a regexp":           "if (a) /'/; " + deep + "; '",
		"a quote in a class of one":     "x = /[/']/; " + deep + "; '",
		"a quote behind a block":        "{} /'/; " + deep + "; '",
		"a backtick in a regexp":        "if (a) {} /`/; " + deep + "; ``",
		"a comment in a regexp":         "x = /[/*]/; " + deep + "; /**/",
		"a comment in a string":         "x = '/*'; " + deep + "; '*/'",
		"a comment in a template":       "x = `//`; " + deep,
		"a comment that ends early":     "/* /* */ " + deep + " /* */",
		"a comment that is none":        "x = a /1/*/*/; " + deep,
		"a string that ends early":      `x = 'a\\'; ` + deep + `; '`,
		"a string over two lines":       "x = 'a\\\n'; " + deep + "; ''",
		"a string with a separator":     "x = '\u2028'; " + deep + "; ''",
		"a line end behind a comment":   "// a\u2028" + deep,
		"a carriage return":             "// a\r" + deep,
		"a template in a hole":          "x = `${`}`}`; " + deep + "; ``",
		"a brace in a hole":             "x = `${{}}`; " + deep + "; ``",
		"a dollar before a hole":        "x = `$${" + deep + "}`",
		"an escaped dollar":             "x = `\\${`; " + deep + "; `}`",
		"a line end in a class":         "x = /[\\\n']/; " + deep + "; '",
		"a hole behind a regexp":        "x = `${/`/}`; " + deep + "; ``",
		"a blank of an odd kind":        "x = a\u0085/1; " + deep + " /1",
		"a name with a long escape":     `x = \u{` + strings.Repeat("0", 50) + `61} /1; ` + deep + ` /1`,
		"a number with a member":        "x = 017.a /1; " + deep + " /1",
	} {
		t.Run(name, func(t *testing.T) {
			_, at, ok := guarded(source)
			if ok {
				t.Fatal("accepted")
			}
			if first := strings.Index(source, deep); at < first || at > first+300 {
				t.Errorf("refused at offset %d, the brackets begin at %d", at, first)
			}
		})
	}
}

// Whether await is an operator at the top level is up to the parser. Where it is a
// name, the guess is wrong; the exact tokens show what it has hidden.
func TestExactTokensShowWhatTheGuessHid(t *testing.T) {
	deep := strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300)
	source := "var await = 1, x; await /x+'/ + ' ; " + deep + " ; y = ''"
	tree, err := parser.ParseFile(nil, "", source, 0, parser.WithDisableSourceMaps)
	if err != nil {
		t.Fatal(err)
	}
	if statements := tree.Body; len(statements) != 4 {
		t.Fatalf("the parser saw %d statements, want 4", len(statements))
	}
	if _, ok := tree.Body[2].(*ast.ExpressionStatement); !ok {
		t.Fatal("the parser did not see the brackets")
	}
	if _, _, ok := guarded(source); !ok {
		t.Fatal("the guess was right after all: find another example")
	}
	at, ok := guardedTokens(source, lex(source, exactRegexps{}))
	if ok {
		t.Fatal("accepted")
	}
	if first := strings.Index(source, deep); at < first || at > first+300 {
		t.Errorf("refused at offset %d, the brackets begin at %d", at, first)
	}
}

func TestCheckTakesLinearTime(t *testing.T) {
	for _, unit := range []string{"a.b(c)\n", "if(a)b\n", "[a,{b:c}];", "`${a}`;", "/a/;", "if(a)b;else c;", "x={a(){}};", "}", ")", "/*", "'", "`", "a=>b;", "\\u{", "1.", "async\n"} {
		source := strings.Repeat(unit, 1<<20/len(unit))
		start := time.Now()
		guarded(source)
		// A quadratic step would take minutes.
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q: 1 MiB takes %v", unit, took)
		}
	}
}

func FuzzGuard(f *testing.F) {
	for _, n := range nestedConstructs {
		f.Add(n.source(3))
	}
	for _, marked := range slashes {
		source, _ := unmark(marked)
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		tokens, at, ok := guarded(source)
		again, okAgain := guardedTokens(source, tokens)
		if ok != okAgain || at != again {
			t.Fatalf("the source: %d %v, its tokens: %d %v", at, ok, again, okAgain)
		}
		if !ok && (at < 0 || at >= len(source)) {
			t.Fatalf("refused at offset %d of %d", at, len(source))
		}
	})
}

func BenchmarkCheckNesting(b *testing.B) {
	source := strings.Repeat("function f(a, b) { if (a.b(c => c + 1) > 2) { return `x${a}` } return /b/.test(a) }\n", 1000)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		guarded(source)
	}
}

// guarded and guardedTokens give the parts of what the guard says one by one.
func guarded(source string) (tokens []token, at int, ok bool) {
	tokens, over := checkNesting(source)
	return tokens, over.at, !over.passed()
}

func guardedTokens(source string, tokens []token) (at int, ok bool) {
	over := checkTokens(source, tokens)
	return over.at, !over.passed()
}
