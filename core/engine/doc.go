// Package engine is where the two sides of ringfence meet: the executor, which
// knows the rules, and an engine, which runs JavaScript.
//
// It is a leaf: it imports nothing else of the module, no interpreter and no
// parser. It holds three groups of things:
//
//   - what travels: [Job] and [Outcome], [Value], [Limits], [Error], the shapes
//     of host objects ([Shape], [Func], [HostObject]);
//   - [Engine], which turns a Job into an Outcome. Package
//     core/engine/inproc makes one of any [Interpreter];
//   - [Interpreter] and [Context], the small interface that adapts one
//     JavaScript interpreter, and [Program], the text that it is given.
//
// Services use package core, which re-exports the types that they meet. Authors
// of a backend implement Interpreter and Context and run the conformance suite.
package engine
