package inproc_test

import (
	"sync"

	"github.com/ringfence-js/ringfence/core/engine"
)

// fakeInterpreter is an interpreter whose contexts do what a test says.
type fakeInterpreter struct {
	compiles int
	script   func(c *fakeContext) error
	state    func(c *fakeContext) engine.State
	result   func(c *fakeContext, b *engine.Budget) (engine.Value, error)
	settle   func(c *fakeContext, call int64, v engine.Value, err error) error

	mu     sync.Mutex
	closed int
}

func (f *fakeInterpreter) Info() engine.Info { return engine.Info{Name: "fake"} }

func (f *fakeInterpreter) Dialect() engine.Dialect {
	return engine.Dialect{Charge: "$(#)", Enter: "$(#)"}
}

func (f *fakeInterpreter) Compile(p *engine.Program) (engine.Compiled, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.compiles++
	return p, nil
}

func (f *fakeInterpreter) NewContext(cfg *engine.ContextConfig) (engine.Context, error) {
	return &fakeContext{fake: f, cfg: cfg, interrupted: make(chan struct{})}, nil
}

func (f *fakeInterpreter) Close() error { return nil }

type fakeContext struct {
	fake        *fakeInterpreter
	cfg         *engine.ContextConfig
	interrupted chan struct{}
	once        sync.Once
	settled     []engine.Value
	rejection   *engine.Thrown
	unhandled   []*engine.Thrown
}

func (c *fakeContext) Eval(engine.Compiled) error {
	if c.fake.script == nil {
		return nil
	}
	return c.fake.script(c)
}

func (c *fakeContext) Drain() error { return nil }

func (c *fakeContext) State() engine.State {
	if c.fake.state == nil {
		return engine.Fulfilled
	}
	return c.fake.state(c)
}

func (c *fakeContext) Rejection() *engine.Thrown { return c.rejection }

func (c *fakeContext) Result(b *engine.Budget) (engine.Value, error) {
	if c.fake.result == nil {
		return engine.Int(42), nil
	}
	return c.fake.result(c, b)
}

func (c *fakeContext) Settle(call int64, v engine.Value, err error) error {
	c.settled = append(c.settled, v)
	if c.fake.settle == nil {
		return nil
	}
	return c.fake.settle(c, call, v, err)
}

func (c *fakeContext) Unhandled() []*engine.Thrown { return c.unhandled }
func (c *fakeContext) Statements() int64           { return 7 }
func (c *fakeContext) Memory() int64               { return 1000 }
func (c *fakeContext) Interrupt()                  { c.once.Do(func() { close(c.interrupted) }) }

func (c *fakeContext) Close() {
	c.fake.mu.Lock()
	defer c.fake.mu.Unlock()
	c.fake.closed++
}
