package core

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ringfence-js/ringfence/core/engine"
)

// LoadSettings reads a settings file; see [ParseSettings].
func LoadSettings(path string) (*Settings, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	return ParseSettings(data, path)
}

// ParseSettings reads settings from YAML. The name is the file's, for errors.
// What the text leaves out is as in [DefaultSettings], so that an empty text
// gives those. All keys there are:
//
//	vance:
//	  script:
//	    timeout: {default: 30s, min: 1s, max: 1h}    # @timeout
//	    statements: {default: 1_000_000, min: 1_000, max: 100M}
//	    memory: {default: 64MiB, min: 8MiB, max: 1GiB}
//	    result:
//	      default: 1_000_000                         # @maxResultNodes
//	      min: 1_000
//	      max: 100M
//	      maxDepth: 64
//	      maxBytes: {default: 16MiB, min: 1KiB, max: 256MiB}
//	    source: {default: 128KiB, min: 1, max: 16MiB}
//	    hostCalls: {default: 10_000, min: 1, max: 1M}
//	    hostBytes: {default: 32MiB, min: 1KiB, max: 1GiB}
//	    logChars: {default: 64_000, min: 1, max: 10M}
//	    capabilities:
//	      enforceRequires: true
//
// Numbers are written as in script headers, as YAML numbers or as strings;
// durations also as in Go, such as 500ms. A minimum may be lower than the one of
// DefaultSettings.
//
// A text that says something else than settings is refused, since a limit that
// was meant and not set would not protect: unknown and repeated keys, malformed
// values, a minimum above its maximum, a default outside of both, also where
// only one of them is in the file, and a second document. The error names all
// that is wrong, each with its line.
func ParseSettings(data []byte, name string) (*Settings, error) {
	f := settingsFile{
		name:     name,
		settings: DefaultSettings(),
		lines:    map[string]int{},
		broken:   map[*limit]bool{},
	}
	root, err := f.document(data)
	if err != nil {
		return nil, err
	}
	if root != nil {
		f.section(root, "")
		f.checkBounds()
	}
	if len(f.problems) > 0 {
		slices.SortStableFunc(f.problems, func(a, b problem) int { return a.line - b.line })
		errs := make([]error, len(f.problems))
		for i, p := range f.problems {
			errs[i] = fmt.Errorf("%s:%d: %s", name, p.line, p.text)
		}
		return nil, errors.Join(errs...)
	}
	return f.settings, nil
}

// settingsFile is the reading of one text.
type settingsFile struct {
	name     string
	settings *Settings
	lines    map[string]int  // of the keys that the text has
	broken   map[*limit]bool // limits with a value that could not be read
	problems []problem
}

type problem struct {
	line int
	text string
}

func (f *settingsFile) bad(line int, format string, args ...any) {
	f.problems = append(f.problems, problem{line, fmt.Sprintf(format, args...)})
}

// document returns the top of the only document, or nil if there is none.
func (f *settingsFile) document(data []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, f.syntaxError(err)
	}
	switch err := decoder.Decode(&second); {
	case err == nil:
		return nil, fmt.Errorf("%s:%d: a second YAML document; settings are one document", f.name, second.Line)
	case !errors.Is(err, io.EOF):
		return nil, f.syntaxError(err)
	}
	return first.Content[0], nil
}

// syntaxError moves the line to where this package's errors have it.
func (f *settingsFile) syntaxError(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if line, reason, ok := strings.Cut(rest, ": "); ok {
			if _, err := strconv.Atoi(line); err == nil {
				return fmt.Errorf("%s:%s: not valid YAML: %s", f.name, line, reason)
			}
		}
	}
	return fmt.Errorf("%s: not valid YAML: %s", f.name, text)
}

// section reads a mapping. The path is its full key, empty at the top. A section
// that is left empty sets nothing.
func (f *settingsFile) section(n *yaml.Node, path string) {
	n = target(n)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		what := path
		if what == "" {
			what = "the document"
		}
		f.bad(n.Line, "%s: found %s, where there must be a mapping; allowed keys: %s", what, describe(n), allowedKeys(path))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		keyNode, value := target(n.Content[i]), n.Content[i+1]
		key := engine.CutText(keyNode.Value, maxShown)
		if path != "" {
			key = path + "." + key
		}
		if keyNode.Kind != yaml.ScalarNode || !known(path, keyNode.Value) {
			if keyNode.Kind != yaml.ScalarNode {
				key = describe(keyNode)
			}
			f.bad(n.Content[i].Line, "%s: unknown key; allowed here: %s", key, allowedKeys(path))
			continue
		}
		if line, repeated := f.lines[key]; repeated {
			f.bad(n.Content[i].Line, "%s: the key is repeated; first in line %d", key, line)
			continue
		}
		f.lines[key] = n.Content[i].Line
		if set, ok := fileKeys[key]; ok {
			f.value(value, key, set)
		} else {
			f.section(value, key)
		}
	}
}

// value reads one setting.
func (f *settingsFile) value(n *yaml.Node, key string, k fileKey) {
	line := n.Line
	n = target(n)
	want := "true or false"
	if k.limit != nil {
		want = k.limit.unit.noun
	}
	// A tag of the file's own, such as !env, asks for something that is not done.
	ownTag := n.Tag != "" && !strings.HasPrefix(n.ShortTag(), "!!")
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || ownTag {
		f.bad(line, "%s: found %s, where there must be %s", key, describe(n), want)
		f.broken[k.limit] = true
		return
	}
	if k.limit == nil {
		switch n.Value {
		case "true", "false":
			f.settings.EnforceRequires = n.Value == "true"
		default:
			f.bad(line, "%s: found %s, where there must be %s", key, describe(n), want)
		}
		return
	}
	number, err := k.limit.unit.parse(n.Value)
	if err != nil {
		f.bad(line, "%s: %v", key, err)
		f.broken[k.limit] = true
		return
	}
	*k.limit.bounds(f.settings)[k.part] = number
}

// checkBounds looks at the limits whose values could be read.
func (f *settingsFile) checkBounds() {
	for i := range limits {
		l := &limits[i]
		if f.broken[l] {
			continue
		}
		name := func(p part) string {
			key := l.settingKey(p)
			if f.lines[key] == 0 {
				key += " (built in, not in the file)"
			}
			return key
		}
		for _, flaw := range l.flaws(f.settings, name) {
			line := f.lines[l.settingKey(flaw.at)]
			if line == 0 {
				line = f.lines[l.settingKey(flaw.other)]
			}
			f.bad(line, "%s: %s", name(flaw.at), flaw.reason)
		}
	}
}

// A fileKey is what a key of the file sets: a part of a limit, or, where the
// limit is nil, EnforceRequires.
type fileKey struct {
	limit *limit
	part  part
}

// keyOrder are the full keys in the order of the documentation, fileKeys what
// they set.
var keyOrder, fileKeys = listKeys()

func listKeys() ([]string, map[string]fileKey) {
	var order []string
	keys := map[string]fileKey{}
	add := func(key string, k fileKey) {
		order = append(order, key)
		keys[key] = k
	}
	for i := range limits {
		l := &limits[i]
		for p := range partCount {
			if p == partDefault || !l.onlyDefault {
				add(l.settingKey(p), fileKey{l, p})
			}
		}
	}
	add(keyPrefix+"capabilities.enforceRequires", fileKey{})
	return order, keys
}

// childKeys are the keys that a section may have.
func childKeys(path string) []string {
	if path != "" {
		path += "."
	}
	var children []string
	for _, key := range keyOrder {
		if rest, ok := strings.CutPrefix(key, path); ok {
			child, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(children, child) {
				children = append(children, child)
			}
		}
	}
	return children
}

func known(path, key string) bool { return slices.Contains(childKeys(path), key) }

func allowedKeys(path string) string { return strings.Join(childKeys(path), ", ") }

// target follows an alias to what it stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// maxShown is the number of characters of the file's text that an error shows.
const maxShown = 100

// describe says what a node is.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.ShortTag() == "!!null":
		return "nothing"
	case n.Tag != "" && !strings.HasPrefix(n.ShortTag(), "!!"):
		return fmt.Sprintf("the tag %s", engine.CutText(n.Tag, maxShown))
	}
	return fmt.Sprintf("%q", engine.CutText(n.Value, maxShown))
}
