// Package mocktools reads canned tools from JSON, to try and to test scripts without
// the service that they are written for. It serves every surface alike: it knows
// names, parameters and answers, nothing of scopes.
//
//	{"search": {"result": {"hits": []}, "schema": {"properties": {"query": {"type": "string"}}}},
//	 "next":   {"results": [1, 2]},
//	 "slow":   {"delayMs": 500, "result": 1},
//	 "boom":   {"error": {"name": "ToolException", "message": "no such document"}}}
package mocktools

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

// A Set is a set of canned tools. Its methods may be called from any goroutine.
type Set struct{ tools map[string]*tool }

type tool struct {
	description string
	schema      json.RawMessage
	delay       time.Duration
	result      core.Value
	err         *Error

	// results are given one after another.
	inTurn  bool
	mu      sync.Mutex
	results []core.Value
	used    int
}

// An Error is the error of a canned tool. A script sees its name and message.
type Error struct {
	Name    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrorName is the name that a script sees.
func (e *Error) ErrorName() string { return e.Name }

// Load reads a set from a file, as [Parse] does.
func Load(path string) (*Set, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return set, nil
}

// Parse reads a set from a JSON object of tools by name. A tool has a result (null
// where it has none of these), or results that it gives one after another, after
// which it fails, or an error; and a delayMs, a schema and a description, as it may.
// Any other field is an error.
func Parse(data []byte) (*Set, error) {
	document, err := engine.ParseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("mock tools: %w", err)
	}
	members, ok := document.Members()
	if !ok {
		return nil, fmt.Errorf("mock tools: want an object of tools by name, got %s", document.Kind())
	}
	set := &Set{tools: make(map[string]*tool, len(members))}
	for _, m := range members {
		if set.tools[m.Key], err = parseTool(m.Value); err != nil {
			return nil, fmt.Errorf("mock tool %s: %w", m.Key, err)
		}
	}
	return set, nil
}

var (
	toolFields  = []string{"delayMs", "description", "error", "result", "results", "schema"}
	errorFields = []string{"message", "name"}
)

func parseTool(v core.Value) (*tool, error) {
	fields, ok := v.Members()
	if !ok {
		return nil, fmt.Errorf("want an object, got %s", v.Kind())
	}
	t := &tool{}
	var answers []string
	for _, f := range fields {
		switch f.Key {
		case "result":
			answers = append(answers, f.Key)
			t.result = f.Value
		case "results":
			answers = append(answers, f.Key)
			if t.results, t.inTurn = f.Value.Items(); !t.inTurn {
				return nil, fmt.Errorf("results must be an array, got %s", f.Value.Kind())
			}
		case "error":
			answers = append(answers, f.Key)
			var err error
			if t.err, err = parseError(f.Value); err != nil {
				return nil, err
			}
		case "delayMs":
			ms, ok := f.Value.AsInt()
			if !ok || ms < 0 || ms > time.Hour.Milliseconds() {
				return nil, fmt.Errorf("delayMs must be an integer from 0 to %d, got %s", time.Hour.Milliseconds(), f.Value)
			}
			t.delay = time.Duration(ms) * time.Millisecond
		case "schema":
			if f.Value.Kind() != engine.KindObject && f.Value.Kind() != engine.KindBool {
				return nil, fmt.Errorf("schema must be an object, got %s", f.Value.Kind())
			}
			t.schema = f.Value.AppendJSON(nil)
		case "description":
			if t.description, ok = f.Value.AsString(); !ok {
				return nil, fmt.Errorf("description must be a string, got %s", f.Value.Kind())
			}
		default:
			return nil, unknownField(f.Key, toolFields)
		}
	}
	if len(answers) > 1 {
		return nil, fmt.Errorf("%s exclude each other", strings.Join(answers, " and "))
	}
	return t, nil
}

func parseError(v core.Value) (*Error, error) {
	fields, ok := v.Members()
	if !ok {
		return nil, fmt.Errorf("error must be an object, got %s", v.Kind())
	}
	e := &Error{Name: "Error"}
	for _, f := range fields {
		text, isText := f.Value.AsString()
		switch {
		case !slices.Contains(errorFields, f.Key):
			return nil, fmt.Errorf("error: %w", unknownField(f.Key, errorFields))
		case !isText:
			return nil, fmt.Errorf("error: %s must be a string, got %s", f.Key, f.Value.Kind())
		case f.Key == "name":
			e.Name = text
		default:
			e.Message = text
		}
	}
	return e, nil
}

func unknownField(name string, known []string) error {
	if near, ok := hostapi.Nearest(name, known); ok {
		return fmt.Errorf("unknown field %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("unknown field %q; there are %s", name, strings.Join(known, ", "))
}

// Names returns the names of the tools, sorted.
func (s *Set) Names() []string { return slices.Sorted(maps.Keys(s.tools)) }

// Schema returns the JSON Schema of a tool's parameters, or nil.
func (s *Set) Schema(name string) json.RawMessage {
	if t := s.tools[name]; t != nil {
		return t.schema
	}
	return nil
}

// Description returns what is said of a tool, or "".
func (s *Set) Description(name string) string {
	if t := s.tools[name]; t != nil {
		return t.description
	}
	return ""
}

// Call gives a tool's answer after its delay. When ctx ends before, the error is
// that of ctx.
func (s *Set) Call(ctx context.Context, name string, _ core.Value) (core.Value, error) {
	t := s.tools[name]
	if t == nil {
		return core.Value{}, fmt.Errorf("there is no mock tool %s", name)
	}
	if t.delay > 0 {
		timer := time.NewTimer(t.delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return core.Value{}, ctx.Err()
		}
	}
	switch {
	case t.err != nil:
		return core.Value{}, t.err
	case t.inTurn:
		return t.next(name)
	}
	return t.result, nil
}

// next gives the results one after another.
func (t *tool) next(name string) (core.Value, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used == len(t.results) {
		return core.Value{}, fmt.Errorf("mock tool %s: all %d results were given", name, t.used)
	}
	t.used++
	return t.results[t.used-1], nil
}
