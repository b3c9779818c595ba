package frontend

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"time"
)

var kindNames = map[tokenKind]string{
	tokenIdentifier: "name", tokenPrivate: "private", tokenNumber: "number", tokenString: "string",
	tokenTemplate: "template", tokenTemplateOpen: "hole", tokenRegexp: "regexp", tokenPunct: "",
}

func TestLexFindsTheTokens(t *testing.T) {
	for _, test := range []struct {
		source string
		want   string // tokens with their kinds, ⏎ before those behind a line end
	}{
		{"", ""},
		{" \t\v\f\u00a0\ufeff\u2003\u0085", ""},
		{"#!/usr/bin/env node\na", "⏎name:a"},
		{"a #!b", "name:a # ! name:b"},
		{"var $a_1 = b;", "name:var name:$a_1 = name:b ;"},
		{`\u0061b a\u{62}c`, `name:\u0061b name:a\u{62}c`},
		{`a\u{` + strings.Repeat("0", 40) + `61}b`, `name:a\u{` + strings.Repeat("0", 40) + `61}b`},
		{`\(`, `name:\ (`},
		{"žluťoučký 変数 𝒳", "name:žluťoučký name:変数 name:𝒳"},
		{"#a.#b", "private:#a . private:#b"},
		{"a\u00a0b\u2028c\u0085d", "name:a name:b ⏎name:c name:d"},

		{"1 1.5 .5 1. 1e5 1E-5 1.5e+5 0x1F 0b11 0o17 1_000 10n 0xFFn 017", "number:1 number:1.5 number:.5 number:1. number:1e5 number:1E-5 number:1.5e+5 number:0x1F number:0b11 number:0o17 number:1_000 number:10n number:0xFFn number:017"},
		{"1..a 1.5.a 017.a 1e5.a 0x1.a", "number:1. . name:a number:1.5 . name:a number:017 . name:a number:1e5 . name:a number:0x1 . name:a"},
		{"0xe+1", "number:0xe + number:1"},
		{"1-1", "number:1 - number:1"},
		{"3in", "number:3 name:in"},
		{"a.5", "name:a number:.5"},

		{`'a' "b"`, `string:'a' string:"b"`},
		{`'\'' "\"" '\\'`, `string:'\'' string:"\"" string:'\\'`},
		{"'a\\\nb' 'c\\\r\nd'", "string:'a\\\nb' string:'c\\\r\nd'"},
		{"'a\u2028b'", "string:'a\u2028b'"},
		{"'a\nb", "string:'a ⏎name:b"},
		{`'a\`, `string:'a\`},

		{"`a` `` `\\``", "template:`a` template:`` template:`\\``"},
		{"`a${b}c${d}e`", "hole:`a${ name:b hole:}c${ name:d template:}e`"},
		{"`${`${a}`}`", "hole:`${ hole:`${ name:a template:}` template:}`"},
		{"`${{}}`", "hole:`${ { } template:}`"},
		{"`$${a}$`", "hole:`$${ name:a template:}$`"},
		{"`\\${a}`", "template:`\\${a}`"},
		{"`a\nb` c", "template:`a\nb` name:c"},
		{"`a", "template:`a"},
		{"`a${b", "hole:`a${ name:b"},
		{"}`", "} template:`"},

		{"/a/g", "regexp:/a/g"},
		{"(/[/]/, /\\//, /[\\]/]/)", "( regexp:/[/]/ , regexp:/\\// , regexp:/[\\]/]/ )"},
		{"/a\n/", "regexp:/a ⏎/"},
		{"/a\\\n/", "regexp:/a\\ ⏎/"},
		{"/[\n]/", "regexp:/[ ⏎] regexp:/"},
		{"/[\\\n]/", "regexp:/[\\\n]/"},
		{"/a\u2028/", "regexp:/a ⏎/"},
		{"/[\u2028]/", "regexp:/[\u2028]/"},
		{"/a\\\u2028/", "regexp:/a\\ ⏎/"},
		{"/=a/", "regexp:/=a/"},
		{"a /= b", "name:a /= name:b"},
		{"a / b / c", "name:a / name:b / name:c"},

		{"a//b\nc", "name:a ⏎name:c"},
		{"a/*b*/c", "name:a name:c"},
		{"a/*\n*/b", "name:a ⏎name:b"},
		{"a/*/*/b", "name:a name:b"},
		{"a/*b", "name:a"},
		{"a//b", "name:a"},
		{"a//b\u2029c", "name:a ⏎name:c"},
		{"a\r\nb\rc", "name:a ⏎name:b ⏎name:c"},
		{"<!--a", "< ! -- name:a"},

		{">>>= ... === !== **= <<= >>= >>> &&= ||= ??= => == != <= >= && || ?? ?. ++ --", ">>>= ... === !== **= <<= >>= >>> &&= ||= ??= => == != <= >= && || ?? ?. ++ --"},
		{"+= -= *= %= &= |= ^= << >> **", "+= -= *= %= &= |= ^= << >> **"},
		{"a?.5:b?.c", "name:a ? number:.5 : name:b ?. name:c"},
		{"a+++b", "name:a ++ + name:b"},
		{"{}()[];,<>+-*%&|^!~?:=.@#", "{ } ( ) [ ] ; , < > + - * % & | ^ ! ~ ? : = . @ #"},
	} {
		g := newGuard(test.source)
		var got []string
		for _, token := range lex(test.source, g) {
			s := test.source[token.start:token.end]
			if name := kindNames[token.kind]; name != "" {
				s = name + ":" + s
			}
			if token.newline {
				s = "⏎" + s
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%q:\n got %q\nwant %q", test.source, s, test.want)
		}
	}
}

func TestLexMatchesBrackets(t *testing.T) {
	for _, test := range []struct {
		source string
		want   string // for each token that is a bracket: its index, match and opens
	}{
		{"(a)", "0>2 2>0<0"},
		{"([{}])", "0>5 1>4 2>3 3>2<2 4>1<1 5>0<0"},
		{"(a]", "0>2 2>0<0"},
		{")(", ""},
		{"(", ""},
		{"`${a}`", "0>2 2<0"},
		{"`${a}${b}`", "0>2 2>4<0 4<2"},
		{"`${(a)}`", "0>4 1>3 3>1<1 4<0"},
		{"`${{}}`", "0>3 1>2 2>1<1 3<0"},
	} {
		var got []string
		for i, token := range lex(test.source, exactRegexps{}) {
			if token.match < 0 && token.opens < 0 {
				continue
			}
			s := fmt.Sprint(i)
			if token.match >= 0 {
				s += fmt.Sprint(">", token.match)
			}
			if token.opens >= 0 {
				s += fmt.Sprint("<", token.opens)
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: got %s, want %s", test.source, s, test.want)
		}
	}
}

func TestLexTakesRegexpsFromTheObserver(t *testing.T) {
	source := "a /b/ c"
	if n := len(lex(source, exactRegexps{})); n != 5 {
		t.Errorf("a division: %d tokens, want 5", n)
	}
	if n := len(lex(source, exactRegexps{2: true})); n != 3 {
		t.Errorf("a regular expression: %d tokens, want 3", n)
	}
}

// A counter stops the lexer after so many tokens.
type counter struct {
	exactRegexps
	most int
}

func (c counter) token(tokens []token) bool { return len(tokens) < c.most }

func TestLexStopsWhenTheObserverSaysSo(t *testing.T) {
	if n := len(lex("a b c d `${e}`", counter{most: 3})); n != 3 {
		t.Errorf("%d tokens, want 3", n)
	}
	if n := len(lex("`${e}` f", counter{most: 1})); n != 1 {
		t.Errorf("%d tokens, want 1", n)
	}
}

func TestLexTakesLinearTime(t *testing.T) {
	for _, unit := range []string{"a ", "\\", "\\u{0", "1.", "1e+", "'\n", "'\\", "`", "`${", "}`", "/", "/[", "/\\", "/*", "/**/", "//\n", "\u2028", "é", "#", "?.1", "\xff", "\\u{"} {
		source := strings.Repeat(unit, 1<<20/len(unit))
		start := time.Now()
		lex(source, alwaysRegexp{})
		lex(source, exactRegexps{})
		// A quadratic step would take minutes.
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q: 1 MiB takes %v", unit, took)
		}
	}
}

// alwaysRegexp takes every slash for the beginning of a regular expression.
type alwaysRegexp struct{}

func (alwaysRegexp) token([]token) bool       { return true }
func (alwaysRegexp) regexp([]token, int) bool { return true }

// anyRegexp takes slashes for what chance says.
type anyRegexp struct{ *rand.Rand }

func (anyRegexp) token([]token) bool         { return true }
func (a anyRegexp) regexp([]token, int) bool { return a.Intn(2) == 0 }

// betweenTokens is what may stand there.
var betweenTokens = regexp.MustCompile(`^([\s\v\x{85}\x{feff}\pZ]|//[^\n\r\x{2028}\x{2029}]*|/\*(?s:.*?)\*/)*$`)

func FuzzLex(f *testing.F) {
	for _, marked := range slashes {
		source, _ := unmark(marked)
		f.Add(source, int64(0))
	}
	for _, n := range nestedConstructs {
		f.Add(n.source(2), int64(1))
	}
	for _, source := range []string{"#!a\nb", "`a${b}c${d}e`", "/*", "//", "'\\", "`\\", "`${", "/[\\\n]/", "\\u{", "1e", "a\u2028/**/b", "}`"} {
		f.Add(source, int64(2))
	}
	f.Fuzz(func(t *testing.T, source string, seed int64) {
		for _, watch := range []observer{exactRegexps{}, alwaysRegexp{}, anyRegexp{rand.New(rand.NewSource(seed))}} {
			checkLexed(t, source, lex(source, watch))
		}
	})
}

func checkLexed(t *testing.T, source string, tokens []token) {
	end := 0
	if strings.HasPrefix(source, "#!") {
		end = lineEnd(source, 0)
	}
	for i, token := range tokens {
		if token.start < end || token.end <= token.start || token.end > len(source) {
			t.Fatalf("token %d: %d to %d, the one before ends at %d", i, token.start, token.end, end)
		}
		gap := source[end:token.start]
		if strings.ToValidUTF8(gap, "") == gap && !betweenTokens.MatchString(gap) {
			t.Fatalf("%q is passed over before token %d", gap, i)
		}
		if token.newline != hasLineEnd(gap) {
			t.Fatalf("token %d: newline is %v behind %q", i, token.newline, gap)
		}
		end = token.end
		if token.opens >= 0 {
			if token.opens >= i || tokens[token.opens].match != i {
				t.Fatalf("token %d closes %d, which matches %d", i, token.opens, tokens[token.opens].match)
			}
			if token.kind == tokenPunct && token.match != token.opens {
				t.Fatalf("token %d closes %d and matches %d", i, token.opens, token.match)
			}
		}
		if m := token.match; m > i && tokens[m].opens != i {
			t.Fatalf("token %d matches %d, which closes %d", i, m, tokens[m].opens)
		}
	}
	rest := source[end:]
	if open := strings.Index(rest, "/*"); open >= 0 && !betweenTokens.MatchString(rest) {
		rest = rest[:strings.LastIndex(rest, "/*")]
		if !betweenTokens.MatchString(rest) {
			// the comment that is not closed may have /* inside
			rest = source[end : end+open]
		}
	}
	if strings.ToValidUTF8(rest, "") == rest && !betweenTokens.MatchString(rest) {
		t.Fatalf("%q is passed over at the end", rest)
	}
}
