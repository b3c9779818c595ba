package conformance

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A value is a guest value in a case: JSON, or one of the tagged forms that the
// package comment lists.
type value struct {
	engine.Value
}

// UnmarshalYAML reads a value from its node.
func (v *value) UnmarshalYAML(n *yaml.Node) error {
	read, err := readValue(n)
	v.Value = read
	return err
}

func readValue(n *yaml.Node) (engine.Value, error) {
	switch n.Tag {
	case "!!null":
		return engine.Null(), nil
	case "!!bool":
		return engine.Bool(n.Value == "true"), nil
	case "!!str":
		return engine.String(n.Value), nil
	case "!!int", "!!float", "!float":
		f, err := strconv.ParseFloat(strings.ReplaceAll(n.Value, "_", ""), 64)
		if err != nil {
			return engine.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
		}
		return engine.Float(f), nil
	case "!bigint":
		i, ok := new(big.Int).SetString(n.Value, 10)
		if !ok {
			return engine.Value{}, fmt.Errorf("line %d: %q is no bigint", n.Line, n.Value)
		}
		return engine.BigInt(i), nil
	case "!bytes":
		b, err := base64.StdEncoding.DecodeString(n.Value)
		if err != nil {
			return engine.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
		}
		return engine.Bytes(b), nil
	case "!time":
		t, err := time.Parse(time.RFC3339Nano, n.Value)
		if err != nil {
			return engine.Value{}, fmt.Errorf("line %d: %w", n.Line, err)
		}
		return engine.Time(t), nil
	case "!repeat":
		text, err := repeated(n)
		return engine.String(text), err
	case "!!seq":
		items := make([]engine.Value, len(n.Content))
		for i, item := range n.Content {
			var err error
			if items[i], err = readValue(item); err != nil {
				return engine.Value{}, err
			}
		}
		return engine.List(items...), nil
	case "!!map":
		var members []engine.Member
		for i := 0; i < len(n.Content); i += 2 {
			member, err := readValue(n.Content[i+1])
			if err != nil {
				return engine.Value{}, err
			}
			members = append(members, engine.Member{Key: n.Content[i].Value, Value: member})
		}
		return engine.Object(members...), nil
	}
	return engine.Value{}, fmt.Errorf("line %d: %s is no form of a value; put a string in quotes", n.Line, n.Tag)
}

// repeated reads a text and how often it stands there: [TEXT, TIMES].
func repeated(n *yaml.Node) (string, error) {
	var parts []string
	if err := n.Decode(&parts); err != nil {
		return "", err
	}
	if len(parts) != 2 {
		return "", fmt.Errorf("line %d: a repetition is a text and a number", n.Line)
	}
	times, err := strconv.Atoi(parts[1])
	if err != nil || times < 0 {
		return "", fmt.Errorf("line %d: %q is no number of repetitions", n.Line, parts[1])
	}
	return strings.Repeat(parts[0], times), nil
}

// A text is a script or a pattern that a file of its own could not hold well: a
// string, or a list of strings and !repeat forms, which are joined.
type text string

// UnmarshalYAML reads a text from its node.
func (t *text) UnmarshalYAML(n *yaml.Node) error {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode && n.Tag == "!!seq" {
		nodes = n.Content
	}
	var b strings.Builder
	for _, part := range nodes {
		switch part.Tag {
		case "!repeat":
			s, err := repeated(part)
			if err != nil {
				return err
			}
			b.WriteString(s)
		case "!bytes":
			raw, err := base64.StdEncoding.DecodeString(part.Value)
			if err != nil {
				return err
			}
			b.Write(raw)
		case "!!str":
			b.WriteString(part.Value)
		default:
			return fmt.Errorf("line %d: %s is no text; put it in quotes", part.Line, part.Tag)
		}
	}
	*t = text(b.String())
	return nil
}

// describe shows a value with what its JSON hides: kinds, and the sign of zero.
func describe(v engine.Value) string {
	switch v.Kind() {
	case engine.KindBigInt, engine.KindTime, engine.KindBytes:
		return fmt.Sprintf("!%s %s", v.Kind(), v)
	case engine.KindFloat:
		f, _ := v.AsFloat()
		return "!float " + strconv.FormatFloat(f, 'g', -1, 64)
	case engine.KindList:
		items, _ := v.Items()
		if len(items) > 50 {
			return fmt.Sprintf("[%s, ... %d items]", describe(items[0]), len(items))
		}
		texts := make([]string, len(items))
		for i, item := range items {
			texts[i] = describe(item)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case engine.KindObject:
		members, _ := v.Members()
		if len(members) > 50 {
			return fmt.Sprintf("{... %d members}", len(members))
		}
		texts := make([]string, len(members))
		for i, m := range members {
			texts[i] = strconv.Quote(m.Key) + ": " + describe(m.Value)
		}
		return "{" + strings.Join(texts, ", ") + "}"
	case engine.KindString:
		s, _ := v.AsString()
		return engine.CutText(strconv.Quote(s), 400)
	}
	return v.String()
}
