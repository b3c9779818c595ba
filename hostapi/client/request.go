package client

import (
	"fmt"
	"maps"
	"time"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A Request asks for one run. Source and Scope are required. Fields that
// [core.Request] has too mean the same there.
type Request struct {
	Language string
	Source   string
	Name     string
	// Scope is which client runs the script, and for which request.
	Scope Scope
	// Args are the run's arguments, converted by [engine.ValueOf]: the script's own
	// copy in the global args. Nil and null mean {}.
	Args any
	// Input, unless it is nil, is the global input; for null give a core.Value.
	Input any
	// AllowedTools narrow what the dispatcher offers. Nil means all of it, empty
	// means none.
	AllowedTools []string
	Limits       core.Limits
	// Key is the caller key; empty means client and session.
	Key string
	// Globals are further data.
	Globals map[string]any
	Time    *time.Time
	Seed    *uint64
}

// Result is how a run went.
type Result = core.Result

// core returns the request without tools and host objects.
func (r Request) core() (core.Request, error) {
	if err := r.Scope.check(); err != nil {
		return core.Request{}, err
	}
	args, err := engine.ValueOf(r.Args)
	if err != nil {
		return core.Request{}, &core.RequestError{Field: "Args", Reason: err.Error()}
	}
	if args.IsNull() {
		args = engine.Object()
	}
	own := map[string]any{"args": args}
	if r.Input != nil {
		own["input"] = r.Input
	}
	for name := range own {
		if _, taken := r.Globals[name]; taken {
			return core.Request{}, &core.RequestError{Field: "Globals", Reason: fmt.Sprintf("the global name %q is taken by the request's own field", name)}
		}
	}
	maps.Copy(own, r.Globals)
	req := core.Request{
		Language: r.Language,
		Source:   r.Source,
		Name:     r.Name,
		Globals:  own,
		Limits:   r.Limits,
		Key:      r.Key,
		Time:     r.Time,
		Seed:     r.Seed,
	}
	if req.Key == "" {
		req.Key = r.Scope.key()
	}
	return req, nil
}
