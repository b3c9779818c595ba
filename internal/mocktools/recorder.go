package mocktools

import (
	"sync"

	"github.com/ringfence-js/ringfence/core"
)

// A Call is a call that a script made of a tool.
type Call struct {
	Name string     `json:"name"`
	Args core.Value `json:"args"`
}

// A Recorder keeps calls in their order. The surface tells it of each, since only
// the surface knows of those that it refuses. The zero Recorder is ready; its
// methods may be called from any goroutine.
type Recorder struct {
	mu    sync.Mutex
	calls []Call
}

// Record adds a call.
func (r *Recorder) Record(name string, args core.Value) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, Call{Name: name, Args: args})
}

// Calls returns the calls so far. It is never nil, and the caller's own.
func (r *Recorder) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Call{}, r.calls...)
}
