package frontend

import "strings"

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
	maxCompile = 20_000_000
)

// checkNesting tokenises the source with a guess at what each slash means, and
// refuses a source that is nested so deep that a parser or compiler could not be
// trusted with it: at is the offset of the token that passed the limit.
//
// The guess is right for what is valid JavaScript. For anything else it may be
// wrong, and code may be in what it takes for text: see blankText.
func checkNesting(src string) (tokens []token, at int, ok bool) {
	g := newGuard(src)
	tokens = lex(src, g)
	return tokens, g.at, !g.exceeded
}

// checkTokens is checkNesting for tokens that are exact: after the parse has shown
// where regular expressions really are.
func checkTokens(src string, tokens []token) (at int, ok bool) {
	g := newGuard(src)
	for i := range tokens {
		if !g.token(tokens[:i+1]) {
			return g.at, false
		}
	}
	return 0, true
}

// blankText returns the source with the text of its strings, templates, regular
// expressions and comments made harmless, every token at its place. A parser that
// reads this sees no code that the guard did not, even where the two disagree about
// a slash, and if it finds the same regular expressions, it may read the source.
func blankText(src string, tokens []token) string {
	out := []byte(src)
	fill := func(from, to int, with byte) {
		for i := from; i < to; i++ {
			out[i] = with
		}
	}
	end := 0
	for _, t := range tokens {
		blankComments(out, src, end, t.start)
		end = t.end
		switch t.kind {
		case tokenString:
			last := t.end
			if t.end-t.start > 1 && src[t.end-1] == src[t.start] {
				last--
			}
			fill(t.start+1, last, 'x')
		case tokenTemplate:
			last := t.end
			if t.end-t.start > 1 && src[t.end-1] == '`' {
				last--
			}
			fill(t.start+1, last, 'x')
		case tokenTemplateOpen:
			fill(t.start+1, t.end-2, 'x')
		case tokenRegexp:
			last := strings.LastIndexByte(src[t.start:t.end], '/')
			if last <= 0 {
				last = t.end - t.start
			}
			fill(t.start+1, t.start+last, 'x')
		}
	}
	blankComments(out, src, end, len(src))
	return string(out)
}

func blankComments(out []byte, src string, from, to int) {
	for i := from; i < to; {
		if n := lineEndLen(src[i:to]); n > 0 {
			i += n
			continue
		}
		out[i] = ' '
		i++
	}
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
	waitClass            // class: perhaps a name and a heritage, then members
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
	chain      int // links of the brackets around
	tight      int // levels that end at the next operator: prefixes and **
	loose      int // levels that end with the expression: ?: = => yield
	operators  int // links that end with the expression
	members    int // links that end at the next operator
	elses      int // links of the open statements
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
	at         int
	exceeded   bool

	compile float64 // visits, of the expressions that have ended
	closed  frame   // the frame that the token before has closed

	// Where the source is no JavaScript, the parser goes on, and may close a
	// parenthesis with anything before an arrow.
	odd    int // arrows that stand where none can
	parens int // parentheses open that may be heads of arrow functions
	most   int // the most of those
	read   int // tokens
}

func newGuard(src string) *guard {
	// At the top level await counts as an operator: it is one when the source is
	// run as the body of an async function.
	return &guard{src: src, frames: []frame{{kind: bracketScript, statement: true, begins: true, async: true}}}
}

func (g *guard) top() *frame { return &g.frames[len(g.frames)-1] }

func (g *guard) text(t token) string { return g.src[t.start:t.end] }

// regexp implements observer.
func (g *guard) regexp(tokens []token, offset int) bool {
	f := g.top()
	if !f.operand {
		return true
	}
	if len(tokens) == 0 {
		return true
	}
	last := tokens[len(tokens)-1]
	// A statement cannot go on behind these in another line.
	if g.endsAtLine(f, tokens) {
		return hasLineEnd(g.src[last.end:offset])
	}
	return false
}

// endsAtLine says whether the statement ends if a line end follows the last token,
// whatever the next token is.
func (g *guard) endsAtLine(f *frame, tokens []token) bool {
	if !f.statement {
		return false
	}
	last := tokens[len(tokens)-1]
	if last.kind == tokenPunct {
		return last.opens >= 0 && g.closed.closes == closeArrow
	}
	if last.kind == tokenIdentifier && !isProperty(g.src, tokens, len(tokens)-1) {
		switch g.text(last) {
		case "break", "continue", "debugger":
			return true
		case "return":
			return true
		}
	}
	return false
}

// isProperty says whether token i is the name behind a point.
func isProperty(src string, tokens []token, i int) bool {
	if i == 0 || tokens[i-1].kind != tokenPunct {
		return false
	}
	s := src[tokens[i-1].start:tokens[i-1].end]
	return s == "." || s == "?."
}

// token implements observer.
func (g *guard) token(tokens []token) bool {
	i := len(tokens) - 1
	t := tokens[i]
	g.read++
	g.top().parse++
	switch t.kind {
	case tokenIdentifier:
		g.word(tokens, t)
	case tokenPrivate, tokenNumber, tokenString, tokenRegexp:
		g.operand(tokens, t, t.kind == tokenNumber || t.kind == tokenString)
	case tokenTemplate, tokenTemplateOpen:
		g.template(tokens, t)
	default:
		g.punctuator(tokens, t)
	}
	g.check(t)
	return !g.exceeded
}

func (g *guard) check(t token) {
	f := g.top()
	depth := f.depth + f.tight + f.loose + len(g.statements) - f.statements
	chain := f.chain + f.operators + f.members + f.elses
	twice := 1 << min(g.odd, g.most, 30)
	if depth > maxNesting || chain > maxChain ||
		f.parse > maxParse || (twice > 1 && g.read > maxParse/twice) ||
		g.compile+f.emits > maxCompile {
		g.at, g.exceeded = t.start, true
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
		generator:  f.generator,
		async:      f.async,
	}
	switch kind {
	case bracketBlock:
		inner.statement, inner.begins = true, true
	case bracketClass, bracketObject:
		inner.inKey = true
	case bracketParen:
		g.parens++
		g.most = max(g.most, g.parens)
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
		// The parser reads again what stands behind yield if it is in error.
		f.parse += inner.parse
	}
	if inner.kind == bracketParen {
		g.parens--
		f.emits += inner.asks + inner.emits
		f.asks += inner.asks
	} else {
		g.compile += inner.emits
	}
}

// operator takes note of a binary operator.
func (g *guard) operator(f *frame, logical bool) {
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
	f.operand = false
}

// member takes note of an access to a member, or of a call.
func (g *guard) member(f *frame) {
	f.members++
	f.emits += f.asks + 2
	f.asks++
	f.constant = constantNo
}

// split takes note of an operator whose operands are compiled apart.
func (g *guard) split(f *frame) {
	g.compile += f.emits
	f.asks, f.emits = 0, 0
	f.constant = constantUnknown
	f.operand = false
}

// endExpression forgets what ends with an expression.
func (g *guard) endExpression(f *frame) {
	g.split(f)
	f.tight, f.loose, f.operators, f.members = 0, 0, 0, 0
	f.yields = false
	f.waits = waitNothing
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

// beginMember expects the name of a member.
func (g *guard) beginMember(f *frame) {
	g.endExpression(f)
	f.inKey = true
	f.waitsAsync, f.waitsGen = false, false
}

// sideBySide takes note of a token that begins an operand or a statement where an
// operator was due: a semicolon was left out, or a field of a class has ended.
func (g *guard) sideBySide(f *frame) {
	switch {
	case f.statement:
		g.endStatement(f)
	case f.kind == bracketClass:
		g.beginMember(f)
	default:
		g.endExpression(f)
	}
}

// operand takes note of an operand of one token.
func (g *guard) operand(tokens []token, t token, literal bool) {
	f := g.top()
	if f.operand {
		g.sideBySide(f)
	}
	if f.begins {
		g.begin(f, "")
		f.begins = false
	}
	g.endOperand(f, literal)
}

func (g *guard) endOperand(f *frame, literal bool) {
	f.operand = true
	if f.emits == 0 {
		f.asks, f.emits = 1, 1
	}
	switch {
	case f.constant == constantLogical:
	case !literal:
		f.constant = constantNo
	case f.constant == constantUnknown:
		f.constant = constantYes
	}
}

func (g *guard) template(tokens []token, t token) {
	f := g.top()
	if g.src[t.start] == '}' {
		g.pop()
		f = g.top()
	} else {
		if f.operand && !f.inKey {
			g.member(f)
		} else if f.begins {
			g.begin(f, "")
			f.begins = false
		}
	}
	g.endOperand(f, false)
	if t.kind == tokenTemplateOpen {
		g.open(bracketHole, closeOperand)
	}
}

// word takes note of a name or a keyword.
func (g *guard) word(tokens []token, t token) {
	f := g.top()
	i := len(tokens) - 1
	word := g.text(t)
	if isProperty(g.src, tokens, i) {
		f.operand = true
		return
	}
	if f.inKey {
		g.key(f, word)
		return
	}
	before := ""
	if i > 0 && tokens[i-1].kind == tokenIdentifier && !isProperty(g.src, tokens, i-1) {
		before = g.text(tokens[i-1])
	}
	if t.newline && f.operand && i > 0 && g.endsAtLine(f, tokens[:i]) {
		g.endStatement(f)
	}
	switch word {
	case "if", "for", "while", "with", "do", "else", "try", "finally", "catch", "switch",
		"return", "throw", "break", "continue", "debugger", "var", "const", "case", "default", "import", "export":
		g.statementWord(f, word, before)
	case "function", "class":
		g.functionWord(f, word, before)
	case "typeof", "void", "delete", "new":
		g.prefix(f)
	case "await":
		if f.async {
			g.prefix(f)
			return
		}
		g.name(f, t, word, before)
	case "yield":
		if f.generator {
			g.prefix(f)
			f.tight--
			f.loose++
			f.yields = true
			return
		}
		g.name(f, t, word, before)
		f.yields = true
	case "in", "instanceof":
		g.operator(f, false)
	case "of":
		if f.kind == bracketHeader && f.operand {
			g.endExpression(f)
			return
		}
		g.name(f, t, word, before)
	case "extends":
		g.split(f)
	case "let":
		g.name(f, t, word, before)
	case "as", "satisfies":
		if f.operand && !t.newline { // TypeScript
			g.operator(f, false)
			return
		}
		g.name(f, t, word, before)
	case "true", "false", "null":
		g.operand(tokens, t, true)
	default:
		g.name(f, t, word, before)
	}
}

// name takes note of an identifier.
func (g *guard) name(f *frame, t token, word, before string) {
	if f.operand && !t.newline {
		switch before {
		case "async":
			// async x => ...: the parameter takes the place of the operand.
			f.waitsAsync = true
			return
		case "let", "break", "continue":
			if f.statement || f.kind == bracketHeader {
				f.operand = true
				return
			}
		}
	}
	if f.operand {
		if before == "let" && f.statement {
			return // let, and the name in the next line
		}
		g.sideBySide(f)
		if f.inKey {
			g.key(f, word)
			return
		}
	}
	if f.begins {
		g.begin(f, word)
		// async at the beginning of a statement may be that of a declaration
		f.begins = word == "async"
	}
	if f.waits == waitFunction || f.waits == waitClass && f.constant == constantUnknown && before == "class" {
		return // the name of the function or class
	}
	f.waitsAsync = false
	g.endOperand(f, false)
}

// key takes note of a name in an object or class, where any word may be one.
func (g *guard) key(f *frame, word string) {
	if word == "async" {
		f.waitsAsync = true
	}
	f.operand = true
	f.constant = constantNo
}

// prefix takes note of an operator that stands before its operand.
func (g *guard) prefix(f *frame) {
	if f.operand {
		g.sideBySide(f)
	}
	if f.begins {
		g.begin(f, "")
		f.begins = false
	}
	f.tight++
	f.operand = false
	if f.emits == 0 {
		f.asks, f.emits = 1, 1
	}
	f.asks++
	f.emits += f.asks
}

func (g *guard) statementWord(f *frame, word, before string) {
	if !f.statement {
		// No JavaScript, except for await and such in the header of for.
		f.operand = false
		return
	}
	if before == "export" && word == "default" {
		return
	}
	if !f.begins {
		g.endStatement(f)
	}
	g.begin(f, word)
	f.begins = false
	f.operand = false
	last := g.last(f)
	switch word {
	case "if":
		if before == "else" && last != nil {
			// The parser recurses, but takes little: it counts as a link.
			last.kind = statementIf
			last.links++
			f.elses++
		} else {
			g.openStatement(statementIf)
		}
		f.waits = waitHeader
	case "for", "with":
		g.openStatement(statementOther)
		f.waits = waitHeader
	case "while":
		if last != nil && last.kind == statementDoEnded {
			last.kind = statementOther
			f.waits = waitDoWhile
		} else {
			g.openStatement(statementOther)
			f.waits = waitHeader
		}
	case "switch":
		g.openStatement(statementOther)
		f.waits = waitSwitch
	case "do":
		g.openStatement(statementDo)
		f.begins = true
	case "else":
		if last != nil && last.kind == statementIfEnded {
			last.kind = statementOther
		}
		f.begins = true
	case "try":
		g.openStatement(statementTry)
		f.begins = true
	case "finally", "catch":
		if last != nil && last.kind == statementTryEnded {
			last.kind = statementTry
		}
		f.begins = true
		if word == "catch" {
			f.waits = waitCatch
		}
	case "break", "continue", "debugger":
		f.operand = true
	case "case", "default":
		f.caseColon = true
		if word == "default" {
			f.operand = true
		}
	case "import":
		f.operand = true
	case "export":
		f.begins = true
	}
}

func (g *guard) functionWord(f *frame, word, before string) {
	async := false
	declaration := false
	if before == "async" && f.operand && word == "function" {
		async = true
		declaration = f.begins
		f.operand = false
		f.constant = constantUnknown
	} else {
		if f.operand {
			g.sideBySide(f)
		}
		declaration = f.begins
	}
	if f.begins {
		g.begin(f, word)
		f.begins = false
	}
	f.expression = !declaration
	f.waitsAsync, f.waitsGen = async, false
	f.waits = waitFunction
	if word == "class" {
		f.waits = waitClass
		f.constant = constantUnknown
	}
}

func (g *guard) punctuator(tokens []token, t token) {
	f := g.top()
	switch p := g.text(t); p {
	case "(":
		g.openParen(f, tokens, t)
	case "[":
		g.openSquare(f, tokens, t)
	case "{":
		g.openCurly(f, tokens, t)
	case ")", "]", "}":
		if t.opens >= 0 {
			g.close(tokens, t)
		} else {
			g.endStatement(f)
		}
	case ";":
		if i := len(tokens) - 2; f.begins && i >= 0 && tokens[i].opens >= 0 && g.closed.kind == bracketHeader && g.closed.closes == closeStatement {
			return // the semicolon of do while, which has ended already
		}
		switch {
		case f.statement:
			if f.begins {
				g.begin(f, "")
			}
			g.endStatement(f)
		case f.kind == bracketClass:
			g.endExpression(f)
			f.inKey = true
		default:
			g.endExpression(f)
		}
	case ",":
		if f.kind == bracketObject {
			g.beginMember(f)
		} else {
			g.endExpression(f)
		}
		f.conditions = 0
	case ".", "?.":
		g.member(f)
		f.operand = false
	case "...":
		g.endExpression(f)
		f.inKey = false
	case "++", "--":
		if f.operand && !t.newline {
			return
		}
		g.prefix(f)
	case "+", "-":
		if f.operand {
			g.operator(f, false)
		} else {
			g.prefix(f)
		}
	case "!", "~":
		if p == "!" && f.operand && !t.newline {
			return // TypeScript
		}
		g.prefix(f)
	case "*":
		if f.waits == waitFunction || f.inKey {
			f.waitsGen = true
			return
		}
		if f.yields && !f.operand {
			return // yield *
		}
		g.operator(f, false)
	case "**":
		tight := f.tight
		g.operator(f, false)
		f.tight = tight + 1
		f.operators--
	case "&&", "||", "??":
		g.operator(f, true)
	case "?":
		f.conditions++
		f.loose++
		f.tight, f.members = 0, 0
		g.split(f)
	case ":":
		g.colon(f, tokens)
	case "=>":
		g.arrow(f, tokens, t)
	case "=", "+=", "-=", "*=", "/=", "%=", "**=", "<<=", ">>=", ">>>=", "&=", "|=", "^=", "&&=", "||=", "??=":
		f.inKey = false
		f.loose++
		f.tight, f.members = 0, 0
		g.split(f)
	case "@", "#":
	default:
		g.operator(f, false)
	}
}

func (g *guard) colon(f *frame, tokens []token) {
	switch {
	case f.conditions > 0:
		f.conditions--
		f.tight, f.members = 0, 0
		g.split(f)
	case f.kind == bracketObject, f.kind == bracketClass:
		g.endExpression(f)
		f.inKey = false
	case f.statement && f.caseColon:
		g.endStatement(f)
	case f.statement:
		// A label: the statement goes on.
		g.endExpression(f)
		g.openStatement(statementOther)
		f.begins = true
	default:
		waits := f.waits
		g.endExpression(f)
		f.waits = waits
	}
}

func (g *guard) arrow(f *frame, tokens []token, t token) {
	i := len(tokens) - 2
	async := false
	switch {
	case i < 0:
		g.odd++
	case tokens[i].opens >= 0 && g.text(tokens[i]) == ")":
		f.parse += g.closed.parse
		async = g.closed.asyncCall
	case tokens[i].kind == tokenIdentifier:
		async = f.waitsAsync
		if isKeyword(g.text(tokens[i])) {
			g.odd++
		}
		// The head stands where an operand may begin.
		if i > 0 && !f.begins && i-1 >= 0 && tokens[i-1].kind != tokenPunct && !t.newline && !f.statement && !isWordBeforeOperand(g.text(tokens[i-1])) {
			g.odd++
		}
	default:
		g.odd++
	}
	f.loose++
	f.tight, f.members = 0, 0
	g.split(f)
	f.waits = waitArrow
	f.waitsAsync, f.waitsGen = async, false
	f.inKey = false
}

func isKeyword(word string) bool {
	switch word {
	case "if", "for", "while", "with", "do", "else", "try", "finally", "catch", "switch",
		"return", "throw", "break", "continue", "debugger", "var", "const", "case", "default", "import", "export",
		"function", "class", "typeof", "void", "delete", "new", "in", "instanceof", "extends", "true", "false", "null", "this", "super", "enum":
		return true
	}
	return false
}

// isWordBeforeOperand says whether an operand may follow the word.
func isWordBeforeOperand(word string) bool {
	switch word {
	case "async", "return", "throw", "typeof", "void", "delete", "new", "in", "of", "instanceof", "await", "yield", "case", "default", "do", "else", "extends":
		return true
	}
	return false
}

func (g *guard) openParen(f *frame, tokens []token, t token) {
	generator, async := f.waitsGen, f.waitsAsync
	switch f.waits {
	case waitHeader:
		f.waits = waitNothing
		g.open(bracketHeader, closeBody)
		return
	case waitSwitch:
		g.open(bracketHeader, closeBlock)
		return
	case waitCatch:
		g.open(bracketHeader, closeBlock)
		return
	case waitDoWhile:
		f.waits = waitNothing
		g.open(bracketHeader, closeStatement)
		return
	case waitFunction:
		f.waits = waitBody
		inner := g.open(bracketHeader, closeBlock)
		inner.generator, inner.async = generator, async
		return
	}
	if f.inKey {
		f.waits = waitBody
		f.expression = true
		inner := g.open(bracketHeader, closeBlock)
		inner.generator, inner.async = generator, async
		return
	}
	i := len(tokens) - 2
	if f.operand && !(t.newline && g.endsAtLine(f, tokens[:i+1])) {
		g.member(f)
		inner := g.open(bracketCall, closeOperand)
		inner.asyncCall = i >= 0 && tokens[i].kind == tokenIdentifier && g.text(tokens[i]) == "async" && !isProperty(g.src, tokens, i)
		return
	}
	if f.operand {
		g.sideBySide(f)
	}
	if f.begins {
		g.begin(f, "")
		f.begins = false
	}
	if f.waits != waitClass {
		f.waits = waitNothing
	}
	g.open(bracketParen, closeOperand)
}

func (g *guard) openSquare(f *frame, tokens []token, t token) {
	if f.inKey {
		g.open(bracketKey, closeKey)
		return
	}
	i := len(tokens) - 2
	if f.operand && i >= 0 && !(t.newline && g.endsAtLine(f, tokens[:i+1])) {
		if tokens[i].kind == tokenIdentifier && g.text(tokens[i]) == "let" && !isProperty(g.src, tokens, i) && (f.statement || f.kind == bracketHeader) {
			f.operand = false
			g.open(bracketArray, closeOperand)
			return
		}
		g.member(f)
		g.open(bracketIndex, closeOperand)
		return
	}
	if f.operand {
		g.sideBySide(f)
	}
	if f.begins {
		g.begin(f, "")
		f.begins = false
	}
	if f.waits != waitClass {
		f.waits = waitNothing
	}
	g.open(bracketArray, closeOperand)
}

func (g *guard) openCurly(f *frame, tokens []token, t token) {
	i := len(tokens) - 2
	generator, async, expression := f.waitsGen, f.waitsAsync, f.expression
	switch f.waits {
	case waitBody:
		f.waits = waitNothing
		closes := closeStatement
		if f.kind == bracketObject || f.kind == bracketClass {
			closes = closeOperand
			if f.inKey {
				closes = closeMember
			}
		}
		if expression && closes == closeStatement {
			closes = closeOperand
		}
		inner := g.open(bracketBlock, closes)
		inner.generator, inner.async = generator, async
		return
	case waitArrow:
		f.waits = waitNothing
		inner := g.open(bracketBlock, closeArrow)
		inner.generator, inner.async = false, async
		return
	case waitSwitch, waitCatch:
		f.waits = waitNothing
		g.open(bracketBlock, closeStatement)
		return
	case waitClass:
		// Behind extends an object may stand.
		extends := i >= 0 && tokens[i].kind == tokenIdentifier && g.text(tokens[i]) == "extends"
		if !extends {
			f.waits = waitNothing
			closes := closeOperand
			if !expression && f.statement {
				closes = closeStatement
			}
			g.open(bracketClass, closes)
			return
		}
		g.open(bracketObject, closeOperand)
		return
	}
	if f.inKey {
		if f.kind == bracketClass { // static { }
			inner := g.open(bracketBlock, closeMember)
			inner.generator, inner.async = false, false
			return
		}
		g.open(bracketObject, closeOperand)
		return
	}
	if f.operand && i >= 0 && tokens[i].kind == tokenIdentifier {
		switch g.text(tokens[i]) {
		case "let", "import":
			f.operand = false
			g.open(bracketObject, closeOperand)
			return
		}
	}
	if f.operand && i >= 0 {
		g.sideBySide(f)
	}
	if f.statement && f.begins {
		g.begin(f, "{")
		f.begins = false
		g.open(bracketBlock, closeStatement)
		return
	}
	// return in the line before has ended
	if f.statement && t.newline && i >= 0 && g.endsAtLine(f, tokens[:i+1]) {
		g.endStatement(f)
		f.begins = false
		g.open(bracketBlock, closeStatement)
		return
	}
	g.open(bracketObject, closeOperand)
}

func (g *guard) close(tokens []token, t token) {
	if len(g.frames) == 1 {
		return
	}
	inner := *g.top()
	g.pop()
	f := g.top()
	switch inner.closes {
	case closeStatement:
		if f.statement {
			g.endStatement(f)
		} else {
			g.endOperand(f, false)
		}
	case closeBody:
		f.begins = true
		f.operand = false
		g.split(f)
	case closeBlock:
		f.operand = false
	case closeMember:
		g.beginMember(f)
	case closeKey:
		f.operand = true
	default:
		literal := inner.kind == bracketParen && (inner.constant == constantYes || inner.constant == constantLogical)
		if literal && inner.constant == constantLogical && f.constant != constantNo {
			f.constant = constantLogical
		}
		g.endOperand(f, literal)
	}
}
