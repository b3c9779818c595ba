package goja

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A fakeHeap is a heap that a test writes.
type fakeHeap struct {
	state   heapState
	garbage uint64
}

func (h *fakeHeap) read() heapState { return h.state }

// take allocates bytes, of which some stay.
func (h *fakeHeap) take(all, kept uint64) {
	h.state.used += all
	h.state.allocated += all
	h.garbage += all - kept
}

func (h *fakeHeap) collect() {
	h.state.used -= h.garbage
	h.garbage = 0
	h.state.live = h.state.used - h.state.stacks
	h.state.cycles++
}

// newFakeSampler returns a sampler that ticks only when the test says so.
func newFakeSampler(h *fakeHeap) *sampler {
	s := newSampler(h.read, h.collect)
	s.started = true
	return s
}

func newFakeAccount(limit int64) (*account, *testRun) {
	run := &testRun{}
	a := &account{run: run, limit: limit}
	// A run that waits at its next charge at once.
	a.hold = func() { go a.wait() }
	return a, run
}

const mib = 1 << 20

func TestSamplerStopsARunAboveItsLimit(t *testing.T) {
	t.Parallel()
	heap := &fakeHeap{state: heapState{used: 500 * mib, live: 500 * mib}}
	s := newFakeSampler(heap)
	a, run := newFakeAccount(64 * mib)
	s.join(a)
	for range 6 {
		a.statements.Add(1)
		heap.take(10*mib, 10*mib)
		s.tick()
	}
	require.Empty(t, run.exhausted(), "60 of 64 MiB")
	a.statements.Add(1)
	heap.take(10*mib, 10*mib)
	s.tick()
	require.Equal(t, engine.LimitMemory, run.exhausted())
	assert.Equal(t, int64(70*mib), a.peak())
}

func TestSamplerDoesNotCountGarbage(t *testing.T) {
	t.Parallel()
	heap := &fakeHeap{}
	s := newFakeSampler(heap)
	a, run := newFakeAccount(64 * mib)
	s.join(a)
	for range 100 {
		a.statements.Add(1)
		heap.take(20*mib, 0)
		s.tick()
	}
	assert.Empty(t, run.exhausted())
}

func TestSamplerLetsManyHonestRunsPass(t *testing.T) {
	t.Parallel()
	heap := &fakeHeap{}
	s := newFakeSampler(heap)
	var runs []*testRun
	var accounts []*account
	for range 8 {
		a, run := newFakeAccount(64 * mib)
		s.join(a)
		runs, accounts = append(runs, run), append(accounts, a)
	}
	for range 20 {
		for _, a := range accounts {
			a.statements.Add(1)
			heap.take(2*mib, 1*mib)
		}
		s.tick()
	}
	heap.collect()
	s.tick()
	for i, run := range runs {
		assert.Empty(t, run.exhausted())
		assert.InDelta(t, 20*mib, accounts[i].peak(), 2*mib)
	}
}

func TestSamplerSparesRunsThatDoNothing(t *testing.T) {
	t.Parallel()
	heap := &fakeHeap{}
	s := newFakeSampler(heap)
	waiting, waitingRun := newFakeAccount(64 * mib)
	bomb, bombRun := newFakeAccount(64 * mib)
	s.join(waiting)
	s.join(bomb)
	for range 10 {
		bomb.statements.Add(1)
		heap.take(10*mib, 10*mib)
		s.tick()
	}
	assert.Equal(t, engine.LimitMemory, bombRun.exhausted())
	assert.Empty(t, waitingRun.exhausted())
}

func TestSamplerForgetsWhatEndedRunsLeft(t *testing.T) {
	t.Parallel()
	heap := &fakeHeap{}
	s := newFakeSampler(heap)
	for range 10 {
		a, run := newFakeAccount(64 * mib)
		s.join(a)
		for range 5 {
			a.statements.Add(1)
			heap.take(10*mib, 10*mib)
			s.tick()
		}
		require.Empty(t, run.exhausted())
		s.leave(a)
		heap.garbage = heap.state.used
	}
}

func TestSamplerIgnoresWhatTheServiceTookBefore(t *testing.T) {
	t.Parallel()
	heap := &fakeHeap{}
	s := newFakeSampler(heap)
	heap.take(300*mib, 300*mib) // since the last collection, before any run
	a, run := newFakeAccount(64 * mib)
	s.join(a)
	a.statements.Add(1)
	heap.take(mib, mib)
	s.tick()
	heap.collect()
	a.statements.Add(1)
	heap.take(mib, mib)
	s.tick()
	assert.Empty(t, run.exhausted())
	assert.Less(t, a.peak(), int64(4*mib))
}

func TestSamplerHoldsASuspectUntilItKnows(t *testing.T) {
	t.Parallel()
	heap := &fakeHeap{}
	s := newFakeSampler(heap)
	a, run := newFakeAccount(64 * mib)
	var waiting, went atomic.Bool
	a.hold = func() {
		waiting.Store(true)
		go func() {
			a.wait()
			went.Store(true)
		}()
	}
	s.collect = func() {
		assert.True(t, waiting.Load())
		assert.False(t, went.Load(), "the run goes on before the collection is over")
		heap.collect()
	}
	s.join(a)
	a.statements.Add(1)
	heap.take(100*mib, 0)
	s.tick()
	assert.Empty(t, run.exhausted())
	require.Eventually(t, went.Load, testLimits.Timeout, 1)
}

func TestSamplerEndsWithItsInterpreter(t *testing.T) {
	t.Parallel()
	for _, runs := range []int{0, 1, 3} {
		t.Run(fmt.Sprintf("runs=%d", runs), func(t *testing.T) {
			t.Parallel()
			s := newSampler(readHeap, collectGarbage)
			for range runs {
				a := &account{run: &testRun{}, limit: 1 << 40}
				s.join(a)
				defer s.leave(a)
			}
			s.close()
			s.close()
			if runs > 0 {
				<-s.ended
			}
		})
	}
}
