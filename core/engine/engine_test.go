package engine_test

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "github.com/ringfence-js/ringfence/core/engine"
)

func TestPackageIsALeaf(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file.Name(), nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range parsed.Imports {
			assert.NotContains(t, imported.Path.Value, ".", "%s imports more than the standard library", file.Name())
		}
	}
}

func TestErrorIsOneLineAndMatchesItsClassAndCause(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	e := &Error{Class: HostException, Name: "ToolException", Message: "a\nb", File: "a.js", Line: 3, Column: 9, Cause: cause}
	assert.Equal(t, "HOST_EXCEPTION: ToolException: a b (a.js:3:9)", e.Error())
	assert.ErrorIs(t, e, HostException)
	assert.ErrorIs(t, e, cause)
	assert.NotErrorIs(t, e, GuestException)
}

func TestReportShowsTheLineTheCaretAndTheHint(t *testing.T) {
	t.Parallel()
	e := &Error{
		Class: GuestException, Name: "TypeError", Message: "x is not a function",
		File: "a.js", Line: 2, Column: 7, SourceLine: "\t😀 = x()", Hint: "say y",
	}
	assert.Equal(t, strings.Join([]string{
		"GUEST_EXCEPTION: TypeError: x is not a function",
		"  at a.js:2:7",
		"    \t😀 = x()",
		"    \t    ^",
		"  hint: say y",
	}, "\n"), e.Report())
}

func TestReportCutsALongLineAroundTheColumn(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("a", 500) + "!" + strings.Repeat("b", 500)
	e := &Error{Class: GuestException, Message: "m", File: "f", Line: 1, Column: 501, SourceLine: line}
	lines := strings.Split(e.Report(), "\n")
	shown, caret := []rune(lines[2]), strings.IndexRune(lines[3], '^')
	assert.Less(t, len(shown), 120)
	assert.Equal(t, '!', shown[caret])
}

func TestCutTextSaysHowMuchIsMissing(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "abc", CutText("abc", 3))
	assert.Equal(t, "éé… (2 more characters)", CutText("éééé", 2))
	assert.Equal(t, "a\uFFFD", CutText("a\xff", 10))
}

func TestBudgetStopsBeforeTheLimitIsPassed(t *testing.T) {
	t.Parallel()
	b := NewBudget(Limits{ResultNodes: 10, ResultDepth: 2, ResultBytes: 5})
	require.NoError(t, b.Nodes(10))
	assert.Equal(t, &LimitError{Limit: LimitResultNodes, Max: 10}, b.Nodes(1))
	require.NoError(t, b.Bytes(5))
	assert.Equal(t, &LimitError{Limit: LimitResultBytes, Max: 5}, b.Bytes(1<<62))
}

func TestBudgetAllowsValuesAtTheDepthOfTheLimitAndNoDeeper(t *testing.T) {
	t.Parallel()
	b := NewBudget(Limits{ResultNodes: 10, ResultDepth: 2, ResultBytes: 5})
	deeper := &LimitError{Limit: LimitResultDepth, Max: 2}
	require.NoError(t, b.Enter(), "the top container, at depth 0")
	require.NoError(t, b.Nodes(1))
	require.NoError(t, b.Enter(), "at depth 1")
	require.NoError(t, b.Nodes(1))
	require.NoError(t, b.Enter(), "at depth 2")
	require.NoError(t, b.Nodes(0), "an empty one")
	assert.Equal(t, deeper, b.Nodes(1), "its members would be at depth 3")
	assert.Equal(t, deeper, b.Enter())
	b.Leave()
	assert.NoError(t, b.Enter(), "a sibling")
}

func TestNewShapeRefusesWhatCannotBeSeen(t *testing.T) {
	t.Parallel()
	call := func(context.Context, any, []Value) (Value, error) { return Value{}, nil }
	fn := &Func{Call: call}
	for name, fields := range map[string][]Field{
		"a member without a name":  {{Func: fn}},
		"a member twice":           {{Name: "a", Func: fn}, {Name: "a", Const: true}},
		"a member that is nothing": {{Name: "a"}},
		"a constant function":      {{Name: "a", Func: fn, Const: true}},
		"a function without code":  {{Name: "a", Func: &Func{}}},
	} {
		_, err := NewShape("x", fields...)
		assert.Error(t, err, name)
	}
	_, err := NewShape("")
	assert.Error(t, err)
}

func TestNewShapeNamesFunctionsByTheirPath(t *testing.T) {
	t.Parallel()
	fn := &Func{Call: func(context.Context, any, []Value) (Value, error) { return Value{}, nil }}
	s, err := NewShape("host", Field{Name: "log", Func: fn, Fields: []Field{{Name: "info", Func: fn}, {Name: "level", Const: true, Slot: 2}}})
	require.NoError(t, err)
	var paths []string
	for i, f := range s.Funcs() {
		assert.Equal(t, i, f.ID)
		paths = append(paths, f.Path)
	}
	assert.Equal(t, []string{"host.log", "host.log.info"}, paths)
	assert.Equal(t, 3, s.Consts())
	assert.Empty(t, fn.Path, "the caller's Func is left as it was")
}

func TestProgramLeadsBackToTheAuthorsText(t *testing.T) {
	t.Parallel()
	// The source "é;\r\nf(x)" with a head, a charge before f, x replaced, a tail.
	p := &Program{Source: "é;\r\nf(x)", Text: "HEAD{é;\r\nCC;f(K(x))\n}"}
	p.Edits = []Edit{{0, 0, 5}, {5, 0, 3}, {7, 0, 2}, {8, 0, 1}, {9, 0, 2}}
	p.Seal()
	at := func(piece string) [2]int {
		line, column, ok := p.Position(strings.Index(p.Text, piece))
		require.True(t, ok)
		return [2]int{line, column}
	}
	assert.Equal(t, [2]int{1, 1}, at("HEAD"))
	assert.Equal(t, [2]int{1, 1}, at("é"))
	assert.Equal(t, [2]int{1, 2}, at(";"))
	assert.Equal(t, [2]int{2, 1}, at("CC"))
	assert.Equal(t, [2]int{2, 1}, at("f"))
	assert.Equal(t, [2]int{2, 3}, at("K("))
	assert.Equal(t, [2]int{2, 3}, at("x"))
	assert.Equal(t, [2]int{2, 5}, at("\n}"))
	_, _, ok := p.Position(-1)
	assert.False(t, ok)

	assert.Equal(t, "f(x)", p.SourceLine(2))
	assert.Equal(t, strings.Index(p.Text, "f("), p.OffsetOfUTF16(2, 4))
	assert.Equal(t, strings.Index(p.Text, ";\r"), p.OffsetOfRunes(1, 7))
	assert.Equal(t, strings.Index(p.Text, ";\r"), p.OffsetOfBytes(1, 8))
	assert.Equal(t, -1, p.OffsetOfBytes(9, 1))
}

func TestPositionsOfALongLineAreExact(t *testing.T) {
	t.Parallel()
	source := strings.Repeat("a😀é", 500) + "\n" + strings.Repeat("b", 700) + "😀!"
	p := &Program{Source: source, Text: source}
	p.Seal()
	line, column := 1, 1
	for i, r := range source {
		gotLine, gotColumn := p.SourcePosition(i)
		require.Equal(t, [2]int{line, column}, [2]int{gotLine, gotColumn}, "byte %d", i)
		require.Equal(t, i, p.OffsetOfUTF16(line, column))
		switch {
		case r == '\n':
			line, column = line+1, 1
		case r > 0xFFFF:
			column += 2
		default:
			column++
		}
	}
	assert.Equal(t, len(source), p.OffsetOfUTF16(2, 10_000))
	assert.Equal(t, -1, p.OffsetOfUTF16(3, 1))
}
