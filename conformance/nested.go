package conformance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/hostapi"
)

// maxRuns is how deep runs may be nested, the outermost one included.
const maxRuns = 8

// nesting is a host object whose function run runs a script on the same executor.
func nesting(ex *core.Executor, levels *int, limits core.Limits) core.HostObject {
	var object core.HostObject
	object = hostapi.MustNew("host", hostapi.Object{
		"run": hostapi.Func(func(ctx context.Context, source string) (core.Value, error) {
			*levels++
			result, err := ex.Run(ctx, core.Request{Source: source, Limits: limits, Host: []core.HostObject{object}, Globals: map[string]any{"source": source}})
			if err != nil {
				return core.Value{}, err
			}
			return result.Value, nil
		}, "source"),
	}).MustBind(nil)
	return object
}

var nestedChecks = []goCheck{
	{
		group: "cancel", name: "nested_givesItsValue",
		rule: "A run from inside a host function gives its value like any other.",
		run: func(t *testing.T, s *suite) {
			ex, levels := s.executor(t), 0
			result, err := ex.Run(t.Context(), core.Request{
				Source: "host.run('6 * 7') + host.run('host.run(\"1\") + 1')", Host: []core.HostObject{nesting(ex, &levels, core.Limits{})},
			})
			require.NoError(t, err)
			assert.Equal(t, int64(44), result.Value.Any())
			assert.Equal(t, 3, levels)
		},
	},
	{
		group: "cancel", name: "nested_hasNoFreshTime",
		rule: "A nested run ends by the outer run's deadline, whatever its own timeout says.",
		run: func(t *testing.T, s *suite) {
			ex, levels := s.executor(t), 0
			limits := core.Limits{Statements: 100_000_000, Timeout: time.Minute}
			object := nesting(ex, &levels, limits)
			limits.Timeout = 500 * time.Millisecond
			start := time.Now()
			_, err := ex.Run(t.Context(), core.Request{
				Limits: limits, Host: []core.HostObject{object},
				Globals: map[string]any{"source": "for (const end = Date.now() + 200; Date.now() < end;) {} host.run(source)"},
				Source:  "host.run(source)",
			})
			require.Error(t, err)
			onTime(t, start, 500*time.Millisecond)
			assert.True(t, errors.Is(err, core.ErrTimeout) || errors.Is(err, core.ErrHostException), "%v", err)
			assert.Less(t, levels, maxRuns)
		},
	},
	{
		group: "cancel", name: "nested_deepestIsRefused",
		rule: "Runs may be nested 8 deep; the next one is RESOURCE_EXHAUSTED for itself alone.",
		run: func(t *testing.T, s *suite) {
			ex, levels := s.executor(t), 0
			var deepest error
			var object core.HostObject
			object = hostapi.MustNew("host", hostapi.Object{
				"again": hostapi.Func(func(ctx context.Context) (int, error) {
					levels++
					result, err := ex.Run(ctx, core.Request{Source: "1 + host.again()", Host: []core.HostObject{object}})
					if err != nil {
						deepest = err
						return 0, nil
					}
					n, _ := result.Value.AsInt()
					return int(n), nil
				}),
			}).MustBind(nil)
			result, err := ex.Run(t.Context(), core.Request{Source: "1 + host.again()", Host: []core.HostObject{object}})
			require.NoError(t, err)
			assert.Equal(t, int64(maxRuns), result.Value.Any())
			assert.Equal(t, maxRuns, levels)
			e := failed(t, deepest, core.ErrResourceExhausted)
			assert.Equal(t, "run-depth", e.Limit)
			assert.EqualValues(t, maxRuns, e.Max)
		},
	},
	{
		group: "cancel", name: "nested_deepestLeftUncaught",
		rule: "A run-depth error that nobody catches ends the outer runs as HOST_EXCEPTION, with the inner error as cause.",
		run: func(t *testing.T, s *suite) {
			ex, levels := s.executor(t), 0
			_, err := ex.Run(t.Context(), core.Request{
				Source: "host.run(source)", Host: []core.HostObject{nesting(ex, &levels, core.Limits{})},
				Globals: map[string]any{"source": "host.run(source)"},
			})
			failed(t, err, core.ErrHostException)
			assert.ErrorIs(t, err, core.ErrResourceExhausted)
			assert.Equal(t, maxRuns, levels)
		},
	},
	{
		group: "cancel", name: "nested_failsForItself",
		rule: "An inner run that fails is an error that the outer script can catch.",
		run: func(t *testing.T, s *suite) {
			ex, levels := s.executor(t), 0
			result, err := ex.Run(t.Context(), core.Request{
				Source: "let seen; try { host.run('throw new TypeError(\"inner\")') } catch (e) { seen = e.message } [seen.includes('inner'), host.run('for (let i = 0; i < 10; i++) i')]",
				Host:   []core.HostObject{nesting(ex, &levels, core.Limits{})},
			})
			require.NoError(t, err)
			assert.Equal(t, []any{true, int64(9)}, result.Value.Any())
		},
	},
	{
		group: "cancel", name: "nested_isCancelledWithTheOuter",
		rule: "The caller's cancellation ends inner and outer run.",
		run: func(t *testing.T, s *suite) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ex := s.executor(t)
			p := &probe{cancel: cancel}
			var inner error
			object := hostapi.MustNew("host", hostapi.Object{
				"run": hostapi.Func(func(ctx context.Context) error {
					_, inner = ex.Run(ctx, spinning("probe.cancel(); for (;;) {}", p.object()))
					return inner
				}),
			}).MustBind(nil)
			start := time.Now()
			_, err := ex.Run(ctx, spinning("try { host.run() } catch (e) { for (;;) {} }", object))
			failed(t, err, core.ErrCancelled)
			failed(t, inner, core.ErrCancelled)
			onTime(t, start, 0)
		},
	},
}
