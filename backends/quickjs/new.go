//go:build wip && !386 && !arm

package quickjs

import (
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/core/engine/inproc"
)

// New returns an engine that runs scripts on QuickJS. opts may be nil.
func New(opts *inproc.Options) (engine.Engine, error) {
	return inproc.New(NewInterpreter(), opts), nil
}
