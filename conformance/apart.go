package conformance

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"runtime/metrics"
	"strings"
	"testing"
	"time"
)

// apartVariable tells a test binary that it was started to run one case.
const apartVariable = "RINGFENCE_CONFORMANCE_CASE"

// apartTime is how long such a process may take, apartMemory how much of the heap.
const (
	apartTime   = 60 * time.Second
	apartMemory = 3 << 29
)

// exitMemory is the exit status of a process that took too much memory.
const exitMemory = 7

// runApart runs a case in a process of its own: the test binary, started again. It
// fails where that process fails, crashes, hangs, or takes too much memory.
func runApart(t *testing.T, c *fileCase) {
	if raceDetector {
		t.Skip("cases apart are about time and memory, which the race detector multiplies; they run without it")
	}
	binary, err := os.Executable()
	if err != nil {
		t.Skipf("the test binary cannot be started again: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), apartTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, "-test.run="+exactly(suiteName(t.Name(), c)), "-test.count=1")
	cmd.Env = append(os.Environ(), apartVariable+"="+c.path())
	output, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil && strings.Contains(string(output), ranApart):
		return
	case err == nil:
		t.Errorf("the case did not run in its own process:\n%s", shortened(string(output)))
		return
	case ctx.Err() != nil:
		t.Errorf("the process did not end within %s", apartTime)
	case errors.As(err, &exit) && exit.ExitCode() == exitMemory:
		t.Errorf("the process took more than %d bytes", int64(apartMemory))
	default:
		t.Errorf("the process failed: %v", err)
	}
	t.Logf("%s\nthe rule: %s\nits output:\n%s", c.file, c.rule(), shortened(string(output)))
}

// suiteName is the name of the test that called Run.
func suiteName(subtest string, c *fileCase) string {
	return strings.TrimSuffix(subtest, "/"+c.path())
}

// exactly is a pattern for -test.run that matches the test alone.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// ranApart is what the process writes when it has run its case.
const ranApart = "ringfence conformance: the case has run"

// runHere is the other end of runApart.
func runHere(t *testing.T, h Harness, path string) {
	group, _, _ := strings.Cut(path, "/")
	cases, err := readCases("cases/" + group)
	if err != nil {
		t.Fatal(err)
	}
	go watchMemory()
	eng := h.New(t)
	for _, c := range cases {
		if c.path() != path {
			continue
		}
		reportCase(t, c, runCase(t.Context(), eng, c, h.Abandons[path] != ""))
		waitSettled(t, eng)
		println(ranApart)
	}
}

// watchMemory ends the process before it takes the machine with it.
func watchMemory() {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	for range time.Tick(2 * time.Millisecond) {
		metrics.Read(samples)
		if samples[0].Value.Uint64() > apartMemory {
			os.Exit(exitMemory)
		}
	}
}
