package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what cmp compares into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ringfence": main})
}

// TestScripts runs the files of testdata/script against the real program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"report": compareReport,
			"feed":   feed,
		},
	})
}

// exits runs the program and checks its exit status: exits STATUS ARGS...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits STATUS ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec("ringfence", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

var duration = regexp.MustCompile(`"durationMs":[0-9]+(\.[0-9]{1,3})?,`)

// compareReport compares standard output, byte by byte but for the time that the run
// took, with a file: report FILE
func compareReport(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: report FILE")
	}
	got := duration.ReplaceAllString(ts.ReadFile("stdout"), `"durationMs":0,`)
	if want := ts.ReadFile(args[0]); got != want {
		ts.Fatalf("got  %swant %s", got, want)
	}
}

// feed writes a file to a named pipe, which waits for a reader: feed PIPE FILE
func feed(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: feed PIPE FILE")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.ReadFile(args[1])), 0))
}
