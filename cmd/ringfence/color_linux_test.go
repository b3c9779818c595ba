package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestColorIsForTerminals shows logs and an error on a terminal.
func TestColorIsForTerminals(t *testing.T) {
	script := filepath.Join(t.TempDir(), "a.js")
	require.NoError(t, os.WriteFile(script, []byte(`console.log('step'); throw new Error('boom')`), 0o600))
	for _, test := range []struct {
		name    string
		env     []string
		colored bool
	}{
		{"a terminal has colour", []string{"TERM=xterm"}, true},
		{"an empty NO_COLOR says nothing", []string{"TERM=xterm", "NO_COLOR="}, true},
		{"NO_COLOR is respected", []string{"TERM=xterm", "NO_COLOR=1"}, false},
		{"a dumb terminal has none", []string{"TERM=dumb"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			shown := onTerminal(t, test.env, "run", script)
			assert.Contains(t, shown, "step")
			assert.Contains(t, shown, "GUEST_EXCEPTION: Error: boom")
			if test.colored {
				assert.Contains(t, shown, "\x1b[31mGUEST_EXCEPTION")
			} else {
				assert.NotContains(t, shown, "\x1b")
			}
		})
	}
}

// onTerminal runs the program with a terminal for standard error and returns what
// the terminal shows.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	defer screen.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}

	cmd := exec.Command("ringfence", args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	cmd.Stderr = terminal
	require.NoError(t, cmd.Start())
	terminal.Close()
	shown, _ := io.ReadAll(screen) // it ends with an error when the program does
	assert.Error(t, cmd.Wait())
	return string(shown)
}
