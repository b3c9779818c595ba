package frontend

import (
	"sort"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
)

// The tree says where a node begins and ends only roughly: parentheses are left
// out, and ends are computed from the lengths of names. The functions here find
// the true first and last tokens, with the help of the token table.

// at returns the index of the token that has the position.
func (p *planner) at(idx file.Idx) int {
	offset := p.script.offset(idx)
	return sort.Search(len(p.tokens), func(i int) bool { return p.tokens[i].end > offset })
}

// text returns the text of token i, or "" where there is no such token.
func (p *planner) text(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	return p.source[p.tokens[i].start:p.tokens[i].end]
}

// first returns the index of the first token of an expression, without the
// parentheses around it.
func (p *planner) first(e ast.Node) int {
	for {
		switch n := e.(type) {
		case *ast.TemplateLiteral:
			if n.Tag == nil {
				return p.at(n.OpenQuote)
			}
			e = n.Tag
		case *ast.BinaryExpression:
			e = n.Left
		case *ast.AssignExpression:
			e = n.Left
		case *ast.ConditionalExpression:
			e = n.Test
		case *ast.SequenceExpression:
			e = n.Sequence[0]
		case *ast.BracketExpression:
			e = n.Left
		case *ast.DotExpression:
			e = n.Left
		case *ast.PrivateDotExpression:
			e = n.Left
		case *ast.CallExpression:
			e = n.Callee
		case *ast.OptionalChain:
			e = n.Expression
		case *ast.Optional:
			e = n.Expression
		case *ast.UnaryExpression:
			if !n.Postfix {
				return p.at(n.Idx)
			}
			e = n.Operand
		case *ast.ExpressionBody:
			e = n.Expression
		case *ast.FunctionLiteral:
			i := p.at(n.Function)
			if p.hidden[i-1] {
				i--
			}
			return i
		default:
			return p.at(e.Idx0())
		}
	}
}

// begin returns the index of the first token of an expression that stands right
// behind an operator, a keyword, or at the beginning of a statement: there all
// parentheses before it are its own.
func (p *planner) begin(e ast.Node) int {
	i := p.first(e)
	for i > 0 && p.text(i-1) == "(" {
		i--
	}
	return i
}

// end returns the index of the last token of such an expression, its parentheses
// included.
func (p *planner) end(e ast.Node) int {
	begin := p.begin(e)
	last := p.last(e)
	for p.text(last+1) == ")" && p.tokens[last+1].opens >= begin {
		last++
	}
	return last
}

// last returns the index of the last token of an expression, without the
// parentheses around it.
func (p *planner) last(e ast.Node) int {
	switch n := e.(type) {
	case *ast.BinaryExpression:
		return p.end(n.Right)
	case *ast.AssignExpression:
		return p.end(n.Right)
	case *ast.ConditionalExpression:
		return p.end(n.Alternate)
	case *ast.SequenceExpression:
		return p.end(n.Sequence[len(n.Sequence)-1])
	case *ast.AwaitExpression:
		return p.end(n.Argument)
	case *ast.YieldExpression:
		if n.Argument == nil {
			return p.at(n.Yield)
		}
		return p.end(n.Argument)
	case *ast.UnaryExpression:
		if !n.Postfix {
			return p.end(n.Operand)
		}
		i := p.last(n.Operand) + 1
		for p.text(i) == ")" {
			i++
		}
		return i
	case *ast.BracketExpression:
		return p.at(n.RightBracket)
	case *ast.DotExpression:
		return p.at(n.Identifier.Idx)
	case *ast.PrivateDotExpression:
		return p.at(n.Identifier.Idx)
	case *ast.OptionalChain:
		return p.last(n.Expression)
	case *ast.Optional:
		return p.last(n.Expression)
	case *ast.CallExpression:
		return p.at(n.RightParenthesis)
	case *ast.NewExpression:
		if n.RightParenthesis != 0 {
			return p.at(n.RightParenthesis)
		}
		return p.end(n.Callee)
	case *ast.TemplateLiteral:
		return p.at(n.CloseQuote)
	case *ast.ArrayLiteral:
		return p.at(n.RightBracket)
	case *ast.ArrayPattern:
		return p.at(n.RightBracket)
	case *ast.ObjectLiteral:
		return p.at(n.RightBrace)
	case *ast.ObjectPattern:
		return p.at(n.RightBrace)
	case *ast.ClassLiteral:
		return p.at(n.RightBrace)
	case *ast.FunctionLiteral:
		return p.at(n.Body.RightBrace)
	case *ast.ArrowFunctionLiteral:
		if body, ok := n.Body.(*ast.ExpressionBody); ok {
			return p.end(body.Expression)
		}
		return p.at(n.Body.(*ast.BlockStatement).RightBrace)
	case *ast.MetaProperty:
		return p.at(n.Property.Idx)
	default:
		return p.at(e.Idx0())
	}
}

// arrowToken returns the index of the => of an arrow function.
func (p *planner) arrowToken(n *ast.ArrowFunctionLiteral) int {
	i := p.at(n.Start)
	if n.Async && p.text(i+1) != "=>" {
		i++
	}
	if p.text(i) == "(" {
		i = p.tokens[i].match
	}
	return i + 1
}

// statementBegin returns the index of the first token of a statement.
func (p *planner) statementBegin(s ast.Statement) int {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		return p.begin(s.Expression)
	case *ast.IfStatement: // its own position is not set
		return p.begin(s.Test) - 1
	}
	return p.at(s.Idx0())
}
