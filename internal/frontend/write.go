package frontend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dop251/goja/ast"

	"github.com/ringfence-js/ringfence/core/engine"
)

// write plans the script and writes the program's text.
func (p *planner) write() {
	p.program.Async = p.script.async
	p.program.Words = map[string]bool{}
	p.program.Functions = map[int]int{}
	list := p.script.body.List
	directives := p.directives(list)
	p.words()
	p.keepValue(list, directives)
	p.program.Vars = topLevelVars(list)
	p.enterList(p.script.body, directives, p.beginning(list, directives))
	statements(list, p.node)
	p.assemble()
}

// beginning is what runs first in the script: the charge for its statements, the
// globals that top-level var declarations start with, the value of a directive.
func (p *planner) beginning(list []ast.Statement, directives int) string {
	var parts []string
	if text := p.charge(listWeight(list[directives:])); text != "" {
		parts = append(parts, text)
	}
	if len(p.program.Vars) > 0 {
		var b strings.Builder
		b.WriteString(p.own("if($G){"))
		for _, name := range p.program.Vars {
			fmt.Fprintf(&b, "%s=%s.%s;", name, p.own("$G"), name)
		}
		b.WriteString("}")
		parts = append(parts, b.String())
	}
	if directives > 0 && p.value {
		literal := list[directives-1].(*ast.ExpressionStatement).Expression
		parts = append(parts, p.own("$V=")+p.text(p.at(literal.Idx0())))
	}
	return strings.Join(parts, ";")
}

// assemble sorts the edits and writes Text, Edits and the tables of the program.
func (p *planner) assemble() {
	arrow := "return()=>{"
	if p.script.async {
		arrow = "return async()=>{"
	}
	variables, tail := "", "\n}}"
	if p.value {
		variables, tail = "var $V;", "\nreturn $V}}"
		for i := 1; i <= p.temporaries; i++ {
			variables += fmt.Sprintf("var $T%d;", i)
		}
	}
	prologue := p.opts.Dialect.Prologue
	if !p.opts.Metered {
		prologue = ""
	}
	head := edit{rank: -1, text: p.own("($,$G,$K)=>{" + prologue + variables + arrow)}
	if strings.HasPrefix(p.source, "#!") {
		p.edits = append(p.edits, edit{del: 2, rank: rankOpen + 1, text: "//"})
	}
	slices.SortStableFunc(p.edits, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
	edits := append([]edit{head}, p.edits...)
	edits = append(edits, edit{at: len(p.source), text: p.own(tail)})

	var text strings.Builder
	at := 0
	for _, e := range edits {
		text.WriteString(p.source[at:e.at])
		text.WriteString(e.text)
		at = e.at + e.del
		p.program.Edits = append(p.program.Edits, engine.Edit{At: e.at, Delete: e.del, Insert: len(e.text)})
	}
	p.program.Text = text.String()
	p.program.Seal()
}

// topLevelVars are the names that var declares outside of functions, in order,
// less those that a function declaration at the top level has.
func topLevelVars(list []ast.Statement) []string {
	taken := map[string]bool{}
	for _, s := range list {
		for {
			labelled, ok := s.(*ast.LabelledStatement)
			if !ok {
				break
			}
			s = labelled.Statement
		}
		if fn, ok := s.(*ast.FunctionDeclaration); ok {
			taken[fn.Function.Name.Name.String()] = true
		}
	}
	var names []string
	add := func(n ast.Node) {
		for _, name := range boundNames(n) {
			if !taken[name] {
				taken[name] = true
				names = append(names, name)
			}
		}
	}
	statements(list, func(s ast.Node) {
		walk(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
				return false
			case *ast.VariableStatement:
				bindings(n.List, add)
			case *ast.ForLoopInitializerVarDeclList:
				bindings(n.List, add)
			case *ast.ForIntoVar:
				add(n.Binding)
			}
			return true
		})
	})
	return names
}

// boundNames are the names that a binding declares.
func boundNames(n ast.Node) []string {
	var names []string
	switch n := n.(type) {
	case *ast.Identifier:
		names = append(names, n.Name.String())
	case *ast.Binding:
		names = boundNames(n.Target)
	case *ast.AssignExpression: // a target with a default
		names = boundNames(n.Left)
	case *ast.PropertyShort:
		names = append(names, n.Name.Name.String())
	case *ast.PropertyKeyed:
		names = boundNames(n.Value)
	case *ast.SpreadElement:
		names = boundNames(n.Expression)
	case *ast.ArrayPattern, *ast.ObjectPattern:
		children(n, func(child ast.Node) { names = append(names, boundNames(child)...) })
	}
	return names
}
