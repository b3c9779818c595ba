package goja_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/backends/goja"
)

var update = flag.Bool("update", false, "write goja's part of docs/engines.md anew")

const (
	docsFile  = "../../docs/engines.md"
	docsBegin = "<!-- goja: begin -->\n"
	docsEnd   = "<!-- goja: end -->\n"
)

// TestDocsSayWhatTheEngineSays keeps docs/engines.md in step with what the engine
// declares of itself.
func TestDocsSayWhatTheEngineSays(t *testing.T) {
	data, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), docsBegin)
	require.True(t, ok, "%s has no %s", docsFile, docsBegin)
	part, after, ok := strings.Cut(rest, docsEnd)
	require.True(t, ok, "%s has no %s", docsFile, docsEnd)
	want := engineDocs()
	if *update {
		require.NoError(t, os.WriteFile(docsFile, []byte(before+docsBegin+want+docsEnd+after), 0o644))
		return
	}
	require.Equal(t, want, part, "run go test ./backends/goja -run Docs -update")
}

func engineDocs() string {
	var b strings.Builder
	info := goja.NewInterpreter().Info()
	b.WriteString("It enforces\n\n")
	for _, line := range info.Enforces {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\nIt lacks, or does otherwise,\n\n")
	for _, line := range info.Lacks {
		if !isHazard(line) {
			fmt.Fprintf(&b, "- %s\n", line)
		}
	}
	b.WriteString("\nWhat remains: scripts that get past its stops, each standing for its kind.\n\n| script | what happens | why |\n| --- | --- | --- |\n")
	for _, h := range goja.Hazards() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.ReplaceAll(h.Script, "|", `\|`), h.What, h.Why)
	}
	return b.String()
}

func isHazard(line string) bool {
	for _, h := range goja.Hazards() {
		if line == h.What+": "+h.Script {
			return true
		}
	}
	return false
}
