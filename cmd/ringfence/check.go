package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/header"
)

// checkCommand is "ringfence check". It takes the flags of run, so that a command
// line can be checked by changing one word.
type checkCommand struct{ scriptFlags }

func (c *checkCommand) run(ctx context.Context, std streams) report {
	p, err := c.prepare(ctx, std)
	if err != nil {
		return c.refused(err)
	}
	defer p.core.Close()
	var result *core.Result
	if c.Mock == nil {
		// Which tools there are is not known here: --allow-tools is taken at its word.
		result, err = p.plain(ctx, toFirstStatement, c.allowList())
	} else {
		result, err = p.do(ctx, toFirstStatement)
	}
	rep := c.newReport(asError(err))
	rep.name = p.name
	if result != nil && result.Limits.ResultDepth > 0 {
		rep.header, rep.limits, rep.warnings = result.Header, result.Limits, result.Warnings
	}
	return rep
}

func (c *checkCommand) refused(err error) report { return c.newReport(asError(err)) }

func (c *checkCommand) newReport(err *core.Error) *checkReport {
	return &checkReport{err: err, header: &header.Header{}, limits: c.defaultLimits()}
}

// checkReport is what a script asks for and what it gets.
type checkReport struct {
	err      *core.Error
	name     string
	header   *header.Header
	limits   core.Limits
	warnings []core.Warning
}

func (r *checkReport) failure() *core.Error { return r.err }

func (r *checkReport) object() any {
	return checkObject{
		OK:       r.err == nil,
		Error:    newErrorObject(r.err),
		Header:   r.header,
		Limits:   newLimitsObject(r.limits),
		Warnings: orEmpty(r.warnings),
	}
}

// checkObject is the JSON form.
type checkObject struct {
	OK       bool           `json:"ok"`
	Error    *errorObject   `json:"error,omitempty"`
	Header   *header.Header `json:"header"`
	Limits   limitsObject   `json:"limits"`
	Warnings []core.Warning `json:"warnings"`
}

func (r *checkReport) text(w *textWriter) {
	w.warnings(r.warnings)
	if r.err != nil {
		w.failure(r.err)
		return
	}
	fmt.Fprintf(w.out, "%s: ok\n", printable(r.name))
	table := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	row := func(label, format string, args ...any) {
		fmt.Fprintf(table, "  %s\t%s\n", label, printable(fmt.Sprintf(format, args...)))
	}
	if r.header.Description != "" {
		row("description", "%s", r.header.Description)
	}
	if r.header.Version != "" {
		row("version", "%s", r.header.Version)
	}
	if r.header.RequiresTools != nil {
		row("requires tools", "%s", list(r.header.RequiresTools))
	}
	if r.header.AllowTools != nil {
		row("allows tools", "%s", list(r.header.AllowTools))
	}
	row("timeout", "%s", header.FormatDuration(r.limits.Timeout))
	row("statements", "%d", r.limits.Statements)
	row("memory", "%d bytes", r.limits.Memory)
	row("result nodes", "%d", r.limits.ResultNodes)
	row("result depth", "%d", r.limits.ResultDepth)
	table.Flush()
}

// list shows names, or that there are none.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
