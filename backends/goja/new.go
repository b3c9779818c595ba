package goja

import (
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/core/engine/inproc"
)

// New returns an engine that runs scripts on goja. opts may be nil. It fails where
// the program was built with a version of goja that this package does not know.
func New(opts *inproc.Options) (engine.Engine, error) {
	if _, err := guardedTemplates(); err != nil {
		return nil, err
	}
	return inproc.New(NewInterpreter(), opts), nil
}
