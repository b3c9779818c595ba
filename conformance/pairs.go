package conformance

import (
	"context"
	"log/slog"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// An option is one way to ask for a run that must not switch a limit off.
type option struct {
	name  string
	apply func(*core.Options, *core.Request)
}

var options = []option{
	{"time", func(_ *core.Options, r *core.Request) { now := epoch; r.Time = &now }},
	{"seed", func(_ *core.Options, r *core.Request) { seed := uint64(1); r.Seed = &seed }},
	{"key", func(_ *core.Options, r *core.Request) { r.Key = "k" }},
	{"name", func(_ *core.Options, r *core.Request) { r.Name = "a.js" }},
	{"header", func(_ *core.Options, r *core.Request) { r.Source = "/** @statements 2000 */ " + r.Source }},
	{"host", func(_ *core.Options, r *core.Request) { r.Host = append(r.Host, (&probe{}).object()) }},
	{"globals", func(_ *core.Options, r *core.Request) { r.Globals = map[string]any{"input": 1} }},
	{"async", func(_ *core.Options, r *core.Request) { r.Source = "await null; " + r.Source }},
	{"lowered", func(_ *core.Options, r *core.Request) { r.Source = "for await (const x of []) ; " + r.Source }},
	{"strict", func(_ *core.Options, r *core.Request) { r.Source = "'use strict'; " + r.Source }},
	{"hook", func(o *core.Options, _ *core.Request) { o.OnRun = func(core.RunInfo) {} }},
	{"logger", func(o *core.Options, _ *core.Request) { o.Logger = slog.New(slog.DiscardHandler) }},
	{"stored", func(o *core.Options, _ *core.Request) {
		o.Overrides = storedSettings{"vance.script.statements.max": "3000"}
	}},
	{"tools", func(_ *core.Options, r *core.Request) { r.AllowedTools = []string{} }},
	{"saturated", func(_ *core.Options, r *core.Request) {
		r.Limits = core.Limits{
			Timeout: math.MaxInt64, Statements: math.MaxInt64, Memory: math.MaxInt64, ResultNodes: math.MaxInt64,
			ResultDepth: math.MaxInt, ResultBytes: math.MaxInt64, Source: math.MaxInt64, HostCalls: math.MaxInt64,
			HostBytes: math.MaxInt64, LogChars: math.MaxInt64,
		}
	}},
	{"negative", func(_ *core.Options, r *core.Request) { r.Limits = core.Limits{Statements: -1} }},
	{"scope", func(_ *core.Options, r *core.Request) { r.Scope = []string{"t", "p"} }},
}

// calculator is a host object that may stand beside the probe.
var calculator = hostapi.MustNew("calc", hostapi.Object{
	"add":  hostapi.Func(func(a, b int) int { return a + b }, "a", "b"),
	"text": hostapi.Func(func(n int) string { return strings.Repeat("x", n) }, "length"),
}).MustBind(nil)

var limitChecks = []goCheck{
	{
		group: "limits", name: "pairs_everyPairStops",
		rule: "Whatever two options a run is asked for with, an endless script is stopped.",
		run: func(t *testing.T, s *suite) {
			for i, a := range options {
				for _, b := range options[i:] {
					settings := suiteSettings()
					settings.Statements.Default, settings.Statements.Max = 5_000, 10_000
					opts := core.Options{Settings: settings}
					req := core.Request{Source: "while (true) {}"}
					a.apply(&opts, &req)
					if b.name != a.name {
						b.apply(&opts, &req)
					}
					ex := newExecutor(t, unowned{s.engine}, &opts)
					result, err := ex.Run(t.Context(), req)
					e := failed(t, err, core.ErrResourceExhausted)
					assert.Equal(t, engine.LimitStatements, e.Limit, "%s and %s", a.name, b.name)
					assert.LessOrEqual(t, e.Max, int64(10_000), "%s and %s", a.name, b.name)
					assert.Greater(t, result.Statements, e.Max, "%s and %s", a.name, b.name)
				}
			}
		},
	},
	{
		group: "limits", name: "pairs_everyLimitHoldsBesideEveryOption",
		rule: "Every limit holds beside every option.",
		run: func(t *testing.T, s *suite) {
			limits := []struct {
				name   string
				source string
				limits core.Limits
			}{
				{engine.LimitResultNodes, "[1, 2, 3]", core.Limits{ResultNodes: 2}},
				{engine.LimitResultDepth, "[[[1]]]", core.Limits{ResultDepth: 1}},
				{engine.LimitResultBytes, "'xxx'", core.Limits{ResultBytes: 2}},
				{engine.LimitSource, "1; 2; 3; /* a source that is longer than the limit allows it to be */", core.Limits{Source: 20}},
				{engine.LimitHostCalls, "calc.add(1, 2); calc.add(1, 2)", core.Limits{HostCalls: 1}},
				{engine.LimitHostBytes, "calc.text(100)", core.Limits{HostBytes: 50}},
			}
			for _, l := range limits {
				for _, o := range options {
					if o.name == "saturated" || o.name == "negative" {
						continue // they replace the limits
					}
					opts := core.Options{Settings: suiteSettings()}
					req := core.Request{Source: l.source, Limits: l.limits}
					o.apply(&opts, &req)
					req.Host = append(req.Host, calculator)
					_, err := newExecutor(t, unowned{s.engine}, &opts).Run(t.Context(), req)
					e := failed(t, err, core.ErrResourceExhausted)
					assert.Equal(t, l.name, e.Limit, o.name)
				}
			}
		},
	},
	{
		group: "limits", name: "saturated_valuesAreClamped",
		rule: "The greatest number of Go is no end of limits: it is clamped, with warnings.",
		run: func(t *testing.T, s *suite) {
			ex, err := core.New(unowned{s.engine}, nil)
			require.NoError(t, err)
			req := core.Request{Source: "1"}
			options[len(options)-3].apply(nil, &req)
			result, err := ex.Run(t.Context(), req)
			require.NoError(t, err)
			most := core.DefaultSettings()
			assert.Equal(t, core.Limits{
				Timeout: most.Timeout.Max, Statements: most.Statements.Max, Memory: most.Memory.Max,
				ResultNodes: most.ResultNodes.Max, ResultDepth: int(most.ResultDepth.Max), ResultBytes: most.ResultBytes.Max,
				Source: most.Source.Max, HostCalls: most.HostCalls.Max, HostBytes: most.HostBytes.Max, LogChars: most.LogChars.Max,
			}, result.Limits)
			assert.Len(t, result.Warnings, 10)
		},
	},
	{
		group: "limits", name: "unmetered_stillHasTheDeadline",
		rule: "A run without charges for statements is under the deadline all the same.",
		run: func(t *testing.T, s *suite) {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			start := time.Now()
			_, err := s.executor(t).Run(ctx, core.Request{Source: "for (;;) {}", Unmetered: true})
			failed(t, err, core.ErrTimeout)
			onTime(t, start, 200*time.Millisecond)
		},
	},
	{
		group: "limits", name: "run_aborts_onStatementLimitExceeded",
		rule: "An endless loop ends in RESOURCE_EXHAUSTED within the time that its statements take.",
		run: func(t *testing.T, s *suite) {
			ex, err := core.New(unowned{s.engine}, nil)
			require.NoError(t, err)
			start := time.Now()
			result, err := ex.Run(t.Context(), core.Request{Source: "while(true){}"})
			e := failed(t, err, core.ErrResourceExhausted)
			assert.Equal(t, engine.LimitStatements, e.Limit)
			assert.EqualValues(t, 1_000_000, e.Max)
			assert.EqualValues(t, 1_000_001, result.Statements)
			onTime(t, start, 8*time.Second)
		},
	},
	{
		group: "limits", name: "run_aborts_onWallClockTimeout",
		rule: "A script that takes longer than its timeout ends in TIMEOUT, and its context is closed.",
		run: func(t *testing.T, s *suite) {
			eng := s.ownEngine(t)
			req := spinning("const a = []; for (let i = 0; ; i++) a[i % 100] = 'x'.repeat(i % 100)")
			req.Limits.Timeout = 200 * time.Millisecond
			start := time.Now()
			result, err := newExecutor(t, eng, nil).Run(t.Context(), req)
			e := failed(t, err, core.ErrTimeout)
			onTime(t, start, 200*time.Millisecond)
			assert.Equal(t, "running", e.Phase)
			assert.GreaterOrEqual(t, result.Duration, 200*time.Millisecond)
		},
	},
	{
		group: "limits", name: "run_aborts_inATool",
		rule: "What a tool answers is bounded before it is copied in.",
		run: func(t *testing.T, s *suite) {
			surface := s.onServer(t, server.Tools{"big": tool(func(context.Context, server.Scope, core.Value) (any, error) {
				return strings.Repeat("x", 40<<20), nil
			})}, nil)
			_, err := surface.Run(t.Context(), server.Request{Scope: suiteScope, Source: "try { vance.tools.call('big').length } catch (e) { 'caught' }"})
			e := failed(t, err, core.ErrResourceExhausted)
			assert.Equal(t, engine.LimitHostBytes, e.Limit)
		},
	},
}
