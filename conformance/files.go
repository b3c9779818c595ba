package conformance

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

//go:embed cases
var caseFiles embed.FS

// A fileCase is a case of a file: one run, or several on one executor.
type fileCase struct {
	group, name string
	file        string // where it stands
	steps       []step
}

// A step is one run of a case.
type step struct {
	// Rule is one sentence: what is checked. The first step has it.
	Rule string `yaml:"rule"`
	// Apart runs the case in a process of its own: an engine that gets it wrong
	// may take the process with it.
	Apart bool `yaml:"apart"`
	// Alone runs it while no other case runs: it takes much memory or time.
	Alone   bool    `yaml:"alone"`
	Request request `yaml:"request"`
	Want    want    `yaml:"want"`

	source string
}

func (c *fileCase) path() string { return c.group + "/" + c.name }
func (c *fileCase) rule() string { return c.steps[0].Rule }

// loadCases reads all embedded cases, once.
var loadCases = sync.OnceValues(func() ([]*fileCase, error) { return readCases("cases") })

// readCases reads the embedded cases under a folder.
func readCases(folder string) ([]*fileCase, error) {
	var all []*fileCase
	err := fs.WalkDir(caseFiles, folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := caseFiles.ReadFile(file)
		if err != nil {
			return err
		}
		cases, err := parseFile(file, data)
		all = append(all, cases...)
		return err
	})
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for _, c := range all {
		if other := seen[c.path()]; other != "" {
			return nil, fmt.Errorf("%s and %s both have a case %s", other, c.file, c.path())
		}
		seen[c.path()] = c.file
	}
	return all, nil
}

// entryName is the name of a file within a case file: CASE.yaml, CASE.js, and for
// later runs CASE.2.yaml, CASE.2.js and so on.
var entryName = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*)(?:\.([2-9]))?\.(yaml|js)$`)

func parseFile(file string, data []byte) ([]*fileCase, error) {
	archive := txtar.Parse(data)
	scripts := map[string]string{}
	used := map[string]bool{}
	for _, f := range archive.Files {
		if _, twice := scripts[f.Name]; twice {
			return nil, fmt.Errorf("%s: %s is there twice", file, f.Name)
		}
		scripts[f.Name] = string(f.Data)
	}
	var cases []*fileCase
	byName := map[string]*fileCase{}
	for _, f := range archive.Files {
		m := entryName.FindStringSubmatch(f.Name)
		if m == nil {
			return nil, fmt.Errorf("%s: %s is no name of a case's file", file, f.Name)
		}
		if m[3] == "js" {
			continue
		}
		st, err := parseStep(f.Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", file, f.Name, err)
		}
		script := strings.TrimSuffix(f.Name, "yaml") + "js"
		text, given := scripts[script]
		used[script] = given
		switch {
		case given == (st.Request.Source != nil):
			return nil, fmt.Errorf("%s: %s: a case has either a script file or request.source", file, f.Name)
		case given:
			st.source = text
		default:
			st.source = string(*st.Request.Source)
		}
		c := byName[m[1]]
		switch {
		case c == nil && (m[2] != "" || st.Rule == ""):
			return nil, fmt.Errorf("%s: %s: the first run of a case states its rule", file, f.Name)
		case c == nil:
			c = &fileCase{group: path.Base(path.Dir(file)), name: m[1], file: file}
			byName[m[1]] = c
			cases = append(cases, c)
		case m[2] != fmt.Sprint(len(c.steps)+1):
			return nil, fmt.Errorf("%s: %s: the later runs of a case are numbered from 2 on", file, f.Name)
		case st.Rule != "" || st.Apart || st.Alone || st.Request.service().given():
			return nil, fmt.Errorf("%s: %s: rule, apart and settings belong to the first run", file, f.Name)
		}
		c.steps = append(c.steps, st)
	}
	for name := range scripts {
		if strings.HasSuffix(name, ".js") && !used[name] {
			return nil, fmt.Errorf("%s: %s has no .yaml beside it", file, name)
		}
	}
	return cases, nil
}

func parseStep(data []byte) (step, error) {
	var st step
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(&st); err != nil && !errors.Is(err, io.EOF) {
		return st, err
	}
	return st, st.Want.validate()
}
