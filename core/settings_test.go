package core

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The figures of the contract, in the order of the table of limits. The ones
// after the first six are this package's choice.
var contract = []struct {
	tag, key           string
	standard, min, max string
	onlyDefault        bool
}{
	{tag: "@timeout", key: "timeout", standard: "30s", min: "1s", max: "1h"},
	{tag: "@statements", key: "statements", standard: "1_000_000", min: "1_000", max: "100_000_000"},
	{tag: "@memory", key: "memory", standard: "64MiB", min: "8MiB", max: "1GiB"},
	{tag: "@maxResultNodes", key: "result", standard: "1_000_000", min: "1_000", max: "100_000_000"},
	{key: "result.maxDepth", standard: "64", min: "1", max: "512", onlyDefault: true},
	{key: "result.maxBytes", standard: "16MiB", min: "1KiB", max: "256MiB"},
	{key: "source", standard: "128KiB", min: "1", max: "16MiB"},
	{key: "hostCalls", standard: "10_000", min: "1", max: "1_000_000"},
	{key: "hostBytes", standard: "32MiB", min: "1KiB", max: "1GiB"},
	{key: "logChars", standard: "64_000", min: "1", max: "10_000_000"},
}

func TestTheDefaultsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	settings := DefaultSettings()
	require.NoError(t, settings.Validate())
	assert.True(t, settings.EnforceRequires)
	require.Len(t, contract, len(limits))
	for i, want := range contract {
		l := limits[i]
		b := l.bounds(settings)
		assert.Equal(t, want.tag, l.tag)
		assert.Equal(t, want.tag != "", l.header != nil)
		assert.Equal(t, want.key, l.key)
		assert.Equal(t, want.onlyDefault, l.onlyDefault)
		for p, text := range []string{want.standard, want.min, want.max} {
			n, err := l.unit.parse(text)
			require.NoError(t, err)
			assert.Equal(t, n, *b[p], "%s %s", l.key, part(p).key())
		}
	}
}

func TestDefaultSettingsAreAFreshCopy(t *testing.T) {
	t.Parallel()
	DefaultSettings().Timeout.Max = time.Second
	assert.Equal(t, time.Hour, DefaultSettings().Timeout.Max)
}

// A limit that the table confuses with another would be switched off in silence.
func TestEachLimitHasItsOwnFields(t *testing.T) {
	t.Parallel()
	seen := map[*int64]bool{}
	var settings Settings
	for i := range limits {
		for _, at := range limits[i].bounds(&settings) {
			assert.False(t, seen[at])
			seen[at] = true
		}
		var l Limits
		limits[i].set(&l, 5)
		for j := range limits {
			want := int64(0)
			if i == j {
				want = 5
			}
			assert.Equal(t, want, limits[j].get(l), "%s after %s is set", limits[j].name, limits[i].name)
		}
	}
	assert.Len(t, seen, 3*len(limits))
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*Settings)
		want   string
	}{
		"a zero maximum is none": {
			func(s *Settings) { s.Timeout.Max = 0 },
			"Settings.Timeout.Max: 0s is below 1ms, the least that can be set",
		},
		"a negative number is refused": {
			func(s *Settings) { s.Statements.Default = -1 },
			"Settings.Statements.Default: -1 is below 1, the least that can be set",
		},
		"the largest number is not unlimited": {
			func(s *Settings) { s.Memory.Max = math.MaxInt64 },
			"Settings.Memory.Max: 9223372036854775807 is above 1024GiB, the most that can be set",
		},
		"the longest duration is not unlimited": {
			func(s *Settings) { s.Timeout.Max = math.MaxInt64 },
			"Settings.Timeout.Max: 2562047h47m16.854775807s is above 24h, the most that can be set",
		},
		"values nest as deep as they can be walked": {
			func(s *Settings) { s.ResultDepth.Max = 513 },
			"Settings.ResultDepth.Max: 513 is above 512, the most that can be set",
		},
		"a minimum above the maximum is refused": {
			func(s *Settings) { s.HostCalls.Min = 2_000_000 },
			"Settings.HostCalls.Min: 2M is above Settings.HostCalls.Max, which is 1M",
		},
		"a default below the minimum is refused": {
			func(s *Settings) { s.ResultNodes.Default = 999 },
			"Settings.ResultNodes.Default: 999 is below Settings.ResultNodes.Min, which is 1k",
		},
		"a default above the maximum is refused": {
			func(s *Settings) { s.Timeout.Max = 1500 * time.Millisecond },
			"Settings.Timeout.Default: 30s is above Settings.Timeout.Max, which is 1.5s",
		},
		"everything wrong is told": {
			func(s *Settings) { s.Source, s.LogChars.Min = Bounds{}, 0 },
			"Settings.Source.Default: 0 is below 1, the least that can be set\n" +
				"Settings.Source.Min: 0 is below 1, the least that can be set\n" +
				"Settings.Source.Max: 0 is below 1, the least that can be set\n" +
				"Settings.LogChars.Min: 0 is below 1, the least that can be set",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := DefaultSettings()
			test.change(s)
			assert.EqualError(t, s.Validate(), test.want)
		})
	}
}

func TestEachNumberOfEachLimitIsValidatedAtItsEnds(t *testing.T) {
	t.Parallel()
	for i := range limits {
		l := &limits[i]
		for p := range partCount {
			for n, valid := range map[int64]bool{
				l.floor - 1: false, l.floor: true, l.ceiling: true, l.ceiling + 1: false,
				0: false, -1: false, math.MinInt64: false, math.MaxInt64: false,
			} {
				s := DefaultSettings()
				b := l.bounds(s)
				*b[partMin], *b[partDefault], *b[partMax] = l.floor, l.floor, l.ceiling
				switch p {
				case partMin: // must not be above the default
					*b[partDefault] = l.ceiling
				case partMax: // must not be below it
					*b[partDefault] = l.floor
				}
				*b[p] = n
				err := s.Validate()
				if valid {
					assert.NoError(t, err)
					continue
				}
				assert.ErrorContains(t, err, "Settings."+l.field+"."+p.field()+": "+l.unit.format(n)+" is ")
			}
		}
	}
}

func TestNumbersAreWrittenAsInHeaders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		unit *unit
		n    int64
		want string
	}{
		{durationUnit, int64(time.Hour), "1h"},
		{durationUnit, int64(90 * time.Minute), "90m"},
		{durationUnit, int64(500 * time.Millisecond), "500ms"},
		{durationUnit, -int64(5 * time.Second), "-5s"},
		{countUnit, 0, "0"},
		{countUnit, 999, "999"},
		{countUnit, 1_000, "1k"},
		{countUnit, 1_500, "1500"},
		{countUnit, 100_000_000, "100M"},
		{countUnit, -2_000, "-2k"},
		{countUnit, math.MinInt64, "-9223372036854775808"},
		{byteUnit, 64 << 20, "64MiB"},
		{byteUnit, 64_000_000, "64M"},
		{byteUnit, 1 << 10, "1KiB"},
		{byteUnit, 1_000, "1k"},
		{byteUnit, 2 << 30, "2GiB"},
		{byteUnit, 2_000_000_000, "2000M"},
		{byteUnit, 1, "1"},
	} {
		assert.Equal(t, test.want, test.unit.format(test.n))
		if test.n > 0 {
			back, err := test.unit.parse(test.want)
			assert.NoError(t, err)
			assert.Equal(t, test.n, back)
		}
	}
}

func TestParseSettings(t *testing.T) {
	t.Parallel()
	standard := DefaultSettings()
	for name, test := range map[string]struct {
		text string
		want func(*Settings) // changes the defaults; nil if they are what is wanted
	}{
		"an empty text":              {"", nil},
		"comments alone":             {"# nothing\n", nil},
		"an empty document":          {"---\n", nil},
		"an ended document":          {"---\n...\n", nil},
		"a byte order mark":          {"\ufeffvance:\n", nil},
		"an empty mapping":           {"{}", nil},
		"an empty section":           {"vance:\n  script:\n    timeout:\n      # max: 1h\n", nil},
		"all sections empty":         {"vance: {script: {timeout: , result: {maxBytes: }, capabilities: }}", nil},
		"a YAML number":              {"vance: {script: {timeout: {default: 300}}}", func(s *Settings) { s.Timeout.Default = 300 * time.Second }},
		"a string":                   {"vance: {script: {statements: {default: '100k'}}}", func(s *Settings) { s.Statements.Default = 100_000 }},
		"an underscored number":      {"vance: {script: {statements: {default: 2_000_000}}}", func(s *Settings) { s.Statements.Default = 2_000_000 }},
		"a suffix":                   {"vance: {script: {memory: {max: 512MiB}}}", func(s *Settings) { s.Memory.Max = 512 << 20 }},
		"a number tagged as one":     {"vance: {script: {hostCalls: {max: !!str 20_000}}}", func(s *Settings) { s.HostCalls.Max = 20_000 }},
		"a part of a second":         {"vance: {script: {timeout: {min: 500ms}}}", func(s *Settings) { s.Timeout.Min = 500 * time.Millisecond }},
		"a duration of Go":           {"vance: {script: {timeout: {max: 1h30m}}}", func(s *Settings) { s.Timeout.Max = 90 * time.Minute }},
		"a minimum of one":           {"vance: {script: {statements: {min: 1}}}", func(s *Settings) { s.Statements.Min = 1 }},
		"the only number of a depth": {"vance: {script: {result: {maxDepth: 512}}}", func(s *Settings) { s.ResultDepth.Default = 512 }},
		"requires not enforced":      {"vance: {script: {capabilities: {enforceRequires: false}}}", func(s *Settings) { s.EnforceRequires = false }},
		"requires enforced":          {"vance: {script: {capabilities: {enforceRequires: true}}}", nil},
		"CRLF":                       {"vance:\r\n  script:\r\n    timeout:\r\n      max: 2h\r\n", func(s *Settings) { s.Timeout.Max = 2 * time.Hour }},
		"an alias": {
			"vance: {script: {hostCalls: &calls {min: 5, max: &most 20k}, statements: {default: *most}}}",
			func(s *Settings) { s.HostCalls.Min, s.HostCalls.Max, s.Statements.Default = 5, 20_000, 20_000 },
		},
		"all that the defaults are": {`
vance:
  script:
    timeout: {default: 30s, min: 1s, max: 1h}
    statements: {default: 1_000_000, min: 1_000, max: 100M}
    memory: {default: 64MiB, min: 8MiB, max: 1GiB}
    result:
      default: 1_000_000
      min: 1_000
      max: 100M
      maxDepth: 64
      maxBytes: {default: 16MiB, min: 1KiB, max: 256MiB}
    source: {default: 128KiB, min: 1, max: 16MiB}
    hostCalls: {default: 10_000, min: 1, max: 1M}
    hostBytes: {default: 32MiB, min: 1KiB, max: 1GiB}
    logChars: {default: 64_000, min: 1, max: 10M}
    capabilities:
      enforceRequires: true
`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := *standard
			if test.want != nil {
				test.want(&want)
			}
			got, err := ParseSettings([]byte(test.text), "settings.yaml")
			require.NoError(t, err)
			assert.Equal(t, &want, got)
			assert.NoError(t, got.Validate())
		})
	}
}

func TestEachKeySetsItsOwnField(t *testing.T) {
	t.Parallel()
	require.Len(t, keyOrder, 3*len(limits)-2+1)
	for i := range limits {
		l := &limits[i]
		for p := range partCount {
			if l.onlyDefault && p != partDefault {
				continue
			}
			t.Run(l.settingKey(p), func(t *testing.T) {
				t.Parallel()
				want := DefaultSettings()
				b := l.bounds(want)
				*b[p] = max(*b[p]+l.floor*map[part]int64{partDefault: 1, partMin: 1, partMax: -1}[p], l.floor)
				got, err := ParseSettings([]byte(nested(l.settingKey(p), l.unit.format(*b[p]))), "s.yaml")
				require.NoError(t, err)
				assert.Equal(t, want, got)
			})
		}
	}
}

// nested writes a key of dotted parts as YAML.
func nested(key, value string) string {
	var text strings.Builder
	for i, name := range strings.Split(key, ".") {
		if i > 0 {
			text.WriteString("\n")
		}
		text.WriteString(strings.Repeat("  ", i) + name + ":")
	}
	return text.String() + " " + value + "\n"
}

func TestParseSettingsRefuses(t *testing.T) {
	t.Parallel()
	const (
		top      = "vance:\n  script:\n"
		duration = `a whole number of seconds, or one with the suffix s, m or h, such as 300, 30s, 10m or 1h; or a duration of Go, such as 500ms`
		count    = `a whole number, or one with the suffix k (thousands) or M (millions), such as 1_000_000, 500k or 5M`
	)
	for name, test := range map[string]struct{ text, want string }{
		"an unknown key at the top": {
			"vanse:\n", "s.yaml:1: vanse: unknown key; allowed here: vance",
		},
		"an unknown key among the limits": {
			top + "    timout: {max: 1h}\n",
			"s.yaml:3: vance.script.timout: unknown key; allowed here: timeout, statements, memory, result, source, hostCalls, hostBytes, logChars, capabilities",
		},
		"an unknown key in a limit": {
			top + "    timeout:\n      maximum: 1h\n",
			"s.yaml:4: vance.script.timeout.maximum: unknown key; allowed here: default, min, max",
		},
		"an unknown key in the result": {
			top + "    result:\n      depth: 5\n",
			"s.yaml:4: vance.script.result.depth: unknown key; allowed here: default, min, max, maxDepth, maxBytes",
		},
		"an unknown key among the capabilities": {
			top + "    capabilities:\n      enforce: true\n",
			"s.yaml:4: vance.script.capabilities.enforce: unknown key; allowed here: enforceRequires",
		},
		"a key in other letters": {
			top + "    hostcalls: {}\n",
			"s.yaml:3: vance.script.hostcalls: unknown key; allowed here: timeout, statements, memory, result, source, hostCalls, hostBytes, logChars, capabilities",
		},
		"the dotted form":      {"vance.script.timeout.max: 1h", "s.yaml:1: vance.script.timeout.max: unknown key; allowed here: vance"},
		"a merge":              {"x: &x {}\nvance: {<<: *x}", "s.yaml:1: x: unknown key; allowed here: vance\ns.yaml:2: vance.<<: unknown key; allowed here: script"},
		"a key that is a list": {"[vance]: 1", "s.yaml:1: a list: unknown key; allowed here: vance"},
		"a repeated key": {
			top + "    timeout:\n      max: 2h\n      max: 1h\n",
			"s.yaml:5: vance.script.timeout.max: the key is repeated; first in line 4",
		},
		"a repeated section": {
			top + "    timeout: {max: 2h}\n    timeout: {min: 2s}\n",
			"s.yaml:4: vance.script.timeout: the key is repeated; first in line 3",
		},
		"a number for a section": {
			top + "    timeout: 30s\n",
			`s.yaml:3: vance.script.timeout: found "30s", where there must be a mapping; allowed keys: default, min, max`,
		},
		"a list for a section": {
			"vance: []", `s.yaml:1: vance: found a list, where there must be a mapping; allowed keys: script`,
		},
		"a document that is a text": {
			"vance", `s.yaml:1: the document: found "vance", where there must be a mapping; allowed keys: vance`,
		},
		"a section for a number": {
			top + "    result:\n      maxDepth: {default: 5}\n",
			"s.yaml:4: vance.script.result.maxDepth: found a mapping, where there must be a count",
		},
		"a list for a number": {
			top + "    memory:\n      max: [1GiB]\n",
			"s.yaml:4: vance.script.memory.max: found a list, where there must be a number of bytes",
		},
		"a key without a value": {
			top + "    timeout:\n      max:\n",
			"s.yaml:4: vance.script.timeout.max: found nothing, where there must be a duration",
		},
		"a tag of the file's own": {
			top + "    timeout:\n      max: !env TIMEOUT\n",
			"s.yaml:4: vance.script.timeout.max: found the tag !env, where there must be a duration",
		},
		"a malformed duration": {
			top + "    timeout:\n      max: soon\n",
			`s.yaml:4: vance.script.timeout.max: "soon" is not a valid duration: it does not start with a digit; allowed: ` + duration,
		},
		"a malformed count": {
			top + "    statements:\n      max: 1.5\n",
			`s.yaml:4: vance.script.statements.max: "1.5" is not a valid count: a fraction is not allowed; allowed: ` + count,
		},
		"a negative duration of Go": {
			top + "    timeout:\n      max: -500ms\n",
			`s.yaml:4: vance.script.timeout.max: "-500ms" is not a valid duration: a sign is not allowed; allowed: ` + strings.TrimSuffix(duration, "; or a duration of Go, such as 500ms"),
		},
		"zero": {
			top + "    statements:\n      max: 0\n",
			`s.yaml:4: vance.script.statements.max: "0" is not a valid count: zero is not allowed; allowed: ` + count,
		},
		"unlimited": {
			top + "    statements:\n      max: -1\n",
			`s.yaml:4: vance.script.statements.max: "-1" is not a valid count: a sign is not allowed; allowed: ` + count,
		},
		"a number that no int64 holds": {
			top + "    statements:\n      max: 9223372036854775808\n",
			`s.yaml:4: vance.script.statements.max: "9223372036854775808" is not a valid count: too large, the most is 9223372036854775807; allowed: ` + count,
		},
		"the largest int64": {
			top + "    statements:\n      max: 9223372036854775807\n",
			"s.yaml:4: vance.script.statements.max: 9223372036854775807 is above 1000000M, the most that can be set",
		},
		"less than the floor": {
			top + "    timeout:\n      min: 10us\n",
			"s.yaml:4: vance.script.timeout.min: 10µs is below 1ms, the least that can be set",
		},
		"a depth that cannot be walked": {
			top + "    result: {maxDepth: 513}\n",
			"s.yaml:3: vance.script.result.maxDepth: 513 is above 512, the most that can be set",
		},
		"a truth that is none": {
			top + "    capabilities: {enforceRequires: no}\n",
			`s.yaml:3: vance.script.capabilities.enforceRequires: found "no", where there must be true or false`,
		},
		"a truth that is a list": {
			top + "    capabilities: {enforceRequires: []}\n",
			`s.yaml:3: vance.script.capabilities.enforceRequires: found a list, where there must be true or false`,
		},
		"a minimum above the maximum": {
			top + "    timeout:\n      max: 2m\n      min: 3m\n",
			"s.yaml:5: vance.script.timeout.min: 3m is above vance.script.timeout.max, which is 2m",
		},
		"a default above the maximum": {
			top + "    timeout:\n      default: 3m\n      max: 2m\n",
			"s.yaml:4: vance.script.timeout.default: 3m is above vance.script.timeout.max, which is 2m",
		},
		"a default below the minimum": {
			top + "    memory: {default: 10M, min: 16MiB}\n",
			"s.yaml:3: vance.script.memory.default: 10M is below vance.script.memory.min, which is 16MiB",
		},
		"a maximum below the default that is built in": {
			top + "    timeout:\n      max: 10s\n",
			"s.yaml:4: vance.script.timeout.default (built in, not in the file): 30s is above vance.script.timeout.max, which is 10s",
		},
		"a maximum below the minimum that is built in": {
			top + "    statements: {default: 5, max: 10}\n",
			"s.yaml:3: vance.script.statements.min (built in, not in the file): 1k is above vance.script.statements.max, which is 10",
		},
		"a default above the maximum that is built in": {
			top + "    timeout: {default: 2h}\n",
			"s.yaml:3: vance.script.timeout.default: 2h is above vance.script.timeout.max (built in, not in the file), which is 1h",
		},
		"a second document": {
			"vance:\n---\nvance:\n", "s.yaml:2: a second YAML document; settings are one document",
		},
		"a second document that is empty": {
			"vance:\n---\n", "s.yaml:2: a second YAML document; settings are one document",
		},
		"what is no YAML": {
			"vance:\n  script: {\n", "s.yaml:2: not valid YAML: did not find expected node content",
		},
		"what is no YAML in the first line": {
			"{", "s.yaml:1: not valid YAML: did not find expected node content",
		},
		"an alias to nothing": {
			"vance: *x", "s.yaml: not valid YAML: unknown anchor 'x' referenced",
		},
		"everything that is wrong, in the order of the lines": {
			top + "    statements: {default: 5}\n    timeout: {max: soon, default: 100h}\n    x: 1\n    memory: {min: 2GiB}\n",
			"s.yaml:3: vance.script.statements.default: 5 is below vance.script.statements.min (built in, not in the file), which is 1k\n" +
				`s.yaml:4: vance.script.timeout.max: "soon" is not a valid duration: it does not start with a digit; allowed: ` + duration + "\n" +
				"s.yaml:5: vance.script.x: unknown key; allowed here: timeout, statements, memory, result, source, hostCalls, hostBytes, logChars, capabilities\n" +
				"s.yaml:6: vance.script.memory.min: 2GiB is above vance.script.memory.max (built in, not in the file), which is 1GiB",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ParseSettings([]byte(test.text), "s.yaml")
			assert.EqualError(t, err, test.want)
			assert.Nil(t, got)
		})
	}
}

func TestLoadSettings(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.yaml")

	_, err := LoadSettings(path)
	assert.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(path, []byte("vance: {script: {timeout: {max: 2h}}}"), 0o600))
	got, err := LoadSettings(path)
	require.NoError(t, err)
	assert.Equal(t, 2*time.Hour, got.Timeout.Max)

	require.NoError(t, os.WriteFile(path, []byte("x: 1"), 0o600))
	_, err = LoadSettings(path)
	assert.EqualError(t, err, path+":1: x: unknown key; allowed here: vance")
}

func FuzzParseSettings(f *testing.F) {
	for _, seed := range []string{
		"", "{}", "---\n---\n", "vance: &a [*a]", "vance: &a {script: *a}", "? [a]\n: b", "\xff", "vance: !!binary aGk=",
		"vance: {script: {timeout: {default: 30s, min: 1s, max: 1h}}}", "vance: {script: {memory: {max: 1e9}}}",
		"vance:\n  script:\n    result: {maxDepth: 5, maxBytes: {max: 1GiB}}\n    capabilities: {enforceRequires: false}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := ParseSettings([]byte(text), "s.yaml")
		switch {
		case (got == nil) == (err == nil):
			t.Errorf("settings %v with error %v", got, err)
		case err == nil && got.Validate() != nil:
			t.Error(got.Validate())
		case err != nil && !strings.HasPrefix(err.Error(), "s.yaml:"):
			t.Error(err)
		}
	})
}

func ExampleParseSettings() {
	settings, err := ParseSettings([]byte(`
vance:
  script:
    timeout: {default: 10s, max: 5m}
    memory:  {max: 256MiB}
`), "settings.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(settings.Timeout.Default, settings.Timeout.Max, settings.Memory.Max>>20)

	_, err = ParseSettings([]byte("vance:\n  script:\n    timeout: {maximum: 5m}\n"), "settings.yaml")
	fmt.Println(err)
	// Output:
	// 10s 5m0s 256
	// settings.yaml:3: vance.script.timeout.maximum: unknown key; allowed here: default, min, max
}
