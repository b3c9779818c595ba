package client

import (
	"context"
	"log/slog"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

// surface is client. Its self is a *run.
var surface = hostapi.MustNew("client", hostapi.Object{
	"tools": hostapi.Object{
		"call": hostapi.Method(callTool, "name", "params?"),
	},
	"context": hostapi.Object{
		"footId":    hostapi.ConstFrom(func(r *run) string { return r.scope.FootID }),
		"requestId": hostapi.ConstFrom(func(r *run) string { return r.scope.RequestID }),
		"sessionId": hostapi.ConstFrom(func(r *run) core.Value {
			if r.scope.Session == "" {
				return engine.Null()
			}
			return engine.String(r.scope.Session)
		}),
	},
	"log": logFunc("client.log", "info").With(hostapi.Object{
		"debug": logFunc("client.log.debug", "debug"),
		"info":  logFunc("client.log.info", "info"),
		"warn":  logFunc("client.log.warn", "warn"),
		"error": logFunc("client.log.error", "error"),
	}),
})

// A run is what client knows of one run.
type run struct {
	executor *Executor
	scope    Scope
	// offered are the dispatcher's tools, names their names, sorted.
	offered map[string]bool
	names   []string
}

// maxShown is how many characters of a tool's name are repeated.
const maxShown = 200

// callTool is the one way to a tool.
func callTool(ctx context.Context, r *run, name string, params core.Value) (core.Value, error) {
	if params.IsNull() {
		params = engine.Object()
	}
	var done func(core.Value, error)
	if hook := r.executor.opts.OnToolCall; hook != nil {
		done = hook(ctx, ToolCall{Scope: r.scope, Name: name, Params: params})
	}
	result, err := r.dispatch(ctx, name, params)
	if done != nil {
		done(result, err)
	}
	return result, err
}

func (r *run) dispatch(ctx context.Context, name string, params core.Value) (core.Value, error) {
	if params.Kind() != engine.KindObject {
		return core.Value{}, typeError("client.tools.call", "params must be an object, got "+params.Kind().String())
	}
	if !r.offered[name] {
		return core.Value{}, r.unknownTool(ctx, name)
	}
	if !core.RunFrom(ctx).Allows(name) {
		return core.Value{}, &ToolError{Tool: name, Message: "not allowed: " + name, Err: ErrNotAllowed}
	}
	return r.executor.tools.Call(ctx, r.scope, name, params)
}

func (r *run) unknownTool(ctx context.Context, name string) error {
	var allowed []string
	for _, known := range r.names {
		if core.RunFrom(ctx).Allows(known) {
			allowed = append(allowed, known)
		}
	}
	message := "unknown tool: " + engine.CutText(name, maxShown)
	if near, ok := hostapi.Nearest(name, allowed); ok {
		message += "; did you mean " + near + "?"
	}
	return &ToolError{Tool: name, Message: message, Err: ErrUnknownTool}
}

// logFunc is a function that writes to the run's log and to the program's logger.
// The message may be any value, as it is with console.
func logFunc(path, level string) *hostapi.Function {
	return hostapi.Method(func(ctx context.Context, r *run, message, fields core.Value) error {
		if !fields.IsNull() && fields.Kind() != engine.KindObject {
			return typeError(path, "fields must be an object, got "+fields.Kind().String())
		}
		current := core.RunFrom(ctx)
		entry := core.LogEntry{
			Level:   level,
			Message: engine.CutText(message.Text(), int(current.Limits().LogChars)),
			Fields:  fields,
		}
		if current.Log(entry.Level, entry.Message, entry.Fields) {
			r.logToProgram(ctx, current.Name(), entry)
		}
		return nil
	}, "message", "fields?")
}

func (r *run) logToProgram(ctx context.Context, script string, entry core.LogEntry) {
	attrs := []slog.Attr{
		slog.String("foot", r.scope.FootID),
		slog.String("request", r.scope.RequestID),
		slog.String("script", script),
	}
	if r.scope.Session != "" {
		attrs = append(attrs, slog.String("session", r.scope.Session))
	}
	if members, _ := entry.Fields.Members(); len(members) > 0 {
		group := make([]slog.Attr, len(members))
		for i, m := range members {
			group[i] = slog.Any(m.Key, m.Value.Any())
		}
		attrs = append(attrs, slog.GroupAttrs("fields", group...))
	}
	r.executor.opts.Logger.LogAttrs(ctx, entry.SlogLevel(), entry.Message, attrs...)
}

func typeError(path, text string) error {
	return &engine.GuestError{Name: "TypeError", Message: path + ": " + text}
}
