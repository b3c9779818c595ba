//go:build wip && !386 && !arm

package quickjs_test

import (
	"flag"
	"testing"

	"github.com/ringfence-js/ringfence/backends/quickjs"
	"github.com/ringfence-js/ringfence/conformance"
	"github.com/ringfence-js/ringfence/core/engine"
)

var hammerRuns = flag.Int("hammer", 0, "runs of each goroutine of the conformance suite's hammer; 0 means the suite's default")

// abandons are the cases that QuickJS cannot stop, with the reason.
var abandons = map[string]string{
	"hostile/time_bigintPower":      "one power of bigints is one call; its result is bounded, so it ends within a second",
	"hostile/time_sortOfMany":       "a sort without a comparator is one call; on a busy machine it takes longer than the grace",
	"hostile/time_parseOfMuch":      "parsing one JSON text is one call; likewise",
	"hostile/time_replaceOfMany":    "replacing in one text is one call; likewise",
	"hostile/memory_doublingBigint": "one product of bigints is one call; its result is bounded, so it ends within a second",
}

// skipped are the cases that QuickJS cannot meet, with the reason.
var skipped = map[string]string{
	"errors/assignmentToAConstant": "the engine's compiler notes the place behind an assignment to a constant",
	"hostile/memory_bigintWidth":   "the engine gets BigInt.asUintN of a negative number and a huge width wrong, at no cost",
	"hostile/time_bigintProducts":  "the engine refuses a bigint of over a million bits with a RangeError, before it takes memory or time",
	"hostile/time_bigintText":      "likewise",
}

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Harness{
		New: func(tb testing.TB) engine.Engine {
			eng, err := quickjs.New(nil)
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
