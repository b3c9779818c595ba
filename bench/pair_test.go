package bench

import (
	"slices"
	"testing"
	"time"
)

// pair runs the two sides in turn until the benchmark has enough, and reports
// their medians and the ratio of these.
func pair(b *testing.B, ringfence, bare func()) {
	b.Helper()
	for range 3 { // fill caches
		ringfence()
		bare()
	}
	var ours, theirs []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		bare()
		middle := time.Now()
		ringfence()
		ours = append(ours, time.Since(middle))
		theirs = append(theirs, middle.Sub(start))
	}
	mine, bareTime := median(ours), median(theirs)
	b.ReportMetric(float64(mine.Nanoseconds()), "ringfence-ns")
	b.ReportMetric(float64(bareTime.Nanoseconds()), "bare-ns")
	b.ReportMetric(float64(mine)/float64(bareTime), "x-bare")
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
