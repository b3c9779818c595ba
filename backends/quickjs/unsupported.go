//go:build wip && (386 || arm)

package quickjs

import (
	"errors"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/core/engine/inproc"
)

// errUnsupported says why there is no QuickJS in this build.
var errUnsupported = errors.New("quickjs: this program was built for a processor of 32 bits, on which the engine lays out its values otherwise")

// New returns an error: there is no QuickJS in this build.
func New(*inproc.Options) (engine.Engine, error) { return nil, errUnsupported }

// NewInterpreter returns an interpreter that can compile and run nothing.
func NewInterpreter() engine.Interpreter { return interpreter{} }

type interpreter struct{}

func (interpreter) Info() engine.Info {
	return engine.Info{Name: "quickjs", Version: "not in this build", Enforces: enforces, Lacks: lacks()}
}

func (interpreter) Dialect() engine.Dialect { return engine.Dialect{Charge: "$(#)", Enter: "$(#)"} }

func (interpreter) Compile(*engine.Program) (engine.Compiled, error) { return nil, errUnsupported }

func (interpreter) NewContext(*engine.ContextConfig) (engine.Context, error) {
	return nil, errUnsupported
}

func (interpreter) Close() error { return nil }
