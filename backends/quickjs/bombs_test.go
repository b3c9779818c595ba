//go:build wip && !386 && !arm

package quickjs

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// bombs take memory in as many ways as there are.
var bombs = map[string]string{
	"a fill":                        "new Array(1e9).fill(0).length",
	"a spread":                      "[...'.'.repeat(1e8)].length",
	"buffers":                       "var k = []; for (;;) { var u = new Uint8Array(1 << 24); u.fill(1); k.push(u) }",
	"a linked list":                 "var head = null; for (;;) head = { next: head, pad: 'p'.repeat(64) }",
	"objects, caught":               "var n = 0; for (;;) { try { var a = []; for (;;) a.push({}) } catch (e) { if (++n > 3) break } } n",
	"objects, caught and let go":    "let a = []; try { for (;;) a.push([1]) } catch { a = null } finally { a = null } 'survived'",
	"doubling":                      "var s = 'x', a = [0]; for (var i = 0; i < 34; i++) { s += s; a = a.concat(a) }",
	"doubling of a string":          "let s = 'xy'; for (;;) s = (s + s).replace('x', 'y')",
	"an array that grows":           "const a = []; for (;;) a.push(1.5)",
	"an array with a far index":     "const a = []; for (let i = 0; ; i++) a[i] = i",
	"a Map":                         "const m = new Map(); for (let i = 0; ; i++) m.set(i, i)",
	"a Set of strings":              "const m = new Set(); for (let i = 0; ; i++) m.add('k' + i)",
	"closures":                      "const a = []; for (;;) { const x = [1]; a.push(() => x) }",
	"typed arrays":                  "const a = []; for (;;) a.push(new Float64Array(1000))",
	"one buffer":                    "new ArrayBuffer(100e6)",
	"a promise queue":               "for (;;) Promise.resolve().then(() => 1)",
	"promises that hold each other": "let p = Promise.resolve(); const all = []; for (;;) { p = p.then(() => 1); all.push(p) }",
	"keys":                          "const o = {}; for (let i = 0; ; i++) o['k' + i] = i",
	"symbols":                       "const a = []; for (let i = 0; ; i++) a.push(Symbol('s' + i))",
	"generators":                    "const a = []; function* g() { yield 1 } for (;;) { const x = g(); x.next(); a.push(x) }",
	"a regular expression":          "const a = []; for (let i = 0; ; i++) a.push(new RegExp('(a|b)*' + i))",
	"text of an error":              "let e = new Error('x'.repeat(1000)); for (;;) e = new Error(e.message + e.message)",
	"a JSON text":                   "JSON.stringify(new Array(2e5).fill('x'.repeat(1000)))",
	"bound functions":               "let f = () => 1; for (;;) f = f.bind(null, f, f)",
}

// residentBytes is what the process has in memory, 0 where that is not known.
func residentBytes() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// peakGrowth is by how much the process grows while f runs.
func peakGrowth(f func()) int64 {
	before := residentBytes()
	var peak atomic.Int64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			peak.Store(max(peak.Load(), residentBytes()))
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(done)
	<-ended
	return peak.Load() - before
}

// TestBombsEndAtTheMemoryLimit is not parallel: it measures the process.
func TestBombsEndAtTheMemoryLimit(t *testing.T) {
	for name, script := range bombs {
		t.Run(name, func(t *testing.T) {
			var r *recordingRun
			var err error
			grown := peakGrowth(func() {
				c, run, code := open(t, job{script: script})
				r = run
				timer := time.AfterFunc(20*time.Second, r.cancel)
				_, err = evaluate(c, code)
				timer.Stop()
				assert.LessOrEqual(t, c.Memory(), usualLimits.Memory)
				c.Close()
			})
			require.ErrorIs(t, err, engine.ErrStopped)
			assert.Equal(t, engine.LimitMemory, r.limit)
			assert.Less(t, grown, int64(128<<20))
			assert.Equal(t, "42", valueOfScript(t, "40+2"))
		})
	}
}

func TestAScriptsOwnNullIsNoMemoryFailure(t *testing.T) {
	t.Parallel()
	_, r, err := run(t, job{script: "throw null"})
	var thrown *engine.Thrown
	require.ErrorAs(t, err, &thrown)
	assert.Equal(t, "null", thrown.Message)
	assert.Empty(t, r.limit)
}

func TestGarbageIsCollectedBeforeTheLimit(t *testing.T) {
	t.Parallel()
	script := "for (let i = 0; i < 300000; i++) { const a = { pad: [1, 2, 3, 4, 5, 6, 7, 8, 9] }; a.self = a } 'done'"
	limits := usualLimits
	limits.Memory = 8 << 20
	v, r, err := run(t, job{script: script, limits: limits})
	require.NoError(t, err, r.limit)
	assert.Equal(t, `"done"`, string(v.AppendJSON(nil)))
}
