package header_test

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/header"
)

func TestMarshalJSONWritesTheGivenTagsOnly(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		header header.Header
		want   string
	}{
		"nothing given":          {header.Header{}, `{}`},
		"empty lists are given":  {header.Header{AllowTools: []string{}, RequiresTools: []string{}}, `{"allowTools":[],"requiresTools":[]}`},
		"an empty list is given": {header.Header{AllowTools: []string{}}, `{"allowTools":[]}`},
		"everything given": {
			header.Header{
				Timeout: ptr(10 * time.Minute), Statements: ptr(int64(500_000)), Memory: ptr(int64(64 << 20)),
				MaxResultNodes: ptr(int64(7)), AllowTools: []string{"a", "b"}, RequiresTools: []string{"a"},
				Description: `one "two"`, Version: "1.2.0",
			},
			`{"timeout":"10m","statements":500000,"memory":67108864,"maxResultNodes":7,"allowTools":["a","b"],` +
				`"requiresTools":["a"],"description":"one \"two\"","version":"1.2.0"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, v := range []any{test.header, &test.header} {
				got, err := json.Marshal(v)
				require.NoError(t, err)
				assert.Equal(t, test.want, string(got))
			}
		})
	}
}

// The package is read by everything else in the module, and by tools that want
// nothing else of it: it depends on the standard library alone.
func TestOnlyTheStandardLibraryIsImported(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	checked := 0
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		checked++
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			first, _, _ := strings.Cut(path, "/")
			// Only paths outside the standard library have a dot in their first
			// element. "C" is no library at all.
			assert.Falsef(t, strings.Contains(first, ".") || path == "C", "%s imports %s", name, path)
		}
	}
	assert.NotZero(t, checked)
}
