// Package frontend makes a script ready for an interpreter. It is the same for
// every engine, so that every engine runs, counts and reports the same:
//
//   - guard: a script that is too large, or nested so deep that a parser could
//     not be trusted with it, is refused before it is parsed;
//   - parse: exact positions for syntax errors, and the choice of form: a script
//     runs as the body of an arrow function, an async one when it has an await at
//     its top level;
//   - plan: where a statement list, a loop body, a function is entered, and what
//     that costs; and which statements give the script its value;
//   - write: the plan becomes edits of the author's text, on the lines that it
//     had.
package frontend

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Options say how a program is built.
type Options struct {
	// Name is the source name.
	Name string
	// MaxSource is the size in bytes that a source may have.
	MaxSource int64
	// Metered puts the charges for statements in. Without, all else is the same.
	Metered bool
	// Dialect is the interpreter's.
	Dialect engine.Dialect
}

// Build makes a program of a source. The error is ready for the caller of a run.
func Build(source string, opts Options) (*engine.Program, *engine.Error) {
	if int64(len(source)) > opts.MaxSource {
		return nil, named(engine.Exhausted(engine.LimitSource, opts.MaxSource), opts.Name)
	}
	source = strings.TrimPrefix(source, "\uFEFF")
	b := &builder{opts: opts, program: &engine.Program{Name: opts.Name, Source: source}, name: engine.ReservedName, hidden: map[int]bool{}}
	for i := 1; strings.Contains(source, b.name); i++ {
		b.name = engine.ReservedName + strconv.Itoa(i)
	}
	b.program.Seal() // for the positions of errors
	if err := b.check(); err != nil {
		return nil, err
	}
	script, err := b.parse()
	if err != nil {
		return nil, err
	}
	if err := b.retokenize(script); err != nil {
		return nil, err
	}
	if err := b.refuseTokens(); err != nil {
		return nil, err
	}
	if err := b.refuseUnsupported(script); err != nil {
		return nil, err
	}
	newPlanner(b, script).write()
	if b.lowered {
		if err := b.lower(); err != nil {
			return nil, err
		}
	}
	return b.program, nil
}

// A builder holds what the steps of a build hand on.
type builder struct {
	opts    Options
	program *engine.Program
	tokens  []token
	// name is the reserved name of this program: ReservedName, with a number where
	// the script has that text in a string or comment.
	name string
	// body is what the parser reads: the source, or a stand-in of the same length.
	// lowered says that it is a stand-in, hidden which tokens async are left out of
	// it.
	body    string
	lowered bool
	hidden  map[int]bool
}

// own puts the program's reserved name in place of each $.
func (b *builder) own(text string) string { return strings.ReplaceAll(text, "$", b.name) }

// check refuses what must not reach the parser.
func (b *builder) check() *engine.Error {
	source := b.program.Source
	if !utf8.ValidString(source) {
		at := 0
		for at < len(source) {
			r, size := utf8.DecodeRuneInString(source[at:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			at += size
		}
		return b.syntaxError(at, "the source is not valid UTF-8")
	}
	tokens, over := checkNesting(source)
	if over.passed() {
		return b.nestedTooDeep(over)
	}
	b.tokens = tokens
	return nil
}

// retokenize tokenises again where the guard was wrong about a slash, now that
// the parser knows.
func (b *builder) retokenize(script *script) *engine.Error {
	exact := script.regexps()
	guessed := 0
	wrong := false
	for _, t := range b.tokens {
		if t.kind == tokenRegexp {
			guessed++
			wrong = wrong || !exact[t.start]
		}
	}
	if !wrong && guessed == len(exact) {
		return nil
	}
	b.tokens = lex(b.program.Source, exact)
	if over := checkTokens(b.program.Source, b.tokens); over.passed() {
		return b.nestedTooDeep(over)
	}
	return nil
}

// refuseTokens refuses a script that uses a name that belongs to ringfence, and
// characters that are no token, some of which the parser lets pass.
func (b *builder) refuseTokens() *engine.Error {
	for _, t := range b.tokens {
		text := b.program.Source[t.start:t.end]
		switch t.kind {
		case tokenIdentifier, tokenPrivate:
			if strings.HasPrefix(unescape(strings.TrimPrefix(text, "#")), engine.ReservedName) {
				return b.syntaxError(t.start, "identifiers that begin with "+engine.ReservedName+" are reserved")
			}
		case tokenPunct:
			if !strings.Contains("{}()[];,<>=!+-*/%&|^~?:.", text[:1]) {
				return b.syntaxError(t.start, "Invalid or unexpected token")
			}
			// A comment to some engines, operators to others.
			if strings.HasPrefix(b.program.Source[t.start:], "<!--") {
				return b.syntaxError(t.start, "HTML comments are not supported")
			}
		}
	}
	return nil
}

func (b *builder) syntaxError(at int, message string) *engine.Error {
	return b.place(&engine.Error{
		Class:   engine.GuestException,
		Name:    "SyntaxError",
		Message: engine.CutText(message, engine.MaxErrorText),
	}, at)
}

func (b *builder) nestedTooDeep(over overLimit) *engine.Error {
	return b.place(engine.Exhausted(engine.LimitNesting, int64(over.max)), over.at)
}

// place gives an error its position.
func (b *builder) place(e *engine.Error, at int) *engine.Error {
	e.File = b.opts.Name
	e.Line, e.Column = b.program.SourcePosition(at)
	e.SourceLine = b.program.SourceLine(e.Line)
	if e.Class == engine.GuestException {
		e.Stack = []engine.Frame{{File: e.File, Line: e.Line, Column: e.Column}}
	}
	return e
}

func named(e *engine.Error, name string) *engine.Error {
	e.File = name
	return e
}

// unescape decodes the escapes of an identifier. What is malformed stays.
func unescape(name string) string {
	if !strings.Contains(name, `\`) {
		return name
	}
	var out strings.Builder
	for {
		i := strings.Index(name, `\u`)
		if i < 0 {
			out.WriteString(name)
			return out.String()
		}
		out.WriteString(name[:i])
		digits, rest := "", ""
		if strings.HasPrefix(name[i:], `\u{`) {
			if end := strings.IndexByte(name[i:], '}'); end > 0 {
				digits, rest = name[i+3:i+end], name[i+end+1:]
			}
		} else if len(name) >= i+6 {
			digits, rest = name[i+2:i+6], name[i+6:]
		}
		code, err := strconv.ParseInt(digits, 16, 32)
		if err != nil {
			out.WriteString(name[i:])
			return out.String()
		}
		out.WriteRune(rune(code))
		name = rest
	}
}
