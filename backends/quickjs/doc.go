//go:build wip

// Package quickjs runs scripts on QuickJS, by the translation of its C source to Go
// in modernc.org/libquickjs: no cgo, several times faster than goja, a memory limit
// of its own.
//
//	eng, err := quickjs.New(nil)
//
// # What it cannot promise
//
// The interpreter runs in the service's own process. A run ends at once, uncatchably,
// when it passes its memory or statement limit, and within milliseconds of a deadline
// wherever the interpreter looks up; some built-ins do not ([Hazards] lists the known
// ones), and what the caller of such a run gets is TIMEOUT, on time, while a
// goroutine of the service goes on working. Run only scripts that you wrote or
// reviewed here; scripts of users and models belong into a worker process.
//
// The interpreter takes the time zone from modernc.org/libc, which knows one for the
// process. Where that is not UTC, making an interpreter sets it to UTC, for all
// packages that are built on modernc.org/libc.
//
// # How it is made
//
// This package calls libquickjs itself, not the wrapper modernc.org/quickjs: the
// wrapper hides the allocator, the interrupt handler and the bytecode, registers
// functions in a table of the process, and walks values by text. In exchange
// everything here is native: no code in JavaScript runs in a fresh context, host
// objects are functions of the engine, values are read from where they lie, and
// nothing that a script has replaced takes part.
//
// A stop is a Go panic that leaves the engine's frames, from wherever it calls out:
// the allocator, the interrupt handler, the meter, a host function. No code of the
// script runs after that, and the engine is never entered again. What it had
// allocated is freed block by block when the context closes, without its help.
//
//   - interpreter.go, context.go: the interface to the runner
//   - machine.go, memory.go, chunks.go: a runtime of the engine, and what it may take
//   - compile.go, positions.go, lines.go, throwsites.go, stacks.go: programs and
//     errors, with the author's text and places
//   - meter.go: statements
//   - globals.go, clock.go: what a script sees, and what it does not
//   - guards.go, search.go: built-ins that would not look up
//   - host.go: host objects
//   - value.go, import.go, export.go, containers.go, display.go, thrown.go: values and
//     errors
//   - hazards.go: what remains
package quickjs
