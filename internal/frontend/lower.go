package frontend

import (
	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Some syntax is not in the parser's grammar, and not every engine has it: async
// generators and for await. It takes two steps.
//
// For the plan, the parser reads a stand-in: the same text, of the same length,
// in which an async generator is a plain one, its awaits are voids, and for await
// is a plain for. It has the same statements at the same places, which is all that
// the plan needs.
//
// The plan's edits then go into the author's text, and what comes out is lowered
// by esbuild. So what esbuild adds costs nothing, and a second map leads from the
// lowered text to the metered one.

// standIn is the source as the parser can read it, and whether it differs.
func (b *builder) standIn(body string) (string, bool) {
	text := []byte(body)
	blank := func(t token) {
		for i := t.start; i < t.end; i++ {
			text[i] = ' '
		}
	}
	found := false
	for i, t := range b.tokens {
		switch b.word(i) {
		case "for":
			if b.word(i+1) == "await" && b.word(i+2) == "(" {
				blank(b.tokens[i+1])
				found = true
			}
		case "async":
			last, ok := b.asyncGenerator(i)
			if !ok {
				continue
			}
			found = true
			blank(t)
			b.hidden[i] = true
			for j := i; j < last; j++ {
				inside := b.tokens[j]
				if b.word(j) == "await" && b.word(j-1) != "." && b.word(j-1) != "for" && b.word(j+1) != ":" {
					copy(text[inside.start:inside.end], "void ")
				}
			}
		}
	}
	return string(text), found
}

// asyncGenerator says whether token i is the async of an async generator, and
// which token ends it.
func (b *builder) asyncGenerator(i int) (last int, ok bool) {
	next := i + 1
	if next >= len(b.tokens) || b.tokens[next].newline || b.word(i-1) == "." {
		return 0, false
	}
	if b.word(next) == "function" {
		next++
	}
	if b.word(next) != "*" {
		return 0, false
	}
	// The name, which may be computed or missing, then parameters and body.
	next++
	if b.word(next) == "[" {
		next = b.tokens[next].match
	}
	if b.word(next) != "(" {
		next++
	}
	if b.word(next) != "(" || b.tokens[next].match < 0 {
		return 0, false
	}
	body := b.tokens[next].match + 1
	if b.word(body) != "{" || b.tokens[body].match < 0 {
		return 0, false
	}
	return b.tokens[body].match, true
}

// word is the text of token i, or "" where there is none.
func (b *builder) word(i int) string {
	if i < 0 || i >= len(b.tokens) {
		return ""
	}
	return b.program.Source[b.tokens[i].start:b.tokens[i].end]
}

// lower replaces the program's metered text by one without the syntax that not
// every engine has.
func (b *builder) lower() (failure *engine.Error) {
	defer func() {
		if p := recover(); p != nil {
			failure = b.syntaxError(0, "the script could not be lowered")
		}
	}()
	p := b.program
	result := "$R"
	head := b.own(result) + "="
	out := api.Transform(head+p.Text, api.TransformOptions{
		Target:      api.ESNext,
		Supported:   map[string]bool{"async-generator": false, "for-await": false},
		Charset:     api.CharsetUTF8,
		Sourcemap:   api.SourceMapExternal,
		TreeShaking: api.TreeShakingFalse,
		LogLevel:    api.LogLevelSilent,
	})
	if len(out.Errors) > 0 {
		first := out.Errors[0]
		at := 0
		if l := first.Location; l != nil {
			column := l.Column + 1
			if l.Line == 1 {
				column -= len(head)
			}
			at = p.SourceOffset(p.OffsetOfBytes(l.Line, column))
		}
		return b.syntaxError(at, first.Text)
	}
	way, err := sourcemap.Parse("", out.Map)
	if err != nil {
		return b.syntaxError(0, "the script could not be lowered")
	}
	// The helpers of esbuild are declared in a function around the program, out of
	// the script's sight.
	open := b.own("(()=>{var " + result + ";")
	metered := *p
	p.Lower(open+string(out.Code)+b.own("return "+result+"})()"), func(line, column int) int {
		if line == 1 {
			column -= len(open)
		}
		_, _, toLine, toColumn, ok := way.Source(line, max(0, column-1))
		if !ok {
			return -1
		}
		if toLine == 1 {
			toColumn = max(0, toColumn-len(head))
		}
		return metered.OffsetOfUTF16(toLine, toColumn+1)
	})
	return nil
}
