package server

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

// The tools behind vance.files and vance.process.
const (
	toolFileRead      = "file_read"
	toolFileWrite     = "file_write"
	toolFileList      = "file_list"
	toolProcessCreate = "process_create"
)

// surface is vance. Its self is a *run.
var surface = hostapi.MustNew("vance", hostapi.Object{
	"tools": hostapi.Object{
		"call": hostapi.Method((*run).callTool, "name", "params?"),
		"list": hostapi.Method((*run).allowed),
		"has":  hostapi.Method((*run).allows, "name"),
	},
	"files": hostapi.Object{
		"isEnabled": hostapi.Method((*run).filesEnabled),
		"read":      hostapi.Method((*run).readFile, "path"),
		"readRaw":   hostapi.Method((*run).readFileRaw, "path"),
		"write":     hostapi.Method((*run).writeFile, "path", "text"),
		"list":      hostapi.Method((*run).listFiles, "path?"),
	},
	"process": hostapi.Object{
		"spawn": hostapi.Method((*run).spawn, "params?"),
	},
	"context": hostapi.Object{
		"tenantId":  hostapi.ConstFrom(func(r *run) string { return r.scope.Tenant }),
		"projectId": hostapi.ConstFrom(func(r *run) string { return r.scope.Project }),
		"processId": hostapi.ConstFrom(func(r *run) string { return r.scope.Process }),
		"sessionId": hostapi.ConstFrom(func(r *run) core.Value {
			if r.scope.Session == "" {
				return engine.Null()
			}
			return engine.String(r.scope.Session)
		}),
	},
	"log": logFunc("vance.log", "info").With(hostapi.Object{
		"debug": logFunc("vance.log.debug", "debug"),
		"info":  logFunc("vance.log.info", "info"),
		"warn":  logFunc("vance.log.warn", "warn"),
		"error": logFunc("vance.log.error", "error"),
	}),
	"params": hostapi.ConstFrom(func(r *run) core.Value { return r.params }),
})

// A run is what vance knows of one run.
type run struct {
	executor *Executor
	scope    Scope
	params   core.Value
	// offered are the dispatcher's tools, names their names, sorted.
	offered map[string]Tool
	names   []string
}

// allows says whether the script may call the tool, which the dispatcher offers.
func (r *run) allows(ctx context.Context, name string) bool {
	_, offered := r.offered[name]
	return offered && core.RunFrom(ctx).Allows(name)
}

func (r *run) allowed(ctx context.Context) []string {
	current := core.RunFrom(ctx)
	names := make([]string, 0, len(r.names))
	for _, name := range r.names {
		if current.Allows(name) {
			names = append(names, name)
		}
	}
	return names
}

func (r *run) spawn(ctx context.Context, params core.Value) (core.Value, error) {
	return r.call(ctx, "vance.process.spawn", toolProcessCreate, params)
}

func (r *run) filesEnabled(ctx context.Context) bool { return r.allows(ctx, toolFileRead) }

// file calls one of the file tools, if files are enabled.
func (r *run) file(ctx context.Context, path, tool string, params ...core.Member) (core.Value, error) {
	if !r.filesEnabled(ctx) {
		return core.Value{}, &hostError{message: path + ": " + ErrFilesDisabled.Error(), err: ErrFilesDisabled}
	}
	return r.call(ctx, path, tool, engine.Object(params...))
}

// readFile returns the text of a file, or null where there is no such file.
func (r *run) readFile(ctx context.Context, path string) (core.Value, error) {
	answer, err := r.file(ctx, "vance.files.read", toolFileRead, core.Member{Key: "path", Value: engine.String(path)})
	if errors.Is(err, fs.ErrNotExist) {
		return core.Value{}, nil
	}
	if err != nil {
		return core.Value{}, err
	}
	switch answer.Kind() {
	case engine.KindNull, engine.KindString:
		return answer, nil
	case engine.KindObject:
		content, _ := answer.Get("content")
		if content.IsNull() || content.Kind() == engine.KindString {
			return content, nil
		}
		return core.Value{}, &hostError{message: "vance.files.read: the content is no text but of kind " + content.Kind().String() + "; use readRaw"}
	}
	return core.Value{}, &hostError{message: "vance.files.read: " + toolFileRead + " gave no text but a value of kind " + answer.Kind().String() + "; use readRaw"}
}

func (r *run) readFileRaw(ctx context.Context, path string) (core.Value, error) {
	return r.file(ctx, "vance.files.readRaw", toolFileRead, core.Member{Key: "path", Value: engine.String(path)})
}

func (r *run) writeFile(ctx context.Context, path, text string) (core.Value, error) {
	return r.file(ctx, "vance.files.write", toolFileWrite,
		core.Member{Key: "path", Value: engine.String(path)},
		core.Member{Key: "content", Value: engine.String(text)})
}

func (r *run) listFiles(ctx context.Context, path *string) (core.Value, error) {
	if path == nil {
		return r.file(ctx, "vance.files.list", toolFileList)
	}
	return r.file(ctx, "vance.files.list", toolFileList, core.Member{Key: "path", Value: engine.String(*path)})
}

// logFunc is a function that writes to the run's log and to the service's logger.
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
			r.logToService(ctx, current.Name(), entry)
		}
		return nil
	}, "message", "fields?")
}

func (r *run) logToService(ctx context.Context, script string, entry core.LogEntry) {
	logger := r.executor.opts.Logger
	if !logger.Enabled(ctx, entry.SlogLevel()) {
		return
	}
	attrs := []slog.Attr{
		slog.String("tenant", r.scope.Tenant),
		slog.String("project", r.scope.Project),
		slog.String("process", r.scope.Process),
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
	logger.LogAttrs(ctx, entry.SlogLevel(), entry.Message, attrs...)
}

func typeError(path, text string) error {
	return &engine.GuestError{Name: "TypeError", Message: path + ": " + text}
}
