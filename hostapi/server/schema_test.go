package server_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/hostapi/server"
)

const searchSchema = `{
	"type": "object",
	"properties": {
		"query": {"type": "string", "minLength": 1},
		"limit": {"type": "integer", "maximum": 10},
		"sort": {"enum": ["asc", "desc"]},
		"filter": {"$ref": "#/$defs/filter"},
		"ranges": {"type": "array", "items": {"properties": {"from": {"type": "number"}, "to": {}}}},
		"free": {"type": "object"}
	},
	"required": ["query"],
	"$defs": {"filter": {"type": "object", "properties": {"tag": {"type": ["string", "null"]}, "and": {"$ref": "#/$defs/filter"}}}}
}`

func callWithSchema(t testing.TB, schema string, params any) error {
	t.Helper()
	tool := echo
	tool.Schema = json.RawMessage(schema)
	_, err := try(t, server.Tools{"search": tool}, server.Request{}, "vance.tools.call", "search", params)
	return err
}

func TestParametersThatTheSchemaTakes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		schema string
		params any
	}{
		"all that is required":              {searchSchema, json.RawMessage(`{"query":"a"}`)},
		"all there is":                      {searchSchema, json.RawMessage(`{"query":"a","limit":3,"sort":"asc","filter":{"tag":null,"and":{"tag":"x"}},"ranges":[{"from":1.5,"to":{}}],"free":{"a":{"b":1}}}`)},
		"no schema":                         {``, json.RawMessage(`{"a":1}`)},
		"a null schema":                     {`null`, json.RawMessage(`{"a":1}`)},
		"an empty schema":                   {`{}`, json.RawMessage(`{"a":1}`)},
		"a schema that is true":             {`true`, json.RawMessage(`{"a":1}`)},
		"additional properties":             {`{"properties":{"a":{}},"additionalProperties":true}`, json.RawMessage(`{"b":1}`)},
		"additional properties of a type":   {`{"properties":{"a":{}},"additionalProperties":{"type":"number"}}`, json.RawMessage(`{"b":1}`)},
		"unevaluated properties":            {`{"properties":{"a":{}},"unevaluatedProperties":true}`, json.RawMessage(`{"b":1}`)},
		"a key by a pattern":                {`{"properties":{"a":{}},"patternProperties":{"^x-":{"type":"number"}}}`, json.RawMessage(`{"x-b":1}`)},
		"keys of alternatives":              {`{"properties":{"a":{}},"anyOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]}`, json.RawMessage(`{"a":1,"b":2,"c":3}`)},
		"keys of parts":                     {`{"allOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]}`, json.RawMessage(`{"b":2,"c":3}`)},
		"keys of conditions":                {`{"properties":{"a":{}},"if":{"required":["a"]},"then":{"properties":{"b":{}}},"else":{"properties":{"c":{}}}}`, json.RawMessage(`{"a":1,"b":2}`)},
		"keys of dependent schemas":         {`{"properties":{"a":{}},"dependentSchemas":{"a":{"properties":{"b":{}}}}}`, json.RawMessage(`{"a":1,"b":2}`)},
		"an alternative of any object":      {`{"properties":{"a":{"anyOf":[{"properties":{"b":{}}},{"type":"object"}]}}}`, json.RawMessage(`{"a":{"z":1}}`)},
		"a constant":                        {`{"properties":{"a":{"oneOf":[{"const":{"z":1}},{"properties":{"b":{}},"required":["b"]}]}}}`, json.RawMessage(`{"a":{"z":1}}`)},
		"an older draft":                    {`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/s"},"b":{"items":[{"type":"number"}]}}}`, json.RawMessage(`{"a":"x","b":[1]}`)},
		"binary data as base64":             {`{"properties":{"a":{"type":"string"}}}`, map[string]any{"a": []byte{1}}},
		"a date as text":                    {`{"properties":{"a":{"type":"string","pattern":"^1970-"}}}`, map[string]any{"a": time.UnixMilli(0)}},
		"a bigint as text":                  {`{"properties":{"a":{"type":"string"}}}`, map[string]any{"a": int64(math.MaxInt64)}},
		"a number that JSON writes as null": {`{"properties":{"a":{"type":"null"}}}`, map[string]any{"a": math.NaN()}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.NoError(t, callWithSchema(t, test.schema, test.params))
		})
	}
}

func TestParametersThatTheSchemaRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ schema, params, want string }{
		"a misspelt key":                 {searchSchema, `{"query":"a","limt":3}`, "unknown key limt; did you mean limit?"},
		"a key like no other":            {searchSchema, `{"query":"a","verbose":true}`, "unknown key verbose"},
		"a misspelt key deep down":       {searchSchema, `{"query":"a","filter":{"and":{"tga":"x"}}}`, "filter.and: unknown key tga; did you mean tag?"},
		"a misspelt key in an array":     {searchSchema, `{"query":"a","ranges":[{},{"form":1}]}`, "ranges[1]: unknown key form; did you mean from?"},
		"a missing key":                  {searchSchema, `{}`, "missing key query"},
		"a misspelt required key":        {searchSchema, `{"qery":"a"}`, "unknown key qery; did you mean query?; missing key query"},
		"a wrong type":                   {searchSchema, `{"query":"a","limit":"3"}`, "limit must be integer, got string"},
		"a wrong type deep down":         {searchSchema, `{"query":"a","filter":{"tag":3}}`, "filter.tag must be null or string, got number"},
		"a number too large":             {searchSchema, `{"query":"a","limit":11}`, "limit: maximum: got 11, want 10"},
		"a value that is not in a list":  {searchSchema, `{"query":"a","sort":"up"}`, "sort: value must be one of 'asc', 'desc'"},
		"more faults than are told":      {searchSchema, `{"query":"a","a1":1,"b1":1,"c1":1,"d1":1,"e1":1}`, "unknown key a1; unknown key b1; unknown key c1; and more"},
		"an explicitly closed schema":    {`{"properties":{"limit":{}},"additionalProperties":false}`, `{"limt":1}`, "unknown key limt; did you mean limit?"},
		"a schema that takes no keys":    {`{"additionalProperties":false}`, `{"a":1}`, "unknown key a"},
		"unevaluated properties":         {`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"b":1}`, "unknown key b"},
		"a closed part of a whole":       {`{"anyOf":[{"properties":{"a":{}},"additionalProperties":false}]}`, `{"b":1}`, "unknown key b; params fits none of the allowed forms"},
		"no alternative fits":            {`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"null"}]}}}`, `{"a":1}`, "a fits none of the allowed forms"},
		"two alternatives fit":           {`{"properties":{"a":{"oneOf":[{"minimum":1},{"minimum":2}]}}}`, `{"a":3}`, "a: 'oneOf' failed, subschemas 0, 1 matched"},
		"alternatives of required keys":  {`{"properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"c":1,"a":1}`, "unknown key c"},
		"no alternative of any object":   {`{"properties":{"a":{"anyOf":[{"properties":{"limit":{}}},{"type":"string"}]}}}`, `{"a":{"limt":1}}`, "a: unknown key limt; did you mean limit?"},
		"a key that a pattern is not of": {`{"patternProperties":{"^x-":{}}}`, `{"y-a":1}`, "unknown key y-a"},
		"a type behind a pattern":        {`{"patternProperties":{"^x-":{"properties":{"tag":{}}}}}`, `{"x-a":{"tga":1}}`, "x-a: unknown key tga; did you mean tag?"},
		"a schema that is false":         {`false`, `{}`, "params: not allowed"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := callWithSchema(t, test.schema, json.RawMessage(test.params))
			require.ErrorIs(t, err, core.ErrGuestException)
			failed := failure(t, err)
			assert.Equal(t, "TypeError", failed.Name)
			assert.Equal(t, "vance.tools.call: search: "+test.want, failed.Message)
		})
	}
}

func TestBrokenSchemasAreErrorsOfTheirTool(t *testing.T) {
	t.Parallel()
	for name, schema := range map[string]string{
		"no JSON":                     `{"type":`,
		"a type that there is not":    `{"type":"strin"}`,
		"a reference to a file":       `{"$ref":"file:///etc/passwd"}`,
		"a reference to another host": `{"$ref":"https://example.com/schema"}`,
		"a reference into nothing":    `{"$ref":"#/$defs/none"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := callWithSchema(t, schema, map[string]any{})
			require.ErrorIs(t, err, server.ErrBrokenSchema)
			failed := failure(t, err)
			assert.Equal(t, "ToolException", failed.Name)
			assert.Contains(t, failed.Message, "tool search: its schema is broken: ")
			assert.NotContains(t, failed.Message, "\n")
		})
	}
}

func TestSchemaOfOneToolDoesNotTouchAnother(t *testing.T) {
	t.Parallel()
	broken := echo
	broken.Schema = json.RawMessage(`{"type":3}`)
	_, err := try(t, server.Tools{"broken": broken, "echo": echo}, server.Request{}, "vance.tools.call", "echo")
	assert.NoError(t, err)
}

func BenchmarkCheckedCall(b *testing.B) {
	tool := echo
	tool.Schema = json.RawMessage(searchSchema)
	ex := newExecutor(b, server.Tools{"search": tool}, nil, func(g *guest) (core.Value, error) {
		for b.Loop() {
			if _, err := g.call("vance.tools.call", "search", json.RawMessage(`{"query":"a","limit":3}`)); err != nil {
				return core.Value{}, err
			}
		}
		return core.Value{}, nil
	})
	if _, err := ex.Run(b.Context(), server.Request{Scope: scope}); err != nil {
		b.Fatal(err)
	}
}
