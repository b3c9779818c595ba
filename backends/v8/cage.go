//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"sync"
	"time"
)

// heapSlack is what an isolate may take beyond a run's limit before the guest's
// stack is unwound. V8 ends the process where it does not get that: a single
// built-in can ask for hundreds of megabytes at once.
const heapSlack = 512 << 20

// cageSize is what the heaps of all isolates may be allowed to take together. V8
// keeps the heaps of a process in one region of 4 GB and ends the process where
// that is full; the rest is for kept isolates and for code.
const cageSize = 3600 << 20

// A cage shares the region of the heaps out to the runs of a process. A run holds
// its memory limit from its beginning to its end, and the slack only while code of
// it can run: not while it is in a host function or waits for one. So runs that
// wait for others, or for the runs that they started themselves, never keep these
// from going on.
type cage struct {
	size, slack int64

	mu      sync.Mutex
	held    int64 // limits of the runs under way
	active  int64 // slacks
	waiters []*waiter
}

// A waiter waits for its part, until ready is closed.
type waiter struct {
	limit int64 // of a run that begins; 0 for one that only goes on
	ready chan struct{}
}

// theCage is for the whole process, as the region is.
var theCage = &cage{size: cageSize, slack: heapSlack}

// enter waits until a run of the limit may begin, and is active then; stopped ends
// the waiting. It says whether the run may begin.
func (c *cage) enter(limit int64, stopped func() bool) bool {
	return c.wait(&waiter{limit: min(limit, c.size-c.slack)}, stopped)
}

// resume waits until a run that paused may go on.
func (c *cage) resume(stopped func() bool) bool {
	return c.wait(&waiter{}, stopped)
}

func (c *cage) wait(w *waiter, stopped func() bool) bool {
	c.mu.Lock()
	if len(c.waiters) == 0 && c.take(w) {
		c.mu.Unlock()
		return true
	}
	w.ready = make(chan struct{})
	c.waiters = append(c.waiters, w)
	c.serve()
	c.mu.Unlock()
	tick := time.NewTicker(waitTick)
	defer tick.Stop()
	for !stopped() {
		select {
		case <-w.ready:
			return true
		case <-tick.C:
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, other := range c.waiters {
		if other == w {
			c.waiters = append(c.waiters[:i], c.waiters[i+1:]...)
			c.serve()
			return false
		}
	}
	return true // served in the same moment
}

// waitTick is how often one that waits looks whether its run is over.
const waitTick = 2 * time.Millisecond

// take takes what w waits for, where it is there.
func (c *cage) take(w *waiter) bool {
	if c.held+w.limit+c.active+c.slack > c.size {
		return false
	}
	c.held += w.limit
	c.active += c.slack
	return true
}

// serve gives the waiters their parts: first those that go on, for they are the
// ones that will give back; in their order among each other.
func (c *cage) serve() {
	for _, goesOn := range []bool{true, false} {
		kept := c.waiters[:0]
		blocked := false
		for _, w := range c.waiters {
			if (w.limit == 0) == goesOn && !blocked {
				if c.take(w) {
					close(w.ready)
					continue
				}
				blocked = true
			}
			kept = append(kept, w)
		}
		clear(c.waiters[len(kept):])
		c.waiters = kept
	}
}

// pause gives the slack back while no code of the run can run.
func (c *cage) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active -= c.slack
	c.serve()
}

// leave gives back what a run holds that is not active.
func (c *cage) leave(limit int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held -= min(limit, c.size-c.slack)
	c.serve()
}
