package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

const (
	// maxShown is how many characters of a name or a message are repeated.
	maxShown = 200
	// maxFaults is how many faults of one call are told.
	maxFaults = 3
	// maxSchemas is how many compiled schemas are kept.
	maxSchemas = 1024
)

// A schemaCache compiles each schema once, by its text.
type schemaCache struct {
	mu      sync.Mutex
	schemas map[string]compiledSchema
}

type compiledSchema struct {
	*schema
	err error
}

func (c *schemaCache) get(text json.RawMessage) (*schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.schemas[string(text)]; ok {
		return known.schema, known.err
	}
	if c.schemas == nil || len(c.schemas) >= maxSchemas {
		c.schemas = map[string]compiledSchema{}
	}
	s, err := newSchema(text)
	c.schemas[string(text)] = compiledSchema{s, err}
	return s, err
}

// A schema is the compiled schema of a tool's parameters.
type schema struct{ root *jsonschema.Schema }

// noLoader keeps schemas from reading files and from the network.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema may not refer to another document")
}

func newSchema(text json.RawMessage) (*schema, error) {
	const location = "tool:///schema"
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if document == nil {
		document = true
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(location, document); err != nil {
		return nil, err
	}
	root, err := compiler.Compile(location)
	if err != nil {
		return nil, err
	}
	return &schema{root: root}, nil
}

// check returns what is wrong with params, each fault in a few words.
func (s *schema) check(params core.Value) []string {
	keys := keyCheck{known: map[*jsonschema.Schema]*keys{}}
	keys.walk(params, keys.keysOf([]*jsonschema.Schema{s.root}))
	faults := keys.faults
	var invalid *jsonschema.ValidationError
	if errors.As(s.root.Validate(jsonData(params)), &invalid) {
		faults = appendFaults(faults, invalid, len(keys.faults) > 0)
	}
	if len(faults) > maxFaults {
		faults = append(faults[:maxFaults:maxFaults], "and more")
	}
	return faults
}

// appendFaults adds what the schema library found, the causes instead of the
// whole. Of alternatives it tells only that none fits.
func appendFaults(faults []string, e *jsonschema.ValidationError, keysTold bool) []string {
	if len(faults) > maxFaults {
		return faults
	}
	place := ""
	for _, part := range e.InstanceLocation {
		place = joinPlace(place, part)
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		if keysTold {
			return faults
		}
		for _, key := range k.Properties[:min(len(k.Properties), maxFaults+1)] {
			faults = append(faults, at(place, "unknown key "+shortened(key)))
		}
		return faults
	case *kind.Required:
		for _, key := range k.Missing {
			faults = append(faults, at(place, "missing key "+shortened(key)))
		}
		return faults
	case *kind.Type:
		return append(faults, subject(place)+" must be "+strings.Join(k.Want, " or ")+", got "+k.Got)
	case *kind.FalseSchema:
		if keysTold {
			return faults
		}
		return append(faults, subject(place)+": not allowed")
	case *kind.AnyOf:
		return append(faults, subject(place)+" fits none of the allowed forms")
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return append(faults, subject(place)+" fits none of the allowed forms")
		}
	}
	if len(e.Causes) == 0 {
		return append(faults, subject(place)+": "+shortened(e.BasicOutput().Error.String()))
	}
	for _, cause := range e.Causes {
		faults = appendFaults(faults, cause, keysTold)
	}
	return faults
}

func at(place, text string) string {
	if place == "" {
		return text
	}
	return place + ": " + text
}

func subject(place string) string {
	if place == "" {
		return "params"
	}
	return place
}

// joinPlace appends a key, or an index, to the place of a value in params.
func joinPlace(place, part string) string {
	if _, err := strconv.ParseUint(part, 10, 32); err == nil { // a key may look like one; no harm
		return place + "[" + part + "]"
	}
	if place == "" {
		return shortened(part)
	}
	return place + "." + shortened(part)
}

// shortened is a text on one line and not too long.
func shortened(s string) string {
	return engine.CutText(strings.Join(strings.Fields(s), " "), maxShown)
}

// jsonData is a value as the schema library takes it: as its JSON form.
func jsonData(v core.Value) any {
	switch v.Kind() {
	case engine.KindInt:
		i, _ := v.AsInt()
		return i
	case engine.KindFloat:
		f, _ := v.AsFloat()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		return f
	case engine.KindList:
		items, _ := v.Items()
		list := make([]any, len(items))
		for i, item := range items {
			list[i] = jsonData(item)
		}
		return list
	case engine.KindObject:
		members, _ := v.Members()
		object := make(map[string]any, len(members))
		for _, m := range members {
			object[m.Key] = jsonData(m.Value)
		}
		return object
	case engine.KindBigInt, engine.KindTime, engine.KindBytes:
		var s string
		if json.Unmarshal(v.AppendJSON(nil), &s) != nil {
			return nil // a date that is no date
		}
		return s
	}
	return v.Any()
}
