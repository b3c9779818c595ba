package goja

import (
	"sync"

	"github.com/dop251/goja"
)

// forbidden are globals of goja that a script must not see.
var forbidden = []string{"GoError"}

// builtinGlobals are the names of the globals that every runtime has.
var builtinGlobals = sync.OnceValue(func() map[string]bool {
	names := make(map[string]bool)
	for _, name := range goja.New().GlobalObject().GetOwnPropertyNames() {
		names[name] = true
	}
	for _, name := range forbidden {
		delete(names, name)
	}
	return names
})
