package goja

// A Hazard is a script that this engine cannot stop as it should.
type Hazard struct {
	// Script shows it.
	Script string
	// What happens: "runs on" means that the caller gets TIMEOUT on time and that
	// the abandoned run goes on, for seconds or for ever; "takes memory" that it
	// takes memory while it does, up to where the process ends.
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
)

var hazards = []Hazard{
	{"[...{ [Symbol.iterator]() { return this }, next: Object.getOwnPropertyDescriptor(Array, Symbol.species).get }]", takesMemory,
		"an iterator whose next is a built-in that gives an object without done: the loop is goja's own. Most such built-ins are guarded and stop it; the getters of Symbol.species are not"},
	{"let x = 3n; for (let i = 0; i < 40; i++) x *= x", runsOn,
		"one multiplication, power, division or conversion of a large BigInt is one call of Go's math/big, which takes from seconds to hours"},
	{"(' '.repeat(1e5) + 'x').replace(/(?=\\s)\\s+$/, '')", runsOn,
		"a pattern with a look-around or a back-reference is matched by backtracking, for up to 5 seconds"},
	{"for (;;) Array.prototype.indexOf.call({ length: 4e6 }, 1)", runsOn,
		"a loop over a length that the memory limit allows, a search, a conversion of a long text, a parse of a long JSON text is one call that looks at nothing; it ends within seconds, and the run with it"},
	{"const f = (() => JSON.parse(long)).bind(); Object.defineProperty(f, 'name', { get() { while (true); } }); f()", runsOn,
		"where a run reaches no charge within 250 ms after its end, goja's own interrupt is used. It reads the names of native functions under a lock of its own, and such a getter then locks the run up for good; it takes no processor time"},
}

// enforces is what the engine promises, in words.
var enforces = []string{
	"statements: exact, and no catch, finally or handler of the script runs after",
	"call depth: a RangeError that the script can catch, at 1,000 nested calls",
	"stop by deadline or cancellation: at the next statement of the script",
	"memory: by a sampler and by charges on the built-ins that allocate by a number; the worst known overshoot is three and a half times the limit",
	"no code from strings; no globals but ECMAScript's and the host's; time zone UTC",
}

// lacks is what the engine cannot promise or does not have, in words.
func lacks() []string {
	list := []string{
		"a memory limit of its own: the sampler watches the heap of the whole process and estimates each run's part",
		"stopping a built-in at work: the caller gets TIMEOUT on time and the run is abandoned",
		"surviving every script: Hazards lists what can take memory until the process ends",
		"syntax: regular expression flags d and v, using, decorators (async generators and for await are lowered before they reach it)",
		"super in the initializer of a class field",
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
