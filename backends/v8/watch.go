//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

// watchTick is how often the watch looks after memory, and tells a run again that
// it is over: V8 loses a termination that comes before the guest was entered.
const watchTick = 2 * time.Millisecond

// patience is for how many ticks a run that is out of memory may go on before the
// run is ended from outside.
const patience = 500

// A watch is a goroutine beside a run. It alone tells the isolate to terminate, so
// that nothing does so any more once it has ended.
type watch struct {
	wake, quit, done chan struct{}
}

func (w *watch) start(c *runContext) {
	w.wake, w.quit, w.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go w.look(c)
}

func (w *watch) look(c *runContext) {
	defer close(w.done)
	ticks := 0
	tick := time.NewTicker(watchTick)
	defer tick.Stop()
	for {
		select {
		case <-w.quit:
			return
		case <-w.wake:
		case <-tick.C:
		}
		switch {
		case c.stopped.Load():
			c.iso.TerminateExecution()
		case c.iso.over():
			// The isolate is told already, and mostly in a collection that takes a
			// while. The run tells of it when it has returned; it is only told of here
			// where it does not return.
			c.iso.TerminateExecution()
			if ticks++; ticks == patience {
				c.exhausted(engine.LimitMemory, c.cfg.Limits.Memory)
			}
		default:
			c.iso.look()
		}
	}
}

// now makes the watch look at once. Any goroutine may call it, also after the end.
func (w *watch) now() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// end ends the watch. It may be called again.
func (w *watch) end() {
	if w.quit != nil {
		close(w.quit)
		<-w.done
		w.quit = nil
	}
}
