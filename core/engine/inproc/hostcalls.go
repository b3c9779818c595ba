package inproc

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

// hostCalls are the calls of host functions of one run: counted, limited, and
// done with when the run is.
type hostCalls struct {
	run *run

	// inside is the synchronous function that the guest is in.
	inside atomic.Pointer[engine.Func]

	count int64 // used on the guest's goroutine only
	bytes int64 // likewise

	mu      sync.Mutex
	closed  bool
	pending int           // calls under way, of both kinds
	idle    chan struct{} // closed when pending reaches 0 while somebody waits
	ended   []endedCall
	async   int           // asynchronous calls under way or not yet settled
	wake    chan struct{} // has room for one: something was added to ended
	lastID  int64
}

// An endedCall is the result of an asynchronous call.
type endedCall struct {
	id    int64
	value engine.Value
	err   error
}

func (h *hostCalls) init(run *run) {
	h.run = run
	h.wake = make(chan struct{}, 1)
}

// Call runs a synchronous host function.
func (run *run) Call(host *engine.HostObject, fn *engine.Func, args []engine.Value) (engine.Value, error) {
	h := &run.calls
	if !h.begin(fn) {
		return engine.Value{}, engine.ErrStopped
	}
	h.inside.Store(fn)
	value, err := h.invoke(host, fn, args)
	run.checkTime() // an error that only tells of the run's end is none of the function's
	h.inside.Store(nil)
	h.end()
	return h.admit(value, err)
}

// Start begins an asynchronous host function.
func (run *run) Start(host *engine.HostObject, fn *engine.Func, args []engine.Value) (int64, error) {
	h := &run.calls
	if !h.begin(fn) {
		return 0, engine.ErrStopped
	}
	h.mu.Lock()
	h.lastID++
	id := h.lastID
	h.async++
	h.mu.Unlock()
	go func() {
		value, err := h.invoke(host, fn, args)
		h.mu.Lock()
		h.ended = append(h.ended, endedCall{id: id, value: value, err: err})
		h.mu.Unlock()
		select {
		case h.wake <- struct{}{}:
		default:
		}
		h.end()
	}()
	return id, nil
}

// begin counts a call and says whether it may happen.
func (h *hostCalls) begin(fn *engine.Func) bool {
	if h.run.Stopped() {
		return false
	}
	if !fn.Text {
		h.count++
		if max := h.run.job.Limits.HostCalls; h.count > max {
			h.run.Exhausted(engine.LimitHostCalls, max)
			return false
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.pending++
	return true
}

func (h *hostCalls) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pending--
	if h.pending == 0 && h.idle != nil {
		close(h.idle)
		h.idle = nil
	}
}

// hostPanicError is what the guest sees of a panic: nothing of it.
type hostPanicError struct{ function string }

func (e *hostPanicError) Error() string { return "the host function " + e.function + " failed" }

// invoke calls the Go function and turns a panic into an error.
func (h *hostCalls) invoke(host *engine.HostObject, fn *engine.Func, args []engine.Value) (value engine.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			logger(h.run.job).Error("a host function panicked", "function", fn.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			value, err = engine.Value{}, &hostPanicError{function: fn.Path}
		}
	}()
	return fn.Call(h.run.ctx, host.Self, args)
}

// admit checks what a function returned before the guest gets it. It is called
// on the guest's goroutine.
func (h *hostCalls) admit(value engine.Value, err error) (engine.Value, error) {
	if err == nil {
		h.bytes += value.Size()
		if max := h.run.job.Limits.HostBytes; h.bytes > max {
			h.run.Exhausted(engine.LimitHostBytes, max)
		}
	}
	if h.run.Stopped() {
		return engine.Value{}, engine.ErrStopped
	}
	return value, err
}

// next waits for asynchronous calls to end and returns those that did, in that
// order. ok is false where none is under way. When the run is over it returns
// nothing, and ok.
func (h *hostCalls) next() (ended []endedCall, ok bool) {
	for {
		h.mu.Lock()
		ended, h.ended = h.ended, nil
		h.async -= len(ended)
		left := h.async
		h.mu.Unlock()
		if len(ended) > 0 {
			for i := range ended {
				e := &ended[i]
				e.value, e.err = h.admit(e.value, e.err)
			}
			return ended, true
		}
		if left == 0 {
			return nil, false
		}
		select {
		case <-h.wake:
		case <-h.run.stopped:
			return nil, true
		}
	}
}

// close makes every later call fail.
func (h *hostCalls) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
}

// wait closes, waits for the calls under way, and says whether all have ended in
// time.
func (h *hostCalls) wait(limit time.Duration) bool {
	idle := h.whenIdle()
	if idle == nil {
		return true
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-idle:
		return true
	case <-timer.C:
		return false
	}
}

func (h *hostCalls) waitForever() {
	if idle := h.whenIdle(); idle != nil {
		<-idle
	}
}

// whenIdle closes the calls and returns a channel that is closed once none is
// under way, or nil where none is now.
func (h *hostCalls) whenIdle() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if h.pending == 0 {
		return nil
	}
	if h.idle == nil {
		h.idle = make(chan struct{})
	}
	return h.idle
}
