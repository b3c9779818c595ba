package frontend

import (
	"fmt"

	"github.com/dop251/goja/ast"
	gojatoken "github.com/dop251/goja/token"
)

// completion keeps the value of the script: that of the last expression statement
// that ran, by the rules of ECMAScript for statement lists (section "UpdateEmpty"
// of the specification), in the variable $V.
//
// It goes over the statements backwards, with the knowledge whether the value is
// surely set again later: then a statement's own value does not matter, and it is
// left as it is. So a loop before a final expression costs nothing.
type completion struct {
	planner *planner
	targets []target
}

// A target is a statement that break or continue may lead out of.
type target struct {
	labels []string
	// loop or switch: what break without a label leaves.
	breakable bool
	loop      bool
	// set says whether the value is surely set after the statement.
	set bool
}

// keepValue plans the completion value of the script's statements.
func (p *planner) keepValue(list []ast.Statement, directives int) {
	c := &completion{planner: p}
	set := c.list(list[directives:], false)
	if directives > 0 && !set {
		p.value = true
	}
}

// list plans a statement list and returns whether the value is surely set, or
// does not matter, at its beginning.
func (c *completion) list(list []ast.Statement, set bool) bool {
	for i := len(list) - 1; i >= 0; i-- {
		set = c.statement(list[i], list[i], nil, true, set)
	}
	return set
}

// body plans a statement in place of a block.
func (c *completion) body(s ast.Statement, set bool) bool {
	return c.statement(s, s, nil, false, set)
}

// statement plans one statement. outer is the statement with its labels, inList
// says whether other statements may be put before it.
func (c *completion) statement(s, outer ast.Statement, labels []string, inList, set bool) bool {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		if !set {
			c.keep(s)
		}
		return true
	case *ast.ReturnStatement, *ast.ThrowStatement:
		return true
	case *ast.BranchStatement:
		return c.leave(s)
	case *ast.BlockStatement:
		c.enter(target{labels: labels, set: set})
		defer c.exit()
		return c.list(s.List, set)
	case *ast.LabelledStatement:
		return c.statement(s.Statement, outer, append(labels, s.Label.Name.String()), inList, set)
	case *ast.IfStatement:
		c.enter(target{labels: labels, set: set})
		defer c.exit()
		inner := c.body(s.Consequent, set)
		if s.Alternate == nil {
			inner = inner && set
		} else {
			inner = c.body(s.Alternate, set) && inner
		}
		return c.reset(outer, inList, inner)
	case *ast.WithStatement:
		c.enter(target{labels: labels, set: set})
		defer c.exit()
		return c.reset(outer, inList, c.body(s.Body, set))
	case *ast.DoWhileStatement:
		return c.loop(s.Body, outer, labels, inList, set)
	case *ast.WhileStatement:
		return c.loop(s.Body, outer, labels, inList, set)
	case *ast.ForStatement:
		return c.loop(s.Body, outer, labels, inList, set)
	case *ast.ForInStatement:
		return c.loop(s.Body, outer, labels, inList, set)
	case *ast.ForOfStatement:
		return c.loop(s.Body, outer, labels, inList, set)
	case *ast.SwitchStatement:
		c.enter(target{labels: labels, breakable: true, set: set})
		defer c.exit()
		inner, next := set, set
		for i := len(s.Body) - 1; i >= 0; i-- {
			next = c.list(s.Body[i].Consequent, next)
			inner = inner && next
		}
		return c.reset(outer, inList, inner)
	case *ast.TryStatement:
		c.enter(target{labels: labels, set: set})
		defer c.exit()
		return c.reset(outer, inList, c.try(s, set))
	}
	// Declarations, empty statements and debugger have no value.
	return set
}

func (c *completion) loop(body, outer ast.Statement, labels []string, inList, set bool) bool {
	c.enter(target{labels: labels, breakable: true, loop: true, set: set})
	defer c.exit()
	inner := c.body(body, set)
	return c.reset(outer, inList, inner && set)
}

// try plans a try statement. The value that a finally block comes to counts only
// if it is left by break or continue.
func (c *completion) try(s *ast.TryStatement, set bool) bool {
	p := c.planner
	if s.Finally != nil {
		before := len(p.edits)
		inner := c.list(s.Finally.List, true)
		if !inner || len(p.edits) > before {
			p.value = true
			p.temporaries++
			kept := fmt.Sprintf("$T%d", p.temporaries)
			p.insert(rankStatement, p.script.offset(s.Finally.LeftBrace)+1, p.own(kept+"=$V;$V=void 0;"))
			p.insert(rankClose+1, p.script.offset(s.Finally.RightBrace), p.own(";$V="+kept+";"))
		}
	}
	inner := c.list(s.Body.List, set)
	if s.Catch != nil {
		caught := c.list(s.Catch.Body.List, set)
		if !caught || !set {
			p.value = true
			p.insert(rankStatement, p.script.offset(s.Catch.Body.LeftBrace)+1, p.own("$V=void 0;"))
		}
		inner = inner && caught
	}
	return inner && set
}

func (c *completion) enter(t target) { c.targets = append(c.targets, t) }
func (c *completion) exit()          { c.targets = c.targets[:len(c.targets)-1] }

// leave says whether the value is surely set where break or continue leads.
func (c *completion) leave(s *ast.BranchStatement) bool {
	for i := len(c.targets) - 1; i >= 0; i-- {
		t := c.targets[i]
		if s.Label == nil {
			if t.loop || t.breakable && s.Token == gojatoken.BREAK {
				return t.set
			}
			continue
		}
		for _, label := range t.labels {
			if label == s.Label.Name.String() {
				return t.set
			}
		}
	}
	return false
}

// reset makes a statement that always has a value begin with undefined, unless
// its value does not matter.
func (c *completion) reset(s ast.Statement, inList, set bool) bool {
	if set {
		return true
	}
	p := c.planner
	p.value = true
	if inList {
		p.insert(rankStatement, p.tokens[p.statementBegin(s)].start, p.own("$V=void 0;"))
	} else {
		p.resets[s] = true
	}
	return true
}

// keep puts $V=( ) around an expression statement. A function or class without a
// name must not get one by that.
func (c *completion) keep(s *ast.ExpressionStatement) {
	p := c.planner
	p.value = true
	open := "$V=("
	switch s.Expression.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
		open = "$V=(0,"
	}
	p.insertBefore(rankOpen, p.begin(s.Expression), p.own(open))
	p.insert(rankClose, p.tokens[p.end(s.Expression)].end, ")")
}
