package frontend

// The limits of how deep a source may nest. Parsers and compilers recurse: with
// every bracket, and with every operator of a chain, for that makes the tree deeper
// too, but takes less stack.
const (
	maxNesting = 200
	maxChain   = 2000
)

// The limits of the work that a source makes for goja's parser and compiler beyond
// what its size explains. Neither can be interrupted, and both take exponential
// time for some sources of a few bytes.
const (
	// maxParse bounds the tokens read, counting those read twice. The parser takes
	// the head of an arrow function for an expression first, and reads it again
	// when it comes to the arrow. A million tokens take about 0.1 s.
	maxParse = 3_000_000
	// maxCompile bounds the visits to operators. The compiler asks at every
	// operator whether its operands are constant, all the way down, so that a chain
	// costs its length squared: 2,000 times a+ are 2,000,000 visits, 35 ms. Where
	// they are constant, || && and ?? ask twice, so that the cost doubles with each.
	// return, break and continue emit code for every block that they leave.
	maxCompile = 20_000_000
	// exitVisits is what leaving a level costs, in visits.
	exitVisits = 70
	// maxOdd bounds the tokens that make no sense. The parser goes on behind an
	// error, with statements where the guard sees none, and each of them may cost as
	// much as there were before: in class A{b:b:b:... it takes the names for nested
	// labels and reports each once for every other, which is 400 MiB for 8 KiB.
	maxOdd = 100
)

// An overLimit says which limit a source passed, and the offset of the token that
// did. The zero overLimit says that it passed none.
type overLimit struct {
	at, max int
}

func (o overLimit) passed() bool { return o.max != 0 }

// checkNesting tokenises the source with a guess at what each slash means, and
// refuses a source that is nested so deep that a parser or compiler could not be
// trusted with it.
//
// The guess is right for what is valid JavaScript. For anything else it may be
// wrong, and code may be in what it takes for text; then checkTokens finds it.
func checkNesting(src string) (tokens []token, over overLimit) {
	g := newGuard(src)
	tokens = lex(src, g)
	return tokens, g.over
}

// checkTokens is checkNesting for tokens that are exact: after the parse has shown
// where regular expressions really are.
func checkTokens(src string, tokens []token) overLimit {
	g := newGuard(src)
	for i := range tokens {
		if !g.token(tokens[:i+1]) {
			break
		}
	}
	return g.over
}

// A bracket says what stands between a pair of brackets.
type bracket uint8

const (
	bracketScript bracket = iota // the whole source
	bracketBlock                 // statements, also those of functions and switches
	bracketClass
	bracketObject
	bracketArray  // an array or a pattern
	bracketIndex  // x[...]
	bracketParen  // an expression, or the parameters of an arrow function
	bracketCall   // arguments
	bracketHeader // what follows if, for, function and so on
	bracketKey    // the computed name of a member
	bracketHole   // of a template
)

// A closing says what stands behind a bracket, so what comes next.
type closing uint8

const (
	closeOperand   closing = iota
	closeArrow             // the body of an arrow function: an operand that takes no operator
	closeStatement         // the end of a statement
	closeBody              // the header of if, for, while or with: a statement
	closeBlock             // the header of switch, catch or a function: a block
	closeMember            // a method: the next member
	closeKey               // a computed name
)

// A waiting is what the keywords before have announced.
type waiting uint8

const (
	waitNothing  waiting = iota
	waitHeader           // if, for, while, with: a header, then a statement
	waitCatch            // catch: perhaps a header, then a block
	waitSwitch           // switch: a header, then clauses
	waitDoWhile          // the while of a do: a header that ends the statement
	waitFunction         // function: perhaps a name, then parameters
	waitBody             // the body of the function
	waitArrow            // =>: the body
)

// A statement is one whose body has not ended.
type statement uint8

const (
	statementIf      statement = iota // ends with its body, unless else follows
	statementIfEnded                  // the body has ended
	statementDo
	statementDoEnded
	statementTry
	statementTryEnded
	statementOther // else, for, while, with, a label, switch
)

type openStatement struct {
	kind  statement
	links int // how many times it was continued by else if
}

// A constant says whether the operands so far are literals.
type constant uint8

const (
	constantUnknown constant = iota // no operand yet
	constantYes
	constantLogical // perhaps: there was a || && or ?? that may decide
	constantNo
)

// A frame is the state within a pair of brackets.
type frame struct {
	kind       bracket
	closes     closing
	waits      waiting
	statement  bool // statements may stand here
	begins     bool // at the beginning of a statement
	operand    bool // an operand has ended: a slash is a division
	inKey      bool // in an object or class: at the name of a member
	generator  bool // yield is an operator here
	async      bool // await is an operator here
	expression bool // what waits is an expression, not a declaration
	waitsGen   bool // the function that waits is a generator
	waitsAsync bool // the function that waits is async
	yields     bool // yield stands before, in this expression
	asyncCall  bool // async stands before the parenthesis
	caseColon  bool // case or default stands before: a colon ends it

	statements int // where in guard.statements those of this frame begin
	depth      int // levels of the brackets around
	function   int // levels around the innermost function
	chain      int // links of the brackets around
	tight      int // levels that end at the next operator: prefixes and **
	loose      int // levels that end with the expression: ?: = => yield
	operators  int // links that end with the expression
	members    int // links that end at the next operator
	elses      int // links of the open statements
	classes    int // class words whose body has not come: the heritage may be a class
	conditions int // question marks without their colons

	constant    constant
	asks, emits float64 // visits to find out whether the operand is constant, and to compile it
	parse       float64 // tokens read
}

// A guard follows the tokens and stops at the first that passes a limit. It knows
// as much of the grammar as that takes: whether an operand or an operator comes
// next, what kind of bracket is open, and which statements have not ended.
type guard struct {
	src        string
	frames     []frame
	statements []openStatement
	over       overLimit

	compile float64 // visits, of the expressions that have ended
	odd     int     // tokens that can stand in no script where they do
	arrows  bool    // async and a name stand before: an arrow is due
	closed  frame   // the frame that was closed last
}

func newGuard(src string) *guard {
	// At the top level await counts as an operator: it is one when the source is
	// run as the body of an async function.
	return &guard{src: src, frames: []frame{{kind: bracketScript, statement: true, begins: true, async: true}}}
}

func (g *guard) top() *frame { return &g.frames[len(g.frames)-1] }

func (g *guard) text(t token) string { return g.src[t.start:t.end] }

// token implements observer.
func (g *guard) token(tokens []token) bool {
	t := tokens[len(tokens)-1]
	g.top().parse++
	if g.arrows && g.text(t) != "=>" {
		g.odd++
	}
	g.arrows = false
	switch t.kind {
	case tokenIdentifier:
		g.word(tokens, t)
	case tokenPrivate, tokenNumber, tokenString, tokenRegexp:
		g.operand(t.kind == tokenNumber || t.kind == tokenString)
	case tokenTemplate, tokenTemplateOpen:
		g.template(t)
	default:
		g.punctuator(tokens, t)
	}
	g.check(t)
	return !g.over.passed()
}

// openFunction pushes the frame of the body of a function.
func (g *guard) openFunction(closes closing, generator, async bool) {
	inner := g.open(bracketBlock, closes)
	inner.generator, inner.async = generator, async
	inner.function = inner.depth - 1
}

func (g *guard) check(t token) {
	f := g.top()
	depth := f.depth + f.tight + f.loose + len(g.statements) - f.statements
	chain := f.chain + f.operators + f.members + f.elses
	switch {
	case chain > maxChain:
		g.over = overLimit{at: t.start, max: maxChain}
	case depth > maxNesting || f.parse > maxParse || g.compile+f.emits > maxCompile || g.odd > maxOdd:
		g.over = overLimit{at: t.start, max: maxNesting}
	}
}

// open pushes a frame.
func (g *guard) open(kind bracket, closes closing) *frame {
	f := g.top()
	inner := frame{
		kind:       kind,
		closes:     closes,
		statements: len(g.statements),
		depth:      f.depth + f.tight + f.loose + len(g.statements) - f.statements + 1,
		chain:      f.chain + f.operators + f.members + f.elses,
		function:   f.function,
		generator:  f.generator,
		async:      f.async,
	}
	switch kind {
	case bracketBlock:
		inner.statement, inner.begins = true, true
	case bracketClass, bracketObject:
		inner.inKey = true
	}
	g.frames = append(g.frames, inner)
	return &g.frames[len(g.frames)-1]
}

// pop leaves a frame and gives the frame around it what it cost.
func (g *guard) pop() {
	inner := *g.top()
	if len(g.frames) == 1 {
		return
	}
	g.frames = g.frames[:len(g.frames)-1]
	g.statements = g.statements[:inner.statements]
	g.closed = inner
	f := g.top()
	f.parse += inner.parse
	if f.yields {
		// The parser reads what stands behind yield again if that is in error, and
		// may then come to it a third time.
		f.parse += 2 * inner.parse
	}
	if inner.kind == bracketParen {
		f.emits += inner.asks + inner.emits
		f.asks += inner.asks
	} else {
		g.compile += inner.emits
	}
}

// operator takes note of a binary operator.
func (g *guard) operator(f *frame, logical bool) {
	if f.inKey {
		g.odd++
	}
	f.operators++
	f.tight, f.members = 0, 0
	if logical && (f.constant == constantYes || f.constant == constantLogical) {
		f.constant = constantLogical
		sum := f.asks + f.emits + 4
		f.asks, f.emits = sum, sum
	} else {
		f.emits += f.asks + 2
		f.asks++
	}
	f.operand, f.begins = false, false
}

// member takes note of an access to a member, or of a call.
func (g *guard) member(f *frame) {
	if f.inKey {
		g.odd++
	}
	f.members++
	f.emits += float64(f.members) + 2
	f.constant = constantNo
	f.begins = false
}

// split takes note of an operator whose operands are compiled apart.
func (g *guard) split(f *frame) {
	g.compile += f.emits
	f.asks, f.emits = 0, 0
	f.constant = constantUnknown
	f.operand, f.begins = false, false
}

// endExpression forgets what ends with an expression.
func (g *guard) endExpression(f *frame) {
	g.split(f)
	f.tight, f.loose, f.operators, f.members = 0, 0, 0, 0
	f.yields = false
	f.waits, f.classes = waitNothing, 0
}

// endStatement forgets what ends with a statement: all open statements but one that
// may go on.
func (g *guard) endStatement(f *frame) {
	g.endExpression(f)
	f.conditions = 0
	f.caseColon = false
	f.begins = true
	for len(g.statements) > f.statements {
		last := &g.statements[len(g.statements)-1]
		switch last.kind {
		case statementIf:
			last.kind = statementIfEnded
			return
		case statementDo:
			last.kind = statementDoEnded
			return
		case statementTry:
			last.kind = statementTryEnded
			return
		}
		f.elses -= last.links
		g.statements = g.statements[:len(g.statements)-1]
	}
}

// begin takes note of the first token of a statement: an open statement that it
// does not continue has ended.
func (g *guard) begin(f *frame, word string) {
	for len(g.statements) > f.statements {
		last := &g.statements[len(g.statements)-1]
		switch last.kind {
		case statementIfEnded:
			if word == "else" {
				return
			}
		case statementDoEnded:
			if word == "while" {
				return
			}
		case statementTryEnded:
			if word == "catch" || word == "finally" {
				return
			}
		default:
			return
		}
		last.kind = statementOther
		g.endStatement(f)
	}
}

func (g *guard) openStatement(kind statement) {
	g.statements = append(g.statements, openStatement{kind: kind})
}

// last returns the innermost open statement of the frame, or nil.
func (g *guard) last(f *frame) *openStatement {
	if len(g.statements) == f.statements {
		return nil
	}
	return &g.statements[len(g.statements)-1]
}
