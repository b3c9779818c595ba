package core

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/header"
)

// headerWith is a header that asks for n of one limit.
func headerWith(t *testing.T, l *limit, n int64) *header.Header {
	t.Helper()
	var h header.Header
	switch l.tag {
	case "@timeout":
		h.Timeout = (*time.Duration)(&n)
	case "@statements":
		h.Statements = &n
	case "@memory":
		h.Memory = &n
	case "@maxResultNodes":
		h.MaxResultNodes = &n
	default:
		t.Fatalf("no tag of %s is known", l.name)
	}
	return &h
}

// standard are the limits of a run in which nobody says anything.
func standard() Limits {
	limits, _ := DefaultSettings().effective(&header.Header{}, Limits{})
	return limits
}

func TestTheDefaultsHoldWhereNobodyAsks(t *testing.T) {
	t.Parallel()
	got, warnings := DefaultSettings().effective(&header.Header{}, Limits{})
	assert.Empty(t, warnings)
	assert.Equal(t, Limits{
		Timeout:     30 * time.Second,
		Statements:  1_000_000,
		Memory:      64 << 20,
		ResultNodes: 1_000_000,
		ResultDepth: 64,
		ResultBytes: 16 << 20,
		Source:      128 << 10,
		HostCalls:   10_000,
		HostBytes:   32 << 20,
		LogChars:    64_000,
	}, got)
}

func TestEachLimitIsClampedWhereverItComesFrom(t *testing.T) {
	t.Parallel()
	for i := range limits {
		l := &limits[i]
		// In bounds of 2 to 10 floors, the default being 5.
		bounded := func() *Settings {
			s := DefaultSettings()
			b := l.bounds(s)
			*b[partDefault], *b[partMin], *b[partMax] = 5*l.floor, 2*l.floor, 10*l.floor
			return s
		}
		sources := map[string]func(t *testing.T, n int64) (Limits, []Warning){
			"caller": func(t *testing.T, n int64) (Limits, []Warning) {
				var caller Limits
				l.set(&caller, n)
				return bounded().effective(&header.Header{}, caller)
			},
			"setting": func(t *testing.T, n int64) (Limits, []Warning) {
				s := bounded()
				*l.bounds(s)[partDefault] = n
				return s.effective(&header.Header{}, Limits{})
			},
		}
		called := map[string]string{"caller": l.name + " %s, which the caller asked for,", "setting": l.name + " %s, the default,"}
		if l.header != nil {
			called["header"] = l.tag + " %s"
			sources["header"] = func(t *testing.T, n int64) (Limits, []Warning) {
				var caller Limits
				l.set(&caller, 7*l.floor)
				return bounded().effective(headerWith(t, l, n), caller)
			}
		}
		for source, effective := range sources {
			for _, test := range []struct {
				name    string
				n, want int64
				bound   string // that is passed
			}{
				{"at the minimum", 2 * l.floor, 2 * l.floor, ""},
				{"between", 3 * l.floor, 3 * l.floor, ""},
				{"at the maximum", 10 * l.floor, 10 * l.floor, ""},
				{"below the minimum", l.floor, 2 * l.floor, "below the minimum"},
				{"above the maximum", 11 * l.floor, 10 * l.floor, "above the maximum"},
				{"negative", -5 * l.floor, 2 * l.floor, "below the minimum"},
				{"the largest", math.MaxInt64, 10 * l.floor, "above the maximum"},
				{"the smallest", math.MinInt64, 2 * l.floor, "below the minimum"},
			} {
				t.Run(l.name+" of "+source+"/"+test.name, func(t *testing.T) {
					t.Parallel()
					got, warnings := effective(t, test.n)
					want := standard()
					l.set(&want, test.want)
					assert.Equal(t, want, got)
					if test.bound == "" {
						assert.Empty(t, warnings)
						return
					}
					assert.Equal(t, []Warning{{
						Code: engine.WarnClamped,
						Message: fmt.Sprintf(called[source]+" is %s; clamped to %s",
							l.unit.format(test.n), test.bound, l.unit.format(test.want)),
					}}, warnings)
				})
			}
		}
	}
}

func TestTheHeaderGoesBeforeTheCallerAndTheCallerBeforeTheDefault(t *testing.T) {
	t.Parallel()
	s := DefaultSettings()
	script, _, err := header.Parse("/**\n * @timeout 2h\n * @memory 5M\n */", "s.js")
	require.NoError(t, err)
	caller := Limits{Timeout: time.Minute, Statements: 2_000, HostCalls: 2_000_000, ResultDepth: 1_000}

	got, warnings := s.effective(script, caller)
	want := standard()
	want.Timeout, want.Memory = time.Hour, 8<<20
	want.Statements, want.HostCalls, want.ResultDepth = 2_000, 1_000_000, 512
	assert.Equal(t, want, got)
	assert.Equal(t, []Warning{
		{Code: engine.WarnClamped, Message: "@timeout 2h is above the maximum; clamped to 1h"},
		{Code: engine.WarnClamped, Message: "@memory 5M is below the minimum; clamped to 8MiB"},
		{Code: engine.WarnClamped, Message: "result-depth 1k, which the caller asked for, is above the maximum; clamped to 512"},
		{Code: engine.WarnClamped, Message: "host-calls 2M, which the caller asked for, is above the maximum; clamped to 1M"},
	}, warnings)
}

// A value that is replaced is nobody's concern.
func TestAClampedValueThatDoesNotCountIsNotWarnedOf(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	_, warnings := DefaultSettings().effective(&header.Header{Timeout: &minute}, Limits{Timeout: 100 * time.Hour})
	assert.Empty(t, warnings)
}

func TestTheMaximumHoldsAgainstAMinimumAboveIt(t *testing.T) {
	t.Parallel()
	s := DefaultSettings()
	s.Timeout.Min, s.Timeout.Max = time.Minute, time.Second
	for _, asked := range []time.Duration{1, 30 * time.Second, time.Hour} {
		got, _ := s.effective(&header.Header{}, Limits{Timeout: asked})
		assert.Equal(t, time.Second, got.Timeout)
	}
}

func TestLimitsAreWorkedOutWithoutAllocations(t *testing.T) {
	s := DefaultSettings()
	h := &header.Header{}
	n := testing.AllocsPerRun(100, func() { s.effective(h, Limits{Timeout: time.Minute}) })
	assert.LessOrEqual(t, n, 1.0, "the limits themselves may be one")
}

func BenchmarkEffective(b *testing.B) {
	s := DefaultSettings()
	h := &header.Header{}
	b.ReportAllocs()
	for b.Loop() {
		s.effective(h, Limits{})
	}
}

// stored is a source for one scope.
type stored struct {
	values map[string]string
	errs   map[string]error

	mu    sync.Mutex
	asked []string
}

func (s *stored) Setting(_ context.Context, scope []string, key string) (string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, key)
	if strings.Join(scope, "/") != "tenant/project" {
		return "", false, nil
	}
	value, ok := s.values[key]
	return value, ok, s.errs[key]
}

// settingsWith are the default settings with a source for tenant/project.
func settingsWith(source SettingsSource, scope ...string) (*Settings, []Warning) {
	ex := &Executor{opts: Options{Settings: DefaultSettings(), Overrides: source}}
	return ex.settingsFor(context.Background(), scope)
}

func TestWithoutASourceTheSettingsAreTheServicesOwn(t *testing.T) {
	t.Parallel()
	own := DefaultSettings()
	ex := &Executor{opts: Options{Settings: own}}
	got, warnings := ex.settingsFor(context.Background(), []string{"tenant"})
	assert.Same(t, own, got)
	assert.Empty(t, warnings)
}

func TestASourceIsAskedForTheDocumentedKeys(t *testing.T) {
	t.Parallel()
	var source stored
	_, warnings := settingsWith(&source, "tenant", "project")
	assert.Empty(t, warnings)
	assert.Equal(t, []string{
		"vance.script.timeout.default", "vance.script.timeout.max",
		"vance.script.statements.default", "vance.script.statements.max",
		"vance.script.memory.default", "vance.script.memory.max",
		"vance.script.result.default", "vance.script.result.max",
		"vance.script.result.maxDepth",
		"vance.script.result.maxBytes.default", "vance.script.result.maxBytes.max",
		"vance.script.source.default", "vance.script.source.max",
		"vance.script.hostCalls.default", "vance.script.hostCalls.max",
		"vance.script.hostBytes.default", "vance.script.hostBytes.max",
		"vance.script.logChars.default", "vance.script.logChars.max",
	}, source.asked)
}

func TestEachStoredKeyOverridesItsOwnSetting(t *testing.T) {
	t.Parallel()
	for i := range limits {
		l := &limits[i]
		for _, p := range []part{partDefault, partMax} {
			if l.onlyDefault && p == partMax {
				continue
			}
			t.Run(l.settingKey(p), func(t *testing.T) {
				t.Parallel()
				want := DefaultSettings()
				b := l.bounds(want)
				*b[p] -= l.floor
				source := &stored{values: map[string]string{l.settingKey(p): l.unit.format(*b[p])}}

				got, warnings := settingsWith(source, "tenant", "project")
				assert.Empty(t, warnings)
				assert.Equal(t, want, got)

				got, warnings = settingsWith(source, "another")
				assert.Empty(t, warnings)
				assert.Equal(t, DefaultSettings(), got)
			})
		}
	}
}

func TestStoredSettings(t *testing.T) {
	t.Parallel()
	const days = "2562048h" // more than a duration holds
	for name, test := range map[string]struct {
		values  map[string]string
		caller  Limits
		want    func(*Limits) // changes the standard limits
		warning []Warning
	}{
		"a default counts for runs that do not ask": {
			values: map[string]string{"vance.script.timeout.default": "10s"},
			want:   func(l *Limits) { l.Timeout = 10 * time.Second },
		},
		"a default does not count for runs that ask": {
			values: map[string]string{"vance.script.timeout.default": "10s"},
			caller: Limits{Timeout: 20 * time.Second},
			want:   func(l *Limits) { l.Timeout = 20 * time.Second },
		},
		"a maximum lowers what runs ask for": {
			values: map[string]string{"vance.script.timeout.max": "1m"},
			caller: Limits{Timeout: 20 * time.Minute},
			want:   func(l *Limits) { l.Timeout = time.Minute },
			warning: []Warning{{
				Code: engine.WarnClamped, Message: "timeout 20m, which the caller asked for, is above the maximum; clamped to 1m",
			}},
		},
		"a maximum lowers the service's default": {
			values:  map[string]string{"vance.script.timeout.max": "10s"},
			want:    func(l *Limits) { l.Timeout = 10 * time.Second },
			warning: []Warning{{Code: engine.WarnClamped, Message: "timeout 30s, the default, is above the maximum; clamped to 10s"}},
		},
		"a maximum does not raise the service's": {
			values: map[string]string{"vance.script.statements.max": "200M"},
			caller: Limits{Statements: 150_000_000},
			want:   func(l *Limits) { l.Statements = 100_000_000 },
			warning: []Warning{
				{Code: engine.WarnClamped, Message: "stored setting vance.script.statements.max 200M is above the service's; clamped to 100M"},
				{Code: engine.WarnClamped, Message: "statements 150M, which the caller asked for, is above the maximum; clamped to 100M"},
			},
		},
		"a maximum goes before the minimum": {
			values: map[string]string{"vance.script.statements.max": "10", "vance.script.statements.default": "10"},
			want:   func(l *Limits) { l.Statements = 10 },
		},
		"a maximum below the floor is the floor": {
			values: map[string]string{"vance.script.timeout.max": "1us", "vance.script.timeout.default": "1ms"},
			want:   func(l *Limits) { l.Timeout = time.Millisecond },
			warning: []Warning{{
				Code: engine.WarnClamped, Message: "stored setting vance.script.timeout.max 1µs is below the least that can be set; clamped to 1ms",
			}},
		},
		"a default above the maximum is clamped": {
			values:  map[string]string{"vance.script.result.default": "200M"},
			want:    func(l *Limits) { l.ResultNodes = 100_000_000 },
			warning: []Warning{{Code: engine.WarnClamped, Message: "result-nodes 200M, the default, is above the maximum; clamped to 100M"}},
		},
		"a default below the minimum is clamped": {
			values:  map[string]string{"vance.script.memory.default": "1"},
			want:    func(l *Limits) { l.Memory = 8 << 20 },
			warning: []Warning{{Code: engine.WarnClamped, Message: "memory 1, the default, is below the minimum; clamped to 8MiB"}},
		},
		"a default above the stored maximum is clamped": {
			values:  map[string]string{"vance.script.hostCalls.default": "500", "vance.script.hostCalls.max": "100"},
			want:    func(l *Limits) { l.HostCalls = 100 },
			warning: []Warning{{Code: engine.WarnClamped, Message: "host-calls 500, the default, is above the maximum; clamped to 100"}},
		},
		"a depth is clamped": {
			values:  map[string]string{"vance.script.result.maxDepth": "513"},
			want:    func(l *Limits) { l.ResultDepth = 512 },
			warning: []Warning{{Code: engine.WarnClamped, Message: "result-depth 513, the default, is above the maximum; clamped to 512"}},
		},
		"a minimum cannot be stored": {
			values: map[string]string{"vance.script.statements.min": "1"},
			caller: Limits{Statements: 5},
			want:   func(l *Limits) { l.Statements = 1_000 },
			warning: []Warning{{
				Code: engine.WarnClamped, Message: "statements 5, which the caller asked for, is below the minimum; clamped to 1k",
			}},
		},
		"a malformed value does not count": {
			values: map[string]string{"vance.script.statements.max": "-1"},
			warning: []Warning{{
				Code: WarnBadSetting, Message: `stored setting vance.script.statements.max: "-1" is not a valid count: a sign is not allowed; ` +
					`allowed: a whole number, or one with the suffix k (thousands) or M (millions), such as 1_000_000, 500k or 5M; ` +
					`the service's 100M counts`,
			}},
		},
		"zero and empty values do not count": {
			values: map[string]string{"vance.script.hostBytes.max": "0", "vance.script.hostBytes.default": ""},
			warning: []Warning{
				{Code: WarnBadSetting, Message: `stored setting vance.script.hostBytes.default: "" is not a valid number of bytes: empty value; ` +
					`allowed: a whole number, or one with the suffix k, M or G (powers of 1000) or KiB, MiB or GiB (powers of 1024), such as 67108864, 64M or 64MiB; ` +
					`the service's 32MiB counts`},
				{Code: WarnBadSetting, Message: `stored setting vance.script.hostBytes.max: "0" is not a valid number of bytes: zero is not allowed; ` +
					`allowed: a whole number, or one with the suffix k, M or G (powers of 1000) or KiB, MiB or GiB (powers of 1024), such as 67108864, 64M or 64MiB; ` +
					`the service's 1GiB counts`},
			},
		},
		"a value that does not fit does not count": {
			values: map[string]string{"vance.script.timeout.max": days},
			warning: []Warning{{
				Code: WarnBadSetting, Message: `stored setting vance.script.timeout.max: "` + days + `" is not a valid duration: too large, the most is 9223372036 seconds; ` +
					`allowed: a whole number of seconds, or one with the suffix s, m or h, such as 300, 30s, 10m or 1h; or a duration of Go, such as 500ms; ` +
					`the service's 1h counts`,
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings, warnings := settingsWith(&stored{values: test.values}, "tenant", "project")
			got, clamped := settings.effective(&header.Header{}, test.caller)
			want := standard()
			if test.want != nil {
				test.want(&want)
			}
			assert.Equal(t, want, got)
			assert.Equal(t, test.warning, append(warnings, clamped...))
		})
	}
}

// Keys that can be read count, also when others cannot.
func TestAnErrorOfTheSourceIsAWarning(t *testing.T) {
	t.Parallel()
	source := &stored{
		values: map[string]string{"vance.script.timeout.default": "5s", "vance.script.memory.max": "100MiB"},
		errs: map[string]error{
			"vance.script.timeout.default": errors.New("no\nconnection"),
			"vance.script.source.max":      errors.New("another"),
		},
	}
	settings, warnings := settingsWith(source, "tenant", "project")
	want := DefaultSettings()
	want.Memory.Max = 100 << 20
	assert.Equal(t, want, settings)
	assert.Equal(t, []Warning{{
		Code:    WarnBadSetting,
		Message: "stored settings vance.script.timeout.default, vance.script.source.max: no connection; the service's count",
	}}, warnings)

	source = &stored{errs: map[string]error{"vance.script.timeout.max": errors.New(strings.Repeat("x", 1_000_000))}}
	_, warnings = settingsWith(source, "tenant", "project")
	require.Len(t, warnings, 1)
	assert.Less(t, len(warnings[0].Message), 400)
}

func TestOverridesDoNotChangeTheServicesSettings(t *testing.T) {
	t.Parallel()
	own := DefaultSettings()
	ex := &Executor{opts: Options{Settings: own, Overrides: &stored{values: map[string]string{"vance.script.timeout.max": "2s"}}}}
	got, _ := ex.settingsFor(context.Background(), []string{"tenant", "project"})
	assert.Equal(t, 2*time.Second, got.Timeout.Max)
	assert.Equal(t, DefaultSettings(), own)
}
