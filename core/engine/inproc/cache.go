package inproc

import (
	"container/list"
	"errors"
	"sync"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/frontend"
)

// ready is a program with the interpreter's own form of it.
type ready struct {
	program  *engine.Program
	compiled engine.Compiled
}

// program returns the run's program: from the cache, where it costs no parsing,
// or built and compiled now.
func (run *run) program() (ready, *engine.Error) {
	job, r := run.job, run.runner
	if size := int64(len(job.Source)); size > job.Limits.Source {
		return ready{}, named(engine.Exhausted(engine.LimitSource, job.Limits.Source), job.Name)
	}
	key := cacheKey{source: job.Source, name: job.Name, caller: job.Key, unmetered: job.Unmetered}
	if found, ok := r.programs.get(key); ok {
		return found, nil
	}
	program, failure := frontend.Build(job.Source, frontend.Options{
		Name:      job.Name,
		MaxSource: job.Limits.Source,
		Metered:   !job.Unmetered,
		Dialect:   r.dialect,
	})
	if failure != nil {
		return ready{}, failure
	}
	compiled, err := r.interpreter.Compile(program)
	if err != nil {
		var refused *engine.Error
		if errors.As(err, &refused) {
			return ready{}, refused
		}
		logger(job).Error("the engine could not compile a program", "script", job.Name, "error", err)
		return ready{}, &engine.Error{Class: engine.Internal, Message: "the engine could not compile the script", File: job.Name}
	}
	made := ready{program: program, compiled: compiled}
	r.programs.put(key, made)
	return made, nil
}

// A cacheKey is all that a program depends on, and the caller that it is for.
type cacheKey struct {
	source, name, caller string
	unmetered            bool
}

func (k cacheKey) bytes() int64 { return int64(len(k.source)) }

// A cache keeps the programs used last, up to a number and an amount of source
// text.
type cache struct {
	maxCount int
	maxBytes int64

	mu      sync.Mutex
	entries map[cacheKey]*list.Element
	order   list.List // the one used last in front
	bytes   int64
}

type cacheEntry struct {
	key   cacheKey
	ready ready
}

func newCache(count int, bytes int64) *cache {
	return &cache{maxCount: count, maxBytes: bytes, entries: map[cacheKey]*list.Element{}}
}

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

func (c *cache) get(key cacheKey) (ready, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, ok := c.entries[key]
	if !ok {
		return ready{}, false
	}
	c.order.MoveToFront(element)
	return element.Value.(*cacheEntry).ready, true
}

func (c *cache) put(key cacheKey, r ready) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.entries[key]; ok || key.bytes() > c.maxBytes {
		return
	}
	c.entries[key] = c.order.PushFront(&cacheEntry{key: key, ready: r})
	c.bytes += key.bytes()
	for len(c.entries) > c.maxCount || c.bytes > c.maxBytes {
		oldest := c.order.Remove(c.order.Back()).(*cacheEntry)
		delete(c.entries, oldest.key)
		c.bytes -= oldest.key.bytes()
	}
}
