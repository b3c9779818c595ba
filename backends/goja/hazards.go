package goja

// A Hazard is a script that this engine cannot stop as it should.
type Hazard struct {
	// Script shows it.
	Script string
	// What happens: "runs on" means that the caller gets TIMEOUT on time and that
	// the abandoned run goes on, for seconds or for ever; "takes memory" that it
	// takes memory while it does; "ends the process" what it says.
	What string
	// Why it cannot be stopped.
	Why string
}

// Hazards are the known scripts that get past this engine's stops. Each stands for
// its kind.
func Hazards() []Hazard { return append([]Hazard(nil), hazards...) }

const (
	runsOn      = "runs on"
	takesMemory = "takes memory"
	endsProcess = "ends the process"
)

var hazards = []Hazard{
	{"[...{[Symbol.iterator]: () => ({next: Map.prototype.constructor.bind ? RegExp.prototype[Symbol.matchAll].bind(/a/g, 'a') : 0})}]", runsOn,
		"an iterator whose next is a built-in that makes an object without done: the loop is goja's own. The built-ins that are guarded stop it, the others do not"},
	{"'a'.repeat(2e7).indexOf('a'.repeat(1e7) + 'b')", runsOn,
		"searching a string for another can take time in the product of their lengths, inside of one call"},
	{"let x = 3n; for (let i = 0; i < 40; i++) x = x * x", runsOn,
		"one multiplication, power, division or conversion of large BigInts is one call of Go's math/big"},
	{"/(b+)+$/g.test('b'.repeat(40) + '!')", runsOn,
		"a pattern that is linear from the start of a text is given to the backtracking engine, without its time limit, when matching begins elsewhere for the first time"},
	{"Object.defineProperty(f = isNaN.bind(), 'name', {get() { while (true); }})", runsOn,
		"goja's interrupt reads the names of native functions under its own lock; it is used only where a run reaches no charge within 5 ms, and then such a getter locks the run up for ever"},
	{"let o = {length: 4e6}; for (;;) Array.prototype.indexOf.call(o, 1)", runsOn,
		"a loop over a length that the memory limit allows is not interrupted; each call ends in seconds"},
	{"const m = new Map(); for (let i = 0; i < 1e5; i++) m.set(i, i); structure = [...Array(50)].map(() => [...m])", takesMemory,
		"many allocations between two charges: the sampler sees them, but the run stops at the next charge only"},
	{"1n >> -(10n ** 14n)", endsProcess,
		"a shift to the right by a negative BigInt is one to the left; guarded only where the front end guards the operand of >>"},
	{"with a memory limit over 512 MiB: a list of a million objects, each the prototype of the next, and a look-up at its end", endsProcess,
		"goja looks members up by recursion; Go ends a process whose stack passes 1 GB"},
}

// enforces is what the engine promises, in words.
var enforces = []string{
	"statements: exact, and no catch, finally or handler of the script runs after",
	"call depth: a RangeError that the script can catch, at 1,000 nested calls",
	"stop by deadline or cancellation: at the next statement of the script",
	"memory: by a sampler and by charges on the built-ins that allocate by a number; the worst known overshoot is three times the limit",
	"no code from strings; no globals but ECMAScript's and the host's; time zone UTC",
}

// lacks is what the engine cannot promise or does not have, in words.
func lacks() []string {
	list := []string{
		"a memory limit of its own: the sampler watches the heap of the whole process and estimates each run's part",
		"stopping a built-in at work: the caller gets TIMEOUT on time and the run is abandoned",
		"surviving every script: Hazards lists what can end the process",
		"syntax: regular expression flags d and v, using, decorators (async generators and for await are lowered before they reach it)",
		"Symbol.asyncIterator, WeakRef, FinalizationRegistry, Intl, Temporal, structuredClone",
		"Array.fromAsync, Object.groupBy, Map.groupBy, iterator helpers, String.prototype.isWellFormed and toWellFormed, RegExp.escape, Promise.withResolvers, Promise.try, Error.captureStackTrace",
		`\p{L} with the flag u does not match letters beyond ASCII`,
		"functions declared in blocks are not visible outside of the block in sloppy code",
		"toLocaleString does not group digits; dates in it are 01/02/2006, 15:04:05",
		"('use strict') in parentheses counts as a directive",
		"the call depth counts about three for a call through a built-in, such as a callback of replace",
	}
	for _, h := range hazards {
		list = append(list, h.What+": "+h.Script)
	}
	return list
}
