package frontend

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/dop251/goja/ast"
	gojatoken "github.com/dop251/goja/token"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A planner goes over the tree once and notes what has to be inserted where.
type planner struct {
	program *engine.Program
	source  string
	tokens  []token
	script  *script
	opts    Options
	hidden  map[int]bool
	// own puts the program's reserved name in place of each $.
	own   func(text string) string
	edits []edit
	// resets are the statements that stand in place of a block and must reset the
	// completion value before they run.
	resets map[ast.Statement]bool
	// value says that the completion value is kept, temporaries how many values
	// are put aside by finally blocks.
	value       bool
	temporaries int
	watch       map[string]bool
}

// An edit replaces del bytes at offset at by text. At one offset, edits are
// written by rank, and in the order of the plan where that is the same.
type edit struct {
	at, del int
	rank    int
	text    string
}

// Ranks of edits.
const (
	rankClose     = iota // what ends something that stands before
	rankCharge           // charges of lists and bodies
	rankStatement        // statements put between statements
	rankOpen             // what begins something that follows
)

func newPlanner(b *builder, s *script) *planner {
	p := &planner{
		program: b.program,
		source:  b.program.Source,
		tokens:  b.tokens,
		script:  s,
		opts:    b.opts,
		hidden:  b.hidden,
		own:     b.own,
		resets:  map[ast.Statement]bool{},
		watch:   map[string]bool{},
	}
	for _, name := range b.opts.Dialect.Watch {
		p.watch[name] = true
	}
	return p
}

func (p *planner) insert(rank, at int, text string) {
	p.edits = append(p.edits, edit{at: at, rank: rank, text: text})
}

// insertBefore inserts text before token i, apart from a name that stands right
// before it.
func (p *planner) insertBefore(rank, i int, text string) {
	at := p.tokens[i].start
	if at > 0 && (isIdentifierByte(p.source[at-1]) || isDigit(p.source[at-1])) {
		text = " " + text
	}
	p.insert(rank, at, text)
}

// charge is the expression that charges n statements; enter the one for entering
// a function.
func (p *planner) charge(n int) string { return p.chargeText(p.opts.Dialect.Charge, n) }
func (p *planner) enter(n int) string  { return p.chargeText(p.opts.Dialect.Enter, n) }

func (p *planner) chargeText(form string, n int) string {
	if !p.opts.Metered || n == 0 {
		return ""
	}
	return p.own(strings.ReplaceAll(form, "#", strconv.Itoa(n)))
}

// weight is what a statement costs the list that it is in.
func weight(s ast.Statement) int {
	switch s := s.(type) {
	case *ast.BlockStatement, *ast.EmptyStatement, *ast.FunctionDeclaration, *ast.DebuggerStatement:
		return 0
	case *ast.LabelledStatement:
		return weight(s.Statement)
	}
	return 1
}

func listWeight(list []ast.Statement) int {
	sum := 0
	for _, s := range list {
		sum += weight(s)
	}
	return sum
}

// node plans a node and all below it.
func (p *planner) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.FunctionLiteral:
		p.program.Functions[p.tokens[p.first(n)].start] = p.tokens[p.at(n.Body.RightBrace)].end
		children(n, func(child ast.Node) {
			if child != ast.Node(n.Body) {
				p.node(child)
			}
		})
		p.function(n.Body)
	case *ast.ArrowFunctionLiteral:
		p.arrow(n)
	case *ast.MethodDefinition:
		p.method(n.Key, n.Computed, n.Body)
	case *ast.PropertyKeyed:
		p.property(n)
	case *ast.FieldDefinition:
		p.key(n.Key, n.Computed)
		expression(n.Initializer, p.node)
	case *ast.ClassStaticBlock:
		p.list(n.Block, 0)
	case *ast.BlockStatement:
		p.list(n, 0)
	case *ast.CatchStatement:
		expression(n.Parameter, p.node)
		p.list(n.Body, 0)
	case *ast.IfStatement:
		p.node(n.Test)
		p.body(n.Consequent, 0)
		if n.Alternate != nil {
			p.body(n.Alternate, 0)
		}
	case *ast.DoWhileStatement:
		p.body(n.Body, 1)
		p.node(n.Test)
	case *ast.WhileStatement:
		p.node(n.Test)
		p.body(n.Body, 1)
	case *ast.ForStatement:
		children(n, func(child ast.Node) {
			if child != ast.Node(n.Body) {
				p.node(child)
			}
		})
		p.body(n.Body, 1)
	case *ast.ForInStatement:
		p.node(n.Into)
		p.node(n.Source)
		p.body(n.Body, 1)
	case *ast.ForOfStatement:
		p.node(n.Into)
		p.node(n.Source)
		p.body(n.Body, 1)
	case *ast.WithStatement:
		p.program.Dynamic = true
		p.node(n.Object)
		p.body(n.Body, 0)
	case *ast.SwitchStatement:
		p.node(n.Discriminant)
		for _, clause := range n.Body {
			expression(clause.Test, p.node)
			if text := p.charge(listWeight(clause.Consequent)); text != "" {
				p.insert(rankCharge, p.tokens[p.colon(clause)].end, text+";")
			}
			statements(clause.Consequent, p.node)
		}
	case *ast.BinaryExpression:
		children(n, p.node)
		if allocates(n.Operator) {
			p.operand(n.Right)
		}
	case *ast.AssignExpression:
		children(n, p.node)
		if allocates(n.Operator) {
			p.operand(n.Right)
		}
	case *ast.BracketExpression:
		p.node(n.Left)
		p.key(n.Member, true)
	case *ast.StringLiteral:
		p.word(n.Value.String())
	default:
		children(n, p.node)
	}
}

// colon returns the index of the colon of a case clause.
func (p *planner) colon(clause *ast.CaseStatement) int {
	if clause.Test == nil {
		return p.at(clause.Case) + 1
	}
	return p.end(clause.Test) + 1
}

// list charges a block on entry for its statements, and for extra.
func (p *planner) list(block *ast.BlockStatement, extra int) {
	if text := p.charge(extra + listWeight(block.List)); text != "" {
		p.insert(rankCharge, p.script.offset(block.LeftBrace)+1, text+";")
	}
	statements(block.List, p.node)
}

// body charges what a control statement runs: a block, or one statement in place
// of a block. Before one statement goes `if(CHARGE);else `, which disturbs neither
// its value nor a later else, and needs no closing bracket.
func (p *planner) body(s ast.Statement, extra int) {
	if block, ok := s.(*ast.BlockStatement); ok {
		p.list(block, extra)
		return
	}
	text := p.charge(extra + weight(s))
	if p.resets[s] {
		reset := p.own("$V=void 0")
		if text == "" {
			text = reset
		} else {
			text = "(" + reset + "," + text + ")"
		}
	}
	if text != "" {
		p.insertBefore(rankCharge, p.statementBegin(s), "if("+text+");else ")
	}
	p.node(s)
}

// function charges a function on entry: 1 for the call, and its statements. The
// charge stands behind the directives, which must stay first.
func (p *planner) function(body *ast.BlockStatement) {
	directives := p.directives(body.List)
	p.enterList(body, directives, p.enter(1+listWeight(body.List[directives:])))
	statements(body.List, p.node)
}

// enterList inserts text at the beginning of a function's body, behind the
// directives.
func (p *planner) enterList(body *ast.BlockStatement, directives int, text string) {
	if text == "" {
		return
	}
	if directives == 0 {
		p.insert(rankCharge, p.script.offset(body.LeftBrace)+1, text+";")
		return
	}
	last := p.at(body.List[directives-1].Idx0())
	if p.text(last+1) == ";" {
		p.insert(rankCharge, p.tokens[last+1].end, text+";")
	} else {
		p.insert(rankCharge, p.tokens[last].end, ";"+text+";")
	}
}

// directives returns how many statements at the head of a function are
// directives: string literals alone, not in parentheses.
func (p *planner) directives(list []ast.Statement) int {
	for i, s := range list {
		statement, ok := s.(*ast.ExpressionStatement)
		if !ok {
			return i
		}
		literal, ok := statement.Expression.(*ast.StringLiteral)
		if !ok || p.text(p.at(literal.Idx)-1) == "(" {
			return i
		}
	}
	return len(list)
}

func (p *planner) arrow(n *ast.ArrowFunctionLiteral) {
	parameters(n.ParameterList, p.node)
	arrow := p.arrowToken(n)
	last := p.last(n)
	p.program.Functions[p.tokens[p.at(n.Start)].start] = p.tokens[last].end
	body, ok := n.Body.(*ast.ExpressionBody)
	if !ok {
		p.function(n.Body.(*ast.BlockStatement))
		return
	}
	if text := p.enter(1); text != "" {
		p.insert(rankOpen, p.tokens[arrow].end, "("+text+",")
		p.node(body.Expression)
		p.insert(rankClose, p.tokens[last].end, ")")
		return
	}
	p.node(body.Expression)
}

// method plans a method, getter, setter or constructor.
func (p *planner) method(key ast.Expression, computed bool, fn *ast.FunctionLiteral) {
	p.key(key, computed)
	p.node(fn)
}

func (p *planner) property(n *ast.PropertyKeyed) {
	p.key(n.Key, n.Computed)
	expression(n.Value, p.node)
}

// key notes what a property key says about the built-ins that the script may
// reach: a literal names one, any other computed key may name all.
func (p *planner) key(key ast.Expression, computed bool) {
	switch k := key.(type) {
	case *ast.NumberLiteral:
	case *ast.StringLiteral:
		p.word(k.Value.String())
	default:
		p.program.Dynamic = p.program.Dynamic || computed
		p.node(key)
	}
}

func (p *planner) word(name string) {
	if p.watch[name] {
		p.program.Words[name] = true
	}
}

// reflective are names by which a script can reach a built-in without naming it.
var reflective = map[string]bool{
	"Reflect": true, "Proxy": true,
	"getOwnPropertyDescriptor": true, "getOwnPropertyDescriptors": true,
	"__lookupGetter__": true, "__lookupSetter__": true,
}

// words notes the watched names among the identifiers.
func (p *planner) words() {
	for i, t := range p.tokens {
		if t.kind != tokenIdentifier {
			continue
		}
		name := unescape(p.text(i))
		p.word(name)
		p.program.Dynamic = p.program.Dynamic || reflective[name]
	}
}

// allocates says whether an operator makes a BigInt as large as its right operand
// says. A shift to the right by a negative one is a shift to the left.
func allocates(operator gojatoken.Token) bool {
	return operator == gojatoken.EXPONENT || operator == gojatoken.SHIFT_LEFT || operator == gojatoken.SHIFT_RIGHT
}

// operand guards the right operand of an operator that allocates as much as a
// BigInt says.
func (p *planner) operand(e ast.Expression) {
	if !p.opts.Dialect.Operands {
		return
	}
	if literal, ok := e.(*ast.NumberLiteral); ok {
		if _, isBig := literal.Value.(*big.Int); !isBig {
			return
		}
	}
	p.insert(rankOpen, p.tokens[p.begin(e)].start, p.own("$K("))
	p.insert(rankClose, p.tokens[p.end(e)].end, ")")
}
