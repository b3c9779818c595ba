package server

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
	// Scope is on whose behalf the script runs. Its tenant and project choose the
	// settings.
	Scope Scope
	// Args are the run's arguments, converted by [engine.ValueOf]: frozen as
	// vance.params, and as the script's own copy in the global args. Nil and null
	// mean {}.
	Args any
	// Input, unless it is nil, is the global input; for null give a core.Value.
	Input any
	// AllowedTools narrow what the dispatcher offers. Nil means all of it, empty
	// means none.
	AllowedTools []string
	DeniedTools  []string
	Limits       core.Limits
	// Key is the caller key; empty means tenant, project and process.
	Key string
	// Globals are further data.
	Globals map[string]any
	// Host are host objects beside vance.
	Host      []core.HostObject
	Time      *time.Time
	Seed      *uint64
	Unmetered bool
}

// Result is how a run went.
type Result = core.Result

// core returns the request without tools and host objects, and the arguments.
func (r Request) core() (req core.Request, args core.Value, err error) {
	if err := r.Scope.check(); err != nil {
		return core.Request{}, core.Value{}, err
	}
	args, err = engine.ValueOf(r.Args)
	if err != nil {
		return core.Request{}, core.Value{}, &core.RequestError{Field: "Args", Reason: err.Error()}
	}
	if args.IsNull() {
		args = engine.Object()
	}
	globals := make(map[string]any, len(r.Globals)+2)
	maps.Copy(globals, r.Globals)
	own := map[string]any{"args": args}
	if r.Input != nil {
		input, err := engine.ValueOf(r.Input)
		if err != nil {
			return core.Request{}, core.Value{}, &core.RequestError{Field: "Input", Reason: err.Error()}
		}
		own["input"] = input
	}
	for name, value := range own {
		if _, taken := globals[name]; taken {
			return core.Request{}, core.Value{}, &core.RequestError{Field: "Globals", Reason: fmt.Sprintf("the global name %q is taken by the request's own field", name)}
		}
		globals[name] = value
	}
	req = core.Request{
		Language:    r.Language,
		Source:      r.Source,
		Name:        r.Name,
		Globals:     globals,
		Limits:      r.Limits,
		DeniedTools: r.DeniedTools,
		Key:         r.Key,
		Scope:       []string{r.Scope.Tenant, r.Scope.Project},
		Time:        r.Time,
		Seed:        r.Seed,
		Unmetered:   r.Unmetered,
	}
	if req.Key == "" {
		req.Key = r.Scope.key()
	}
	return req, args, nil
}
