package mocktools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/mocktools"
)

func parse(t testing.TB, text string) *mocktools.Set {
	t.Helper()
	set, err := mocktools.Parse([]byte(text))
	require.NoError(t, err)
	return set
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	set := parse(t, `{"b": {"result": {"z": 1, "a": [null]}, "schema": {"properties": {"q": {}}}, "description": "does b"},
		"a": {}, "boom": {"error": {"name": "ToolException", "message": "no such document"}}, "plain": {"error": {}}}`)
	assert.Equal(t, []string{"a", "b", "boom", "plain"}, set.Names())
	assert.JSONEq(t, `{"properties":{"q":{}}}`, string(set.Schema("b")))
	assert.Nil(t, set.Schema("a"))
	assert.Nil(t, set.Schema("none"))
	assert.Equal(t, "does b", set.Description("b"))
	assert.Empty(t, set.Description("none"))

	v, err := set.Call(t.Context(), "b", core.Value{})
	require.NoError(t, err)
	assert.Equal(t, `{"z":1,"a":[null]}`, v.Text())
	v, err = set.Call(t.Context(), "a", core.Value{})
	require.NoError(t, err)
	assert.True(t, v.IsNull())

	_, err = set.Call(t.Context(), "boom", core.Value{})
	name, message := engine.GuestForm(err)
	assert.Equal(t, []string{"ToolException", "no such document"}, []string{name, message})
	_, err = set.Call(t.Context(), "plain", core.Value{})
	name, message = engine.GuestForm(err)
	assert.Equal(t, []string{"Error", ""}, []string{name, message})
	_, err = set.Call(t.Context(), "none", core.Value{})
	assert.EqualError(t, err, "there is no mock tool none")
}

func TestResultsComeOneAfterAnotherAndThenFail(t *testing.T) {
	t.Parallel()
	set := parse(t, `{"next": {"results": [1, null]}}`)
	for _, want := range []string{"1", "null"} {
		v, err := set.Call(t.Context(), "next", core.Value{})
		require.NoError(t, err)
		assert.Equal(t, want, v.Text())
	}
	for range 2 {
		_, err := set.Call(t.Context(), "next", core.Value{})
		assert.EqualError(t, err, "mock tool next: all 2 results were given")
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		set := parse(t, `{"slow": {"delayMs": 500, "result": 1}}`)
		start := time.Now()
		_, err := set.Call(t.Context(), "slow", core.Value{})
		require.NoError(t, err)
		assert.Equal(t, 500*time.Millisecond, time.Since(start))

		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start = time.Now()
		_, err = set.Call(ctx, "slow", core.Value{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 100*time.Millisecond, time.Since(start))
	})
}

func TestFilesWithFaultsAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"no JSON":                {`{`, "mock tools: "},
		"an array":               {`[]`, "mock tools: want an object of tools by name, got array"},
		"a tool of a number":     {`{"a": 1}`, "mock tool a: want an object, got number"},
		"a misspelt field":       {`{"a": {"resutl": 1}}`, `mock tool a: unknown field "resutl"; did you mean result?`},
		"a field like no other":  {`{"a": {"x": 1}}`, `mock tool a: unknown field "x"; there are delayMs, description, error, result, results, schema`},
		"two kinds of answer":    {`{"a": {"result": 1, "error": {}}}`, "mock tool a: result and error exclude each other"},
		"results of no array":    {`{"a": {"results": 1}}`, "mock tool a: results must be an array, got number"},
		"an error of text":       {`{"a": {"error": "x"}}`, "mock tool a: error must be an object, got string"},
		"a misspelt error field": {`{"a": {"error": {"mesage": "x"}}}`, `mock tool a: error: unknown field "mesage"; did you mean message?`},
		"an error name of 1":     {`{"a": {"error": {"name": 1}}}`, "mock tool a: error: name must be a string, got number"},
		"a delay of text":        {`{"a": {"delayMs": "1"}}`, "mock tool a: delayMs must be an integer from 0 to 3600000, got 1"},
		"a negative delay":       {`{"a": {"delayMs": -1}}`, "mock tool a: delayMs must be an integer from 0 to 3600000, got -1"},
		"a schema of text":       {`{"a": {"schema": "x"}}`, "mock tool a: schema must be an object, got string"},
		"a description of 1":     {`{"a": {"description": 1}}`, "mock tool a: description must be a string, got number"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mocktools.Parse([]byte(test.text))
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tools.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"a": {"result": 1}}`), 0o600))
	set, err := mocktools.Load(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, set.Names())

	require.NoError(t, os.WriteFile(path, []byte(`{"a": 1}`), 0o600))
	_, err = mocktools.Load(path)
	require.ErrorContains(t, err, "tools.json: mock tool a: ")
	_, err = mocktools.Load(path + ".none")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestRecorderKeepsCallsInOrder(t *testing.T) {
	t.Parallel()
	var r mocktools.Recorder
	text, err := json.Marshal(r.Calls())
	require.NoError(t, err)
	assert.Equal(t, "[]", string(text))
	r.Record("b", engine.MustValueOf(map[string]any{"x": 1}))
	r.Record("a", engine.Object())
	text, err = json.Marshal(r.Calls())
	require.NoError(t, err)
	assert.Equal(t, `[{"name":"b","args":{"x":1}},{"name":"a","args":{}}]`, string(text))
}
