package server

import (
	"maps"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

// JSON Schema lets unknown keys pass unless a schema forbids them, and then a
// misspelt key does nothing and nobody is told. So an object whose schemas list
// keys takes no others, unless one of the schemas says that it does.

// keys are the keys that the schemas of one place in a value know.
type keys struct {
	properties map[string][]*jsonschema.Schema
	patterns   map[jsonschema.Regexp]*jsonschema.Schema
	items      []*jsonschema.Schema
	// open says that other keys are welcome, closed that they are not.
	open, closed bool
}

// newKeys collects what the schemas know; several are alternatives.
func newKeys(schemas []*jsonschema.Schema) *keys {
	k := &keys{
		properties: map[string][]*jsonschema.Schema{},
		patterns:   map[jsonschema.Regexp]*jsonschema.Schema{},
	}
	seen := map[*jsonschema.Schema]bool{}
	for _, s := range schemas {
		k.add(s, len(schemas) > 1, seen)
	}
	return k
}

// add takes in a schema and all that apply to the same place.
func (k *keys) add(s *jsonschema.Schema, alternative bool, seen map[*jsonschema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if s.Bool != nil {
		k.open = k.open || *s.Bool && alternative
		return
	}
	for name, property := range s.Properties {
		k.properties[name] = append(k.properties[name], property)
	}
	maps.Copy(k.patterns, s.PatternProperties)
	k.addOpenness(s, alternative)
	k.addItems(s)

	k.add(s.Ref, alternative, seen)
	k.add(s.RecursiveRef, alternative, seen)
	if s.DynamicRef != nil {
		k.add(s.DynamicRef.Ref, alternative, seen)
	}
	for _, sub := range s.AllOf {
		k.add(sub, false, seen)
	}
	for _, sub := range slices.Concat(s.AnyOf, s.OneOf) {
		k.add(sub, true, seen)
	}
	for _, sub := range []*jsonschema.Schema{s.If, s.Then, s.Else} {
		k.add(sub, false, seen)
	}
	for _, sub := range s.DependentSchemas {
		k.add(sub, false, seen)
	}
	for _, dependency := range s.Dependencies {
		if sub, ok := dependency.(*jsonschema.Schema); ok {
			k.add(sub, false, seen)
		}
	}
}

func (k *keys) addOpenness(s *jsonschema.Schema, alternative bool) {
	switch additional := s.AdditionalProperties.(type) {
	case bool:
		k.open = k.open || additional
		k.closed = k.closed || !additional
	case *jsonschema.Schema:
		k.open = true
	}
	if u := s.UnevaluatedProperties; u != nil {
		forbidden := u.Bool != nil && !*u.Bool
		k.open = k.open || !forbidden
		k.closed = k.closed || forbidden
	}
	if s.Const != nil || s.Enum != nil {
		k.open = true // the whole value is given
	}
	// An alternative that is any object at all.
	if alternative && s.Types != nil && slices.Contains(s.Types.ToStrings(), "object") &&
		len(s.Properties) == 0 && len(s.PatternProperties) == 0 && s.AdditionalProperties == nil &&
		s.Ref == nil && s.RecursiveRef == nil && s.DynamicRef == nil &&
		len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 && s.If == nil {
		k.open = true
	}
}

func (k *keys) addItems(s *jsonschema.Schema) {
	for _, items := range []any{s.Items, s.AdditionalItems} {
		switch items := items.(type) {
		case *jsonschema.Schema:
			k.items = append(k.items, items)
		case []*jsonschema.Schema:
			k.items = append(k.items, items...)
		}
	}
	k.items = append(k.items, s.PrefixItems...)
	if s.Items2020 != nil {
		k.items = append(k.items, s.Items2020)
	}
}

// under returns the schemas of what stands under a key.
func (k *keys) under(key string) []*jsonschema.Schema {
	schemas := k.properties[key]
	for pattern, s := range k.patterns {
		if pattern.MatchString(key) {
			schemas = append(schemas[:len(schemas):len(schemas)], s)
		}
	}
	return schemas
}

// refusesOthers says whether keys that are not known are refused.
func (k *keys) refusesOthers() bool {
	return !k.open && (k.closed || len(k.properties) > 0 || len(k.patterns) > 0)
}

// A keyCheck looks for unknown keys in one value.
type keyCheck struct {
	faults []string
	// known are the keys of places that have one schema.
	known map[*jsonschema.Schema]*keys
	// place leads to the value under the walk: keys, and indexes of arrays.
	place []step
}

type step struct {
	key   string
	index int // -1 for a key
}

func (c *keyCheck) keysOf(schemas []*jsonschema.Schema) *keys {
	if len(schemas) != 1 {
		return newKeys(schemas)
	}
	k := c.known[schemas[0]]
	if k == nil {
		k = newKeys(schemas)
		c.known[schemas[0]] = k
	}
	return k
}

// walk stops once there are more faults than are told.
func (c *keyCheck) walk(v core.Value, k *keys) {
	if items, ok := v.Items(); ok && len(k.items) > 0 {
		itemKeys := c.keysOf(k.items)
		for i, item := range items {
			c.step(step{index: i}, item, itemKeys)
		}
		return
	}
	members, _ := v.Members()
	for _, m := range members {
		if len(c.faults) > maxFaults {
			return
		}
		switch schemas := k.under(m.Key); {
		case len(schemas) > 0:
			c.step(step{key: m.Key, index: -1}, m.Value, c.keysOf(schemas))
		case k.refusesOthers():
			c.refuse(m.Key, k)
		}
	}
}

func (c *keyCheck) step(s step, v core.Value, k *keys) {
	if kind := v.Kind(); kind != engine.KindList && kind != engine.KindObject || len(c.faults) > maxFaults {
		return
	}
	c.place = append(c.place, s)
	c.walk(v, k)
	c.place = c.place[:len(c.place)-1]
}

func (c *keyCheck) refuse(key string, k *keys) {
	place := ""
	for _, s := range c.place {
		if s.index < 0 {
			place = joinPlace(place, s.key)
		} else {
			place = joinPlace(place, strconv.Itoa(s.index))
		}
	}
	text := "unknown key " + shortened(key)
	if near, ok := hostapi.Nearest(key, slices.Sorted(maps.Keys(k.properties))); ok {
		text += "; did you mean " + near + "?"
	}
	c.faults = append(c.faults, at(place, text))
}
