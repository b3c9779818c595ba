//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"errors"
	"sync"
)

// Bounds on kept isolates. What an isolate learns of a program (its code) stays in
// it, and v8go lets go of it only with the isolate.
const (
	maxIdle    = 6
	maxRuns    = 1_000
	maxScripts = 100
	// maxKeptHeap is how much of its heap an isolate may have in use when it is
	// kept, garbage included.
	maxKeptHeap = 24 << 20
)

var errClosed = errors.New("v8: the interpreter is closed")

// A pool keeps isolates between runs.
type pool struct {
	mu     sync.Mutex
	idle   []*isolate
	closed bool

	dying sync.WaitGroup // isolates that are being disposed of
}

// get returns a kept isolate, the one used last, or a new one.
func (p *pool) get() (*isolate, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, errClosed
	}
	if n := len(p.idle); n > 0 {
		iso := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return iso, nil
	}
	p.mu.Unlock()
	return newIsolate()
}

// put keeps an isolate whose run has ended, or disposes of it; then it calls done.
// To dispose of a full heap takes a while, which the end of the run does not wait
// for.
func (p *pool) put(iso *isolate, done func()) {
	keep := !iso.broken && iso.runs < maxRuns && len(iso.scripts) < maxScripts &&
		iso.buffers() == 0 && iso.heap() <= maxKeptHeap
	if keep {
		p.mu.Lock()
		if keep = !p.closed && len(p.idle) < maxIdle; keep {
			p.idle = append(p.idle, iso)
		}
		p.mu.Unlock()
	}
	if keep {
		done()
		return
	}
	p.dying.Go(func() {
		iso.dispose()
		done()
	})
}

func (p *pool) close() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	for _, iso := range idle {
		iso.dispose()
	}
	p.dying.Wait()
}
