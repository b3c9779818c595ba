package main

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/internal/mocktools"
)

// prepared is a script with everything that its run needs.
type prepared struct {
	core   *core.Executor
	source string
	name   string
	limits core.Limits
	input  *core.Value // nil where there is none
	args   core.Value
	time   *time.Time
	seed   *uint64

	surface string
	tools   *mocktools.Set
	allowed []string // never nil
	calls   mocktools.Recorder
}

// prepare reads all that the flags name. What is wrong with them is a bad request.
// The caller closes the executor.
func (f *scriptFlags) prepare(ctx context.Context, std streams) (*prepared, error) {
	if err := f.File.checkLanguage(f.Lang); err != nil {
		return nil, err
	}
	p := &prepared{
		limits:  f.askedLimits(),
		surface: f.Surface,
		tools:   &mocktools.Set{},
		time:    (*time.Time)(f.Time),
		seed:    (*uint64)(f.Seed),
	}
	settings, err := f.settings()
	if err != nil {
		return nil, err
	}
	if f.Mock != nil {
		if p.tools, err = mocktools.Load(*f.Mock); err != nil {
			return nil, badf("--mock: %v", err)
		}
	}
	p.allowed = f.allowed(p.tools.Names())
	if f.Args != nil {
		if p.args, err = jsonFlag("--args", *f.Args); err != nil {
			return nil, err
		}
	}
	if f.Input != nil {
		input, err := jsonFlag("--input", *f.Input)
		if err != nil {
			return nil, err
		}
		p.input = &input
	}
	eng, err := openEngine(f.engineName(), f.isolation())
	if err != nil {
		return nil, err
	}
	if p.source, p.name, err = f.File.read(ctx, std.in); err != nil {
		eng.Close()
		return nil, err
	}
	p.core, err = core.New(eng, &core.Options{Settings: settings})
	return p, err
}

// engineName and isolation hold for a bad command line too, whose flags have no
// defaults.
func (f *scriptFlags) engineName() string {
	if f.Engine == "" {
		return backends[0].name
	}
	return f.Engine
}

func (f *scriptFlags) isolation() string {
	if f.Isolation == "" {
		return "none"
	}
	return f.Isolation
}

// askedLimits are what the flags ask for; zero where they say nothing.
func (f *scriptFlags) askedLimits() core.Limits {
	return core.Limits{
		Timeout:     time.Duration(f.Timeout),
		Statements:  int64(f.Statements),
		Memory:      int64(f.Memory),
		ResultNodes: int64(f.MaxResultNodes),
	}
}

func (f *scriptFlags) settings() (*core.Settings, error) {
	if f.Settings == nil {
		return core.DefaultSettings(), nil
	}
	settings, err := core.LoadSettings(*f.Settings)
	if err != nil {
		return nil, badf("--settings: %v", err)
	}
	return settings, nil
}

// defaultLimits are the limits of a run that asks for none. They stand in reports of
// what never got as far as to have limits of its own.
func (f *scriptFlags) defaultLimits() core.Limits {
	s, err := f.settings()
	if err != nil {
		s = core.DefaultSettings()
	}
	return core.Limits{
		Timeout:     s.Timeout.Default,
		Statements:  s.Statements.Default,
		Memory:      s.Memory.Default,
		ResultNodes: s.ResultNodes.Default,
		ResultDepth: int(s.ResultDepth.Default),
	}
}

// allowList is what --allow-tools names, or nil without the flag.
func (f *scriptFlags) allowList() []string {
	if f.AllowTools == nil {
		return nil
	}
	return strings.FieldsFunc(*f.AllowTools, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
}

// allowed are the tools that may be called: of those that there are, the ones that
// --allow-tools names.
func (f *scriptFlags) allowed(offered []string) []string {
	allowed := []string{} // not nil, which would mean all
	list := f.allowList()
	for _, name := range offered {
		if f.AllowTools == nil || slices.Contains(list, name) {
			allowed = append(allowed, name)
		}
	}
	return allowed
}
