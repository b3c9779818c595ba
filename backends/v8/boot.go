//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"

	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/prelude"
)

//go:embed boot.js
var bootSource string

// bootText is one expression: a function of the dispatcher, the spec, and the names
// of the built-ins to guard.
var bootText = "(function (host, spec, names) { 'use strict'; return (" + bootSource + ")(host, (" + prelude.Source + "), spec, JSON.parse(names)); })"

// bootCache is V8's code cache of it.
var bootCache atomic.Pointer[[]byte]

// listName is a global that is there for a moment before the guest begins.
const listName = "__ringfence_list"

// forbidden are the globals that V8 has and a script does not.
var forbidden = []string{"WebAssembly", "SharedArrayBuffer", "Atomics", "console"}

// Built-ins that boot.js guards, where the script may reach them.
var (
	guardedWalks = []string{
		"copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap",
		"forEach", "includes", "indexOf", "join", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "shift",
		"slice", "some", "sort", "splice", "toLocaleString", "toReversed", "toSorted", "toSpliced", "unshift", "with",
	}
	guardedStrings = []string{"repeat", "padStart", "padEnd", "split", "replace", "replaceAll", "match", "matchAll", "search"}
	guardedStatics = []string{"from", "raw", "parse"}
	guardedOthers  = []string{"RegExp", "constructor", "compile"} // all of them lead to RegExp
)

func watched() []string {
	return slices.Concat(guardedWalks, guardedStrings, guardedStatics, guardedOthers)
}

// functions are those of boot.js and the prelude that the host calls.
type functions struct {
	run, value, encode, describe, settle, rejected, promise *v8go.Function
}

// boot prepares the context for the guest.
func (c *runContext) boot() error {
	script, err := c.iso.bootScript()
	if err != nil {
		return err
	}
	made, err := script.Run(c.ctx)
	if err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	start, err := made.AsFunction()
	if err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	spec, err := c.newText(prelude.Spec(c.cfg, prelude.Options{Forbidden: forbidden, StackHook: true, Script: scriptName}))
	if err != nil {
		return err
	}
	defer spec.Release()
	names, err := c.newText(guardsFor(c.cfg.Program))
	if err != nil {
		return err
	}
	defer names.Release()
	inside, err := start.Call(v8go.Undefined(c.iso.Isolate), c.iso.dispatch.GetFunction(c.ctx), spec, names)
	if err = c.ended(err); err != nil {
		return err
	}
	if !c.iso.booted {
		c.iso.booted = true
		if bootCache.Load() == nil {
			cache := script.CreateCodeCache().Bytes
			bootCache.Store(&cache)
		}
	}
	return c.guest.take(inside)
}

func (f *functions) take(inside *v8go.Value) error {
	o, err := inside.AsObject()
	if err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	for name, to := range map[string]**v8go.Function{
		"run": &f.run, "value": &f.value, "encode": &f.encode, "describe": &f.describe,
		"settle": &f.settle, "rejected": &f.rejected, "promise": &f.promise,
	} {
		v, err := o.Get(name)
		if err == nil {
			*to, err = v.AsFunction()
		}
		if err != nil {
			return fmt.Errorf("boot: %s: %w", name, err)
		}
	}
	return nil
}

// bootScript is the boot's script in this isolate.
func (iso *isolate) bootScript() (*v8go.UnboundScript, error) {
	if iso.boot == nil {
		var opts v8go.CompileOptions
		if cache := bootCache.Load(); cache != nil {
			opts.CachedData = &v8go.CompilerCachedData{Bytes: *cache}
		}
		script, err := iso.CompileUnboundScript(bootText, "boot", opts)
		if err != nil {
			return nil, fmt.Errorf("compile the boot: %w", err)
		}
		iso.boot = script
	}
	return iso.boot, nil
}

// guardsFor are the built-ins to guard for a program, as JSON.
func guardsFor(p *engine.Program) string {
	reached := func(names []string) []string {
		list := []string{}
		for _, name := range names {
			if p.Reaches(name) {
				list = append(list, name)
			}
		}
		return list
	}
	text, err := json.Marshal(map[string][]string{
		"walks": reached(guardedWalks), "strings": reached(guardedStrings),
		"statics": reached(guardedStatics), "others": reached(guardedOthers),
	})
	if err != nil {
		panic(err) // of strings only
	}
	return string(text)
}
