// Package prelude is the guest's side of the engines that have no native object
// API worth using: JavaScript that an engine's context evaluates before any code of
// the guest, and the Go side of the messages that it exchanges with the host.
//
// [Source] is one expression, a function. A context calls it with
//
//   - a dispatcher, a function that leads into Go: it is called with an Op and what
//     the Op's comment says, and returns what that says;
//   - the text that [Spec] makes of the context's configuration.
//
// and gets an object of functions for its own use, never for the guest:
//
//	run(outer) string       evaluates a program, given the function that its text
//	                        evaluates to: "", or "!" and a description
//	value() any             what the script came to, a promise perhaps
//	encode(v) string        "=" and the value in the text form of package wire, or
//	                        "!" and the description of what was thrown meanwhile
//	describe(v) string      the description of a thrown value: see [ParseThrown]
//	settle(call, message)   brings the result of an asynchronous call: the message
//	                        that Start returned, and one of Result or Failure
//
// What it does: it removes the forbidden globals, defines the run's data and its
// frozen host objects, lets Date and Math.random use the run's clock and random
// source, lets Function.prototype.toString show the author's text, and on engines
// with a stack hook shows the author's places in stacks. What it leaves to the
// engine, because the engine can do it better: code generation from strings is
// turned off, unhandled rejections are tracked and the state of a promise is told
// by the engine's own means; stops, statements and memory are the engine's anyway.
//
// It captures every built-in that it uses, so a guest that replaces them changes
// nothing here. It hands the guest no object of its own, and registers host errors
// by identity, so a guest can forge neither a value's escape nor a host error.
package prelude

import _ "embed"

// Source is the expression.
//
//go:embed prelude.js
var Source string

// Op is the first argument of the dispatcher.
type Op int

// The operations. Texts that they return are messages made by the functions of this
// package.
const (
	// OpCharge (n) is the meter of the program: whatever the engine's dialect makes
	// of it. Its result is returned to the charge.
	OpCharge Op = iota
	// OpCall (host, function, args) calls a synchronous host function, by the index
	// of its host object and its ID; args is for [Args]. It returns [Result] or
	// [Failures.Message].
	OpCall
	// OpStart (host, function, args) starts an asynchronous host function. It
	// returns [Started] or [Failures.Message].
	OpStart
	// OpAuthor (text) returns [engine.Program.AuthorText].
	OpAuthor
	// OpNow () returns the run's time, in milliseconds.
	OpNow
	// OpRandom () returns the next random number.
	OpRandom
	// OpLimit (which, max) ends the run, as [LimitName] was passed. It should not
	// return; where it must, what it returns is not used.
	OpLimit
	// OpPlace (line, column) returns "line:column" in the author's text for a place
	// in the program's, or "" for one that is not the author's. Columns count from 1
	// in the engine's own units. Only with Options.StackHook.
	OpPlace
)
