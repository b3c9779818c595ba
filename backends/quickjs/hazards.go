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
	{"Array.prototype.indexOf.call(new Proxy({ length: 2 ** 53 - 1 }, {}), 1)", runsOn,
		"the built-ins of arrays go through a length without looking up; one that could not be true is refused, but that of a proxy or a getter is not known before"},
	{"'a'.repeat(2e7).split('a'.repeat(1e7) + 'b')", runsOn,
		"split, replace, replaceAll and lastIndexOf search a string for another in time in the product of their lengths; indexOf and includes are made to be faster"},
	{"((1n << 1000000n) - 1n).toString()", runsOn,
		"a power, a product, a division or the text of a large bigint is one call; bigints have at most a million bits, so it ends within seconds"},
	{"const a = []; for (let i = 0; i < 1e6; i++) a[i] = String(i * 7919 % 1e6); for (;;) JSON.parse(JSON.stringify(a))", runsOn,
		"reading or writing one long JSON text is one call, which ends within seconds"},
}

// enforces is what the engine promises, in words.
var enforces = []string{
	"statements: exact, and no catch, finally or handler of the script runs after",
	"memory: every block that the engine asks for is counted; the run ends at the first that passes the limit, and the script cannot catch it",
	"call depth: a RangeError that the script can catch, at 3,000 nested calls, of which one through a built-in counts three to nine",
	"stop by deadline or cancellation: within milliseconds in code of the script, in regular expressions and in most loops over callbacks",
	"no code from strings; no globals but ECMAScript's and the host's; time zone UTC",
}

// lacks is what the engine cannot promise or does not have, in words.
func lacks() []string {
	list := []string{
		"stopping every built-in at work: the caller gets TIMEOUT on time and the run is abandoned",
		"memory: free blocks that do not fit, and on systems other than linux the copy of a block that grows, may take half of the limit beside it; the engine's stack, at most 16 MiB, is not counted",
		"the position of a thrown value that is no Error is that of the throw statement that ran last; so is that of an error of the engine's own whose stack the script has overwritten",
		"the position of an assignment to a constant is that of what follows",
		"bigints of more than a million bits: a RangeError that the script can catch",
		"Intl, Temporal, structuredClone",
		"toLocaleString knows neither locale nor time zone",
		"a process whose time zone is not UTC: modernc.org/libc is set to UTC for all that is built on it",
	}
	for _, h := range hazards {
		list = append(list, h.What+": "+h.Script)
	}
	return list
}
