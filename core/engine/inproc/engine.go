package inproc

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Options tune an in-process engine. A nil *Options and zero fields mean the
// defaults.
type Options struct {
	// Programs is how many programs are kept ready; 256 by default.
	Programs int
	// ProgramBytes is how much source text these may have together; 16 MiB by
	// default.
	ProgramBytes int64
	// Grace is how long a run whose time is over, or whose caller has gone, may take
	// to stop before it is abandoned; 50 ms by default.
	Grace time.Duration
	// CloseWait is the same for a run that passed another limit, and for the host
	// functions that a good run left under way; 1 s by default. It never goes beyond
	// the run's deadline and Grace.
	CloseWait time.Duration
}

func (o *Options) withDefaults() Options {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Programs <= 0 {
		opts.Programs = 256
	}
	if opts.ProgramBytes <= 0 {
		opts.ProgramBytes = 16 << 20
	}
	if opts.Grace <= 0 {
		opts.Grace = 50 * time.Millisecond
	}
	if opts.CloseWait <= 0 {
		opts.CloseWait = time.Second
	}
	return opts
}

// New returns an engine that runs scripts on the interpreter. The engine owns the
// interpreter from then on.
func New(interpreter engine.Interpreter, opts *Options) engine.Engine {
	o := opts.withDefaults()
	return &runner{
		interpreter: interpreter,
		dialect:     interpreter.Dialect(),
		opts:        o,
		programs:    newCache(o.Programs, o.ProgramBytes),
	}
}

type runner struct {
	interpreter engine.Interpreter
	dialect     engine.Dialect
	opts        Options
	programs    *cache

	running        atomic.Int64
	abandoned      atomic.Int64
	abandonedTotal atomic.Int64
	contexts       atomic.Int64
}

func (r *runner) Info() engine.Info {
	info := r.interpreter.Info()
	info.Isolation = "none"
	return info
}

func (r *runner) Stats() engine.Stats {
	return engine.Stats{
		Running:        int(r.running.Load()),
		Abandoned:      int(r.abandoned.Load()),
		AbandonedTotal: r.abandonedTotal.Load(),
		Contexts:       int(r.contexts.Load()),
		Programs:       r.programs.len(),
	}
}

func (r *runner) Close() error { return r.interpreter.Close() }

func (r *runner) Run(ctx context.Context, job *engine.Job) *engine.Outcome {
	return r.supervise(ctx, job, (*run).script)
}

func (r *runner) Prepare(ctx context.Context, job *engine.Job) *engine.Error {
	return r.supervise(ctx, job, (*run).prepare).Err
}

// supervise runs body on a goroutine of its own and returns its outcome, or what
// the caller gets in its place when the run is over before. It is the watchdog.
func (r *runner) supervise(ctx context.Context, job *engine.Job, body func(*run) *engine.Outcome) *engine.Outcome {
	r.running.Add(1)
	defer r.running.Add(-1)
	runCtx, cancel := context.WithDeadline(ctx, job.Deadline)
	defer cancel()
	if ctx.Err() != nil {
		return &engine.Outcome{Err: timeOrCancel(ctx, "queued").asError(job), Memory: -1}
	}
	run := newRun(r, ctx, runCtx, job)
	go run.guest(body)

	select {
	case out := <-run.done:
		wait := r.closeWait(run)
		cancel()
		if !run.calls.wait(wait) {
			r.abandon(run, out)
		}
		return out
	case <-runCtx.Done():
		run.checkTime()
		go run.interrupt() // an interpreter may be stuck; the caller must not be
	case <-run.stopped: // by a limit: there may be time left
	}

	grace := r.closeWait(run)
	cancel()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case out := <-run.done:
		if !run.calls.wait(r.opts.Grace) {
			r.abandon(run, out)
		}
		return out
	case <-timer.C:
		out := &engine.Outcome{Err: run.reason.Load().asError(job), Statements: -1, Memory: -1}
		r.abandon(run, out)
		return out
	}
}

// abandon gives up on what is left of a run: it is closed, counted, and watched
// until it ends.
func (r *runner) abandon(run *run, out *engine.Outcome) {
	run.calls.close()
	out.Abandoned = true
	r.abandoned.Add(1)
	r.abandonedTotal.Add(1)
	log := logger(run.job)
	log.Warn("run abandoned: it did not stop when told to", "script", run.job.Name, "phase", run.phase())
	go func() {
		<-run.ended
		run.calls.waitForever()
		r.abandoned.Add(-1)
		log.Info("abandoned run ended", "script", run.job.Name)
	}()
}

// closeWait is how long a run that is over may take to stop: Grace where its time
// is over, else up to CloseWait.
func (r *runner) closeWait(run *run) time.Duration {
	if run.ctx.Err() != nil {
		return r.opts.Grace
	}
	return min(r.opts.CloseWait, max(0, time.Until(run.job.Deadline))+r.opts.Grace)
}

func logger(job *engine.Job) *slog.Logger {
	if job.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return job.Logger
}
