package goja

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

func TestProbe(t *testing.T) {
	script := os.Getenv("PROBE")
	if script == "" {
		t.Skip()
	}
	debug.SetTraceback("single")
	var peak uint64
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				peak = max(peak, readHeap().used)
			}
		}
	}()
	began := time.Now()
	go func() {
		time.Sleep(8 * time.Second)
		fmt.Printf("NOT-STOPPED peak=%dMiB\n", peak>>20)
		os.Exit(3)
	}()
	o := eval(t, testCase{script: script, timeout: 5 * time.Second, limits: func(l *engine.Limits) {
		if os.Getenv("PROBE_MEM") != "" {
			l.Memory, l.Statements = 1<<30, 100_000_000
		}
	}})
	d := time.Since(began)
	close(stop)
	runtime.GC()
	v := ""
	if o.err == nil {
		v = string(o.value.AppendJSON(nil))
		if len(v) > 200 {
			v = v[:200]
		}
	}
	fmt.Printf("value=%s err=%.150s limit=%s t=%v peak=%dMiB\n", v, describe(o.err), o.limit(), d.Round(time.Millisecond), peak>>20)
}
