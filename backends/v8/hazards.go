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
	{"Array.prototype.includes.call(new Proxy({length: 5e6}, {}), 1)", runsOn,
		"a walk along a length that the memory limit allows ends by itself, in seconds"},
	{"('a'.repeat(5e6) + 'b').indexOf('a'.repeat(2e6) + 'c')", runsOn,
		"searching a text for another can take time in the product of their lengths, within one call"},
	{"'x'.repeat(3e7).normalize('NFKD')", runsOn,
		"ICU works through a text without looking up"},
	{"new Intl.NumberFormat('en', {maximumFractionDigits: 20}).format(10n ** 500000n)", runsOn,
		"ICU works through a number without looking up"},
	{"'a'.repeat(2 ** 20).replace(/a/g, '$&$&'.repeat(100).slice(0))", endsProcess,
		"each substitution for each match is an entry in a list that V8 ends the process for when it is too long; refused where replace is given texts, not where a replacement reaches RegExp.prototype[Symbol.replace] otherwise"},
	{"RegExp.prototype[Symbol.replace].call(/a/g, 'a'.repeat(2 ** 20), '$&'.repeat(200))", endsProcess,
		"the same"},
	{"RegExp.prototype[Symbol.split].call(/(?:)/, 'a'.repeat(2 ** 27 + 1))", endsProcess,
		"a list longer than V8 can make; refused where split is called"},
	{"Array.prototype.sort.call({length: {valueOf: () => 2 ** 28}})", endsProcess,
		"the same; refused where the length is a plain number"},
	{"many built-ins at once that each take hundreds of megabytes, with a memory limit over 256 MiB", endsProcess,
		"a run may take 512 MiB beyond its limit before V8 comes to a halt; what asks for more in one step ends the process"},
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
