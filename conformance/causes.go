package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/hostapi"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

var errStore = errors.New("the store is gone")

type storeError struct{ document string }

func (e *storeError) Error() string { return "no document " + e.document }
func (e *storeError) Unwrap() error { return errStore }

// A syncBuffer is a buffer for loggers of several goroutines.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

var errorChecks = []goCheck{
	{
		group: "errors", name: "cause_isReachedByIsAndAs",
		rule: "errors.Is and errors.As reach the Go error of a host function that is left uncaught, also when it was thrown again.",
		run: func(t *testing.T, s *suite) {
			surface := s.onServer(t, server.Tools{"fails": tool(func(context.Context, server.Scope, core.Value) (any, error) {
				return nil, fmt.Errorf("reading: %w", &storeError{"d-1"})
			})}, nil)
			for _, script := range []string{
				`vance.tools.call('fails')`,
				`try { vance.tools.call('fails') } catch (e) { throw e }`,
				`(async () => { await null; vance.tools.call('fails') })()`,
				`let kept; try { vance.tools.call('fails') } catch (e) { kept = e } [1].forEach(() => { throw kept })`,
			} {
				_, err := surface.Run(t.Context(), server.Request{Scope: suiteScope, Source: script})
				e := failed(t, err, core.ErrHostException)
				assert.Equal(t, "reading: no document d-1", e.Message, script)
				assert.ErrorIs(t, err, errStore, script)
				var store *storeError
				if assert.ErrorAs(t, err, &store, script) {
					assert.Equal(t, "d-1", store.document)
				}
			}
		},
	},
	{
		group: "errors", name: "cause_isLostWhenWrapped",
		rule: "A host error that the script wraps into one of its own is no cause any more.",
		run: func(t *testing.T, s *suite) {
			surface := s.onServer(t, server.Tools{"fails": tool(func(context.Context, server.Scope, core.Value) (any, error) {
				return nil, errStore
			})}, nil)
			_, err := surface.Run(t.Context(), server.Request{Scope: suiteScope, Source: `try { vance.tools.call('fails') } catch (e) { throw new Error('wrapped: ' + e.message) }`})
			e := failed(t, err, core.ErrGuestException)
			assert.Equal(t, "wrapped: the store is gone", e.Message)
			assert.NotErrorIs(t, err, errStore)
		},
	},
	{
		group: "errors", name: "cause_isTheFirstErrorsOwn",
		rule: "Of two host errors the one that leaves the script is the cause.",
		run: func(t *testing.T, s *suite) {
			surface := s.onServer(t, server.Tools{
				"one": tool(func(context.Context, server.Scope, core.Value) (any, error) { return nil, &storeError{"one"} }),
				"two": tool(func(context.Context, server.Scope, core.Value) (any, error) { return nil, &storeError{"two"} }),
			}, nil)
			_, err := surface.Run(t.Context(), server.Request{Scope: suiteScope, Source: `
				let first;
				try { vance.tools.call('one') } catch (e) { first = e }
				try { vance.tools.call('two') } catch (e) { throw first }`})
			failed(t, err, core.ErrHostException)
			var store *storeError
			require.ErrorAs(t, err, &store)
			assert.Equal(t, "one", store.document)
		},
	},
	{
		group: "errors", name: "cause_ofAToolThatIsNotAllowed",
		rule: "The error of a refused tool is reached by errors.Is.",
		run: func(t *testing.T, s *suite) {
			surface := s.onServer(t, server.Tools{"a": tool(nil)}, nil)
			_, err := surface.Run(t.Context(), server.Request{Scope: suiteScope, AllowedTools: []string{}, Source: `vance.tools.call('a')`})
			failed(t, err, core.ErrHostException)
			assert.ErrorIs(t, err, server.ErrNotAllowed)
			_, err = surface.Run(t.Context(), server.Request{Scope: suiteScope, Source: `vance.tools.call('b')`})
			failed(t, err, core.ErrHostException)
			assert.ErrorIs(t, err, server.ErrUnknownTool)
		},
	},
	{
		group: "errors", name: "panic_isLoggedAndContained",
		rule: "A panic of a host function is logged for the service, hidden from the script, and ends as HOST_EXCEPTION.",
		run: func(t *testing.T, s *suite) {
			for _, script := range []string{"host.sync()", "await host.async()"} {
				var out syncBuffer
				ex := newExecutor(t, unowned{s.engine}, &core.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
				object := hostapi.MustNew("host", hostapi.Object{
					"sync":  hostapi.Func(func() { panic("secret of the host") }),
					"async": hostapi.Async(func() { panic("secret of the host") }),
				}).MustBind(nil)
				_, err := ex.Run(t.Context(), core.Request{Source: script, Host: []core.HostObject{object}})
				e := failed(t, err, core.ErrHostException)
				assert.NotContains(t, e.Report(), "secret")
				assert.NotContains(t, fmt.Sprint(e.Cause), "secret")
				assert.Contains(t, out.String(), "secret of the host")
				assert.Contains(t, out.String(), "host.")
			}
		},
	},
	{
		group: "errors", name: "context_isReachedByIs",
		rule: "errors.Is reaches the caller's context error and its cause.",
		run: func(t *testing.T, s *suite) {
			ex := s.executor(t)
			spin := core.Request{Source: "for (;;) {}", Limits: core.Limits{Statements: 100_000_000}}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			_, err := ex.Run(ctx, spin)
			failed(t, err, core.ErrTimeout)
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorIs(t, err, core.ErrTimeout)
			assert.NotErrorIs(t, err, core.ErrCancelled)

			why, stop := context.WithCancelCause(t.Context())
			p := &probe{cancel: func() { stop(errStore) }}
			spin.Source = "probe.cancel(); for (;;) {}"
			spin.Host = []core.HostObject{p.object()}
			_, err = ex.Run(why, spin)
			failed(t, err, core.ErrCancelled)
			assert.ErrorIs(t, err, errStore)
		},
	},
}
