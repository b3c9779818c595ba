// Package inproc turns an [engine.Interpreter] into an [engine.Engine] that runs
// scripts in the service's own process.
//
// All that is the same for every interpreter is here: the front end and its
// program cache, the deadline and what happens when the guest does not stop, the
// loop of promise jobs and asynchronous host calls, the limits on host calls, and
// how an end of a run becomes an error class.
//
// A run has two goroutines. The caller's is the watchdog: it waits for the answer,
// for the deadline and for the caller's context, and it returns on time whatever
// the guest does. The guest's own goroutine parses, evaluates and converts; it is
// the only one that touches the context. Asynchronous host functions have one
// goroutine each, and hand their results to the guest's.
//
// What an in-process engine cannot do is stop native code of an interpreter that
// never looks up. Such a run is abandoned: its caller gets the answer on time, its
// host functions do nothing any more, and it is counted until it ends.
package inproc
