//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A meter knows what a run was charged. The program counts down in a variable of
// its own, see Dialect; the meter learns of it when it is used up, and asks at the
// end.
type meter struct {
	limit int64
	left  *v8go.Function // reads what is left, nil for a program without charges
	total int64          // what was charged, once it is known
	known bool
}

// hand gives the program its budget.
func (c *runContext) hand(left *v8go.Value) (*v8go.Value, error) {
	f, err := left.AsFunction()
	if err != nil {
		return nil, err
	}
	c.meter.left = f
	if c.meter.limit < 1<<30 {
		return v8go.NewValue(c.iso.Isolate, int32(c.meter.limit)) // counts faster
	}
	return v8go.NewValue(c.iso.Isolate, float64(c.meter.limit))
}

// spent ends the run: the budget is used up, and left is negative.
func (c *runContext) spent(left float64) {
	m := &c.meter
	if !m.known {
		m.total, m.known = m.limit-int64(left), true
	}
	c.exhausted(engine.LimitStatements, m.limit)
}

// Statements is what was charged so far. It is exact after a termination too: the
// isolate is then only good for this one answer.
func (c *runContext) Statements() int64 {
	m := &c.meter
	if m.known {
		return m.total
	}
	if m.left == nil || c.crash != nil {
		return 0
	}
	if c.stopped.Load() {
		c.watch.end()
		c.iso.resume()
	}
	v, err := c.call(m.left)
	if err != nil {
		return -1
	}
	defer v.Release()
	total := m.limit - int64(v.Number())
	if c.stopped.Load() {
		m.total, m.known = total, true
	}
	return total
}
