//go:build wip

package v8

// A Hazard is a script that this engine cannot stop as it should.
type Hazard struct {
	// Script shows it.
	Script string
	// What happens: "runs on" means that the caller gets TIMEOUT on time and that
	// the abandoned run goes on, for seconds or for ever; "ends the process" what it
	// says.
	What string
	// Why it cannot be stopped.
	Why string
}

// Hazards are the known scripts that get past this engine's stops. Each stands for
// its kind.
func Hazards() []Hazard { return append([]Hazard(nil), hazards...) }

const (
	runsOn      = "runs on"
	endsProcess = "ends the process"
)

var hazards = []Hazard{
	{"Array.prototype.indexOf.call({length: {valueOf: () => 2 ** 53 - 1}}, 1)", runsOn,
		"a walk along a length is one built-in, which never looks up; a length that is a plain number is checked before, one that has to be asked is not"},
	{"const s = 'a'.repeat(2 ** 20); for (;;) s.indexOf('a'.repeat(2 ** 19) + 'b')", runsOn,
		"searching a text for another can take time in the product of their lengths, within one call"},
	{"((1n << 8000000n) - 1n).toString()", runsOn,
		"the digits of a long bigint are made in one call; arithmetic of long bigints looks up only now and then"},
	{"const a = Array.from({length: 3e5}, (_, i) => String(i * 7919 % 3e5)); for (;;) { a.reverse(); a.sort() }", runsOn,
		"a sort without a comparator does not look up; each call ends by itself"},
	{"let s = 'ab'.repeat(2 ** 19); for (;;) s = s.replace(/a/g, 'b').replace(/b/g, 'a')", runsOn,
		"replace, join, split, normalize, encodeURIComponent and spread work through a long text before they look up; each call ends by itself"},
	{"RegExp.prototype[Symbol.replace].call(/a/g, 'a'.repeat(2 ** 20), '$&'.repeat(200))", runsOn,
		"each substitution for each match is an entry in a list, and V8 ends the process for a list that is too long, with a memory limit that lets it come so far; refused where replace and replaceAll are called"},
	{"Array.prototype.sort.call({length: {valueOf: () => 2 ** 28}})", endsProcess,
		"a list longer than V8 can make; refused where the length is a plain number"},
	{"built-ins that take more than 512 MiB in one step", endsProcess,
		"a run may take that much beyond its limit before V8 comes to a halt; what asks for more at once ends the process"},
}

// enforces is what the engine promises, in words.
var enforces = []string{
	"statements: exact, and no catch, finally or handler of the script runs after",
	"memory: V8's own heap limit for each run, and array buffers beside it; a step that takes much at once is noticed after it, at most about 130 MiB beyond a limit of 64 MiB in what is known",
	"call depth: a RangeError that the script can catch, at several thousand nested calls",
	"stop by deadline or cancellation: at the next loop or call, and in most built-ins",
	"at most six runs at work in a process at once with a memory limit of 64 MiB, fewer with higher limits: further ones wait, until their deadline",
	"no code from strings; no globals but ECMAScript's and the host's; time zone UTC, locale en-US",
}

// lacks is what the engine cannot promise or does not have, in words.
func lacks() []string {
	list := []string{
		"stopping every built-in at work: the caller gets TIMEOUT on time and the run is abandoned",
		"surviving every script: Hazards lists what can end the process",
		"builds without cgo, and platforms other than linux and darwin on amd64 and arm64",
		"a memory limit below about 8 MiB",
		"Intl.Segmenter, Temporal, iterator helpers, RegExp.escape, Promise.withResolvers, Promise.try, Array.fromAsync, Object.groupBy",
		"a walk of an array method along more elements than a quarter of the memory limit's bytes is refused as if it had taken them",
	}
	for _, h := range hazards {
		list = append(list, h.What+": "+h.Script)
	}
	return list
}
