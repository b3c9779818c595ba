package goja

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/ringfence-js/ringfence/core/engine"
)

// NewInterpreter returns goja as an interpreter. Most services want [New].
func NewInterpreter() engine.Interpreter { return newInterpreter() }

func newInterpreter() *interpreter {
	return &interpreter{sampler: newSampler(readHeap, collectGarbage)}
}

type interpreter struct {
	sampler *sampler
	shapes  hostShapes
}

// Info describes goja.
func (in *interpreter) Info() engine.Info {
	return engine.Info{
		Name:      "goja",
		Version:   gojaVersion(),
		Isolation: "none",
		Enforces:  enforces,
		Lacks:     lacks(),
	}
}

// gojaVersion is the version that the program was built with.
func gojaVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "github.com/dop251/goja" {
				if m.Replace != nil {
					return m.Replace.Version
				}
				return m.Version
			}
		}
	}
	return "unknown"
}

// Dialect asks for a host call as the charge. It was measured beside a closure
// variable and a global one: see BenchmarkCharge.
func (in *interpreter) Dialect() engine.Dialect {
	return engine.Dialect{
		Charge:   "$(#)",
		Enter:    "$(#)",
		Operands: true,
	}
}

// Compile parses and compiles a program. Source maps stay closed, and functions
// remember the author's text, which their toString shows.
func (in *interpreter) Compile(p *engine.Program) (engine.Compiled, error) {
	tree, err := parser.ParseFile(nil, p.Name, p.Text, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, syntaxError(p, err)
	}
	showAuthorText(p, tree)
	needs := literalGlobals(p, tree)
	positions := useAuthorPositions(p, tree)
	program, err := goja.CompileAST(tree, false)
	if err != nil {
		return nil, syntaxError(p, err)
	}
	layout, err := goLayout()
	if err != nil {
		return nil, err
	}
	layout.boundProgram(program)
	return &compiled{program: program, needs: needs, positions: positions}, nil
}

// compiled is a program as a context takes it.
type compiled struct {
	program *goja.Program
	needs   []string // globals that are to be guarded before it runs
	positions
}

// syntaxError is what a program that does not compile fails with. The front end
// has parsed the script before, so that these are the rules that only goja's
// compiler checks.
func syntaxError(p *engine.Program, err error) error {
	out := &engine.Error{Class: engine.GuestException, Name: "SyntaxError", Message: err.Error(), File: p.Name}
	position := func(source int) {
		out.Line, out.Column = p.SourcePosition(source)
		out.SourceLine = p.SourceLine(out.Line)
	}
	if list, ok := errors.AsType[parser.ErrorList](err); ok && len(list) > 0 {
		out.Message = list[0].Message
		position(p.SourceOffset(p.OffsetOfBytes(list[0].Position.Line, list[0].Position.Column)))
	} else if e, ok := errors.AsType[*goja.CompilerSyntaxError](err); ok {
		out.Message = e.Message
		position(e.Offset) // the tree has the author's positions by now
	} else if e, ok := errors.AsType[*goja.CompilerReferenceError](err); ok {
		out.Message = e.Message
		position(e.Offset) // the tree has the author's positions by now
	}
	return out
}

// NewContext makes a runtime for one run.
func (in *interpreter) NewContext(cfg *engine.ContextConfig) (engine.Context, error) {
	layout, err := goLayout()
	if err != nil {
		return nil, err
	}
	c, err := newContext(in, layout, cfg)
	if err != nil {
		return nil, fmt.Errorf("make a goja context: %w", err)
	}
	return c, nil
}

// Close ends the sampler.
func (in *interpreter) Close() error {
	in.sampler.close()
	return nil
}
