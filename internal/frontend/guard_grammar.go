package frontend

// This file is what the guard knows of the grammar: what each token means for the
// frame that it stands in.

// before returns the name or keyword that is the last token but n, or "": the name
// behind a point is none.
func (g *guard) before(tokens []token, n int) string {
	i := len(tokens) - 1 - n
	if i < 0 || tokens[i].kind != tokenIdentifier || g.isProperty(tokens[:i+1]) {
		return ""
	}
	return g.text(tokens[i])
}

// isProperty says whether the last token stands behind a point.
func (g *guard) isProperty(tokens []token) bool {
	i := len(tokens) - 2
	if i < 0 || tokens[i].kind != tokenPunct {
		return false
	}
	s := g.text(tokens[i])
	return s == "." || s == "?."
}

// regexp implements observer.
func (g *guard) regexp(tokens []token, offset int) bool {
	f := g.top()
	if f.operand && g.endsAtLine(f, tokens, 0) {
		return hasLineEnd(g.src[tokens[len(tokens)-1].end:offset])
	}
	return !f.operand
}

// endsAtLine says whether a line end behind the last token but n ends the statement,
// whatever comes next.
func (g *guard) endsAtLine(f *frame, tokens []token, n int) bool {
	i := len(tokens) - 1 - n
	if !f.statement || i < 0 {
		return false
	}
	if tokens[i].kind == tokenPunct {
		return tokens[i].opens >= 0 && g.closed.closes == closeArrow
	}
	switch g.before(tokens, n) {
	case "break", "continue", "debugger", "return":
		return true
	}
	return false
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
func (g *guard) operand(literal bool) {
	f := g.top()
	if f.inKey {
		f.operand = true
		return
	}
	g.beginOperand(f)
	g.endOperand(f, literal)
}

// beginOperand takes note of the first token of an operand.
func (g *guard) beginOperand(f *frame) {
	if f.operand {
		g.sideBySide(f)
	}
	f.arrowHasBody()
	if f.begins {
		g.begin(f, "")
		f.begins = false
	}
}

// arrowHasBody takes note of a token that begins the body of an arrow function: it
// is no block.
func (f *frame) arrowHasBody() {
	if f.waits == waitArrow {
		f.waits = waitNothing
	}
}

func (g *guard) endOperand(f *frame, literal bool) {
	f.arrowHasBody()
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

func (g *guard) template(t token) {
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
	word := g.text(t)
	if g.isProperty(tokens) {
		f.operand = true
		return
	}
	if f.inKey {
		g.key(f, word)
		return
	}
	before := g.before(tokens, 1)
	if t.newline && f.operand && g.endsAtLine(f, tokens, 1) {
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
		f.tight++ // class extends class extends ... is nested without a bracket
	case "as", "satisfies":
		if f.operand && !t.newline { // TypeScript
			g.operator(f, false)
			return
		}
		g.name(f, t, word, before)
	case "true", "false", "null":
		g.operand(true)
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
			g.arrows = true
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
	if f.waits == waitFunction || before == "class" {
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
	g.beginOperand(f)
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
		declares := f.kind == bracketHeader && (word == "var" || word == "const")
		if !declares && word != "import" {
			g.odd++
		}
		f.operand = word == "import"
		return
	}
	if before == "export" && word == "default" {
		f.operand, f.begins = false, false
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
	case "return", "break", "continue":
		g.compile += float64(exitVisits * (f.depth + len(g.statements) - f.statements - f.function))
	}
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
	async := before == "async" && f.operand && word == "function"
	if async {
		f.operand = false
		f.constant = constantUnknown
	} else if f.operand {
		g.sideBySide(f)
	}
	f.expression = !f.begins
	if f.begins {
		g.begin(f, word)
		f.begins = false
	}
	if word == "class" {
		f.arrowHasBody()
		f.classes++
		f.operand = false
		return
	}
	f.waitsAsync, f.waitsGen = async, false
	f.waits = waitFunction
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
		if t.opens < 0 {
			g.odd++
			g.endStatement(f)
			return
		}
		if open := g.text(tokens[t.opens]); open == "(" && p != ")" || open == "[" && p != "]" || open == "{" && p != "}" {
			g.odd++
		}
		g.close()
	case ";":
		if i := len(tokens) - 2; f.begins && i >= 0 && tokens[i].opens >= 0 && g.closed.kind == bracketHeader && g.closed.closes == closeStatement {
			return // the semicolon of do while, which has ended already
		}
		if f.begins {
			g.begin(f, "")
		}
		g.sideBySide(f)
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
		g.colon(f)
	case "=>":
		g.arrow(f, tokens)
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

func (g *guard) colon(f *frame) {
	switch {
	case f.conditions > 0:
		f.conditions--
		f.tight, f.members = 0, 0
		g.split(f)
	case f.kind == bracketObject && f.inKey:
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
		g.odd++
		waits := f.waits
		g.endExpression(f)
		f.waits = waits
		f.inKey = false
	}
}

func (g *guard) arrow(f *frame, tokens []token) {
	async := f.waitsAsync
	if i := len(tokens) - 2; i < 0 || tokens[i].kind != tokenIdentifier && tokens[i].opens < 0 {
		g.odd++
	} else if tokens[i].opens >= 0 {
		// The parser reads the head again.
		f.parse += g.closed.parse
		async = g.closed.asyncCall
	}
	f.loose++
	f.tight, f.members = 0, 0
	g.split(f)
	f.waits = waitArrow
	f.waitsAsync, f.waitsGen = async, false
	f.inKey = false
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
	if f.operand && !(t.newline && g.endsAtLine(f, tokens, 1)) {
		g.member(f)
		inner := g.open(bracketCall, closeOperand)
		inner.asyncCall = g.before(tokens, 1) == "async"
		return
	}
	g.beginOperand(f)
	f.waits = waitNothing
	g.open(bracketParen, closeOperand)
}

func (g *guard) openSquare(f *frame, tokens []token, t token) {
	if f.inKey {
		g.open(bracketKey, closeKey)
		return
	}
	if f.operand && !(t.newline && g.endsAtLine(f, tokens, 1)) {
		if (f.statement || f.kind == bracketHeader) && g.before(tokens, 1) == "let" {
			f.operand = false
			g.open(bracketArray, closeOperand)
			return
		}
		g.member(f)
		g.open(bracketIndex, closeOperand)
		return
	}
	g.beginOperand(f)
	f.waits = waitNothing
	g.open(bracketArray, closeOperand)
}

func (g *guard) openCurly(f *frame, tokens []token, t token) {
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
		g.openFunction(closes, generator, async)
		return
	case waitArrow:
		f.waits = waitNothing
		g.openFunction(closeArrow, false, async)
		return
	case waitSwitch, waitCatch:
		f.waits = waitNothing
		g.open(bracketBlock, closeStatement)
		return
	}
	if f.classes > 0 && g.before(tokens, 1) != "extends" { // an object may be the heritage
		f.classes--
		closes := closeOperand
		if f.classes == 0 && !expression && f.statement {
			closes = closeStatement
		}
		g.open(bracketClass, closes)
		return
	}
	if f.inKey {
		if f.kind == bracketClass { // static { }
			g.openFunction(closeMember, false, false)
			return
		}
		g.open(bracketObject, closeOperand)
		return
	}
	if word := g.before(tokens, 1); f.operand && (word == "let" || word == "import") {
		f.operand = false
		g.open(bracketObject, closeOperand)
		return
	}
	if f.operand {
		g.sideBySide(f)
	}
	if t.newline && g.endsAtLine(f, tokens, 1) {
		g.endStatement(f)
	}
	if f.begins {
		g.begin(f, "{")
		f.begins = false
		g.open(bracketBlock, closeStatement)
		return
	}
	g.open(bracketObject, closeOperand)
}

func (g *guard) close() {
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
		g.split(f)
		f.begins = true
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
