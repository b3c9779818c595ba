package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A Harness is what a backend's test file gives the suite.
type Harness struct {
	// New makes an engine. The suite closes it. Most of the suite runs on one
	// engine; checks that count what an engine holds make their own.
	New func(tb testing.TB) engine.Engine

	// Skip has paths of subtests, or beginnings of them up to a slash, with the
	// reason why they are left out. An entry that matches nothing fails the test.
	Skip map[string]string

	// Abandons has paths of cases that the engine cannot stop, with the reason.
	// Such a case still ends in TIMEOUT on time; the run may be abandoned. No other
	// case may end so. An entry that matches nothing fails the test.
	Abandons map[string]string

	// HammerRuns is how many runs each goroutine of the hammer makes; 100 by
	// default.
	HammerRuns int
}

// Run runs the whole suite. Each case is a subtest GROUP/NAME.
func Run(t *testing.T, h Harness) {
	if path := os.Getenv(apartVariable); path != "" {
		runHere(t, h, path)
		return
	}
	cases, err := loadCases()
	if err != nil {
		t.Fatal(err)
	}
	h.checkTables(t, cases)

	eng := h.New(t)
	s := &suite{harness: h, engine: eng}
	for _, group := range groups() {
		t.Run(group.Name, func(t *testing.T) {
			for _, c := range cases {
				if c.group == group.Name {
					t.Run(c.name, func(t *testing.T) { s.fileCase(t, c, group.Alone) })
				}
			}
			for _, check := range goChecks {
				if check.group == group.Name {
					t.Run(check.name, func(t *testing.T) { s.goCheck(t, check, group.Alone) })
				}
			}
		})
	}
	s.settle(t)
	if err := eng.Close(); err != nil {
		t.Errorf("closing the engine: %v", err)
	}
}

// Check runs the cases that are files, save those that must run in a process of
// their own, and returns what failed, joined, or nil. It does not close the
// engine. Abandons is that of [Harness]; it may be nil.
func Check(eng engine.Engine, abandons map[string]string) error {
	cases, err := loadCases()
	if err != nil {
		return err
	}
	var problems []error
	for _, c := range cases {
		if c.steps[0].Apart {
			continue
		}
		for _, problem := range runCase(context.Background(), eng, c, abandons[c.path()] != "") {
			problems = append(problems, fmt.Errorf("%s (%s): %w; the rule: %s", c.path(), c.file, problem, c.rule()))
		}
	}
	return errors.Join(problems...)
}

// A Group is a part of the suite.
type Group struct {
	Name string
	// About is one sentence: what its cases check.
	About string
	// Alone says that its cases run one after the other: they measure time, or take
	// much of the machine.
	Alone bool
}

// groups are all groups, in the order in which they run.
func groups() []Group {
	return []Group{
		{"executor", "Runs that go well, requests that are refused.", false},
		{"values", "What becomes of each kind of value at the border, both ways.", false},
		{"metering", "What a statement is: exact counts, and the end at the limit.", false},
		{"completion", "The value of a script.", false},
		{"async", "Promises, top-level await, asynchronous host functions.", false},
		{"header", "The JSDoc header, clamping, allow lists.", false},
		{"hostapi", "Host objects and the vance surface.", false},
		{"errors", "Names, messages, positions, stacks, reports, causes.", false},
		{"limits", "Each limit: a run at it, a run above it.", false},
		{"sandbox", "What a script must not see or reach.", false},
		{"isolation", "Nothing survives a run.", false},
		{"language", "The language that every engine runs.", false},
		{"cancel", "Cancellation, deadlines, nested runs.", true},
		{"resources", "Many runs: no cross-talk, nothing left behind, the program cache.", true},
		{"hostile", "Scripts that want to outlast or outgrow their limits.", true},
	}
}

// Paths are the paths of all subtests of the suite, in their order.
func Paths() ([]string, error) {
	cases, err := loadCases()
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, group := range groups() {
		for _, c := range cases {
			if c.group == group.Name {
				paths = append(paths, c.path())
			}
		}
		for _, check := range goChecks {
			if check.group == group.Name {
				paths = append(paths, check.path())
			}
		}
	}
	return paths, nil
}

// suite is one call of Run.
type suite struct {
	harness Harness
	engine  engine.Engine // shared; closed by Run
}

// A goCheck is a part of the suite that a file cannot say.
type goCheck struct {
	group, name string
	rule        string
	run         func(t *testing.T, s *suite)
}

func (c *goCheck) path() string { return c.group + "/" + c.name }

// goChecks are all of them.
var goChecks = slices.Concat(executorChecks, hostapiChecks, errorChecks, cancelChecks, nestedChecks, resourceChecks, limitChecks)

func (s *suite) fileCase(t *testing.T, c *fileCase, alone bool) {
	s.harness.skip(t, c.path())
	if c.steps[0].Apart {
		t.Parallel()
		runApart(t, c)
		return
	}
	alone = alone || c.steps[0].Alone
	if !alone {
		t.Parallel()
	}
	reportCase(t, c, runCase(t.Context(), s.engine, c, s.harness.Abandons[c.path()] != ""))
	if alone {
		s.settle(t)
	}
}

func (s *suite) goCheck(t *testing.T, c goCheck, alone bool) {
	s.harness.skip(t, c.path())
	if !alone {
		t.Parallel()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the rule: %s", c.rule)
		}
	})
	c.run(t, s)
}

func reportCase(t *testing.T, c *fileCase, problems []error) {
	t.Helper()
	for _, problem := range problems {
		t.Error(problem)
	}
	if problems != nil {
		t.Logf("%s\nthe rule: %s\nthe script:\n%s", c.file, c.rule(), shortened(c.steps[0].source))
	}
}

// settleTime is how long abandoned runs of the suite may take to end by themselves.
const settleTime = 30 * time.Second

// settle waits until the shared engine holds nothing any more.
func (s *suite) settle(t *testing.T) {
	t.Helper()
	waitSettled(t, s.engine)
}

func waitSettled(t *testing.T, eng engine.Engine) {
	t.Helper()
	if !eventually(settleTime, func() bool {
		stats := eng.Stats()
		return stats.Abandoned == 0 && stats.Contexts == 0 && stats.Running == 0
	}) {
		t.Errorf("the engine still holds something: %+v", eng.Stats())
	}
}

// eventually asks until the answer is yes, at most for the limit.
func eventually(limit time.Duration, ask func() bool) bool {
	for end := time.Now().Add(limit); ; {
		if ask() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		<-time.After(time.Millisecond)
	}
}

func (h *Harness) skip(t *testing.T, path string) {
	t.Helper()
	for entry, reason := range h.Skip {
		if matches(entry, path) {
			t.Skip(reason)
		}
	}
}

func matches(entry, path string) bool {
	return path == entry || strings.HasPrefix(path, strings.TrimSuffix(entry, "/")+"/")
}

// checkTables fails the test where an entry of the harness matches nothing.
func (h *Harness) checkTables(t *testing.T, cases []*fileCase) {
	t.Helper()
	paths, err := Paths()
	if err != nil {
		t.Fatal(err)
	}
	for entry, reason := range h.Skip {
		if reason == "" || !slices.ContainsFunc(paths, func(p string) bool { return matches(entry, p) }) {
			t.Errorf("Skip: %q matches no subtest, or has no reason", entry)
		}
	}
	for entry, reason := range h.Abandons {
		if reason == "" || !slices.ContainsFunc(cases, func(c *fileCase) bool { return c.path() == entry }) {
			t.Errorf("Abandons: %q is no case of a file, or has no reason", entry)
		}
	}
}

// runCase runs the steps of a case on one executor and returns what differs from
// what they want.
func runCase(ctx context.Context, eng engine.Engine, c *fileCase, mayAbandon bool) (problems []error) {
	opts, err := c.steps[0].Request.service().options()
	if err != nil {
		return []error{err}
	}
	ex, err := core.New(unowned{eng}, opts)
	if err != nil {
		return []error{err}
	}
	for i := range c.steps {
		st := &c.steps[i]
		o, err := runStep(ctx, ex, st)
		if err != nil {
			return append(problems, err)
		}
		found := st.Want.check(o)
		if len(c.steps) > 1 {
			for i, problem := range found {
				found[i] = fmt.Errorf("run %d: %w", i+1, problem)
			}
		}
		problems = append(problems, found...)
		problems = append(problems, checkAbandoned(o, mayAbandon)...)
		if o.err != nil {
			problems = append(problems, checkNext(ctx, ex)...)
		}
	}
	return problems
}

// unowned is an engine that outlives the executors made of it.
type unowned struct{ engine.Engine }

func (unowned) Close() error { return nil }

// lateBy is by how much a run may pass its deadline on a busy machine.
const lateBy = 2 * time.Second

func runStep(ctx context.Context, ex *core.Executor, st *step) (outcome, error) {
	r := &st.Request
	p := &probe{}
	bound := time.Duration(st.Want.Within)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.cancel = cancel
	if d := time.Duration(r.Deadline); d > 0 {
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
		if bound == 0 {
			bound = d + lateBy
		}
	}
	start := time.Now()
	o, err := r.run(ctx, ex, st.source, p)
	if err != nil {
		return o, err
	}
	o.took = time.Since(start)
	o.bound = bound
	o.probes = p.noted()
	return o, nil
}

func checkAbandoned(o outcome, may bool) []error {
	if o.result == nil || !o.result.Abandoned {
		return nil
	}
	if !may {
		return []error{fmt.Errorf("the run was abandoned (%v)", o.err)}
	}
	if !errors.Is(o.err, core.ErrTimeout) {
		return []error{fmt.Errorf("an abandoned run ends in TIMEOUT, got %v", o.err)}
	}
	return nil
}

// checkNext checks that a run which failed does not disturb the next one.
func checkNext(ctx context.Context, ex *core.Executor) []error {
	result, err := ex.Run(ctx, core.Request{Source: "40 + 2"})
	if err != nil {
		return []error{fmt.Errorf("the next run failed: %w", err)}
	}
	if n, _ := result.Value.AsInt(); n != 42 {
		return []error{fmt.Errorf("the next run of 40 + 2 gave %s", describe(result.Value))}
	}
	return nil
}
