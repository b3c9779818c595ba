package core

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/header"
)

// Settings are what a service allows its scripts. Each limit has a default, for
// runs in which neither the script's header nor the caller says anything, and a
// minimum and a maximum, into which every value is brought, with a warning.
//
// Start from [DefaultSettings], [LoadSettings] or [ParseSettings] and change
// what differs; the zero Settings are not valid. No value means unlimited: each
// number lies between a floor, which is 1 (of a duration, 1ms), and the ceiling
// that its field names. A limit beyond its ceiling would be none in practice.
//
// Fields name their default, minimum and maximum in this order. Up to ResultBytes
// these are the product's figures; the bounds of Source, HostCalls, HostBytes and
// LogChars, and all ceilings, are this package's choice.
type Settings struct {
	// Timeout is the wall clock of a run. 30s, 1s to 1h; at most a day.
	Timeout DurationBounds
	// Statements counts statements, as docs/metering.md does. 1,000,000, 1,000 to
	// 100,000,000; at most 10^12.
	Statements Bounds
	// Memory is the bytes that a run may take. 64MiB, 8MiB to 1GiB; at most 1TiB.
	Memory Bounds
	// ResultNodes counts array elements and object members of a value that leaves
	// the guest. 1,000,000, 1,000 to 100,000,000; at most 10^9.
	ResultNodes Bounds
	// ResultDepth is how deep such a value may be nested. 64, 1 to 512, which is
	// also the most: walks over values are recursive, on the engines' side too.
	ResultDepth Bounds
	// ResultBytes is the bytes of text and binary data of such a value. 16MiB,
	// 1KiB to 256MiB; at most 1TiB.
	ResultBytes Bounds
	// Source is the size of a script in bytes. 128KiB, 1 byte to 16MiB; at most
	// 1GiB. The default is for scripts that are parsed in the service's own
	// process, where a parser's memory and time are the service's; 1MiB suits
	// workers. The maximum leaves room for bundled libraries.
	Source Bounds
	// HostCalls counts calls of host functions. 10,000, 1 to 1,000,000; at most
	// 10^9.
	HostCalls Bounds
	// HostBytes is the bytes of all that host functions return in one run. 32MiB,
	// 1KiB to 1GiB, as much as the memory that a run may have; at most 1TiB.
	HostBytes Bounds
	// LogChars is the characters of log text that are kept. 64,000, 1 to
	// 10,000,000, which the service holds in memory until the run ends; at most
	// 10^9.
	LogChars Bounds
	// EnforceRequires says that a script whose @requiresTools names a tool that it
	// may not call is refused before it runs. True by default; without it the
	// call of the tool fails.
	EnforceRequires bool
}

// Bounds are the default of a limit, and the least and the most that it can be.
type Bounds struct{ Default, Min, Max int64 }

// DurationBounds are [Bounds] of a duration.
type DurationBounds struct{ Default, Min, Max time.Duration }

// DefaultSettings returns the settings of a service that sets nothing. The
// figures are those that the fields of [Settings] name first. The caller may
// change what is returned.
func DefaultSettings() *Settings {
	const (
		kib = 1 << 10
		mib = 1 << 20
		gib = 1 << 30
	)
	return &Settings{
		Timeout:         DurationBounds{30 * time.Second, time.Second, time.Hour},
		Statements:      Bounds{1_000_000, 1_000, 100_000_000},
		Memory:          Bounds{64 * mib, 8 * mib, gib},
		ResultNodes:     Bounds{1_000_000, 1_000, 100_000_000},
		ResultDepth:     Bounds{64, 1, 512},
		ResultBytes:     Bounds{16 * mib, kib, 256 * mib},
		Source:          Bounds{128 * kib, 1, 16 * mib},
		HostCalls:       Bounds{10_000, 1, 1_000_000},
		HostBytes:       Bounds{32 * mib, kib, gib},
		LogChars:        Bounds{64_000, 1, 10_000_000},
		EnforceRequires: true,
	}
}

// Validate says what is wrong with settings that were made in Go code, all of it
// in one error. Those that [ParseSettings] returns are valid.
func (s *Settings) Validate() error {
	var problems []error
	for i := range limits {
		l := &limits[i]
		name := func(p part) string { return "Settings." + l.field + "." + p.field() }
		for _, f := range l.flaws(s, name) {
			problems = append(problems, fmt.Errorf("%s: %s", name(f.at), f.reason))
		}
	}
	return errors.Join(problems...)
}

// A limit is what must be known of one limit to read it from settings, ask for
// its overrides, clamp it and speak of it. Its numbers are int64 throughout,
// durations in nanoseconds.
type limit struct {
	name  string // in messages to who runs scripts, as in errors
	tag   string // in messages to who writes them; empty if there is none
	key   string // of its settings, after keyPrefix
	field string // of Settings
	unit  *unit

	// onlyDefault says that the key is that of the default, and the other bounds
	// have none.
	onlyDefault bool

	// No setting is less than the floor or more than the ceiling, so that no
	// value means "none" or "unlimited".
	floor, ceiling int64

	bounds func(*Settings) parts
	header func(*header.Header) *int64 // nil if there is no tag; it returns nil if the tag is absent
	get    func(Limits) int64
	set    func(*Limits, int64)
}

// limits are all that a run's settings can say. Messages and lists of allowed
// keys follow this order.
var limits = [...]limit{
	{
		name: "timeout", tag: "@timeout", key: "timeout", field: "Timeout", unit: durationUnit,
		floor: int64(time.Millisecond), ceiling: int64(24 * time.Hour),
		bounds: func(s *Settings) parts { return s.Timeout.parts() },
		header: func(h *header.Header) *int64 { return (*int64)(h.Timeout) },
		get:    func(l Limits) int64 { return int64(l.Timeout) },
		set:    func(l *Limits, n int64) { l.Timeout = time.Duration(n) },
	},
	{
		name: engine.LimitStatements, tag: "@statements", key: "statements", field: "Statements", unit: countUnit,
		floor: 1, ceiling: 1e12,
		bounds: func(s *Settings) parts { return s.Statements.parts() },
		header: func(h *header.Header) *int64 { return h.Statements },
		get:    func(l Limits) int64 { return l.Statements },
		set:    func(l *Limits, n int64) { l.Statements = n },
	},
	{
		name: engine.LimitMemory, tag: "@memory", key: "memory", field: "Memory", unit: byteUnit,
		floor: 1, ceiling: 1 << 40,
		bounds: func(s *Settings) parts { return s.Memory.parts() },
		header: func(h *header.Header) *int64 { return h.Memory },
		get:    func(l Limits) int64 { return l.Memory },
		set:    func(l *Limits, n int64) { l.Memory = n },
	},
	{
		name: engine.LimitResultNodes, tag: "@maxResultNodes", key: "result", field: "ResultNodes", unit: countUnit,
		floor: 1, ceiling: 1e9,
		bounds: func(s *Settings) parts { return s.ResultNodes.parts() },
		header: func(h *header.Header) *int64 { return h.MaxResultNodes },
		get:    func(l Limits) int64 { return l.ResultNodes },
		set:    func(l *Limits, n int64) { l.ResultNodes = n },
	},
	{
		name: engine.LimitResultDepth, key: "result.maxDepth", field: "ResultDepth", unit: countUnit,
		onlyDefault: true, floor: 1, ceiling: 512,
		bounds: func(s *Settings) parts { return s.ResultDepth.parts() },
		get:    func(l Limits) int64 { return int64(l.ResultDepth) },
		set:    func(l *Limits, n int64) { l.ResultDepth = int(n) },
	},
	{
		name: engine.LimitResultBytes, key: "result.maxBytes", field: "ResultBytes", unit: byteUnit,
		floor: 1, ceiling: 1 << 40,
		bounds: func(s *Settings) parts { return s.ResultBytes.parts() },
		get:    func(l Limits) int64 { return l.ResultBytes },
		set:    func(l *Limits, n int64) { l.ResultBytes = n },
	},
	{
		name: engine.LimitSource, key: "source", field: "Source", unit: byteUnit,
		floor: 1, ceiling: 1 << 30,
		bounds: func(s *Settings) parts { return s.Source.parts() },
		get:    func(l Limits) int64 { return l.Source },
		set:    func(l *Limits, n int64) { l.Source = n },
	},
	{
		name: engine.LimitHostCalls, key: "hostCalls", field: "HostCalls", unit: countUnit,
		floor: 1, ceiling: 1e9,
		bounds: func(s *Settings) parts { return s.HostCalls.parts() },
		get:    func(l Limits) int64 { return l.HostCalls },
		set:    func(l *Limits, n int64) { l.HostCalls = n },
	},
	{
		name: engine.LimitHostBytes, key: "hostBytes", field: "HostBytes", unit: byteUnit,
		floor: 1, ceiling: 1 << 40,
		bounds: func(s *Settings) parts { return s.HostBytes.parts() },
		get:    func(l Limits) int64 { return l.HostBytes },
		set:    func(l *Limits, n int64) { l.HostBytes = n },
	},
	{
		name: "log-chars", key: "logChars", field: "LogChars", unit: countUnit,
		floor: 1, ceiling: 1e9,
		bounds: func(s *Settings) parts { return s.LogChars.parts() },
		get:    func(l Limits) int64 { return l.LogChars },
		set:    func(l *Limits, n int64) { l.LogChars = n },
	},
}

// keyPrefix stands before the keys of all settings.
const keyPrefix = "vance.script."

// settingKey is the full key of a part of a limit.
func (l *limit) settingKey(p part) string {
	if l.onlyDefault {
		return keyPrefix + l.key
	}
	return keyPrefix + l.key + "." + p.key()
}

// A part is one number of a limit's bounds.
type part int

const (
	partDefault part = iota
	partMin
	partMax
	partCount
)

func (p part) key() string   { return [...]string{"default", "min", "max"}[p] }
func (p part) field() string { return [...]string{"Default", "Min", "Max"}[p] }

// parts are where the numbers of a limit's bounds are.
type parts [partCount]*int64

func (b *Bounds) parts() parts { return parts{&b.Default, &b.Min, &b.Max} }

func (b *DurationBounds) parts() parts {
	return parts{(*int64)(&b.Default), (*int64)(&b.Min), (*int64)(&b.Max)}
}

// A flaw is what is wrong with one part of a limit, or with two of them.
type flaw struct {
	at     part
	other  part // at, if there is no other
	reason string
}

// flaws checks the bounds of a limit. Name is what the reasons call a part.
func (l *limit) flaws(s *Settings, name func(part) string) []flaw {
	var flaws []flaw
	b := l.bounds(s)
	for i, n := range b {
		if reason := l.beyond(*n); reason != "" {
			flaws = append(flaws, flaw{part(i), part(i), reason})
		}
	}
	if flaws != nil {
		return flaws
	}
	compare := func(at, other part, relation string) {
		flaws = append(flaws, flaw{at, other, fmt.Sprintf("%s is %s %s, which is %s",
			l.unit.format(*b[at]), relation, name(other), l.unit.format(*b[other]))})
	}
	switch {
	case *b[partMin] > *b[partMax]:
		compare(partMin, partMax, "above")
	case *b[partDefault] < *b[partMin]:
		compare(partDefault, partMin, "below")
	case *b[partDefault] > *b[partMax]:
		compare(partDefault, partMax, "above")
	}
	return flaws
}

// beyond says what is wrong with a number that can be no setting of the limit.
func (l *limit) beyond(n int64) string {
	switch {
	case n < l.floor:
		return fmt.Sprintf("%s is below %s, the least that can be set", l.unit.format(n), l.unit.format(l.floor))
	case n > l.ceiling:
		return fmt.Sprintf("%s is above %s, the most that can be set", l.unit.format(n), l.unit.format(l.ceiling))
	}
	return ""
}

// A unit is the notation of numbers in settings and warnings, which is that of
// headers.
type unit struct {
	noun   string
	parse  func(string) (int64, error)
	format func(int64) string
}

var (
	durationUnit = &unit{"a duration", parseDuration, func(n int64) string { return header.FormatDuration(time.Duration(n)) }}
	countUnit    = &unit{"a count", header.ParseCount, formatCount}
	byteUnit     = &unit{"a number of bytes", header.ParseBytes, formatBytes}
)

// parseDuration reads what headers write, and where that fails, durations of Go
// such as 500ms, which headers cannot express.
func parseDuration(text string) (int64, error) {
	d, err := header.ParseDuration(text)
	if err == nil {
		return int64(d), nil
	}
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '-' || text[0] == '+' {
		return 0, err
	}
	if d, goErr := time.ParseDuration(text); goErr == nil && d > 0 {
		return int64(d), nil
	}
	return 0, fmt.Errorf("%w; or a duration of Go, such as 500ms", err)
}

func formatCount(n int64) string { return scaled(n, decimalScale) }

// formatBytes takes the shorter one of 64M and 62500KiB, and 64KiB rather than
// 65536.
func formatBytes(n int64) string {
	binary, decimal := scaled(n, binaryScale), scaled(n, decimalScale)
	if len(decimal) < len(binary) {
		return decimal
	}
	return binary
}

// A suffix of a number and the factor that it stands for.
type suffix struct {
	text   string
	factor int64
}

var (
	// Counts have no suffix for 10^9.
	decimalScale = []suffix{{"M", 1e6}, {"k", 1e3}}
	binaryScale  = []suffix{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}
)

// scaled writes n with the first suffix that leaves no remainder.
func scaled(n int64, scale []suffix) string {
	for _, s := range scale {
		if n != 0 && n%s.factor == 0 {
			return strconv.FormatInt(n/s.factor, 10) + s.text
		}
	}
	return strconv.FormatInt(n, 10)
}
