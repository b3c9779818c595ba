// Package goja runs scripts on github.com/dop251/goja, an interpreter written in
// Go: no cgo, a fresh global environment in microseconds, host calls that cost
// next to nothing. It is the default engine.
//
//	eng, err := goja.New(nil)
//
// # What it cannot promise
//
// The interpreter runs in the service's own process and has no memory limit of its
// own. This package stops at once whatever passes through a statement of the
// script, and checks the built-ins that are known to allocate by a number, to loop
// without looking up, or to call themselves without end. It cannot do so for
// everything: there are scripts of one line that no in-process stop reaches
// ([Hazards] lists the known ones), and what the caller of such a run gets is
// TIMEOUT, on time, while a goroutine of the service goes on working. A script
// that was written to do harm can do worse. Run only scripts that you wrote or
// reviewed here; scripts of users and models belong into a worker process, with
// this engine inside.
//
// Memory is an estimate: a sampler puts the growth of the whole process's heap
// down to the runs under way. It is as late as a millisecond and one allocation,
// which ends a run at up to three and a half times its limit in the worst case, and it can
// take one busy run for another.
//
// # How it is made
//
// goja has no hook for most of what a sandbox needs. This package reads and sets a
// few private parts of goja, all of them found by name and checked by type when
// the first context is made (layout.go); with a goja that is laid out otherwise,
// [New] returns an error. In exchange a guard is an exchanged Go function behind a
// built-in that stays what it is in every way that a script can see, a fresh
// context with its host objects costs two to four times a bare one, some
// microseconds, and no built-in that a
// script has replaced takes part in what the host reads.
//
//   - interpreter.go, context.go: the interface to the runner
//   - meter.go: statements, call depth, BigInt operands
//   - seal.go, templates.go, guards.go: what is taken away, and how guards get in
//     place; charged.go, texts.go, arrays.go, recursion.go, proxies.go, regexps.go,
//     replace.go, iterators.go: the guards
//   - sampler.go: memory
//   - hosttree.go, hostobjects.go: host objects
//   - import.go, export.go, display.go, errors.go, positions.go, authortext.go:
//     values, errors and what they show of the author's text
//   - timezone.go: UTC in a process that is elsewhere
//   - hazards.go: what remains
package goja
