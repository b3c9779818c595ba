package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExamplesPrintWhatTheyPromise runs the command lines of examples/README.md.
func TestExamplesPrintWhatTheyPromise(t *testing.T) {
	t.Chdir("../..")
	for name, data := range map[string]string{
		"essay":   "--args=@examples/essay/args.json",
		"cleanup": "--args=@examples/cleanup/args.json",
		"hook":    "--input=@examples/hook/input.json",
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join("examples", name)
			var out, errs bytes.Buffer
			status := execute(t.Context(), []string{
				"run", "--isolation", "none", "--mock", filepath.Join(folder, "tools.json"), data, "--json",
				filepath.Join(folder, name+".js"),
			}, streams{out: &out, err: &errs})
			require.Equal(t, exitValue, status, out.String())
			assert.Empty(t, errs.String())

			expected, err := os.ReadFile(filepath.Join(folder, "expected.json"))
			require.NoError(t, err)
			var want, got map[string]any
			require.NoError(t, json.Unmarshal(expected, &want))
			require.NoError(t, json.Unmarshal(out.Bytes(), &got))
			for member := range want {
				assert.Equal(t, want[member], got[member], member)
			}
		})
	}
}

// TestCancelledWhileReading is Ctrl-C while standard input has no end.
func TestCancelledWhileReading(t *testing.T) {
	stdin, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	assert.Equal(t, exitStopped, execute(ctx, []string{"run", "--json", "-"}, streams{in: stdin, out: &out}))
	assert.Contains(t, out.String(), `"class":"CANCELLED"`)
}

func TestStandardInputThatFailsIsABadRequest(t *testing.T) {
	var out bytes.Buffer
	in := io.MultiReader(bytes.NewReader([]byte("1")), failingReader{})
	assert.Equal(t, exitRefused, execute(t.Context(), []string{"run", "--json", "-"}, streams{in: in, out: &out}))
	assert.Contains(t, out.String(), `"message":"no disk"`)
}

func TestValueThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, args := range [][]string{{"run", "-"}, {"run", "--json", "-"}} {
		in := bytes.NewReader([]byte("1"))
		assert.Equal(t, exitInternal, execute(t.Context(), args, streams{in: in, out: failingWriter{}, err: io.Discard}))
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errors.New("no disk") }

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no disk") }
