package frontend

import (
	"github.com/dop251/goja/ast"
)

// walk visits a node and, where visit says so, what is below it, in the order of
// the text as far as the tree has it.
func walk(n ast.Node, visit func(ast.Node) bool) {
	if visit(n) {
		children(n, func(child ast.Node) { walk(child, visit) })
	}
}

// children calls f for each node directly below n.
func children(n ast.Node, f func(ast.Node)) {
	switch n := n.(type) {
	case *ast.ArrayLiteral:
		expressions(n.Value, f)
	case *ast.ArrayPattern:
		expressions(n.Elements, f)
		expression(n.Rest, f)
	case *ast.ObjectPattern:
		properties(n.Properties, f)
		expression(n.Rest, f)
	case *ast.ObjectLiteral:
		properties(n.Value, f)
	case *ast.PropertyKeyed:
		expression(n.Key, f)
		expression(n.Value, f)
	case *ast.PropertyShort:
		expression(n.Initializer, f)
	case *ast.SpreadElement:
		expression(n.Expression, f)
	case *ast.Binding:
		expression(n.Target, f)
		expression(n.Initializer, f)
	case *ast.AssignExpression:
		f(n.Left)
		f(n.Right)
	case *ast.BinaryExpression:
		f(n.Left)
		f(n.Right)
	case *ast.BracketExpression:
		f(n.Left)
		f(n.Member)
	case *ast.DotExpression:
		f(n.Left)
	case *ast.PrivateDotExpression:
		f(n.Left)
	case *ast.OptionalChain:
		f(n.Expression)
	case *ast.Optional:
		f(n.Expression)
	case *ast.CallExpression:
		f(n.Callee)
		expressions(n.ArgumentList, f)
	case *ast.NewExpression:
		f(n.Callee)
		expressions(n.ArgumentList, f)
	case *ast.ConditionalExpression:
		f(n.Test)
		f(n.Consequent)
		f(n.Alternate)
	case *ast.SequenceExpression:
		expressions(n.Sequence, f)
	case *ast.TemplateLiteral:
		expression(n.Tag, f)
		expressions(n.Expressions, f)
	case *ast.UnaryExpression:
		f(n.Operand)
	case *ast.AwaitExpression:
		expression(n.Argument, f)
	case *ast.YieldExpression:
		expression(n.Argument, f)
	case *ast.FunctionLiteral:
		parameters(n.ParameterList, f)
		f(n.Body)
	case *ast.ArrowFunctionLiteral:
		parameters(n.ParameterList, f)
		f(n.Body)
	case *ast.ExpressionBody:
		f(n.Expression)
	case *ast.ClassLiteral:
		expression(n.SuperClass, f)
		for _, element := range n.Body {
			f(element)
		}
	case *ast.FieldDefinition:
		expression(n.Key, f)
		expression(n.Initializer, f)
	case *ast.MethodDefinition:
		expression(n.Key, f)
		f(n.Body)
	case *ast.ClassStaticBlock:
		f(n.Block)

	case *ast.BlockStatement:
		statements(n.List, f)
	case *ast.CaseStatement:
		expression(n.Test, f)
		statements(n.Consequent, f)
	case *ast.CatchStatement:
		expression(n.Parameter, f)
		f(n.Body)
	case *ast.ExpressionStatement:
		f(n.Expression)
	case *ast.IfStatement:
		f(n.Test)
		f(n.Consequent)
		if n.Alternate != nil {
			f(n.Alternate)
		}
	case *ast.DoWhileStatement:
		f(n.Body)
		f(n.Test)
	case *ast.WhileStatement:
		f(n.Test)
		f(n.Body)
	case *ast.ForStatement:
		if n.Initializer != nil {
			f(n.Initializer)
		}
		expression(n.Test, f)
		expression(n.Update, f)
		f(n.Body)
	case *ast.ForInStatement:
		f(n.Into)
		f(n.Source)
		f(n.Body)
	case *ast.ForOfStatement:
		f(n.Into)
		f(n.Source)
		f(n.Body)
	case *ast.ForLoopInitializerExpression:
		f(n.Expression)
	case *ast.ForLoopInitializerVarDeclList:
		bindings(n.List, f)
	case *ast.ForLoopInitializerLexicalDecl:
		bindings(n.LexicalDeclaration.List, f)
	case *ast.ForIntoVar:
		f(n.Binding)
	case *ast.ForDeclaration:
		f(n.Target)
	case *ast.ForIntoExpression:
		f(n.Expression)
	case *ast.LabelledStatement:
		f(n.Statement)
	case *ast.ReturnStatement:
		expression(n.Argument, f)
	case *ast.SwitchStatement:
		f(n.Discriminant)
		for _, clause := range n.Body {
			f(clause)
		}
	case *ast.ThrowStatement:
		f(n.Argument)
	case *ast.TryStatement:
		f(n.Body)
		if n.Catch != nil {
			f(n.Catch)
		}
		if n.Finally != nil {
			f(n.Finally)
		}
	case *ast.VariableStatement:
		bindings(n.List, f)
	case *ast.LexicalDeclaration:
		bindings(n.List, f)
	case *ast.WithStatement:
		f(n.Object)
		f(n.Body)
	case *ast.FunctionDeclaration:
		f(n.Function)
	case *ast.ClassDeclaration:
		f(n.Class)
	}
}

func expression(e ast.Expression, f func(ast.Node)) {
	if e != nil {
		f(e)
	}
}

func expressions(list []ast.Expression, f func(ast.Node)) {
	for _, e := range list {
		expression(e, f)
	}
}

func properties(list []ast.Property, f func(ast.Node)) {
	for _, p := range list {
		f(p)
	}
}

func bindings(list []*ast.Binding, f func(ast.Node)) {
	for _, b := range list {
		f(b)
	}
}

func statements(list []ast.Statement, f func(ast.Node)) {
	for _, s := range list {
		f(s)
	}
}

func parameters(list *ast.ParameterList, f func(ast.Node)) {
	if list == nil {
		return
	}
	bindings(list.List, f)
	expression(list.Rest, f)
}
