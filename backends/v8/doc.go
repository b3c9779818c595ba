//go:build wip

// Package v8 runs scripts on V8, by rogchap.com/v8go: a compiler to machine code,
// thirty times as fast as an interpreter where a script computes, with a memory
// limit of its own for each run.
//
//	eng, err := v8.New(nil)
//
// Go tools guess the name of a package whose path ends in /v8 wrongly: name it where
// you import it,
//
//	import v8 "github.com/ringfence-js/ringfence/backends/v8"
//
// It needs cgo, a C++ compiler, and linux or darwin on amd64 or arm64; in any other
// build [New] returns an error.
//
// # What it cannot promise
//
// V8 runs in the service's own process. A script of one line can stay in a built-in
// that never looks up, and then the caller gets TIMEOUT, on time, while a thread of
// the service goes on working; a script of one line can ask for what V8 answers by
// ending the process, and nothing in Go can stop that ([Hazards] lists the known
// ones). The known ways that can be seen beforehand are refused; others exist. Run
// only scripts that you wrote or reviewed here; scripts of users and models belong
// into a worker process, with this engine inside: see backends/process.
//
// All heaps of a process share a region of 4 GB, which V8 ends the process rather
// than leave. A run holds its memory limit and, while its code can run, 512 MiB
// more, which V8 needs to come to a halt; a run for which that leaves no room waits
// its turn, until its deadline. With the default limit of 64 MiB six runs are at
// work at once, and more may be in host functions meanwhile.
//
// What V8 has only once for a process is set for it: the time zone is UTC, the
// locale en-US, WebAssembly and shared memory are off, and array buffers are
// counted. A service that uses v8go itself shares all of that.
//
// # How it is made
//
// v8go offers neither a heap limit nor a way to turn code from strings off. guard.cc
// declares the few functions of V8 that do, as the library exports them, and is
// reached by the isolate's pointer in v8go.
//
// An isolate is kept between runs; each run has a fresh context in it. After any
// limit, interruption or crash the isolate is disposed of. Guest code, values and
// host calls go through the prelude that this engine shares with quickjs, and one
// dispatcher into Go.
//
//   - interpreter.go, context.go, boot.go, boot.js: the interface to the runner
//   - dispatch.go, errors.go, meter.go: what the guest's side asks of the host's
//   - isolate.go, pool.go, watch.go, cage.go, guard.cc: isolates, memory, stops
//   - compiled.go: programs
//   - hazards.go: what remains
package v8
