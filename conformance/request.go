package conformance

import (
	"context"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/header"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

// A request is what a case asks of the executor.
type request struct {
	// Source is the script where a file could not hold it: bytes that are no text,
	// a text that is too long, line ends that must stay as they are.
	Source *text `yaml:"source"`
	// Name is the source name, Language the language.
	Name     string `yaml:"name"`
	Language string `yaml:"language"`
	// Globals are data given to the script. Args is the global args, and
	// vance.params where there is a surface.
	Globals map[string]value `yaml:"globals"`
	Args    *value           `yaml:"args"`
	// Limits are the caller's wishes, by the names of settings keys.
	Limits map[string]string `yaml:"limits"`
	// AllowedTools and DeniedTools are those of core.Request. An empty list allows
	// no tool, an absent one all.
	AllowedTools *[]string `yaml:"allowedTools"`
	DeniedTools  []string  `yaml:"deniedTools"`
	// Surface is "vance" for the server surface. Tools are its tools, written as for
	// the --mock flag of the command line; they imply the surface.
	Surface string           `yaml:"surface"`
	Tools   map[string]value `yaml:"tools"`
	// Probe gives the script the host object probe.
	Probe bool `yaml:"probe"`
	// Time and Seed fix the clock and the random numbers.
	Time *time.Time `yaml:"time"`
	Seed *uint64    `yaml:"seed"`
	// Deadline is that of the caller's context.
	Deadline duration `yaml:"deadline"`

	// Settings change the service's settings, by their keys without the prefix
	// vance.script. They start from those of the suite, whose minimums are 1 (of a
	// timeout, 1ms), or from the product's defaults where Defaults is set. Stored
	// are the settings of a tenant, by their whole keys.
	Settings map[string]string `yaml:"settings"`
	Defaults bool              `yaml:"defaults"`
	Stored   map[string]string `yaml:"stored"`
}

// A duration is written as Go writes one: 500ms.
type duration time.Duration

// UnmarshalYAML reads a duration from its node.
func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	parsed, err := time.ParseDuration(n.Value)
	*d = duration(parsed)
	return err
}

// A service is what the runs of one case have in common.
type service struct {
	settings map[string]string
	defaults bool
	stored   map[string]string
}

func (r *request) service() service {
	return service{settings: r.Settings, defaults: r.Defaults, stored: r.Stored}
}

func (s service) given() bool { return s.settings != nil || s.defaults || s.stored != nil }

// options are those of the executor that the service is.
func (s service) options() (*core.Options, error) {
	settings := suiteSettings()
	if s.defaults {
		settings = core.DefaultSettings()
	}
	for key, text := range s.settings {
		if err := setSetting(settings, key, text); err != nil {
			return nil, err
		}
	}
	opts := &core.Options{Settings: settings}
	if s.stored != nil {
		opts.Overrides = storedSettings(s.stored)
	}
	return opts, settings.Validate()
}

// suiteSettings are the product's defaults with the least minimums.
func suiteSettings() *core.Settings {
	s := core.DefaultSettings()
	s.Timeout.Min = time.Millisecond
	for _, b := range []*core.Bounds{
		&s.Statements, &s.Memory, &s.ResultNodes, &s.ResultDepth, &s.ResultBytes,
		&s.Source, &s.HostCalls, &s.HostBytes, &s.LogChars,
	} {
		b.Min = 1
	}
	return s
}

type storedSettings map[string]string

func (s storedSettings) Setting(_ context.Context, _ []string, key string) (string, bool, error) {
	text, ok := s[key]
	return text, ok, nil
}

// setSetting sets one number of the settings: KEY.default, KEY.min or KEY.max.
func setSetting(s *core.Settings, key, text string) error {
	if key == "capabilities.enforceRequires" {
		s.EnforceRequires = text == "true"
		return nil
	}
	bounds := map[string]*core.Bounds{
		"statements":      &s.Statements,
		"memory":          &s.Memory,
		"result":          &s.ResultNodes,
		"result.maxDepth": &s.ResultDepth,
		"result.maxBytes": &s.ResultBytes,
		"source":          &s.Source,
		"hostCalls":       &s.HostCalls,
		"hostBytes":       &s.HostBytes,
		"logChars":        &s.LogChars,
	}
	for name, b := range bounds {
		for part, n := range map[string]*int64{"default": &b.Default, "min": &b.Min, "max": &b.Max} {
			if key == name+"."+part {
				var err error
				*n, err = header.ParseBytes(text)
				return err
			}
		}
	}
	for part, d := range map[string]*time.Duration{"default": &s.Timeout.Default, "min": &s.Timeout.Min, "max": &s.Timeout.Max} {
		if key == "timeout."+part {
			var err error
			*d, err = time.ParseDuration(text)
			return err
		}
	}
	return fmt.Errorf("there is no setting %q", key)
}

// readLimits reads limits by the names of their settings.
func readLimits(texts map[string]string) (core.Limits, error) {
	var l core.Limits
	var depth int64
	numbers := map[string]*int64{
		"statements":      &l.Statements,
		"memory":          &l.Memory,
		"result":          &l.ResultNodes,
		"result.maxDepth": &depth,
		"result.maxBytes": &l.ResultBytes,
		"source":          &l.Source,
		"hostCalls":       &l.HostCalls,
		"hostBytes":       &l.HostBytes,
		"logChars":        &l.LogChars,
	}
	for name, text := range texts {
		var err error
		if name == "timeout" {
			l.Timeout, err = time.ParseDuration(text)
		} else if n := numbers[name]; n != nil {
			*n, err = header.ParseBytes(text)
		} else {
			err = fmt.Errorf("there is no limit %q", name)
		}
		if err != nil {
			return l, err
		}
	}
	l.ResultDepth = int(depth)
	return l, nil
}

// run runs the script with what the request asks for.
func (r *request) run(ctx context.Context, ex *core.Executor, source string, p *probe) (outcome, error) {
	limits, err := readLimits(r.Limits)
	if err != nil {
		return outcome{}, err
	}
	globals := map[string]any{}
	for name, v := range r.Globals {
		globals[name] = v.Value
	}
	var host []core.HostObject
	if r.Probe {
		host = append(host, p.object())
	}
	var allowed []string
	if r.AllowedTools != nil {
		allowed = append([]string{}, *r.AllowedTools...)
	}
	if r.Surface == "" && r.Tools == nil {
		if r.Args != nil {
			globals["args"] = r.Args.Value
		}
		var o outcome
		o.result, o.err = ex.Run(ctx, core.Request{
			Source: source, Name: r.Name, Language: r.Language, Limits: limits,
			Globals: globals, Host: host, Time: r.Time, Seed: r.Seed,
			AllowedTools: allowed, DeniedTools: r.DeniedTools,
		})
		return o, nil
	}
	tools, err := newToolbox(r.Tools)
	if err != nil {
		return outcome{}, err
	}
	req := server.Request{
		Source: source, Name: r.Name, Language: r.Language, Limits: limits,
		Scope:   suiteScope,
		Globals: globals, Host: host, Time: r.Time, Seed: r.Seed,
		AllowedTools: allowed, DeniedTools: r.DeniedTools,
	}
	if r.Args != nil {
		req.Args = r.Args.Value
	}
	return tools.run(ctx, ex, req)
}
