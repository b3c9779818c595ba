package conformance

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// namedTests are the tests that are asked for by their names.
var namedTests = []string{
	"run_returnsPrimitiveValue", "run_returnsString", "run_returnsNullForVoidScript", "run_executesMultipleStatements", "run_durationIsMeasured",
	"run_deniesJavaTypeAccess", "run_deniesFileIo", "run_deniesThreadCreation", "run_deniesProcessExec", "run_deniesReflection", "run_deniesEnvAccess",
	"run_aborts_onStatementLimitExceeded", "run_aborts_onWallClockTimeout", "run_doesNotLeakContext_onTimeout",
	"vanceContext_isReadable", "vanceContext_isReadOnly", "vanceTools_call_dispatchesToToolDispatcher", "vanceTools_call_returnsToolResult",
	"vanceTools_call_unknownTool_throwsInJs", "vanceTools_call_respectsRecipeRestrictions", "vanceProcess_spawn_dispatchesToProcessService",
	"vanceLog_info_writesToProcessLogger",
	"run_doesNotShareGlobalsBetweenRuns", "run_doesNotShareHostBindingsBetweenRuns",
	"run_javaException_inHostMethod_isMappedToJsError", "run_uncaughtJsError_isWrapped",
}

var docRow = regexp.MustCompile("(?m)^\\| `([A-Za-z_]+)` \\| `([A-Za-z0-9_/]+)` \\|$")

func TestDocs_mapEveryNamedTest(t *testing.T) {
	text, err := os.ReadFile("../docs/conformance.md")
	require.NoError(t, err)
	paths, err := Paths()
	require.NoError(t, err)
	mapped := map[string]string{}
	for _, row := range docRow.FindAllStringSubmatch(string(text), -1) {
		mapped[row[1]] = row[2]
		assert.Contains(t, paths, row[2], "docs/conformance.md maps %s to a subtest that is not there", row[1])
	}
	for _, name := range namedTests {
		assert.Contains(t, mapped, name, "docs/conformance.md does not map it")
	}
	assert.Len(t, mapped, len(namedTests))
}

func TestDocs_listEveryGroup(t *testing.T) {
	text, err := os.ReadFile("../docs/conformance.md")
	require.NoError(t, err)
	for _, g := range groups() {
		assert.Contains(t, string(text), "| `"+g.Name+"` | "+g.About+" |")
	}
}

func TestCases_haveGroupsRulesAndNames(t *testing.T) {
	cases, err := loadCases()
	require.NoError(t, err)
	var known []string
	for _, g := range groups() {
		known = append(known, g.Name)
	}
	for _, c := range cases {
		assert.Contains(t, known, c.group, c.file)
		assert.True(t, strings.HasSuffix(c.rule(), "."), "%s: the rule of %s is no sentence", c.file, c.name)
	}
	for _, check := range goChecks {
		assert.Contains(t, known, check.group)
		assert.True(t, strings.HasSuffix(check.rule, "."), "the rule of %s is no sentence", check.path())
	}
	paths, err := Paths()
	require.NoError(t, err)
	sorted := slices.Sorted(slices.Values(paths))
	assert.Equal(t, sorted, slices.Compact(slices.Clone(sorted)), "two subtests have one path")
}

// A stub is an engine whose every run comes to the same.
type stub struct {
	engine.Engine
	out engine.Outcome
}

func (s *stub) Run(context.Context, *engine.Job) *engine.Outcome {
	out := s.out
	return &out
}

// decided are the classes of cases that the executor decides before the engine is
// asked.
var decided = []core.Class{core.ErrInvalidHeader, core.ErrMissingCapability}

func TestCases_everyOneCanFail(t *testing.T) {
	cases, err := loadCases()
	require.NoError(t, err)
	stubs := []engine.Outcome{
		{Value: engine.String("a value that no case has")},
		{Err: &engine.Error{Class: engine.Internal, Message: "broken", File: "x"}},
	}
	for _, c := range cases {
		st := &c.steps[0]
		if slices.Contains(decided, st.Want.Class) || st.Want.Field != "" {
			continue
		}
		failed := false
		for _, out := range stubs {
			problems := runCase(t.Context(), &stub{out: out}, c, false)
			failed = failed || len(slices.DeleteFunc(problems, func(err error) bool { return strings.Contains(err.Error(), "next run") })) > 0
		}
		assert.True(t, failed, "%s passes on any engine", c.path())
	}
}

func TestParse_refusesWhatItDoesNotKnow(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"unknown field":        {"-- a.yaml --\nrule: r.\nwant: {value: 1, colour: red}\n-- a.js --\n1", "colour"},
		"unknown request":      {"-- a.yaml --\nrule: r.\nrequest: {limts: {}}\nwant: {value: 1}\n-- a.js --\n1", "limts"},
		"no rule":              {"-- a.yaml --\nwant: {value: 1}\n-- a.js --\n1", "rule"},
		"no script":            {"-- a.yaml --\nrule: r.\nwant: {value: 1}\n", "script"},
		"two scripts":          {"-- a.yaml --\nrule: r.\nrequest: {source: x}\nwant: {value: 1}\n-- a.js --\n1", "script"},
		"script alone":         {"-- a.js --\n1", "no .yaml"},
		"nothing wanted":       {"-- a.yaml --\nrule: r.\nwant: {}\n-- a.js --\n1", "neither"},
		"value and class":      {"-- a.yaml --\nrule: r.\nwant: {value: 1, class: TIMEOUT}\n-- a.js --\n1", "value or an error"},
		"exhausted, no limit":  {"-- a.yaml --\nrule: r.\nwant: {class: RESOURCE_EXHAUSTED}\n-- a.js --\n1", "without the limit"},
		"a string, not quoted": {"-- a.yaml --\nrule: r.\nwant: {value: 2024-01-01}\n-- a.js --\n1", "quotes"},
		"runs out of order":    {"-- a.yaml --\nrule: r.\nwant: {value: 1}\n-- a.js --\n1\n-- a.3.yaml --\nwant: {value: 1}\n-- a.3.js --\n1", "numbered"},
		"settings of a second": {"-- a.yaml --\nrule: r.\nwant: {value: 1}\n-- a.js --\n1\n-- a.2.yaml --\nrequest: {defaults: true}\nwant: {value: 1}\n-- a.2.js --\n1", "belong to the first"},
		"odd name":             {"-- a.txt --\n1", "no name"},
		"twice":                {"-- a.js --\n1\n-- a.js --\n1", "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseFile("cases/g/t.txtar", []byte(test.file))
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestCheck_tellsWhatFailed(t *testing.T) {
	err := Check(&stub{out: engine.Outcome{Value: engine.Int(41)}}, nil)
	assert.ErrorContains(t, err, "values/bigint")
	assert.ErrorContains(t, err, "cases/values/scalars.txtar")
	assert.ErrorContains(t, err, "the rule: ")
}

func TestMatches_goesBySlashes(t *testing.T) {
	assert.True(t, matches("values", "values/bigint"))
	assert.True(t, matches("values/bigint", "values/bigint"))
	assert.False(t, matches("values/big", "values/bigint"))
	assert.False(t, matches("val", "values/bigint"))
}

func TestCheckAbandoned_wantsATableEntryAndTimeout(t *testing.T) {
	late := outcome{result: &core.Result{Abandoned: true}, err: &core.Error{Class: core.ErrTimeout}}
	assert.NotEmpty(t, checkAbandoned(late, false))
	assert.Empty(t, checkAbandoned(late, true))
	late.err = &core.Error{Class: core.ErrGuestException}
	assert.NotEmpty(t, checkAbandoned(late, true))
	late.err = errors.New("other")
	assert.NotEmpty(t, checkAbandoned(late, true))
}
