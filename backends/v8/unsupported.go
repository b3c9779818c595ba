//go:build wip && !(cgo && (linux || darwin) && (amd64 || arm64))

package v8

import (
	"errors"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/core/engine/inproc"
)

// errUnsupported says why there is no V8 in this build.
var errUnsupported = errors.New("v8: this program was built without V8, which needs cgo, and linux or darwin on amd64 or arm64")

// New returns an error: there is no V8 in this build.
func New(*inproc.Options) (engine.Engine, error) { return nil, errUnsupported }

// NewInterpreter returns an interpreter that can compile and run nothing: there is
// no V8 in this build. Most services want [New].
func NewInterpreter() engine.Interpreter { return interpreter{} }

type interpreter struct{}

func (interpreter) Info() engine.Info {
	return engine.Info{Name: "v8", Version: "not in this build", Isolation: "none", Enforces: enforces, Lacks: lacks()}
}

func (interpreter) Dialect() engine.Dialect { return engine.Dialect{Charge: "$(#)", Enter: "$(#)"} }

func (interpreter) Compile(*engine.Program) (engine.Compiled, error) { return nil, errUnsupported }

func (interpreter) NewContext(*engine.ContextConfig) (engine.Context, error) {
	return nil, errUnsupported
}

func (interpreter) Close() error { return nil }
