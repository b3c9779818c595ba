package header_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-js/ringfence/header"
)

// A source sixteen times as long may take sixteen times as long to read. A scan
// that is quadratic anywhere takes 256 times as long; the bound lies well away
// from both. The test is not parallel, so that others do not disturb it.
func TestTheCostIsLinearInTheSource(t *testing.T) {
	const small, growth, most = 1 << 14, 16, 96
	for name, source := range map[string]func(n int) string{
		"comments that do not end":      repeated("", "/* ", ""),
		"doc comments that do not end":  repeated("", "/** ", ""),
		"comments that look nested":     repeated("", "/*/", ""),
		"stars":                         repeated("/*", "*", ""),
		"plain comments":                repeated("", "/**/", ""),
		"doc comments":                  repeated("", "/** */", ""),
		"line comments":                 repeated("", "//\n", ""),
		"blank lines":                   repeated("", "\n", ""),
		"CR":                            repeated("", "\r", ""),
		"wide line ends":                repeated("", "\u2028", ""),
		"half a wide line end":          repeated("//", "\xe2\x80", ""),
		"wide blanks":                   repeated("", "\u3000", ""),
		"empty lines in a block":        repeated("/** ", "\n", "*/"),
		"unknown tags":                  repeated("/** ", "\n@a", "*/"),
		"different unknown tags":        repeated("/** ", "\n@a b", "*/"),
		"repeated tags":                 repeated("/** ", "\n@version 1", "*/"),
		"repeated lists":                repeated("/** ", "\n@allowTools a b c", "*/"),
		"at signs":                      repeated("/** ", "@", "*/"),
		"blanks before a line":          repeated("/** ", " ", "x*/"),
		"blanks behind a value":         repeated("/** @description x", " ", "x*/"),
		"blanks in a value":             repeated("/** @timeout 1", " ", "x*/"),
		"a long name":                   repeated("/** @", "a", "*/"),
		"a long description":            repeated("/** @description ", "a @b ", "*/"),
		"a long number":                 repeated("/** @timeout ", "9", "*/"),
		"zeros":                         repeated("/** @timeout ", "0", "*/"),
		"underscores":                   repeated("/** @timeout 1", "_1", "*/"),
		"a long suffix":                 repeated("/** @timeout 1", "s", "*/"),
		"a list of one name":            repeated("/** @allowTools ", "a,", "*/"),
		"a list of commas":              repeated("/** @allowTools ", ",", "*/"),
		"stars at the closing mark":     repeated("/** @timeout 1 ", "*", "*/"),
		"lines of stars":                repeated("/** ", "\n***", "*/"),
		"invalid bytes":                 repeated("/** @description ", "\xff", "*/"),
		"invalid bytes in an odd place": repeated("/** ", "\n\xff@", "*/"),
	} {
		t.Run(name, func(t *testing.T) {
			least := math.Inf(1)
			for range 5 { // a disturbance may spoil some of the tries
				ratio := float64(cost(source(small*growth))) / float64(cost(source(small)))
				least = min(least, ratio)
				if least < most {
					return
				}
			}
			t.Errorf("a source %d times as long takes at least %.0f times as long", growth, least)
		})
	}
}

// repeated returns sources of about n bytes.
func repeated(before, part, after string) func(n int) string {
	return func(n int) string { return before + strings.Repeat(part, n/len(part)) + after }
}

// cost is the shortest of a few runs.
func cost(source string) time.Duration {
	least := time.Duration(math.MaxInt64)
	for range 3 {
		start := time.Now()
		_, _, _ = header.Parse(source, "s.js")
		least = min(least, time.Since(start))
	}
	// What a run costs before it reads anything must not make growth look small
	// or, with a coarse clock, infinite.
	return max(least, time.Microsecond)
}

func BenchmarkParse(b *testing.B) {
	for name, source := range map[string]string{
		"source=without-header": "(function () { return 1 })()" + strings.Repeat("\n// x", 10_000),
		"source=with-header": "/**\n * @description d\n * @timeout 30m\n * @statements 500k\n" +
			" * @allowTools a, b, c\n */\n(function () { return 1 })()",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := header.Parse(source, "s.js"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
