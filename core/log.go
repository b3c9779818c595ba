package core

import (
	"context"
	"log/slog"
	"sync"
	"unicode/utf8"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A LogEntry is one line that a script wrote.
type LogEntry struct {
	// Level is "debug", "info", "warn" or "error".
	Level string `json:"level"`
	// Message is the text.
	Message string `json:"message"`
	// Fields is an object, or null where the script gave none.
	Fields Value `json:"fields,omitzero"`
}

// SlogLevel is the level of the entry for package log/slog.
func (e LogEntry) SlogLevel() slog.Level {
	switch e.Level {
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelInfo
}

// logBuffer keeps a run's entries up to a number of characters. It is safe for
// concurrent use, and takes nothing more once it is closed.
type logBuffer struct {
	mu        sync.Mutex
	entries   []LogEntry
	left      int64
	truncated bool
	closed    bool
}

// add keeps an entry and says whether it did. The first one that does not fit is
// replaced by a notice, all later ones are dropped.
func (b *logBuffer) add(e LogEntry) bool {
	size := int64(utf8.RuneCountInString(e.Message))
	if !e.Fields.IsNull() {
		size += int64(utf8.RuneCountInString(e.Fields.Text()))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.truncated {
		return false
	}
	if size > b.left {
		b.truncated = true
		b.entries = append(b.entries, LogEntry{Level: "warn", Message: "log limit reached; what follows is dropped"})
		return false
	}
	b.left -= size
	b.entries = append(b.entries, e)
	return true
}

// close ends the buffer and returns what it holds.
func (b *logBuffer) close() (entries []LogEntry, truncated bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.entries, b.truncated
}

// consoleShape is the console object. Its functions take any arguments, as text.
var consoleShape = mustShape("console",
	consoleFunc("log", "info"),
	consoleFunc("info", "info"),
	consoleFunc("debug", "debug"),
	consoleFunc("warn", "warn"),
	consoleFunc("error", "error"),
)

func consoleFunc(name, level string) engine.Field {
	return engine.Field{Name: name, Func: &engine.Func{
		Text: true,
		Call: func(ctx context.Context, _ any, args []Value) (Value, error) {
			RunFrom(ctx).Log(level, joinTexts(args), Value{})
			return Value{}, nil
		},
	}}
}

func joinTexts(args []Value) string {
	if len(args) == 1 {
		return args[0].Text()
	}
	var line []byte
	for i, arg := range args {
		if i > 0 {
			line = append(line, ' ')
		}
		line = append(line, arg.Text()...)
	}
	return string(line)
}

func mustShape(name string, fields ...engine.Field) *engine.Shape {
	shape, err := engine.NewShape(name, fields...)
	if err != nil {
		panic(err)
	}
	return shape
}
