//go:build wip

package quickjs

// A Hazard is a script that this engine cannot stop as it should.
type Hazard struct {
	// Script shows it.
	Script string
	// What happens: "runs on" means that the caller gets TIMEOUT on time and that
	// the abandoned run goes on, for seconds or for ever.
	What string
	// Why it cannot be stopped.
	Why string
}

// Hazards are the known scripts that get past this engine's stops. Each stands for
// its kind.
func Hazards() []Hazard { return append([]Hazard(nil), hazards...) }

const runsOn = "runs on"

var hazards = []Hazard{
	{"Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", runsOn,
		"the generic built-ins of arrays go through a length without looking up"},
	{"const a = []; a.length = 4294967295; a.sort()", runsOn,
		"as do those that go through the holes of a sparse array"},
	{"'a'.repeat(2e7).indexOf('a'.repeat(1e7) + 'b')", runsOn,
		"searching a string for another can take time in the product of their lengths, inside of one call"},
	{"(3n ** (2n ** 22n)).toString()", runsOn,
		"writing or dividing a large bigint is one call, and takes time in the square of its length"},
	{"'\\u1e9b\\u0323'.repeat(5e6).normalize('NFKD')", runsOn,
		"normalisation works through a text without looking up"},
}

// enforces is what the engine promises, in words.
var enforces = []string{
	"statements: exact, and no catch, finally or handler of the script runs after",
	"memory: every block that the engine asks for is counted; the run ends at the first that passes the limit, and the script cannot catch it",
	"call depth: a RangeError that the script can catch, at 3,000 nested calls",
	"stop by deadline or cancellation: within milliseconds in code of the script, in regular expressions and in most loops over callbacks",
	"no code from strings; no globals but ECMAScript's and the host's; time zone UTC",
}

// lacks is what the engine cannot promise or does not have, in words.
func lacks() []string {
	list := []string{
		"stopping every built-in at work: the caller gets TIMEOUT on time and the run is abandoned",
		"memory: the copy of a block that grows may pass the limit by half of it for a moment; the engine's stack, at most 16 MiB, is not counted",
		"positions of thrown values that are no Error",
		"positions of errors whose stack the script has overwritten",
		"Intl, Temporal, structuredClone",
		"toLocaleString knows neither locale nor time zone",
		"a process whose time zone is not UTC: modernc.org/libc is set to UTC for all that is built on it",
	}
	for _, h := range hazards {
		list = append(list, h.What+": "+h.Script)
	}
	return list
}
