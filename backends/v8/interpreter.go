//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"fmt"
	"runtime/debug"

	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/core/engine/inproc"
)

// New returns an engine that runs scripts on V8. opts may be nil. It fails where
// the program was built without V8, and with a version of v8go that this package
// does not know.
func New(opts *inproc.Options) (engine.Engine, error) {
	if err := process(); err != nil {
		return nil, err
	}
	return inproc.New(NewInterpreter(), opts), nil
}

// NewInterpreter returns V8 as an interpreter. Most services want [New].
func NewInterpreter() engine.Interpreter { return &interpreter{} }

type interpreter struct {
	pool pool
}

// Info describes V8.
func (in *interpreter) Info() engine.Info {
	return engine.Info{
		Name:      "v8",
		Version:   libraryVersion() + " (V8 " + v8go.Version() + ")",
		Isolation: "none",
		Enforces:  enforces,
		Lacks:     lacks(),
	}
}

// libraryVersion is the version of v8go that the program was built with.
func libraryVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if m.Path == "rogchap.com/v8go" {
				if m.Replace != nil {
					return m.Replace.Version
				}
				return m.Version
			}
		}
	}
	return "unknown"
}

// Dialect counts in a member of an object that no script can name, and asks the host
// only when it is used up. A variable of the closure costs the same or a little
// more, an array of integers more. See BenchmarkCharge.
func (in *interpreter) Dialect() engine.Dialect {
	return engine.Dialect{
		// The meter hands out the run's budget, and keeps the function, which reads
		// what is left.
		Prologue: "const $c={v:0};$c.v=$(()=>$c.v);",
		Charge:   "($c.v-=#)<0&&$($c.v)",
		Enter:    "($c.v-=#)<0&&$($c.v)",
		Watch:    watched(),
	}
}

// compileMemory is what may be taken while a program is compiled.
const compileMemory = 64 << 20

// Compile compiles a program once, for its syntax errors and its code cache.
func (in *interpreter) Compile(p *engine.Program) (engine.Compiled, error) {
	theCage.enter(compileMemory, never)
	defer theCage.pause()
	leave := func() { theCage.leave(compileMemory) }
	iso, err := in.pool.get()
	if err != nil {
		leave()
		return nil, err
	}
	defer in.pool.put(iso, leave)
	c, err := compile(iso, p)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func never() bool { return false }

// NewContext makes a context in a kept isolate, or in a new one, as soon as the
// heaps of all runs leave room for it.
func (in *interpreter) NewContext(cfg *engine.ContextConfig) (engine.Context, error) {
	if !theCage.enter(cfg.Limits.Memory, cfg.Run.Stopped) {
		return nil, engine.ErrStopped
	}
	iso, err := in.pool.get()
	if err != nil {
		theCage.pause()
		theCage.leave(cfg.Limits.Memory)
		return nil, err
	}
	c, err := newContext(in, iso, cfg)
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("make a V8 context: %w", err)
	}
	theCage.pause()
	return c, nil
}

// Close disposes of the kept isolates.
func (in *interpreter) Close() error {
	in.pool.close()
	return nil
}
