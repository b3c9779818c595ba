package header_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/header"
)

func TestParseDurationAccepts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"300":           300 * time.Second,
		"1s":            time.Second,
		"1S":            time.Second,
		"10m":           10 * time.Minute,
		"10M":           10 * time.Minute,
		"1h":            time.Hour,
		"1H":            time.Hour,
		"1_000":         1000 * time.Second,
		"1_0_0s":        100 * time.Second,
		"007":           7 * time.Second,
		" 5s\n":         5 * time.Second,
		"9223372036":    9223372036 * time.Second,
		"153722867m":    153722867 * time.Minute,
		"2562047h":      2562047 * time.Hour,
		"0000000000001": time.Second,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := header.ParseDuration(text)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestParseCountAccepts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1":                   1,
		"100k":                100_000,
		"100K":                100_000,
		"5M":                  5_000_000,
		"1_000_000":           1_000_000,
		"1_000k":              1_000_000,
		"9223372036854775807": math.MaxInt64,
		"9223372036854775k":   9223372036854775_000,
		"9223372036854M":      9223372036854_000_000,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := header.ParseCount(text)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

func TestParseBytesAccepts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"67108864":      64 << 20,
		"1k":            1e3,
		"1K":            1e3,
		"64M":           64e6,
		"1G":            1e9,
		"1KiB":          1 << 10,
		"64MiB":         64 << 20,
		"1GiB":          1 << 30,
		"1_024KiB":      1 << 20,
		"9223372036G":   9223372036e9,
		"8589934591GiB": 8589934591 << 30,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			got, err := header.ParseBytes(text)
			require.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
}

// Each kind of number with the refusals that it has of its own, and the faults
// that are refused alike for all three.
func TestNumbersAreRefusedWithAReason(t *testing.T) {
	t.Parallel()
	type parser struct {
		parse   func(string) error
		kind    string
		allowed string
		own     map[string]string
	}
	alike := map[string]string{
		"":                           "empty value",
		" \t\r\n":                    "empty value",
		"-1":                         "a sign is not allowed",
		"+1":                         "a sign is not allowed",
		"-":                          "a sign is not allowed",
		"- 1":                        "a sign is not allowed",
		"\u22121":                    "it does not start with a digit",
		"1 000":                      "blank inside the value",
		"1\n000":                     "blank inside the value",
		"1\u00a0k":                   "blank inside the value",
		"1.5":                        "a fraction is not allowed",
		"1.":                         "a fraction is not allowed",
		".5":                         "a fraction is not allowed",
		"1.5e3":                      "a fraction is not allowed",
		"100,000":                    "a comma is not allowed, write 1_000 for a thousand",
		"abc":                        "it does not start with a digit",
		"k":                          "it does not start with a digit",
		"NaN":                        "it does not start with a digit",
		"Infinity":                   "it does not start with a digit",
		"٣":                          "it does not start with a digit",
		"\xff":                       "it does not start with a digit",
		"_1":                         "an underscore must stand between two digits",
		"1_":                         "an underscore must stand between two digits",
		"1__0":                       "an underscore must stand between two digits",
		"1_k":                        "an underscore must stand between two digits",
		"_":                          "an underscore must stand between two digits",
		"1e309":                      "an exponent is not allowed",
		"1E5":                        "an exponent is not allowed",
		"1e-5":                       "an exponent is not allowed",
		"9e18k":                      "an exponent is not allowed",
		"1e":                         `the suffix "e" is not allowed`,
		"0x10":                       `the suffix "x10" is not allowed`,
		"1d":                         `the suffix "d" is not allowed`,
		"100ms":                      `the suffix "ms" is not allowed`,
		"1h30m":                      `the suffix "h30m" is not allowed`,
		"1\x00":                      `the suffix "\x00" is not allowed`,
		"0":                          "zero is not allowed",
		"000":                        "zero is not allowed",
		"0_0":                        "zero is not allowed",
		"99999999999999999999999999": "too large, the most is ",
	}
	for name, p := range map[string]parser{
		"a duration": {
			parse: func(s string) error { _, err := header.ParseDuration(s); return err },
			kind:  "duration", allowed: "suffix s, m or h",
			own: map[string]string{
				"5k":                   `the suffix "k" is not allowed: it is for counts`,
				"1kM":                  `the suffix "kM" is not allowed`,
				"0h":                   "zero is not allowed",
				"9223372037":           "too large, the most is 9223372036 seconds",
				"153722868m":           "too large, the most is 9223372036 seconds",
				"2562048h":             "too large, the most is 9223372036 seconds",
				"9223372036854775807":  "too large, the most is 9223372036 seconds",
				"9223372036854775807h": "too large, the most is 9223372036 seconds",
			},
		},
		"a count": {
			parse: func(s string) error { _, err := header.ParseCount(s); return err },
			kind:  "count", allowed: "suffix k (thousands) or M (millions)",
			own: map[string]string{
				"5m":                  `the suffix "m" is not allowed: write M for millions`,
				"5G":                  `the suffix "G" is not allowed`,
				"5s":                  `the suffix "s" is not allowed`,
				"0k":                  "zero is not allowed",
				"9223372036854775808": "too large, the most is 9223372036854775807",
				"9223372036854776k":   "too large, the most is 9223372036854775807",
				"9223372036855M":      "too large, the most is 9223372036854775807",
			},
		},
		"a number of bytes": {
			parse: func(s string) error { _, err := header.ParseBytes(s); return err },
			kind:  "number of bytes", allowed: "suffix k, M or G (powers of 1000) or KiB, MiB or GiB (powers of 1024)",
			own: map[string]string{
				"5m":                  `the suffix "m" is not allowed: write M for millions`,
				"5g":                  `the suffix "g" is not allowed: write G for billions`,
				"5kB":                 `the suffix "kB" is not allowed`,
				"5MB":                 `the suffix "MB" is not allowed`,
				"5GB":                 `the suffix "GB" is not allowed`,
				"5B":                  `the suffix "B" is not allowed`,
				"5mib":                `the suffix "mib" is not allowed`,
				"5kiB":                `the suffix "kiB" is not allowed`,
				"5TiB":                `the suffix "TiB" is not allowed`,
				"0MiB":                "zero is not allowed",
				"9223372036854775808": "too large, the most is 9223372036854775807",
				"9223372037G":         "too large, the most is 9223372036854775807",
				"8589934592GiB":       "too large, the most is 9223372036854775807",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, table := range []map[string]string{alike, p.own} {
				for text, fault := range table {
					err := p.parse(text)
					require.Errorf(t, err, "%q", text)
					assert.Contains(t, err.Error(), " is not a valid "+p.kind+": "+fault)
					assert.Contains(t, err.Error(), "; allowed: ")
					assert.Contains(t, err.Error(), p.allowed)
				}
			}
		})
	}
}

func TestAnErrorOfANumberStandsAlone(t *testing.T) {
	t.Parallel()
	_, err := header.ParseCount("5m")
	assert.EqualError(t, err, `"5m" is not a valid count: the suffix "m" is not allowed: write M for millions; `+
		`allowed: a whole number, or one with the suffix k (thousands) or M (millions), such as 1_000_000, 500k or 5M`)
}

func TestFormatDurationUsesTheLargestUnitWithoutRemainder(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"1s":          time.Second,
		"45s":         45 * time.Second,
		"90s":         90 * time.Second,
		"10m":         10 * time.Minute,
		"90m":         90 * time.Minute,
		"1h":          time.Hour,
		"48h":         48 * time.Hour,
		"9223372036s": 9223372036 * time.Second,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, header.FormatDuration(d))
			back, err := header.ParseDuration(want)
			require.NoError(t, err)
			assert.Equal(t, d, back)
		})
	}
}

func TestFormatDurationWritesWhatHasNoNotation(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]time.Duration{
		"0s":    0,
		"-5s":   -5 * time.Second,
		"-2m":   -2 * time.Minute,
		"1.5s":  1500 * time.Millisecond,
		"250ms": 250 * time.Millisecond,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, want, header.FormatDuration(d))
			_, err := header.ParseDuration(want)
			assert.Error(t, err)
		})
	}
}
