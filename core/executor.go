package core

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/header"
)

// defaultName is the source name of a script that has none.
const defaultName = "<run>"

// maxRunDepth is how many runs may be nested, the outermost one included.
const maxRunDepth = 8

// Options are what an [Executor] may be made with. A nil *Options means the zero
// Options. They are copied when the executor is made.
type Options struct {
	// Settings are the service's; nil means [DefaultSettings].
	Settings *Settings
	// Overrides, when not nil, is asked at each run for the settings of the
	// request's scope.
	Overrides SettingsSource
	// Logger receives warnings of runs and what the service should know of them.
	// Nil means discard.
	Logger *slog.Logger
	// OnRun, when not nil, is called at the end of each run, on the goroutine
	// that called Run, before Run returns: for metrics.
	OnRun func(RunInfo)
}

// RunInfo tells an OnRun hook how a run went.
type RunInfo struct {
	// Name, Key and Scope are the request's.
	Name  string
	Key   string
	Scope []string
	// Result is what Run is about to return. The hook must not change it.
	Result *Result
	// Err is nil, or the error that Run is about to return.
	Err *Error
}

// An Executor runs scripts on one engine by one set of rules. Make it with [New].
// Its methods may be called from any goroutine.
type Executor struct {
	engine engine.Engine
	opts   Options
	logger *slog.Logger

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
}

// New returns an executor on the engine. The executor owns the engine from then
// on: Close closes it.
func New(eng engine.Engine, opts *Options) (*Executor, error) {
	if eng == nil {
		return nil, errors.New("core: no engine given")
	}
	ex := &Executor{engine: eng}
	if opts != nil {
		ex.opts = *opts
	}
	if ex.opts.Settings == nil {
		ex.opts.Settings = DefaultSettings()
	}
	settings := *ex.opts.Settings
	ex.opts.Settings = &settings
	if err := settings.Validate(); err != nil {
		return nil, fmt.Errorf("core: settings: %w", err)
	}
	ex.logger = ex.opts.Logger
	if ex.logger == nil {
		ex.logger = slog.New(slog.DiscardHandler)
	}
	return ex, nil
}

// ErrClosed is returned for runs that are asked of a closed executor.
var ErrClosed = errors.New("core: the executor is closed")

// Close waits for the runs under way, cancel them by their contexts, and closes
// the engine. Later runs fail with [ErrClosed].
func (ex *Executor) Close() error {
	ex.mu.Lock()
	if ex.closed {
		ex.mu.Unlock()
		return nil
	}
	ex.closed = true
	ex.mu.Unlock()
	ex.running.Wait()
	return ex.engine.Close()
}

// enter counts a run in, unless the executor is closed.
func (ex *Executor) enter() error {
	ex.mu.Lock()
	defer ex.mu.Unlock()
	if ex.closed {
		return ErrClosed
	}
	ex.running.Add(1)
	return nil
}

// Stats counts what an executor holds at one moment.
type Stats struct {
	engine.Stats
	// Waiting is the number of runs that wait for their turn.
	Waiting int
}

// Stats reports what the executor holds right now.
func (ex *Executor) Stats() Stats { return Stats{Stats: ex.engine.Stats()} }

// EngineInfo describes the engine.
func (ex *Executor) EngineInfo() engine.Info { return ex.engine.Info() }

// Run runs a script and waits for its end, at most until its timeout, or until
// ctx ends, plus a short grace. ctx and its values reach the host functions.
//
// The error is nil, a [*RequestError], [ErrClosed], or an [*Error]. With an
// *Error the result is there too, and says what is known of the failed run.
//
// A Run called from within a host function, with that function's context, is
// nested: it ends by the outer run's deadline and may be nested 8 deep.
func (ex *Executor) Run(ctx context.Context, req Request) (*Result, error) {
	if err := ex.enter(); err != nil {
		return nil, err
	}
	defer ex.running.Done()
	start := time.Now()
	p, err := ex.plan(ctx, req, start)
	if err != nil {
		return nil, err
	}
	if p.err == nil {
		p.err = ctxError(ctx, "queued")
	}
	if p.err == nil {
		out := ex.engine.Run(context.WithValue(ctx, runKey{}, p.run), p.job)
		p.take(out)
	}
	return ex.finish(p, req, start)
}

// RunFile reads a script from a file, with the rights of the service, and runs
// it. The source name is the path. Whether the file may be read is the caller's
// to decide: nothing is checked. A file that cannot be read is a [*RequestError].
func (ex *Executor) RunFile(ctx context.Context, path string, req Request) (*Result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &RequestError{Field: "Source", Reason: err.Error()}
	}
	req.Source = string(text)
	req.Name = path
	return ex.Run(ctx, req)
}

// Precompile does all that Run does before the first statement: it reads the
// header, works out the limits, checks the tools, parses and compiles. The
// program is kept, so that the next run of the same source, name and key starts
// at once. The result has limits, header and warnings; errors are those of Run.
func (ex *Executor) Precompile(ctx context.Context, req Request) (*Result, error) {
	if err := ex.enter(); err != nil {
		return nil, err
	}
	defer ex.running.Done()
	start := time.Now()
	p, err := ex.plan(ctx, req, start)
	if err != nil {
		return nil, err
	}
	if p.err == nil {
		p.err = ctxError(ctx, "queued")
	}
	if p.err == nil {
		p.err = ex.engine.Prepare(ctx, p.job)
	}
	p.result.Duration = time.Since(start)
	if p.err != nil {
		return p.result, p.err
	}
	return p.result, nil
}

// planned is a request on its way: each step of Run adds to it.
type planned struct {
	run    *Run
	job    *engine.Job
	result *Result
	err    *Error
}

// plan turns a request into a job. The error is a *RequestError; how a run failed
// before it began is in planned.err.
func (ex *Executor) plan(ctx context.Context, req Request, start time.Time) (*planned, error) {
	if req.Language != "" && req.Language != "js" {
		return nil, &RequestError{Field: "Language", Reason: fmt.Sprintf("%q is not supported; use js", req.Language)}
	}
	globals, err := convertGlobals(req)
	if err != nil {
		return nil, err
	}
	name := req.Name
	if name == "" {
		name = defaultName
	}
	p := &planned{result: &Result{Header: &header.Header{}}}
	settings, warnings := ex.settingsFor(ctx, req.Scope)
	p.result.Warnings = warnings

	hdr, headerWarnings, err := header.Parse(req.Source, name)
	for _, w := range headerWarnings {
		p.result.Warnings = append(p.result.Warnings, Warning{Code: w.Code, Message: w.Message})
	}
	if err != nil {
		p.err = headerError(err, name, req.Source)
		hdr = &header.Header{}
	}
	p.result.Header = hdr
	limits, clamped := settings.effective(hdr, req.Limits)
	p.result.Limits = limits
	p.result.Warnings = append(p.result.Warnings, clamped...)

	p.run = &Run{
		name:   name,
		limits: limits,
		allow:  newToolSet(req.AllowedTools, hdr.AllowTools, req.DeniedTools),
		logger: ex.logger,
	}
	p.run.logs.left = limits.LogChars
	p.run.deadline = start.Add(limits.Timeout)
	if outer := RunFrom(ctx); outer != nil {
		p.run.depth = outer.depth + 1
		if outer.deadline.Before(p.run.deadline) {
			p.run.deadline = outer.deadline
		}
	}
	if p.err == nil && p.run.depth >= maxRunDepth {
		p.err = &Error{
			Class: ErrResourceExhausted, Limit: engine.LimitRunDepth, Max: maxRunDepth, File: name,
			Message: fmt.Sprintf("runs are nested deeper than %d", maxRunDepth),
		}
	}
	if p.err == nil && settings.EnforceRequires {
		p.err = missingCapability(p.run.allow.missing(hdr.RequiresTools), name)
	}
	p.job = &engine.Job{
		Name:      name,
		Source:    req.Source,
		Limits:    limits,
		Deadline:  p.run.deadline,
		Key:       req.Key,
		Host:      append([]HostObject{{Shape: consoleShape}}, req.Host...),
		Globals:   globals,
		Time:      req.Time,
		Seed:      req.Seed,
		Unmetered: req.Unmetered,
		Logger:    ex.logger,
	}
	return p, nil
}

// take notes how the engine's part of the run went.
func (p *planned) take(out *engine.Outcome) {
	p.err = out.Err
	p.result.Value = out.Value
	p.result.Statements = out.Statements
	p.result.Memory = out.Memory
	p.result.Abandoned = out.Abandoned
	p.result.Warnings = append(p.result.Warnings, out.Warnings...)
}

// finish closes the run's log, tells the service's logger and hook, and returns.
func (ex *Executor) finish(p *planned, req Request, start time.Time) (*Result, error) {
	var truncated bool
	p.result.Logs, truncated = p.run.logs.close()
	if truncated {
		p.result.Warnings = append(p.result.Warnings, Warning{
			Code:    engine.WarnLogTruncated,
			Message: fmt.Sprintf("the log passed its limit of %d characters; what came after is missing", p.run.limits.LogChars),
		})
	}
	for _, w := range p.result.Warnings {
		ex.logger.Warn("script warning", "script", p.run.name, "code", w.Code, "message", w.Message)
	}
	p.result.Duration = time.Since(start)
	if ex.opts.OnRun != nil {
		ex.opts.OnRun(RunInfo{Name: p.run.name, Key: req.Key, Scope: req.Scope, Result: p.result, Err: p.err})
	}
	if p.err != nil {
		return p.result, p.err
	}
	return p.result, nil
}
