package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

// A probe is the host object of the suite: what it takes to look at a host
// function from the guest's side without a surface. One serves one run.
type probe struct {
	mu     sync.Mutex
	calls  []string
	meet   map[int]chan struct{}
	here   map[int]int
	cancel context.CancelFunc
	kept   core.Value
}

// A probeError is an error of a host function with a name and a cause of its own.
type probeError struct{ name, message string }

func (e *probeError) Error() string     { return e.message }
func (e *probeError) ErrorName() string { return e.name }

// ProbeFailure is an exported error type without a method for its name.
type ProbeFailure struct{ text string }

func (e *ProbeFailure) Error() string { return e.text }

// hiddenFailure is an unexported one.
type hiddenFailure struct{ text string }

func (e *hiddenFailure) Error() string { return e.text }

func (p *probe) note(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, name)
}

func (p *probe) noted() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

// meeting returns a channel that is closed once n calls have asked for it.
func (p *probe) meeting(n int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.meet == nil {
		p.meet, p.here = map[int]chan struct{}{}, map[int]int{}
	}
	if p.meet[n] == nil {
		p.meet[n] = make(chan struct{})
	}
	if p.here[n]++; p.here[n] == n {
		close(p.meet[n])
	}
	return p.meet[n]
}

func (p *probe) object() core.HostObject { return probeObject.MustBind(p) }

// object is a parameter of a type with named members.
type probeOptions struct {
	Name  string   `json:"name"`
	Count int      `json:"count"`
	Tags  []string `json:"tags"`
}

// probeObject is what cases see as probe. The package comment lists it.
var probeObject = hostapi.MustNew("probe", hostapi.Object{
	"echo": hostapi.Raw(func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
		return first(args), nil
	}).With(hostapi.Object{
		"twice": hostapi.Func(func(v core.Value) core.Value { return engine.List(v, v) }, "value"),
	}),
	"kind": hostapi.Raw(func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
		return engine.String(kindName(first(args))), nil
	}),
	"json": hostapi.Raw(func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
		return engine.String(string(first(args).AppendJSON(nil))), nil
	}),
	"count": hostapi.Raw(func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
		return engine.Int(int64(len(args))), nil
	}),
	"keep": hostapi.Method(func(p *probe, v core.Value) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.kept = v
	}, "value"),
	"kept": hostapi.Method(func(p *probe) core.Value {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.kept
	}),
	"note": hostapi.Method(func(p *probe, name string) { p.note(name) }, "name"),
	"text": hostapi.Func(func(n int) string { return strings.Repeat("x", n) }, "length"),
	"add":  hostapi.Func(func(a, b int) int { return a + b }, "a", "b"),
	"join": hostapi.Func(func(sep string, parts ...string) string { return strings.Join(parts, sep) }, "separator", "parts"),
	"greet": hostapi.Func(func(name string, greeting string) string {
		if greeting == "" {
			greeting = "hello"
		}
		return greeting + " " + name
	}, "name", "greeting?"),
	"options": hostapi.Func(func(o probeOptions) string {
		return fmt.Sprintf("%s/%d/%s", o.Name, o.Count, strings.Join(o.Tags, "+"))
	}, "options"),
	"fail": hostapi.Func(func(name, message string) error { return &probeError{name, message} }, "name", "message"),
	"failTyped": hostapi.Func(func(message string, exported bool) error {
		if exported {
			return &ProbeFailure{message}
		}
		return &hiddenFailure{message}
	}, "message", "exported"),
	"panic": hostapi.Func(func() string { panic("secret of the host at /srv/secret.go:1") }),
	"later": hostapi.Async(func(v core.Value) core.Value { return v }, "value"),
	"failLater": hostapi.Async(func(name, message string) error {
		return &probeError{name, message}
	}, "name", "message"),
	"panicLater": hostapi.Async(func() { panic("secret of the host at /srv/secret.go:1") }),
	"meet": hostapi.AsyncMethod(func(ctx context.Context, p *probe, n int) (int, error) {
		select {
		case <-p.meeting(n):
			return n, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}, "calls"),
	"never": hostapi.AsyncMethod(func(ctx context.Context, p *probe) error {
		p.note("never called")
		<-ctx.Done()
		p.note("never cancelled")
		return ctx.Err()
	}),
	"block": hostapi.Method(func(ctx context.Context, p *probe) error {
		p.note("block called")
		<-ctx.Done()
		return ctx.Err()
	}),
	"cancel": hostapi.Method(func(p *probe) { p.cancel() }),
	"number": hostapi.Const(42),
	"list":   hostapi.Const([]any{1, "two", map[string]any{"three": 3}}),
	"when":   hostapi.Const(engine.MustValueOf(epoch)),
	"data":   hostapi.Const([]byte{1, 2, 3}),
	"deep": hostapi.Object{
		"down": hostapi.Object{
			"name": hostapi.Func(func() string { return "deep" }),
		},
	},
})

func first(args []core.Value) core.Value {
	if len(args) == 0 {
		return core.Value{}
	}
	return args[0]
}

var kindNames = map[engine.Kind]string{
	engine.KindNull: "null", engine.KindBool: "bool", engine.KindInt: "int", engine.KindFloat: "float",
	engine.KindBigInt: "bigint", engine.KindString: "string", engine.KindTime: "time",
	engine.KindBytes: "bytes", engine.KindList: "list", engine.KindObject: "object",
}

func kindName(v core.Value) string { return kindNames[v.Kind()] }
