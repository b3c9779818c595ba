//go:build wip && !386 && !arm

package quickjs

import (
	"runtime/debug"
	"sync"

	"github.com/ringfence-js/ringfence/core/engine"
)

// interpreter makes contexts. It keeps nothing between them.
type interpreter struct{}

// NewInterpreter returns QuickJS as an interpreter, for a runner of one's own. New
// is what a service wants.
func NewInterpreter() engine.Interpreter {
	useUTC()
	return &interpreter{}
}

const modulePath = "modernc.org/libquickjs"

// libraryVersion is the version of the library that this program was built with.
var libraryVersion = sync.OnceValue(func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if dep.Path == modulePath {
				if dep.Replace != nil {
					dep = dep.Replace
				}
				return dep.Version
			}
		}
	}
	return "unknown"
})

// Info describes the interpreter.
func (*interpreter) Info() engine.Info {
	return engine.Info{
		Name:     "quickjs",
		Version:  libraryVersion(),
		Enforces: append([]string(nil), enforces...),
		Lacks:    lacks(),
	}
}

// Dialect says how programs are written: see meter.go.
func (*interpreter) Dialect() engine.Dialect {
	return engine.Dialect{Prologue: meterPrologue, Charge: meterCharge, Enter: meterCharge, Watch: watched}
}

// Close has nothing to release.
func (*interpreter) Close() error { return nil }
