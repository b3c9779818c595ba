package header

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads a duration: a whole number of seconds, or one with the
// suffix s, m or h in either case. Single underscores may stand between digits,
// blanks around the whole. There are no fractions, signs or exponents, and zero
// is refused, as is what does not fit a [time.Duration]. The error quotes the
// text and says what is wrong and what is allowed.
func ParseDuration(s string) (time.Duration, error) {
	n, err := durations.parseAlone(s)
	return time.Duration(n), err
}

// ParseCount reads a count: a whole number, or one with the suffix k or K
// (1,000) or M (1,000,000). All else is as for [ParseDuration].
func ParseCount(s string) (int64, error) {
	return counts.parseAlone(s)
}

// ParseBytes reads a number of bytes: a whole number, or one with the suffix
// k, K, M or G (powers of 1,000) or KiB, MiB or GiB (powers of 1,024). All else
// is as for [ParseDuration].
func ParseBytes(s string) (int64, error) {
	return sizes.parseAlone(s)
}

// FormatDuration writes d as a number of the largest unit that leaves no
// remainder, such as 1h, 90m or 45s, which [ParseDuration] reads back. That
// holds for whole seconds greater than zero. Zero is 0s, and a part of a
// second, for which there is no notation, is written as [time.Duration.String]
// does; ParseDuration refuses both.
func FormatDuration(d time.Duration) string {
	switch {
	case d%time.Second != 0:
		return d.String()
	case d == 0 || d%time.Minute != 0:
		return strconv.FormatInt(int64(d/time.Second), 10) + "s"
	case d%time.Hour != 0:
		return strconv.FormatInt(int64(d/time.Minute), 10) + "m"
	default:
		return strconv.FormatInt(int64(d/time.Hour), 10) + "h"
	}
}

// quantity is the notation of one kind of number.
type quantity struct {
	kind     string           // what the number is, for errors
	suffixes map[string]int64 // suffix to factor; "" is a bare number
	hints    map[string]string
	allowed  string
	most     string // the largest value, for errors
}

var durations = quantity{
	kind: "duration",
	suffixes: map[string]int64{
		"":  int64(time.Second),
		"s": int64(time.Second), "S": int64(time.Second),
		"m": int64(time.Minute), "M": int64(time.Minute),
		"h": int64(time.Hour), "H": int64(time.Hour),
	},
	hints: map[string]string{
		"k": "it is for counts",
		"K": "it is for counts",
	},
	allowed: "a whole number of seconds, or one with the suffix s, m or h, such as 300, 30s, 10m or 1h",
	most:    strconv.FormatInt(int64(math.MaxInt64/time.Second), 10) + " seconds",
}

var counts = quantity{
	kind:     "count",
	suffixes: map[string]int64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6},
	hints:    map[string]string{"m": "write M for millions"},
	allowed:  "a whole number, or one with the suffix k (thousands) or M (millions), such as 1_000_000, 500k or 5M",
	most:     strconv.FormatInt(math.MaxInt64, 10),
}

var sizes = quantity{
	kind: "number of bytes",
	suffixes: map[string]int64{
		"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	},
	hints: map[string]string{
		"m": "write M for millions",
		"g": "write G for billions",
	},
	allowed: "a whole number, or one with the suffix k, M or G (powers of 1000) or KiB, MiB or GiB (powers of 1024), such as 67108864, 64M or 64MiB",
	most:    strconv.FormatInt(math.MaxInt64, 10),
}

// parseAlone is parse with an error that can be understood without a header
// around it.
func (q quantity) parseAlone(s string) (int64, error) {
	n, reason := q.parse(s)
	if reason != "" {
		return 0, fmt.Errorf("%q is not a valid %s: %s", cut(s), q.kind, reason)
	}
	return n, nil
}

// parse returns the number in the base unit, or a reason that names the fault
// and what is allowed. The reason does not repeat s, which errors carry anyway.
func (q quantity) parse(s string) (n int64, reason string) {
	n, fault := q.read(strings.TrimFunc(s, isSpace))
	if fault != "" {
		return 0, fault + "; allowed: " + q.allowed
	}
	return n, ""
}

func (q quantity) read(s string) (n int64, fault string) {
	switch {
	case s == "":
		return 0, "empty value"
	case s[0] == '-' || s[0] == '+':
		return 0, "a sign is not allowed"
	case strings.ContainsFunc(s, isSpace):
		return 0, "blank inside the value"
	}

	end := 0
	for end < len(s) && (isDigit(s[end]) || s[end] == '_') {
		end++
	}
	number, suffix := s[:end], s[end:]
	switch {
	case strings.HasPrefix(suffix, "."):
		return 0, "a fraction is not allowed"
	case strings.HasPrefix(suffix, ","):
		return 0, "a comma is not allowed, write 1_000 for a thousand"
	case number == "":
		return 0, "it does not start with a digit"
	case number[0] == '_' || number[end-1] == '_' || strings.Contains(number, "__"):
		return 0, "an underscore must stand between two digits"
	case isExponent(suffix):
		return 0, "an exponent is not allowed"
	}

	factor, ok := q.suffixes[suffix]
	if !ok {
		fault = fmt.Sprintf("the suffix %q is not allowed", cut(suffix))
		if hint, ok := q.hints[suffix]; ok {
			fault += ": " + hint
		}
		return 0, fault
	}
	n, fits := multiply(number, factor)
	switch {
	case !fits:
		return 0, "too large, the most is " + q.most
	case n == 0:
		return 0, "zero is not allowed"
	}
	return n, ""
}

// multiply returns the product of a number, given as digits and underscores,
// and a factor, or false if an int64 cannot hold it.
func multiply(number string, factor int64) (int64, bool) {
	most := math.MaxInt64 / factor
	var n int64
	for i := range len(number) {
		if number[i] == '_' {
			continue
		}
		digit := int64(number[i] - '0')
		if n > (most-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n * factor, true
}

// isExponent reports whether a suffix is that of a number such as 1e9, with
// or without a unit after it.
func isExponent(suffix string) bool {
	if len(suffix) < 2 || suffix[0] != 'e' && suffix[0] != 'E' {
		return false
	}
	return isDigit(suffix[1]) || suffix[1] == '+' || suffix[1] == '-'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isSpace takes line ends for blanks too: a value from a file or a flag may
// have one.
func isSpace(r rune) bool { return isBlank(r) || isLineEnd(r) }
