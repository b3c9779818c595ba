package goja

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

// sampleEvery is how often the heap is looked at while a run is under way.
const sampleEvery = time.Millisecond

// idleTicks is for how many ticks without a run the sampler goes on before it
// waits for one. It keeps many short runs from waking it each.
const idleTicks = 100

// arrivalWait is how long a collection waits for suspects that are inside of a
// built-in.
const arrivalWait = 50 * time.Millisecond

// maxCollectPause is the longest time between two collections that are due.
const maxCollectPause = 200 * time.Millisecond

// stalledShare is the part of a tick's allocation that is put down to a run that
// charged no statement in that tick, beside one that did.
const stalledShare = 1.0 / 16

// A sampler bounds the memory of all runs of an interpreter. goja has no limit of
// its own, and Go does not say which goroutine holds how much. So the sampler
// watches the heap of the whole process. What is allocated in a tick it puts down
// to the runs that were busy in it; what a garbage collection finds to have
// stayed, to the runs by what they allocated since the one before. A run whose part
// seems to be over its limit has to wait for a collection, and ends if its part
// still is.
//
// It is an estimate and errs on the side of stopping: what the service itself
// keeps during a run counts as the run's, and of two busy runs the honest one can
// be blamed for what the other took. It is as late as a tick and one allocation.
type sampler struct {
	read    func() heapState
	collect func()

	mu      sync.Mutex
	runs    map[*account]struct{}
	started bool
	closed  bool
	idle    bool
	wake    chan struct{}
	ended   chan struct{}

	last        heapState // at the last look
	atCycle     heapState // at the first look after the last collection
	gone        float64   // parts of runs that have ended, as far as they were not collected yet
	nextCollect time.Time
}

// heapState is the process's memory at one moment, in bytes.
type heapState struct {
	used      uint64 // by objects, garbage included, and by stacks
	live      uint64 // by objects that the last collection found in use
	stacks    uint64
	allocated uint64 // in all since the process began
	cycles    uint64 // collections
}

// An account is what the sampler keeps of one run.
type account struct {
	run   engine.Run
	limit int64
	// statements is the run's counter as the run last wrote it down; seen is its
	// value at the last tick.
	statements atomic.Int64
	seen       int64
	// kept is what collections put down to the run, recent its part of what was
	// allocated since the last one.
	kept, recent float64
	top          atomic.Int64
	// held is set while the run has to wait at its next charge for a verdict.
	held atomic.Pointer[verdict]
	// hold tells the run that there is something to look at.
	hold func()
}

// peak is the most that a collection put down to the run, -1 if there was none.
func (a *account) peak() int64 { return a.top.Load() - 1 }

func newSampler(read func() heapState, collect func()) *sampler {
	return &sampler{
		read: read, collect: collect,
		runs: make(map[*account]struct{}),
		wake: make(chan struct{}, 1), ended: make(chan struct{}),
	}
}

// join takes a run under watch. It is on the way of every run, so that it does
// next to nothing.
func (s *sampler) join(a *account) {
	s.mu.Lock()
	if len(s.runs) == 0 {
		s.rebase(s.read())
	}
	s.runs[a] = struct{}{}
	wake := s.idle
	s.idle = false
	if !s.started && !s.closed {
		s.started = true
		go s.watch()
	}
	s.mu.Unlock()
	if wake {
		s.wake <- struct{}{}
	}
}

// rebase begins anew after a time without runs. How much was allocated up to the
// last collection is not known, but what the heap has grown by since is.
func (s *sampler) rebase(now heapState) {
	s.last, s.atCycle, s.gone = now, now, 0
	s.atCycle.allocated -= min(now.allocated, now.used-min(now.used, now.live+now.stacks))
}

// leave ends the watch of a run.
func (s *sampler) leave(a *account) {
	s.mu.Lock()
	delete(s.runs, a)
	s.gone += a.kept
	s.mu.Unlock()
	a.resume()
}

// close ends the sampler and waits until it is gone.
func (s *sampler) close() {
	s.mu.Lock()
	started, closed := s.started, s.closed
	s.closed = true
	s.mu.Unlock()
	if !started || closed {
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	<-s.ended
}

func (s *sampler) watch() {
	defer close(s.ended)
	ticker := time.NewTicker(sampleEvery)
	defer ticker.Stop()
	for quiet := 0; ; {
		<-ticker.C
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			return
		}
		if len(s.runs) > 0 {
			quiet = 0
			s.mu.Unlock()
			s.tick()
			continue
		}
		if quiet++; quiet < idleTicks {
			s.mu.Unlock()
			continue
		}
		s.idle = true
		s.mu.Unlock()
		ticker.Stop()
		<-s.wake
		ticker.Reset(sampleEvery)
		quiet = 0
	}
}

// tick looks at the heap once. The suspects wait at their next charge while a
// garbage collection finds out what is really kept, so that a doubling value does
// not double meanwhile.
func (s *sampler) tick() {
	suspects := s.attribute(s.read(), true)
	if len(suspects) == 0 || time.Now().Before(s.nextCollect) {
		return
	}
	for _, a := range suspects {
		a.pause()
	}
	began := time.Now()
	awaitArrival(suspects)
	s.collect()
	// Collections take no more than a quarter of the time, but one that a starved
	// machine drew out does not put off the next for long.
	s.nextCollect = time.Now().Add(min(3*time.Since(began), maxCollectPause))
	for _, a := range s.attribute(s.read(), false) {
		a.run.Exhausted(engine.LimitMemory, a.limit)
	}
	for _, a := range suspects {
		a.resume()
	}
}

// attribute takes in the state of the heap, and returns the runs whose part is over
// their limit: by what they kept at the last collection, and if tentative by what
// they allocated since, too.
func (s *sampler) attribute(now heapState, tentative bool) (over []*account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	busy := 0.0
	for a := range s.runs {
		busy += a.weight()
	}
	for a := range s.runs {
		a.recent += float64(now.allocated-s.last.allocated) * a.weight() / busy
	}
	for a := range s.runs {
		a.seen = a.statements.Load()
	}
	if now.cycles != s.last.cycles {
		s.settle(now)
	}
	s.last = now
	fresh := float64(now.allocated - s.atCycle.allocated)
	growth := max(0, float64(now.used)-float64(s.atCycle.live+s.atCycle.stacks))
	for a := range s.runs {
		part := a.kept
		if tentative && fresh > 0 {
			part += growth * min(1, a.recent/fresh)
		}
		if part > float64(a.limit) {
			over = append(over, a)
		}
	}
	return over
}

// settle puts what stayed, or went, in a collection down to the runs.
func (s *sampler) settle(now heapState) {
	change := float64(now.live+now.stacks) - float64(s.atCycle.live+s.atCycle.stacks)
	if change < 0 {
		// What runs left behind goes first.
		left := min(s.gone, -change)
		s.gone -= left
		change += left
	}
	fresh := float64(now.allocated - s.atCycle.allocated)
	sum := 0.0
	for a := range s.runs {
		sum += a.kept
	}
	for a := range s.runs {
		switch {
		case change > 0 && fresh > 0:
			a.kept += change * min(1, a.recent/fresh)
		case change < 0 && sum > 0:
			a.kept = max(0, a.kept+change*a.kept/sum)
		}
		a.recent = 0
		a.top.Store(max(a.top.Load(), int64(a.kept)+1))
	}
	s.atCycle = now
}

func (a *account) weight() float64 {
	if a.statements.Load() != a.seen {
		return 1
	}
	return stalledShare
}

// A verdict is what a suspect waits for.
type verdict struct {
	arrived, given       chan struct{}
	arriveOnce, giveOnce sync.Once
}

func (v *verdict) arrive() { v.arriveOnce.Do(func() { close(v.arrived) }) }
func (v *verdict) give()   { v.giveOnce.Do(func() { close(v.given) }) }

// pause makes the run wait at its next charge.
func (a *account) pause() {
	a.held.Store(&verdict{arrived: make(chan struct{}), given: make(chan struct{})})
	a.hold()
}

// resume lets it go on.
func (a *account) resume() {
	if v := a.held.Swap(nil); v != nil {
		v.arrive()
		v.give()
	}
}

// wait is what the run does at its next charge.
func (a *account) wait() {
	if v := a.held.Load(); v != nil {
		v.arrive()
		<-v.given
	}
}

// awaitArrival waits until the suspects wait, or have ended. A run that waits can
// be ended at once. One that is still inside of a built-in cannot, whatever the
// verdict; the collection does not wait long for it.
func awaitArrival(suspects []*account) {
	timeout := time.NewTimer(arrivalWait)
	defer timeout.Stop()
	for _, a := range suspects {
		v := a.held.Load()
		if v == nil {
			continue
		}
		select {
		case <-v.arrived:
		case <-timeout.C:
			return
		}
	}
}

func readHeap() heapState {
	samples := heapSamples.Get().(*[5]metrics.Sample)
	defer heapSamples.Put(samples)
	metrics.Read(samples[:])
	value := func(i int) uint64 { return samples[i].Value.Uint64() }
	return heapState{
		used: value(0) + value(1), stacks: value(1),
		live: value(2), allocated: value(3), cycles: value(4),
	}
}

var heapSamples = sync.Pool{New: func() any {
	return &[5]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/cycles/total:gc-cycles"},
	}
}}

func collectGarbage() { runtime.GC() }
