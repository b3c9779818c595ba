package frontend

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/parser"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A script is the parsed source: the arrow function that it is the body of.
type script struct {
	arrow *ast.ArrowFunctionLiteral
	body  *ast.BlockStatement
	async bool
	// shift is what an ast position is ahead of the offset in the source.
	shift int
}

// offset turns a position of the tree into an offset in the source.
func (s *script) offset(at file.Idx) int { return int(at) - s.shift }

// Heads of the functions that a script is parsed in. Their names do not matter:
// the text that runs has another head.
const (
	syncHead  = "()=>{"
	asyncHead = "async()=>{"
)

// parse parses the script, or where the parser cannot read it, its stand-in.
func (b *builder) parse() (*script, *engine.Error) {
	b.body = b.program.Source
	if strings.HasPrefix(b.body, "#!") {
		b.body = "//" + b.body[2:]
	}
	if body, differs := b.standIn(b.body); differs {
		b.body, b.lowered = body, true
	}
	return b.parseForm()
}

// parseForm parses the script in the form that it needs. A script that uses await
// at its top level is async; one that uses it as an ordinary name is not.
func (b *builder) parseForm() (*script, *engine.Error) {
	if !strings.Contains(b.program.Source, "await") {
		return b.parseIn(syncHead)
	}
	async, asyncErr := b.parseIn(asyncHead)
	if asyncErr == nil && b.awaits(async) {
		return async, nil
	}
	sync, syncErr := b.parseIn(syncHead)
	if syncErr == nil {
		return sync, nil
	}
	if asyncErr == nil {
		return async, nil
	}
	return nil, asyncErr
}

// parseIn parses the source as the body of the function that head begins.
func (b *builder) parseIn(head string) (s *script, failure *engine.Error) {
	defer func() {
		if p := recover(); p != nil {
			s, failure = nil, b.syntaxError(0, "the parser could not read the script")
		}
	}()
	tree, err := parser.ParseFile(nil, b.opts.Name, head+b.body+"\n}", 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, b.parseError(err, len(head))
	}
	s = &script{async: head == asyncHead, shift: len(head) + 1}
	if len(tree.Body) == 1 {
		if statement, ok := tree.Body[0].(*ast.ExpressionStatement); ok {
			s.arrow, _ = statement.Expression.(*ast.ArrowFunctionLiteral)
		}
	}
	if s.arrow != nil {
		s.body, _ = s.arrow.Body.(*ast.BlockStatement)
	}
	// A script such as `}; evil(); ()=>{` would step out of the function around it.
	if s.body == nil || s.offset(s.arrow.Start) != -len(head) || s.offset(s.body.RightBrace) != len(b.program.Source)+1 {
		stray := max(b.strayBracket(), 0)
		return nil, b.syntaxError(stray, unexpected(b.body, stray))
	}
	return s, nil
}

// strayBracket is the offset of the first closing bracket that nothing opened, or
// -1.
func (b *builder) strayBracket() int {
	for _, t := range b.tokens {
		if t.opens < 0 && t.kind == tokenPunct && strings.Contains(")]}", b.program.Source[t.start:t.end]) {
			return t.start
		}
	}
	return -1
}

// parseError takes the first error of the parser and gives it the author's
// position.
func (b *builder) parseError(err error, head int) *engine.Error {
	var list parser.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return b.syntaxError(0, fmt.Sprint(err))
	}
	first := list[0]
	at := first.Position.Column - 1
	switch start := b.program.SourceLineStart(first.Position.Line); {
	case first.Position.Line == 1:
		at -= head
	case start < 0: // the line with the end of the function around the script
		at = len(b.program.Source) + 1
	default:
		at += start
	}
	message := first.Message
	if at > len(b.program.Source) {
		message = "Unexpected end of input"
	}
	if stray := b.strayBracket(); stray >= 0 && stray < at {
		at, message = stray, unexpected(b.program.Source, stray)
	}
	return b.syntaxError(min(max(at, 0), len(b.program.Source)), message)
}

func unexpected(source string, at int) string { return "Unexpected token " + source[at:at+1] }

// awaits says whether the script has an await of its own, outside of all
// functions.
func (b *builder) awaits(s *script) bool {
	found := false
	walk(s.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral:
			return false
		case *ast.AwaitExpression:
			found = true
		case *ast.ForOfStatement:
			found = found || b.word(b.tokenAt(s.offset(n.For))+1) == "await"
		}
		return !found
	})
	return found
}

// regexps are the offsets of all regular expressions.
func (s *script) regexps() exactRegexps {
	found := exactRegexps{}
	walk(s.body, func(n ast.Node) bool {
		if literal, ok := n.(*ast.RegExpLiteral); ok {
			found[s.offset(literal.Idx)] = true
		}
		return true
	})
	return found
}
