//go:build wip && !386 && !arm

package quickjs

import (
	"math/rand"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// runs are scripts of all outcomes.
var runs = []string{
	"40 + 2", "throw new Error('x')", "await vance.ns0.fn0(1)", "vance.ns0.fn1({ a: [1, 2, 3] })", "Promise.reject(1); 2",
	"for (;;) {}", "await new Promise(() => {})", "function f() { f() } f()", "const a = []; for (let i = 0; i < 100; i++) a.push({ i }); a",
	"throw { toString() { throw 1 } }", "new Map([[{}, new Date()]])", "'a'.repeat(1e5).indexOf('b') + [1, 2].map(x => x)[0]",
}

// TestRunsLeaveNothing is not parallel: it measures the process.
func TestRunsLeaveNothing(t *testing.T) {
	in := NewInterpreter()
	host := []engine.HostObject{hostTree(t, "vance", 10)}
	limits := usualLimits
	limits.Statements = 2_000
	var codes []engine.Compiled
	var programs []*engine.Program
	for _, script := range runs {
		p := buildProgram(t, script, true)
		code, err := in.Compile(p)
		require.NoError(t, err)
		codes, programs = append(codes, code), append(programs, p)
	}
	many := func(n int) {
		for i := range n {
			k := i % len(runs)
			r := &recordingRun{}
			c, err := in.NewContext(&engine.ContextConfig{
				Limits: limits, Program: programs[k], Host: host, Now: time.Now, Random: rand.Float64, Run: r,
			})
			require.NoError(t, err)
			_, _ = evaluate(c.(*runContext), codes[k])
			c.Unhandled()
			c.Close()
		}
	}
	many(500)
	runtime.GC()
	goroutines, guarded, resident := runtime.NumGoroutine(), len(guards.by), residentBytes()
	many(5_000)
	runtime.GC()
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines+1)
	assert.Len(t, guards.by, guarded)
	assert.Less(t, residentBytes()-resident, int64(16<<20))
}

func TestInterruptsAtAnyTime(t *testing.T) {
	t.Parallel()
	scripts := []string{
		"for (;;) {}", "for (;;) JSON.parse('[1, {\"a\": 2}]')", "(function f() { f() })()", "await (async () => { for (;;) await 1 })()",
		"const a = []; for (;;) { a.push({}); if (a.length > 1000) a.length = 0 }", "let s = ''; for (;;) s = (s + 'x').slice(-100)",
		"/(a+)+$/.test('a'.repeat(100) + 'b')", "40 + 2", "[3, 1, 2].sort((a, b) => { for (;;) ; })",
	}
	in := NewInterpreter()
	var wg sync.WaitGroup
	for g := range 8 {
		random := rand.New(rand.NewSource(int64(g)))
		wg.Go(func() {
			for i := range 40 {
				script := scripts[(g+i)%len(scripts)]
				p := buildProgram(t, script, true)
				code, err := in.Compile(p)
				if !assert.NoError(t, err) {
					return
				}
				r := &recordingRun{}
				c, err := in.NewContext(&engine.ContextConfig{Limits: usualLimits, Program: p, Now: time.Now, Random: rand.Float64, Run: r})
				if !assert.NoError(t, err) {
					return
				}
				r.mu.Lock()
				r.context = c
				r.mu.Unlock()
				stopped := make(chan struct{})
				time.AfterFunc(time.Duration(random.Intn(3_000))*time.Microsecond, func() {
					r.cancel()
					close(stopped)
				})
				v, err := evaluate(c.(*runContext), code)
				if err == nil {
					n, _ := v.AsInt()
					assert.Equal(t, int64(42), n)
				}
				c.Statements()
				<-stopped
				c.Close()
				c.Interrupt() // late, and harmless
			}
		})
	}
	wg.Wait()
}
