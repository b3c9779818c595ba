package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// onServer returns a server surface on the suite's engine.
func (s *suite) onServer(t *testing.T, tools server.Tools, opts *server.Options) *server.Executor {
	t.Helper()
	surface, err := server.New(s.executor(t), tools, opts)
	require.NoError(t, err)
	return surface
}

// tool is a tool without schema.
func tool(call func(ctx context.Context, scope server.Scope, params core.Value) (any, error)) server.FuncTool {
	return server.FuncTool{Call: call}
}

type callerKey struct{}

var hostapiChecks = []goCheck{
	{
		group: "hostapi", name: "vanceTools_call_dispatchesToToolDispatcher",
		rule: "A tool gets the scope of the run, never one that the script passes.",
		run: func(t *testing.T, s *suite) {
			var scope server.Scope
			var params core.Value
			surface := s.onServer(t, server.Tools{"who": tool(func(_ context.Context, sc server.Scope, p core.Value) (any, error) {
				scope, params = sc, p
				return "done", nil
			})}, nil)
			result, err := surface.Run(t.Context(), server.Request{
				Scope:  suiteScope,
				Source: `vance.tools.call('who', { tenantId: 'evil', projectId: 'evil', scope: { tenant: 'evil' }, q: 1 })`,
			})
			require.NoError(t, err)
			assert.Equal(t, "done", result.Value.Any())
			assert.Equal(t, suiteScope, scope)
			assert.Equal(t, `{"tenantId":"evil","projectId":"evil","scope":{"tenant":"evil"},"q":1}`, params.Text())
		},
	},
	{
		group: "hostapi", name: "vanceContext_sessionMayBeMissing",
		rule: "Without a session the context shows null.",
		run: func(t *testing.T, s *suite) {
			scope := suiteScope
			scope.Session = ""
			result, err := s.onServer(t, server.Tools{}, nil).Run(t.Context(), server.Request{Scope: scope, Source: `vance.context.sessionId === null`})
			require.NoError(t, err)
			assert.Equal(t, true, result.Value.Any())
		},
	},
	{
		group: "hostapi", name: "vanceLog_info_writesToProcessLogger",
		rule: "An entry of vance.log reaches the service's logger with the scope of the run.",
		run: func(t *testing.T, s *suite) {
			var out bytes.Buffer
			logger := slog.New(slog.NewJSONHandler(&out, nil))
			surface := s.onServer(t, server.Tools{}, &server.Options{Logger: logger})
			_, err := surface.Run(t.Context(), server.Request{
				Scope: suiteScope, Name: "essay.js",
				Source: `vance.log.warn('step done', { count: 3 }); null`,
			})
			require.NoError(t, err)
			var record map[string]any
			require.NoError(t, json.Unmarshal(out.Bytes(), &record), out.String())
			for key, want := range map[string]any{
				"level": "WARN", "msg": "step done", "tenant": "acme", "project": "site", "process": "p-17",
				"session": "s-1", "script": "essay.js", "fields": map[string]any{"count": 3.0},
			} {
				assert.Equal(t, want, record[key], key)
			}
		},
	},
	{
		group: "hostapi", name: "hostFunction_hasTheCallersContext",
		rule: "A host function's context has the caller's values, the run, and the run's deadline.",
		run: func(t *testing.T, s *suite) {
			var value any
			var name string
			var left time.Duration
			object := hostapi.MustNew("host", hostapi.Object{"look": hostapi.Func(func(ctx context.Context) {
				value = ctx.Value(callerKey{})
				name = core.RunFrom(ctx).Name()
				deadline, _ := ctx.Deadline()
				left = time.Until(deadline)
			})}).MustBind(nil)
			ctx := context.WithValue(t.Context(), callerKey{}, "mine")
			_, err := s.executor(t).Run(ctx, core.Request{
				Source: "host.look()", Name: "a.js", Host: []core.HostObject{object},
				Limits: core.Limits{Timeout: 20 * time.Second},
			})
			require.NoError(t, err)
			assert.Equal(t, "mine", value)
			assert.Equal(t, "a.js", name)
			assert.Positive(t, left)
			assert.LessOrEqual(t, left, 20*time.Second)
		},
	},
	{
		group: "hostapi", name: "hostFunction_hasItsOwnSelf",
		rule: "Each run has the self and the constants that it was bound to.",
		run: func(t *testing.T, s *suite) {
			type account struct{ id string }
			definition := hostapi.MustNew("account", hostapi.Object{
				"id":  hostapi.ConstFrom(func(a *account) string { return a.id }),
				"who": hostapi.Method(func(a *account) string { return a.id }),
			})
			ex := s.executor(t)
			for _, id := range []string{"a", "b", "a"} {
				object, err := definition.Bind(&account{id})
				require.NoError(t, err)
				result, err := ex.Run(t.Context(), core.Request{Source: "account.id + account.who()", Host: []core.HostObject{object}})
				require.NoError(t, err)
				assert.Equal(t, id+id, result.Value.Any())
			}
		},
	},
	{
		group: "hostapi", name: "hostFunction_isCalledBackInTheRun",
		rule: "An asynchronous host function runs beside the script, and its result comes in order of its end.",
		run: func(t *testing.T, s *suite) {
			release := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
			object := hostapi.MustNew("host", hostapi.Object{
				"wait": hostapi.Async(func(ctx context.Context, name string) (string, error) {
					select {
					case <-release[name]:
						return name, nil
					case <-ctx.Done():
						return "", ctx.Err()
					}
				}, "name"),
				"release": hostapi.Func(func(name string) { close(release[name]) }, "name"),
			}).MustBind(nil)
			result, err := s.executor(t).Run(t.Context(), core.Request{Host: []core.HostObject{object}, Source: `
				const order = [];
				const a = host.wait('a').then(n => { order.push(n) });
				const b = host.wait('b').then(n => { order.push(n); host.release('a') });
				host.release('b');
				await Promise.all([a, b]);
				order`})
			require.NoError(t, err)
			assert.Equal(t, []any{"b", "a"}, result.Value.Any())
		},
	},
	{
		group: "hostapi", name: "hostFunction_getsOrderedMembers",
		rule: "A host function that takes a value gets the members in the script's order.",
		run: func(t *testing.T, s *suite) {
			var got core.Value
			object := hostapi.MustNew("host", hostapi.Object{
				"take": hostapi.Func(func(v core.Value) core.Value { got = v; return engine.Null() }, "value"),
			}).MustBind(nil)
			_, err := s.executor(t).Run(t.Context(), core.Request{Source: "host.take({ z: 1, a: { y: 2, b: 3 } })", Host: []core.HostObject{object}})
			require.NoError(t, err)
			assert.Equal(t, `{"z":1,"a":{"y":2,"b":3}}`, got.Text())
		},
	},
}
