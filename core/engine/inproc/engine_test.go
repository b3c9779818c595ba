package inproc_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/core/engine/inproc"
)

var limits = engine.Limits{
	Timeout: time.Second, Statements: 1000, Memory: 64 << 20, ResultNodes: 100, ResultDepth: 8,
	ResultBytes: 1000, Source: 1000, HostCalls: 10, HostBytes: 1000, LogChars: 1000,
}

func job(host ...engine.HostObject) *engine.Job {
	return &engine.Job{Name: "a.js", Source: "1", Limits: limits, Deadline: time.Now().Add(limits.Timeout), Host: host}
}

// hostFunc is a host object with one function.
func hostFunc(t *testing.T, async bool, call func(ctx context.Context) (engine.Value, error)) engine.HostObject {
	t.Helper()
	shape, err := engine.NewShape("host", engine.Field{Name: "f", Func: &engine.Func{
		Async: async,
		Call:  func(ctx context.Context, _ any, _ []engine.Value) (engine.Value, error) { return call(ctx) },
	}})
	require.NoError(t, err)
	return engine.HostObject{Shape: shape}
}

func (c *fakeContext) call() (engine.Value, error) {
	host := &c.cfg.Host[0]
	return c.cfg.Run.Call(host, host.Shape.Funcs()[0], nil)
}

func (c *fakeContext) start() (int64, error) {
	host := &c.cfg.Host[0]
	return c.cfg.Run.Start(host, host.Shape.Funcs()[0], nil)
}

func requireQuiet(t *testing.T, eng engine.Engine) {
	t.Helper()
	synctest.Wait()
	stats := eng.Stats()
	assert.Zero(t, stats.Running)
	assert.Zero(t, stats.Abandoned)
	assert.Zero(t, stats.Contexts)
}

func TestRunGivesTheValueAndTheCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeInterpreter{}
		eng := inproc.New(fake, nil)
		out := eng.Run(t.Context(), job())
		require.Nil(t, out.Err)
		assert.Equal(t, int64(42), out.Value.Any())
		assert.Equal(t, int64(7), out.Statements)
		assert.Equal(t, int64(1000), out.Memory)
		assert.False(t, out.Abandoned)
		assert.Equal(t, 1, fake.closed)
		requireQuiet(t, eng)
	})
}

func TestDeadlineInterruptsTheGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
			<-c.interrupted
			return engine.ErrStopped
		}}, nil)
		start := time.Now()
		out := eng.Run(t.Context(), job())
		assert.Equal(t, time.Second, time.Since(start))
		require.NotNil(t, out.Err)
		assert.Equal(t, engine.Timeout, out.Err.Class)
		assert.Equal(t, "running", out.Err.Phase)
		assert.Contains(t, out.Err.Message, "timeout of 1s")
		assert.False(t, out.Abandoned)
		requireQuiet(t, eng)
	})
}

func TestGuestThatDoesNotStopIsAbandonedOnTimeAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{})
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
			<-wake
			_, err := c.call()
			assert.ErrorIs(t, err, engine.ErrStopped, "a closed run acts no more")
			return err
		}}, &inproc.Options{Grace: 20 * time.Millisecond})
		called := false
		host := hostFunc(t, false, func(context.Context) (engine.Value, error) { called = true; return engine.Value{}, nil })
		start := time.Now()
		out := eng.Run(t.Context(), job(host))
		assert.Equal(t, 1020*time.Millisecond, time.Since(start))
		assert.Equal(t, engine.Timeout, out.Err.Class)
		assert.True(t, out.Abandoned)
		assert.Equal(t, int64(-1), out.Statements)
		assert.Equal(t, 1, eng.Stats().Abandoned)
		assert.Equal(t, 1, eng.Stats().Contexts)
		close(wake)
		requireQuiet(t, eng)
		assert.Equal(t, int64(1), eng.Stats().AbandonedTotal)
		assert.False(t, called)
	})
}

func TestFirstReasonToStopWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
			c.cfg.Run.Exhausted(engine.LimitMemory, 5)
			c.cfg.Run.Exhausted(engine.LimitStatements, 6)
			<-c.interrupted
			// Whatever the guest comes to now does not count.
			return &engine.Thrown{Name: "Error", Message: "guest's own"}
		}}, nil)
		out := eng.Run(t.Context(), job())
		assert.Equal(t, engine.ResourceExhausted, out.Err.Class)
		assert.Equal(t, engine.LimitMemory, out.Err.Limit)
		assert.Equal(t, int64(5), out.Err.Max)
		requireQuiet(t, eng)
	})
}

func TestLimitInAGuestThatDoesNotStopIsAnsweredWithinTheCloseWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wake := make(chan struct{})
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
			c.cfg.Run.Exhausted(engine.LimitMemory, 5)
			<-wake
			return nil
		}}, &inproc.Options{CloseWait: 300 * time.Millisecond})
		start := time.Now()
		out := eng.Run(t.Context(), job())
		assert.Equal(t, 300*time.Millisecond, time.Since(start))
		assert.Equal(t, engine.ResourceExhausted, out.Err.Class)
		assert.True(t, out.Abandoned)
		close(wake)
		requireQuiet(t, eng)
	})
}

func TestCallersContextDecidesBetweenTimeoutAndCancelled(t *testing.T) {
	hang := func(c *fakeContext) error { <-c.interrupted; return engine.ErrStopped }
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: hang}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		out := eng.Run(ctx, job())
		assert.Equal(t, engine.Timeout, out.Err.Class)
		assert.Contains(t, out.Err.Message, "caller's deadline")

		ctx2, cancel2 := context.WithCancelCause(t.Context())
		why := errors.New("why")
		time.AfterFunc(time.Millisecond, func() { cancel2(why) })
		out = eng.Run(ctx2, job())
		assert.Equal(t, engine.Cancelled, out.Err.Class)
		assert.ErrorIs(t, out.Err, why)
	})
}

func TestContextThatHasEndedMakesNoContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeInterpreter{}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		out := inproc.New(fake, nil).Run(ctx, job())
		assert.Equal(t, engine.Cancelled, out.Err.Class)
		assert.Zero(t, fake.compiles)
	})
}

func TestHostFunctionSeesTheRunsEndAndIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error { _, err := c.call(); return err }}, nil)
		host := hostFunc(t, false, func(ctx context.Context) (engine.Value, error) {
			<-ctx.Done()
			return engine.Value{}, ctx.Err()
		})
		out := eng.Run(t.Context(), job(host))
		assert.Equal(t, engine.Timeout, out.Err.Class)
		assert.Equal(t, "in host function host.f", out.Err.Phase)
		assert.False(t, out.Abandoned)
		requireQuiet(t, eng)
	})
}

func TestPanicsAreRecovered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error { panic("broken") }}, nil)
		out := eng.Run(t.Context(), job())
		assert.Equal(t, engine.Internal, out.Err.Class)
		assert.NotContains(t, out.Err.Error(), "broken")

		eng = inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
			_, err := c.call()
			return &engine.Thrown{Name: "Error", Message: err.Error(), Host: err}
		}}, nil)
		out = eng.Run(t.Context(), job(hostFunc(t, false, func(context.Context) (engine.Value, error) { panic("secret") })))
		assert.Equal(t, engine.HostException, out.Err.Class)
		assert.Equal(t, "the host function host.f failed", out.Err.Message)
		requireQuiet(t, eng)
	})
}

func TestAsyncCallsRunSideBySideAndSettleInTheOrderInWhichTheyEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{
			script: func(c *fakeContext) error {
				for range 3 {
					if _, err := c.start(); err != nil {
						return err
					}
				}
				return nil
			},
			state: func(c *fakeContext) engine.State {
				if len(c.settled) == 3 {
					return engine.Fulfilled
				}
				return engine.Pending
			},
			result: func(c *fakeContext, _ *engine.Budget) (engine.Value, error) { return engine.List(c.settled...), nil },
		}, nil)
		delays := make(chan time.Duration, 3)
		for _, d := range []time.Duration{30, 10, 20} {
			delays <- d * time.Millisecond
		}
		host := hostFunc(t, true, func(context.Context) (engine.Value, error) {
			d := <-delays
			time.Sleep(d)
			return engine.Int(d.Milliseconds()), nil
		})
		start := time.Now()
		out := eng.Run(t.Context(), job(host))
		require.Nil(t, out.Err)
		assert.Equal(t, 30*time.Millisecond, time.Since(start))
		assert.Equal(t, []any{int64(10), int64(20), int64(30)}, out.Value.Any())
		requireQuiet(t, eng)
	})
}

func TestCallThatTheDeadlineCutShortIsNotSettled(t *testing.T) {
	for range 50 { // who is first, the watchdog or the call, is a matter of chance
		synctest.Test(t, func(t *testing.T) {
			eng := inproc.New(&fakeInterpreter{
				script: func(c *fakeContext) error { _, err := c.start(); return err },
				state:  func(*fakeContext) engine.State { return engine.Pending },
				settle: func(*fakeContext, int64, engine.Value, error) error {
					t.Error("the guest saw how the run ended")
					return nil
				},
			}, nil)
			host := hostFunc(t, true, func(ctx context.Context) (engine.Value, error) {
				<-ctx.Done()
				return engine.Value{}, ctx.Err()
			})
			out := eng.Run(t.Context(), job(host))
			require.NotNil(t, out.Err)
			assert.Equal(t, engine.Timeout, out.Err.Class)
			requireQuiet(t, eng)
		})
	}
}

func TestPromiseThatCannotSettleIsAGuestException(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{state: func(*fakeContext) engine.State { return engine.Pending }}, nil)
		out := eng.Run(t.Context(), job())
		assert.Equal(t, engine.GuestException, out.Err.Class)
		assert.Contains(t, out.Err.Message, "can never settle")
		requireQuiet(t, eng)
	})
}

func TestCallsLeftUnderWayAreCancelledAndWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error { _, err := c.start(); return err }}, nil)
		ended := false
		host := hostFunc(t, true, func(ctx context.Context) (engine.Value, error) {
			<-ctx.Done()
			time.Sleep(200 * time.Millisecond)
			ended = true
			return engine.Value{}, nil
		})
		out := eng.Run(t.Context(), job(host))
		require.Nil(t, out.Err)
		assert.True(t, ended, "nothing acts once the caller has its answer")
		assert.False(t, out.Abandoned)
		requireQuiet(t, eng)
	})
}

func TestCallThatIgnoresItsContextIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error { _, err := c.start(); return err }}, nil)
		release := make(chan struct{})
		host := hostFunc(t, true, func(context.Context) (engine.Value, error) { <-release; return engine.Value{}, nil })
		out := eng.Run(t.Context(), job(host))
		require.Nil(t, out.Err)
		assert.True(t, out.Abandoned)
		assert.Equal(t, 1, eng.Stats().Abandoned)
		close(release)
		requireQuiet(t, eng)
	})
}

func TestHostCallAndHostByteLimitsEndTheRun(t *testing.T) {
	tests := []struct {
		limit  string
		calls  int
		result engine.Value
	}{
		{engine.LimitHostCalls, 11, engine.Value{}},
		{engine.LimitHostBytes, 2, engine.String(string(make([]byte, 600)))},
	}
	for _, test := range tests {
		t.Run(test.limit, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				made := 0
				eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
					for range test.calls {
						if _, err := c.call(); err != nil {
							return err
						}
						made++
					}
					return nil
				}}, nil)
				host := hostFunc(t, false, func(context.Context) (engine.Value, error) { return test.result, nil })
				out := eng.Run(t.Context(), job(host))
				require.NotNil(t, out.Err)
				assert.Equal(t, test.limit, out.Err.Limit)
				assert.Equal(t, test.calls-1, made, "up to the limit all is well")
				requireQuiet(t, eng)
			})
		})
	}
}

func TestProgramIsCachedByContentNameAndCallerKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := &fakeInterpreter{}
		eng := inproc.New(fake, &inproc.Options{Programs: 3})
		run := func(change func(*engine.Job)) {
			j := job()
			change(j)
			require.Nil(t, eng.Run(t.Context(), j).Err)
		}
		require.Nil(t, eng.Prepare(t.Context(), job()))
		run(func(*engine.Job) {})
		assert.Equal(t, 1, fake.compiles, "a prepared program is ready")
		run(func(j *engine.Job) { j.Source = "2" })
		run(func(j *engine.Job) { j.Name = "b.js" })
		run(func(j *engine.Job) { j.Key = "other" })
		assert.Equal(t, 4, fake.compiles)
		assert.Equal(t, 3, eng.Stats().Programs, "the cache is bounded")
		run(func(*engine.Job) {})
		assert.Equal(t, 5, fake.compiles, "the oldest had to go")
	})
}

func TestSourceLimitHoldsForCachedProgramsToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{}, nil)
		j := job()
		j.Source = "'0123456789'"
		require.Nil(t, eng.Run(t.Context(), j).Err)
		j.Limits.Source = 5
		out := eng.Run(t.Context(), j)
		require.NotNil(t, out.Err)
		assert.Equal(t, engine.LimitSource, out.Err.Limit)
	})
}

func TestUnhandledRejectionsAreWarnings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
			for range 12 {
				c.unhandled = append(c.unhandled, &engine.Thrown{Name: "Error", Message: "lost"})
			}
			return nil
		}}, nil)
		out := eng.Run(t.Context(), job())
		require.Nil(t, out.Err)
		require.Len(t, out.Warnings, 11)
		assert.Contains(t, out.Warnings[0].Message, "Error: lost")
		assert.Contains(t, out.Warnings[10].Message, "2 more")
	})
}

func TestSeedAndFixedTimeReachTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var numbers []float64
		var times []time.Time
		eng := inproc.New(&fakeInterpreter{script: func(c *fakeContext) error {
			numbers = append(numbers, c.cfg.Random(), c.cfg.Random())
			times = append(times, c.cfg.Now())
			return nil
		}}, nil)
		fixed, seed := time.Unix(5, 0), uint64(9)
		for range 2 {
			j := job()
			j.Time, j.Seed = &fixed, &seed
			require.Nil(t, eng.Run(t.Context(), j).Err)
		}
		assert.Equal(t, numbers[:2], numbers[2:])
		assert.NotEqual(t, numbers[0], numbers[1])
		assert.Equal(t, []time.Time{fixed, fixed}, times)
	})
}
