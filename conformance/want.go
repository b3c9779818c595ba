package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/ringfence-js/ringfence/core"
)

// A want is how a run must end. What is absent is not looked at, but for warnings
// and logs: absent, there must be none.
type want struct {
	// Node is the script's value, read into Value; a null is a value too.
	Node  yaml.Node `yaml:"value"`
	Value *value    `yaml:"-"`
	// Class is the error's, Field the field of a refused request. Without either
	// there must be a value.
	Class core.Class `yaml:"class"`
	Field string     `yaml:"field"`
	// AnyOf are classes of which one must be there, where the choice is the
	// engine's; VALUE stands for any value. Limit is then that of
	// RESOURCE_EXHAUSTED.
	AnyOf []core.Class `yaml:"anyOf"`

	Limit *string `yaml:"limit"`
	Max   int64   `yaml:"max"`
	// Name and Message are the guest error's; Matches is a pattern for Message.
	Name    *string  `yaml:"name"`
	Message *text    `yaml:"message"`
	Matches *pattern `yaml:"matches"`
	// Begins is how the message begins.
	Begins *text `yaml:"begins"`
	// MaxMessage is how many characters the message may have.
	MaxMessage int    `yaml:"maxMessage"`
	File       string `yaml:"file"`
	Line       int    `yaml:"line"`
	// Column is exact, Columns a range that includes both ends.
	Column  int     `yaml:"column"`
	Columns *[2]int `yaml:"columns"`
	// SourceLine is the author's line. Stack are the functions of the frames, the
	// innermost first, "" for the script itself.
	SourceLine *string   `yaml:"sourceLine"`
	Stack      *[]string `yaml:"stack"`
	Report     *pattern  `yaml:"report"`
	MaxReport  int       `yaml:"maxReport"`
	Hint       *pattern  `yaml:"hint"`
	Phase      *pattern  `yaml:"phase"`

	Statements *int64            `yaml:"statements"`
	Limits     map[string]string `yaml:"limits"`
	Header     *value            `yaml:"header"`
	Warnings   []warning         `yaml:"warnings"`
	Logs       *[]logLine        `yaml:"logs"`
	// Calls are the tool calls in their order, Probes the calls of the probe's
	// functions. Both are looked at where they are given.
	Calls  *[]call   `yaml:"calls"`
	Probes *[]string `yaml:"probes"`
	// Within is how long the run may take, from its start; where the request has a
	// deadline it is that and two seconds more by default.
	Within duration `yaml:"within"`
}

// anyValue stands for a run that gave a value.
const anyValue core.Class = "VALUE"

// A pattern is a regular expression of Go.
type pattern struct{ *regexp.Regexp }

// UnmarshalYAML reads a pattern from its node.
func (p *pattern) UnmarshalYAML(n *yaml.Node) (err error) {
	p.Regexp, err = regexp.Compile("(?s)" + n.Value)
	return err
}

type warning struct {
	Code    string  `yaml:"code"`
	Matches pattern `yaml:"matches"`
}

type logLine struct {
	Level   string `yaml:"level"`
	Message *text  `yaml:"message"`
	Fields  *value `yaml:"fields"`
}

type call struct {
	Name string `yaml:"name"`
	Args value  `yaml:"args"`
}

// An outcome is how a run ended.
type outcome struct {
	result *core.Result
	err    error
	took   time.Duration
	bound  time.Duration // 0 for none
	calls  []call
	probes []string
}

// validate reads the value and says what is wrong with a want that checks too
// little.
func (w *want) validate() error {
	if w.Node.Kind != 0 {
		read, err := readValue(&w.Node)
		if err != nil {
			return err
		}
		w.Value = &value{read}
	}
	failing := w.Class != "" || w.AnyOf != nil || w.Field != ""
	switch {
	case failing && w.Value != nil:
		return errors.New("want: a run has a value or an error")
	case !failing && w.Value == nil && w.Logs == nil:
		return errors.New("want: neither a value, logs, a class nor a field")
	case w.Class == core.ErrResourceExhausted && w.Limit == nil:
		return errors.New("want: RESOURCE_EXHAUSTED without the limit")
	}
	return nil
}

// check returns what differs.
func (w *want) check(o outcome) []error {
	c := checker{}
	c.end(w, o)
	if o.result != nil {
		c.result(w, o.result)
	}
	if w.Calls != nil {
		c.calls(*w.Calls, o.calls)
	}
	if w.Probes != nil && !slices.Equal(*w.Probes, o.probes) {
		c.differ("probe calls", *w.Probes, o.probes)
	}
	if o.bound > 0 && o.took > o.bound {
		c.differ("duration", "at most "+o.bound.String(), o.took)
	}
	return c.problems
}

type checker struct{ problems []error }

func (c *checker) differ(what string, want, got any) {
	c.problems = append(c.problems, fmt.Errorf("%s: want %v, got %v", what, want, got))
}

func (c *checker) end(w *want, o outcome) {
	var refused *core.RequestError
	var failed *core.Error
	switch {
	case errors.As(o.err, &refused):
		if w.Field == "" || w.Field != refused.Field {
			c.differ("refused field", orNone(w.Field), fmt.Sprintf("%s (%s)", refused.Field, refused.Reason))
		}
	case errors.As(o.err, &failed):
		c.failure(w, failed)
	case o.err != nil:
		c.differ("error", "one of the executor's", o.err)
	case slices.Contains(w.AnyOf, anyValue):
	case w.Class != "" || w.AnyOf != nil || w.Field != "":
		c.differ("outcome", fmt.Sprint(w.Class, w.AnyOf, w.Field), "the value "+describe(o.result.Value))
	case w.Value != nil && !w.Value.Equal(o.result.Value):
		c.differ("value", describe(w.Value.Value), describe(o.result.Value))
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (c *checker) failure(w *want, e *core.Error) {
	classes := w.AnyOf
	if w.Class != "" {
		classes = []core.Class{w.Class}
	}
	if !slices.Contains(classes, e.Class) {
		wanted := any(classes)
		if len(classes) == 0 {
			wanted = "a value"
			if w.Field != "" {
				wanted = "a refused field " + w.Field
			}
		}
		c.differ("class", wanted, e)
		return
	}
	if w.AnyOf == nil || e.Class == core.ErrResourceExhausted {
		same(c, "limit", w.Limit, e.Limit)
	}
	same(c, "name", w.Name, e.Name)
	if w.Message != nil && string(*w.Message) != e.Message {
		c.differ("message", shortened(string(*w.Message)), shortened(e.Message))
	}
	if w.Begins != nil && !strings.HasPrefix(e.Message, string(*w.Begins)) {
		c.differ("beginning of the message", shortened(string(*w.Begins)), shortened(e.Message))
	}
	sameIf(c, "limit's value", w.Max, e.Max)
	sameIf(c, "file", w.File, e.File)
	sameIf(c, "line", w.Line, e.Line)
	sameIf(c, "column", w.Column, e.Column)
	if r := w.Columns; r != nil && (e.Column < r[0] || e.Column > r[1]) {
		c.differ("column", fmt.Sprintf("%d to %d", r[0], r[1]), e.Column)
	}
	same(c, "source line", w.SourceLine, e.SourceLine)
	if n := len([]rune(e.Message)); w.MaxMessage > 0 && n > w.MaxMessage {
		c.differ("characters of the message", fmt.Sprint("at most ", w.MaxMessage), n)
	}
	if w.Stack != nil {
		functions := []string{}
		for _, f := range e.Stack {
			functions = append(functions, f.Func)
		}
		if !slices.Equal(*w.Stack, functions) {
			c.differ("stack", *w.Stack, functions)
		}
	}
	c.match("message", w.Matches, e.Message)
	c.match("report", w.Report, e.Report())
	if n := len([]rune(e.Report())); w.MaxReport > 0 && n > w.MaxReport {
		c.differ("characters of the report", fmt.Sprint("at most ", w.MaxReport), n)
	}
	c.match("hint", w.Hint, e.Hint)
	c.match("phase", w.Phase, e.Phase)
	c.invariants(e)
}

// same compares where something is wanted.
func same[T comparable](c *checker, what string, want *T, got T) {
	if want != nil && *want != got {
		c.differ(what, fmt.Sprintf("%#v", *want), fmt.Sprintf("%#v", got))
	}
}

// sameIf compares where something other than zero is wanted.
func sameIf[T comparable](c *checker, what string, want, got T) {
	var zero T
	if want != zero {
		same(c, what, &want, got)
	}
}

func (c *checker) match(what string, p *pattern, got string) {
	if p != nil && !p.MatchString(got) {
		c.differ(what, "a match for "+p.String(), shortened(got))
	}
}

func (c *checker) result(w *want, r *core.Result) {
	same(c, "statements", w.Statements, r.Statements)
	for name, text := range w.Limits {
		limits, err := readLimits(map[string]string{name: text})
		if err != nil {
			c.problems = append(c.problems, err)
			continue
		}
		if got := onlyLimit(name, r.Limits); got != limits {
			c.differ("limit "+name, text, fmt.Sprintf("%+v", got))
		}
	}
	if w.Header != nil {
		got, err := json.Marshal(r.Header)
		if wanted := w.Header.Text(); err != nil || wanted != string(got) {
			c.differ("header", wanted, string(got))
		}
	}
	c.warnings(w.Warnings, r.Warnings)
	if w.Logs != nil {
		c.logs(*w.Logs, r.Logs)
	} else if len(r.Logs) > 0 {
		c.differ("logs", "none", r.Logs)
	}
}

// onlyLimit returns limits with the named one of l and no other.
func onlyLimit(name string, l core.Limits) core.Limits {
	switch name {
	case "timeout":
		return core.Limits{Timeout: l.Timeout}
	case "statements":
		return core.Limits{Statements: l.Statements}
	case "memory":
		return core.Limits{Memory: l.Memory}
	case "result":
		return core.Limits{ResultNodes: l.ResultNodes}
	case "result.maxDepth":
		return core.Limits{ResultDepth: l.ResultDepth}
	case "result.maxBytes":
		return core.Limits{ResultBytes: l.ResultBytes}
	case "source":
		return core.Limits{Source: l.Source}
	case "hostCalls":
		return core.Limits{HostCalls: l.HostCalls}
	case "hostBytes":
		return core.Limits{HostBytes: l.HostBytes}
	}
	return core.Limits{LogChars: l.LogChars}
}

func (c *checker) warnings(want []warning, got []core.Warning) {
	ok := len(want) == len(got)
	for i := 0; ok && i < len(want); i++ {
		ok = want[i].Code == got[i].Code && (want[i].Matches.Regexp == nil || want[i].Matches.MatchString(got[i].Message))
	}
	if !ok {
		texts := []string{}
		for _, w := range want {
			texts = append(texts, fmt.Sprintf("%s ~ %v", w.Code, w.Matches.Regexp))
		}
		c.differ("warnings", texts, got)
	}
}

func (c *checker) logs(want []logLine, got []core.LogEntry) {
	ok := len(want) == len(got)
	for i := 0; ok && i < len(want); i++ {
		w, g := want[i], got[i]
		ok = w.Level == g.Level &&
			(w.Message == nil || string(*w.Message) == g.Message) &&
			(w.Fields == nil || w.Fields.Equal(g.Fields))
	}
	if !ok {
		texts := []string{}
		for _, w := range want {
			line := w.Level
			if w.Message != nil {
				line += " " + string(*w.Message)
			}
			if w.Fields != nil {
				line += " " + describe(w.Fields.Value)
			}
			texts = append(texts, line)
		}
		lines := []string{}
		for _, g := range got {
			lines = append(lines, g.Level+" "+g.Message+" "+describe(g.Fields))
		}
		c.differ("logs", shortened(fmt.Sprintf("%q", texts)), shortened(fmt.Sprintf("%q", lines)))
	}
}

func (c *checker) calls(want, got []call) {
	ok := len(want) == len(got)
	for i := 0; ok && i < len(want); i++ {
		ok = want[i].Name == got[i].Name && want[i].Args.Equal(got[i].Args.Value)
	}
	if !ok {
		show := func(calls []call) []string {
			texts := []string{}
			for _, c := range calls {
				texts = append(texts, c.Name+" "+describe(c.Args.Value))
			}
			return texts
		}
		c.differ("calls", show(want), show(got))
	}
}
