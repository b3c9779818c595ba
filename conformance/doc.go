// Package conformance is the suite that every engine must pass. A backend's test
// file is a harness and one call:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Harness{
//			New: func(tb testing.TB) engine.Engine { return mine.New() },
//		})
//	}
//
// The cases are embedded, so the suite runs from any module. [Check] runs those
// that are files without package testing.
//
// # Cases
//
// Most of the suite is files, cases/GROUP/TOPIC.txtar. A file holds cases, a case
// is a script and what must come of it:
//
//	-- branch.yaml --
//	rule: A condition costs 1, and the branch that is entered its statements.
//	request: {limits: {statements: "3"}}
//	want: {value: 2, statements: 3}
//	-- branch.js --
//	if (true) { 1; 2 } else { 3; 4; 5 }
//
// Its subtest is GROUP/branch, whatever the file. NAME.2.yaml with NAME.2.js is a
// second run on the same executor, and so on. Unknown fields are refused. What no
// file can say (cancellation, goroutines, Go errors, counts of what is held) is a
// check in Go, in this package, with a subtest of the same form.
//
// The fields of rule, request and want are those of the types step, request and
// want, where they are explained. Without a wish of their own, cases run with the
// product's settings and the least minimums. Absent warnings and logs in want mean
// that there must be none; anything else that is absent is not looked at. What
// holds for every error (one class, valid and bounded text, nothing of the host) is
// checked for every case, and so is that the next run gives 42.
//
// # Values
//
// Values are YAML, read as JSON would be: members keep their order, strings stand
// in quotes. What JSON lacks has a tag:
//
//	!bigint 9007199254740993
//	!float -0, !float NaN, !float +Inf
//	!bytes "AQI="               base64
//	!time 1970-01-01T00:00:00Z
//	!repeat [x, 1000]           a string, repeated
//
// # The probe
//
// A request with probe: true gives its script the host object probe:
//
//	echo(v), later(v)           v again, at once or by a promise
//	echo.twice(v)               [v, v]
//	kind(v), json(v), count(…)  what the host got: the kind, the JSON, how many
//	keep(v), kept()             what the host holds
//	note(name)                  is seen by want.probes
//	add(a, b), join(sep, …), greet(name, greeting?), options({name, count, tags}),
//	text(length)                functions with typed parameters
//	fail(name, message), failLater(name, message), failTyped(message, exported)
//	panic(), panicLater()
//	meet(n)                     a promise that resolves once n calls are under way
//	never(), block()            wait for the end of the run
//	cancel()                    cancels the caller's context
//	number, list, when, data, deep.down.name()
//
// # Processes
//
// A case with apart: true runs in a process of its own, the test binary started
// again: an engine that gets it wrong may take the process with it.
package conformance
