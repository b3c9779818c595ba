package header_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/header"
)

func ptr[T any](v T) *T { return &v }

// timeout is the header that says five seconds and nothing else, for tests of
// whether a block is found at all.
var timeout = header.Header{Timeout: ptr(5 * time.Second)}

func TestParseReadsEveryTag(t *testing.T) {
	t.Parallel()
	source := `/**
 * Sums up the chapters.
 *
 * @description  Chapter summary, see @timeout below
 * @version      1.2.0-beta.1+x
 * @timeout      30m
 * @statements   500k
 * @memory       64MiB
 * @maxResultNodes 1_000_000
 * @requiresTools process_run, doc_create
 * @allowTools    process_run, doc_create  doc_read
 */
(function () {})();`
	got, warnings, err := header.Parse(source, "chapters.js")
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Empty(t, cmp.Diff(&header.Header{
		Timeout:        ptr(30 * time.Minute),
		Statements:     ptr(int64(500_000)),
		Memory:         ptr(int64(64 << 20)),
		MaxResultNodes: ptr(int64(1_000_000)),
		AllowTools:     []string{"process_run", "doc_create", "doc_read"},
		RequiresTools:  []string{"process_run", "doc_create"},
		Description:    "Chapter summary, see @timeout below",
		Version:        "1.2.0-beta.1+x",
	}, got))
}

func TestParseFindsTheHeader(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"at the start of the source":                "/**\n * @timeout 5s\n */\nrun()",
		"in a block on one line":                    "/** @timeout 5s */ run()",
		"in a block without blanks at its ends":     "/**@timeout 5s*/run()",
		"in a source with nothing else":             "/** @timeout 5s */",
		"in lines without stars":                    "/**\n@timeout 5s\n*/",
		"in a star on the opening line":             "/** * @timeout 5s */",
		"on the closing line":                       "/**\n * @timeout 5s */",
		"before a closing mark of several stars":    "/**\n * @timeout 5s **/",
		"before a closing line of several stars":    "/**\n * @timeout 5s\n ***/",
		"after a byte order mark":                   "\ufeff/** @timeout 5s */",
		"after a hashbang line":                     "#!/usr/bin/env ringfence\n/** @timeout 5s */",
		"after a byte order mark and a hashbang":    "\ufeff#!/bin/x /* \r\n/** @timeout 5s */",
		"after blank lines":                         "\n\r\n\r \t\v\f\u00a0\u3000\u2028\u2029/** @timeout 5s */",
		"after line comments":                       "// one /** @timeout 1s */\n//\n// three\n/** @timeout 5s */",
		"after a line comment ended by U+2028":      "// x\u2028/** @timeout 5s */",
		"after a line comment ended by U+2029":      "// x\u2029/** @timeout 5s */",
		"after a plain block comment":               "/* @timeout 1s */ /** @timeout 5s */",
		"after an empty plain comment":              "/**/ /** @timeout 5s */",
		"after a comment of three stars":            "/***/ /** @timeout 5s */",
		"after a banner":                            "/*****\n * @timeout 1s\n *****/\n/** @timeout 5s */",
		"after a plain comment that looks like one": "/* /** @timeout 1s */ /** @timeout 5s */",
		"with CRLF":              "/**\r\n * @timeout 5s\r\n */\r\nrun()",
		"with lone CR":           "/**\r * @timeout 5s\r */\rrun()",
		"with U+2028 and U+2029": "/**\u2028 * @timeout 5s\u2029 */",
		"with other blanks between name and value": "/**\n\t*\t@timeout\u00a0 \t5s \f\n */",
		"before a directive":                       "/** @timeout 5s */ 'use strict'",
		"before a block that does not end":         "/** @timeout 5s */ /** @timeout 1s",
		"before blocks below the first statement":  "/** @timeout 5s */ run(); /** @timeout 1s */",
		"in spite of invalid UTF-8 around it":      "/* \xff */ /** \xc3\n @timeout 5s\n \xe2\x80 */ \xff",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, warnings, err := header.Parse(source, "s.js")
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Empty(t, cmp.Diff(&timeout, got))
		})
	}
}

func TestParseFindsNoHeader(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"in an empty source":                      "",
		"in a lone byte order mark":               "\ufeff",
		"in a lone hashbang":                      "#!",
		"in a source without comments":            "run()",
		"after a statement":                       "run() /** @timeout 5s */",
		"after an empty statement":                "; /** @timeout 5s */",
		"after a directive":                       "'use strict'\n/** @timeout 5s */",
		"in a string":                             "\"/** @timeout 5s */\"",
		"in a template":                           "`/** @timeout 5s */`",
		"in a regular expression":                 "/[/** @timeout 5s */]/",
		"in a line comment":                       "// /** @timeout 5s */",
		"in a line comment that NEL does not end": "// x\u0085/** @timeout 5s */",
		"in a hashbang line":                      "#!/** @timeout 5s */",
		"after a hashbang that is not first":      "\n#!x\n/** @timeout 5s */",
		"in a plain comment":                      "/* @timeout 5s */",
		"in a comment of three stars":             "/*** @timeout 5s */",
		"in a block that does not end":            "/** @timeout 5s",
		"in a block that ends in its own star":    "/** @timeout 5s *",
		"after a comment that does not end":       "/* /* /** @timeout 5s",
		"in a comment that only opens":            "/**",
		"in a slash that closes nothing":          "/*/ /** @timeout 5s",
		"in half a comment mark":                  "/",
		"after an invalid byte":                   "\xff/** @timeout 5s */",
		"in the middle of a line":                 "/** see @timeout 5s */",
		"behind two stars":                        "/**\n ** @timeout 5s\n */",
		"in a lone at sign":                       "/** @ timeout 5s */",
		"in an at sign before punctuation":        "/** @-timeout 5s */",
		"in a link":                               "/** {@timeout 5s} */",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, warnings, err := header.Parse(source, "s.js")
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Empty(t, cmp.Diff(&header.Header{}, got))
		})
	}
}

func TestParseReadsValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		line string // the text of a block
		want header.Header
	}{
		"a bare list is given and empty":            {"@allowTools", header.Header{AllowTools: []string{}}},
		"a bare list before blanks is empty":        {"@allowTools \t ", header.Header{AllowTools: []string{}}},
		"a list of commas is empty":                 {"@requiresTools ,, ,", header.Header{RequiresTools: []string{}}},
		"a star is a name":                          {"@allowTools * ", header.Header{AllowTools: []string{"*"}}},
		"a star at the closing mark belongs to it":  {"@allowTools *", header.Header{AllowTools: []string{}}},
		"a star that ends a name belongs to it":     {"@allowTools doc_*", header.Header{AllowTools: []string{"doc_*"}}},
		"commas separate names":                     {"@allowTools a,b, c ,d", header.Header{AllowTools: []string{"a", "b", "c", "d"}}},
		"blanks separate names":                     {"@allowTools a b\tc\u00a0d", header.Header{AllowTools: []string{"a", "b", "c", "d"}}},
		"a repeated name counts once, in its place": {"@allowTools b a,b a c", header.Header{AllowTools: []string{"b", "a", "c"}}},
		"names are case sensitive":                  {"@requiresTools a A", header.Header{RequiresTools: []string{"a", "A"}}},
		"a list ends with its line":                 {"@allowTools a,\n * b", header.Header{AllowTools: []string{"a"}}},
		"a description is free text":                {"@description  a  @timeout x, * b ", header.Header{Description: "a  @timeout x, * b"}},
		"a description may be empty":                {"@description", header.Header{}},
		"a description ends with its line":          {"@description a\n * b", header.Header{Description: "a"}},
		"a description keeps invalid UTF-8":         {"@description \xffa ", header.Header{Description: "\xffa"}},
		"a version is a semantic version":           {"@version 1.2.0", header.Header{Version: "1.2.0"}},
		"a version may be any word":                 {"@version v1/x", header.Header{Version: "v1/x"}},
		"only tags of a line's start count":         {"@timeout 5s\n * and @statements 5", timeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, warnings, err := header.Parse("/** "+test.line+"*/", "s.js")
			require.NoError(t, err)
			assert.Empty(t, warnings)
			assert.Empty(t, cmp.Diff(&test.want, got))
		})
	}
}

func TestParseRefusesMalformedValues(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source string
		want   header.Error // Reason: what the reason begins with
	}{
		"a word as timeout":               {"/** @timeout abc */", header.Error{Tag: "@timeout", Value: "abc", Reason: "it does not start with a digit; allowed: ", Line: 1}},
		"a negative timeout":              {"\n/**\n * @timeout -1\n */", header.Error{Tag: "@timeout", Value: "-1", Reason: "a sign is not allowed; allowed: ", Line: 3}},
		"a timeout with an exponent":      {"\r\n/** x\r\n * @timeout 1e309 */", header.Error{Tag: "@timeout", Value: "1e309", Reason: "an exponent is not allowed; allowed: ", Line: 3}},
		"a bare timeout":                  {"/** @timeout */", header.Error{Tag: "@timeout", Value: "", Reason: "empty value; allowed: ", Line: 1}},
		"a bare version":                  {"/** @version */", header.Error{Tag: "@version", Value: "", Reason: "empty value; allowed: ", Line: 1}},
		"a version of two words":          {"/** @version 1 2 */", header.Error{Tag: "@version", Value: "1 2", Reason: "blank inside the value; allowed: ", Line: 1}},
		"too many statements":             {"#!x\r// y\u2028/* a\u2029b */ /**\n\n@statements 9223372036854775808\n*/", header.Error{Tag: "@statements", Value: "9223372036854775808", Reason: "too large, the most is 9223372036854775807; allowed: ", Line: 6}},
		"memory in an unknown unit":       {"/** @memory 64MB */", header.Error{Tag: "@memory", Value: "64MB", Reason: `the suffix "MB" is not allowed; allowed: `, Line: 1}},
		"result nodes with a small m":     {"/** @maxResultNodes 5m */", header.Error{Tag: "@maxResultNodes", Value: "5m", Reason: `the suffix "m" is not allowed: write M for millions; allowed: `, Line: 1}},
		"a value with a remark behind it": {"/** @timeout 5s // enough */", header.Error{Tag: "@timeout", Value: "5s // enough", Reason: "blank inside the value; allowed: ", Line: 1}},
		"an earlier value than the last":  {"/**\n@timeout abc\n@timeout 5s\n*/", header.Error{Tag: "@timeout", Value: "abc", Reason: "it does not start", Line: 2}},
		"the last value of several":       {"/**\n@timeout 5s\n@timeout abc\n*/", header.Error{Tag: "@timeout", Value: "abc", Reason: "it does not start", Line: 3}},
		"the first of two":                {"/**\n@memory x\n@timeout y\n*/", header.Error{Tag: "@memory", Value: "x", Reason: "it does not start", Line: 2}},
		"a value of the first block":      {"/** @timeout x */ /** @timeout 5s */", header.Error{Tag: "@timeout", Value: "x", Reason: "it does not start", Line: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _, err := header.Parse(test.source, "s.js")
			assert.Nil(t, got)
			var e *header.Error
			require.ErrorAs(t, err, &e)
			assert.Truef(t, strings.HasPrefix(e.Reason, test.want.Reason), "reason: %s", e.Reason)
			test.want.Reason = e.Reason
			assert.Equal(t, test.want, *e)
			assert.Contains(t, err.Error(), fmt.Sprintf("line %d: tag=%s value=%q reason=%s", e.Line, e.Tag, e.Value, e.Reason))
		})
	}
}

func TestParseWarns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source string
		want   []header.Warning
	}{
		"of an unknown tag": {"/**\n * @param {number} n\n * @timeout 5s\n */", []header.Warning{{
			Code: header.UnknownTag, Line: 2,
			Message: `unknown tag "@param" with value "{number} n" in script "s.js" is ignored`,
		}}},
		"of a known tag in another case": {"/**\n@timeout 5s\n@allowtools */", []header.Warning{{
			Code: header.UnknownTag, Line: 3,
			Message: `unknown tag "@allowtools" with value "" in script "s.js" is ignored; did you mean @allowTools?`,
		}}},
		"of a name with other characters": {"/**\n@timeout 5s\n@timeout=1s\n*/", []header.Warning{{
			Code: header.UnknownTag, Line: 3,
			Message: `unknown tag "@timeout=1s" with value "" in script "s.js" is ignored; a name consists of letters, digits and _, and a blank follows it`,
		}}},
		"of a repeated tag, whose last value counts": {"/**\n@timeout 1m\n@timeout 5s\n*/", []header.Warning{{
			Code: header.DuplicateTag, Line: 3,
			Message: `tag @timeout with value "5s" in script "s.js" replaces the value "1m" of line 2`,
		}}},
		"of every repetition": {"/**\n@timeout 3s\n@timeout 4s\n@timeout 5s\n*/", []header.Warning{
			{Code: header.DuplicateTag, Line: 3, Message: `tag @timeout with value "4s" in script "s.js" replaces the value "3s" of line 2`},
			{Code: header.DuplicateTag, Line: 4, Message: `tag @timeout with value "5s" in script "s.js" replaces the value "4s" of line 3`},
		}},
		"of a second block, which is ignored": {"/**\n@timeout 5s\n*/\n\n/**\n@timeout x\n@param y\n*/ run()", []header.Warning{{
			Code: header.SecondBlock, Line: 5,
			Message: `another doc comment above the first statement of script "s.js" is ignored: only the first is the header`,
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, warnings, err := header.Parse(test.source, "s.js")
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(test.want, warnings))
			assert.Empty(t, cmp.Diff(&timeout, got))
		})
	}
}

func TestParseReadsOnlyTheFirstBlockAlsoWhenItHasNoTags(t *testing.T) {
	t.Parallel()
	got, warnings, err := header.Parse("/** A licence. */\n/** @timeout 5s */", "s.js")
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(&header.Header{}, got))
	require.Len(t, warnings, 1)
	assert.Equal(t, header.SecondBlock, warnings[0].Code)
	assert.Equal(t, 2, warnings[0].Line)
}

func TestParseReplacesARepeatedList(t *testing.T) {
	t.Parallel()
	got, warnings, err := header.Parse("/**\n@allowTools a b\n@allowTools\n*/", "s.js")
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	assert.Empty(t, cmp.Diff(&header.Header{AllowTools: []string{}}, got))
}

func TestParseReturnsTheWarningsBeforeAnError(t *testing.T) {
	t.Parallel()
	_, warnings, err := header.Parse("/**\n@param x\n@timeout x\n@param y\n*/", "s.js")
	require.Error(t, err)
	require.Len(t, warnings, 1)
	assert.Equal(t, 2, warnings[0].Line)
}
