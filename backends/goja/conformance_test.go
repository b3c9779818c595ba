package goja_test

import (
	"flag"
	"testing"
	"time"

	"github.com/ringfence-js/ringfence/backends/goja"
	"github.com/ringfence-js/ringfence/conformance"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/core/engine/inproc"
)

var hammerRuns = flag.Int("hammer", 0, "runs of each goroutine of the conformance suite's hammer; 0 means the suite's default")

// grace is longer than a service would want it: the suite keeps all processors
// busy, and a run that only had to wait for its turn was not abandoned.
const grace = 500 * time.Millisecond

// abandons are the cases that goja cannot stop, with the reason. Their scripts are
// small enough to end by themselves within seconds.
var abandons = map[string]string{
	"hostile/time_backtracking":          "a back-reference is matched by backtracking, which looks at nothing else",
	"hostile/time_backtrackingLookAhead": "a look-ahead is matched by backtracking, which looks at nothing else",
	"hostile/time_replaceOfMany":         "replace works through a huge text before it looks up",
	"hostile/memory_replaceAll":          "replaceAll works through a huge text before it looks up",
	"hostile/memory_replaceWithItself":   "replace works through a huge text before it looks up",
	"hostile/time_bigintText":            "the digits of a bigint are made in one call",
	"hostile/memory_doublingBigint":      "a product of bigints is made in one call",
	"hostile/memory_unicodeNormalize":    "a text is normalized in one call",
}

// skipped are the cases of the language that goja does not have.
var skipped = map[string]string{
	"language/hoistingInBlocks":  "functions in blocks do not hoist out in sloppy code",
	"language/unicodeProperties": `\p{L} does not match letters beyond ASCII`,
	"language/superInAField":     "super is refused in class fields",
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{
		New: func(tb testing.TB) engine.Engine {
			eng, err := goja.New(&inproc.Options{Grace: grace})
			if err != nil {
				tb.Fatal(err)
			}
			return eng
		},
		Abandons:   abandons,
		Skip:       skipped,
		HammerRuns: *hammerRuns,
	})
}
