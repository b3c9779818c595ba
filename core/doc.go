// Package core runs JavaScript that nobody has to trust.
//
// An [Executor] holds the rules: limits and how they are clamped, which tools a
// script may call, error classes, warnings, logs. It runs scripts on an
// [engine.Engine], which a backend provides:
//
//	js, err := goja.New(nil)
//	if err != nil { ... }
//	ex, err := core.New(js, nil)
//	if err != nil { ... }
//	defer ex.Close()
//	result, err := ex.Run(ctx, core.Request{Source: "6 * 7"})
//
// Errors are of two kinds. A [*RequestError] says that the caller asked for
// something impossible, and nothing ran. An [*Error] says how a run ended; its
// class decides what to do:
//
//	if errors.Is(err, core.ErrTimeout) { ... }
package core
