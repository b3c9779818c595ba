package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/alecthomas/kong"

	"github.com/ringfence-js/ringfence/core"
)

// enginesCommand is "ringfence engines".
type enginesCommand struct {
	JSON bool `name:"json" help:"Print one JSON array in one line."`
}

func (c *enginesCommand) run(context.Context, streams) report {
	engines, err := listEngines()
	return &enginesReport{err: asError(err), engines: engines}
}

func (c *enginesCommand) refused(err error) report { return &enginesReport{err: asError(err)} }

// An engineObject describes an engine, in JSON too.
type engineObject struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Isolation []string `json:"isolation"`
	Enforces  []string `json:"enforces"`
	Lacks     []string `json:"lacks"`
}

// listEngines asks the engines of this build about themselves. Beside an error it
// returns those before the one that failed.
func listEngines() ([]engineObject, error) {
	var engines []engineObject
	for _, b := range backends {
		eng, err := b.open()
		if err != nil {
			return engines, fmt.Errorf("engine %s: %w", b.name, err)
		}
		info := eng.Info()
		eng.Close()
		engines = append(engines, engineObject{
			Name:      b.name,
			Version:   info.Version,
			Isolation: []string{info.Isolation},
			Enforces:  orEmpty(info.Enforces),
			Lacks:     orEmpty(info.Lacks),
		})
	}
	return engines, nil
}

type enginesReport struct {
	err     *core.Error
	engines []engineObject
}

func (r *enginesReport) failure() *core.Error { return r.err }

func (r *enginesReport) object() any {
	if r.err != nil {
		return struct {
			OK    bool         `json:"ok"`
			Error *errorObject `json:"error"`
		}{false, newErrorObject(r.err)}
	}
	return r.engines
}

func (r *enginesReport) text(w *textWriter) {
	if r.err != nil {
		w.failure(r.err)
		return
	}
	for i, e := range r.engines {
		mark := ""
		if i == 0 {
			mark = " (default)"
		}
		fmt.Fprintf(w.out, "%s %s%s\n", e.Name, e.Version, mark)
		for _, row := range []struct {
			label string
			items []string
		}{{"isolation", e.Isolation}, {"enforces", e.Enforces}, {"lacks", e.Lacks}} {
			label := row.label
			for _, item := range row.items {
				fmt.Fprintf(w.out, "  %-10s %s\n", label, item)
				label = ""
			}
		}
	}
}

// versionFlag prints the versions instead of running a command.
type versionFlag bool

// BeforeReset is called by kong as soon as the flag is seen.
func (versionFlag) BeforeReset(app *kong.Kong) error {
	printVersion(app.Stdout)
	app.Exit(exitValue)
	return nil
}

func printVersion(w io.Writer) {
	version := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
	}
	fmt.Fprintf(w, "ringfence %s\n", version)
	engines, err := listEngines()
	for _, e := range engines {
		fmt.Fprintf(w, "%s %s\n", e.Name, e.Version)
	}
	if err != nil {
		fmt.Fprintln(w, err)
	}
}
