package core

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/ringfence-js/ringfence/core/engine"
)

// builtIns are the globals of ECMAScript 2024, which no host object and no data
// may replace. They are taken names on every engine, also on one that lacks some.
var builtIns = asSet([]string{
	"globalThis", "Infinity", "NaN", "undefined",
	"eval", "isFinite", "isNaN", "parseFloat", "parseInt",
	"decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape",
	"AggregateError", "Array", "ArrayBuffer", "BigInt", "BigInt64Array", "BigUint64Array", "Boolean",
	"DataView", "Date", "Error", "EvalError", "FinalizationRegistry", "Float32Array", "Float64Array",
	"Function", "Int8Array", "Int16Array", "Int32Array", "Iterator", "Map", "Number", "Object", "Promise",
	"Proxy", "RangeError", "ReferenceError", "RegExp", "Set", "SharedArrayBuffer", "String", "Symbol",
	"SyntaxError", "TypeError", "Uint8Array", "Uint8ClampedArray", "Uint16Array", "Uint32Array", "URIError",
	"WeakMap", "WeakRef", "WeakSet", "Atomics", "Intl", "JSON", "Math", "Reflect", "WebAssembly",
})

// takeName says what is wrong with a name for a global, and takes it where nothing
// is.
func takeName(name string, taken map[string]bool) error {
	switch {
	case name == "" || !utf8.ValidString(name):
		return fmt.Errorf("%q is no name", name)
	case builtIns[name]:
		return fmt.Errorf("the global name %q is that of a built-in", name)
	case taken[name]:
		return fmt.Errorf("the global name %q is taken", name)
	}
	taken[name] = true
	return nil
}

// convertGlobals turns the request's data into values and checks the names of all
// globals.
func convertGlobals(req Request) ([]Member, error) {
	taken := map[string]bool{consoleShape.Name(): true}
	for _, h := range req.Host {
		if h.Shape == nil {
			return nil, &RequestError{Field: "Host", Reason: "a host object has no shape"}
		}
		name := h.Shape.Name()
		if err := takeName(name, taken); err != nil {
			return nil, &RequestError{Field: "Host", Reason: err.Error()}
		}
		if len(h.Consts) < h.Shape.Consts() {
			return nil, &RequestError{Field: "Host", Reason: fmt.Sprintf("%s has %d constants, %d values are given", name, h.Shape.Consts(), len(h.Consts))}
		}
	}
	globals := make([]Member, 0, len(req.Globals))
	for _, name := range slices.Sorted(maps.Keys(req.Globals)) {
		if err := takeName(name, taken); err != nil {
			return nil, &RequestError{Field: "Globals", Reason: err.Error()}
		}
		v, err := engine.ValueOf(req.Globals[name])
		if err != nil {
			return nil, &RequestError{Field: "Globals", Reason: fmt.Sprintf("%s: %v", name, err)}
		}
		globals = append(globals, Member{Key: name, Value: v})
	}
	return globals, nil
}
