// Ringfence runs JavaScript that nobody has to trust: it tries a script, tests it
// with canned tools, and tells what an engine can do.
//
//	ringfence run     [flags] FILE|-     run a script
//	ringfence check   [flags] FILE|-     header, effective limits, syntax; runs nothing
//	ringfence engines [--json]           the engines of this build
//
// The exit status is 0 for a value; 1 for GUEST_EXCEPTION and HOST_EXCEPTION; 2 for
// a bad command line, a refused request, INVALID_HEADER and MISSING_CAPABILITY; 3
// for RESOURCE_EXHAUSTED, TIMEOUT, CANCELLED and BUSY; 4 for INTERNAL.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	time.Local = time.UTC // scripts see the zone of the process
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	os.Exit(execute(ctx, os.Args[1:], streams{
		in:    os.Stdin,
		out:   os.Stdout,
		err:   os.Stderr,
		color: wantsColor(os.Stderr),
	}))
}

// streams are what the program reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
	color    bool // whether err shows colour
}

// execute runs one command line and returns its exit status.
func execute(ctx context.Context, args []string, std streams) int {
	cmd, asked, err := parse(args, std)
	var rep report
	switch {
	case err != nil:
		rep = cmd.refused(err)
	case cmd == nil: // help or version: it is printed
		return exitValue
	default:
		rep = cmd.run(ctx, std)
	}
	return print(rep, asked, std)
}

// A command is one of the subcommands, filled from the command line.
type command interface {
	// run does the work. It prints nothing.
	run(ctx context.Context, std streams) report
	// refused is the report where the command line is bad.
	refused(err error) report
}
