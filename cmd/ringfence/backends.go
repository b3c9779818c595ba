package main

import (
	"strings"

	"github.com/ringfence-js/ringfence/backends/goja"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A backend is an engine of this build.
type backend struct {
	name string
	open func() (engine.Engine, error)
}

// backends are the engines of this build, the default one first. A file with a
// build tag adds its own in init.
var backends = []backend{
	{"goja", func() (engine.Engine, error) { return goja.New(nil) }},
}

func backendNames() []string {
	names := make([]string, len(backends))
	for i, b := range backends {
		names[i] = b.name
	}
	return names
}

// openEngine opens the engine with the name at the level of isolation.
func openEngine(name, isolation string) (engine.Engine, error) {
	switch isolation {
	case "none":
	case "process":
		return nil, badf("--isolation process is not available in this build yet; use --isolation none for scripts that you wrote or reviewed")
	default:
		return nil, badf("--isolation %s is unknown; use none", isolation)
	}
	for _, b := range backends {
		if b.name == name {
			return b.open()
		}
	}
	return nil, badf("--engine %s is not in this build; it has: %s", name, strings.Join(backendNames(), ", "))
}
