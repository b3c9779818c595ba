package header_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/ringfence-js/ringfence/header"
)

// A count of line ends that shares nothing with the package's own.
var lineEnds = regexp.MustCompile("\r\n|[\n\r\u2028\u2029]")

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"",
		"run()",
		"/** @timeout 5s */",
		"\ufeff#!x\r\n// y\u2028/* z */\r/**\r\n * @timeout 1_0m\n * @statements 5k **/ /** */ /**/ run() /** */",
		"/**\n * @memory 64MiB\n * @maxResultNodes 1M\n * @allowTools a, b a * \n * @requiresTools\n */",
		"/**\n * @description x @y\n * @version 1.2.0\n * @param {x} y\n * @timeout 1\n * @timeout 2h\n */",
		"/** @timeout -1 */",
		"/** @timeout 1e309 */",
		"/** @statements 9223372036854775808 */",
		"/** @statements 9223372036854775k */",
		"/** @memory 8589934592GiB */",
		"/** @timeout */",
		"/** @allowTools */",
		"/** @allowTools * */",
		"/** @allowTools **/",
		"/** @timeout=5s\u00a0x",
		"/***/ /*/ /**",
		"'use strict' /** @timeout 5s */",
		"\xff/** \xe2\x80 @\xff */",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		h, warnings, err := header.Parse(source, "fuzz.js")
		lines := 1 + len(lineEnds.FindAllString(source, -1))

		last := 0
		for _, w := range warnings {
			if w.Line < last || w.Line < 1 || w.Line > lines {
				t.Errorf("warning of line %d after %d, of %d lines", w.Line, last, lines)
			}
			last = w.Line
			if w.Code == "" || w.Message == "" || len(w.Message) > 8_000 || lineEnds.MatchString(w.Message) {
				t.Errorf("warning %+v", w)
			}
		}
		if len(warnings) > header.MaxWarnings+1 {
			t.Errorf("%d warnings", len(warnings))
		}

		if err != nil {
			var e *header.Error
			if h != nil || !errors.As(err, &e) {
				t.Fatalf("header %v with error %v", h, err)
			}
			if e.Line < last || e.Line < 1 || e.Line > lines || e.Tag == "" || e.Reason == "" || len(err.Error()) > 8_000 {
				t.Errorf("error %+v of %d lines", e, lines)
			}
			return
		}
		if h == nil {
			t.Fatal("neither header nor error")
		}
		if h.Timeout != nil {
			back, err := header.ParseDuration(header.FormatDuration(*h.Timeout))
			if *h.Timeout <= 0 || err != nil || back != *h.Timeout {
				t.Errorf("timeout %v, read back %v, %v", *h.Timeout, back, err)
			}
		}
		for _, limit := range []*int64{h.Statements, h.Memory, h.MaxResultNodes} {
			if limit != nil && *limit <= 0 {
				t.Errorf("limit %d", *limit)
			}
		}
		for _, list := range [][]string{h.AllowTools, h.RequiresTools} {
			seen := map[string]bool{}
			for _, name := range list {
				if seen[name] || name == "" || strings.ContainsAny(name, ", \t\n\r") {
					t.Errorf("name %q in %q", name, list)
				}
				seen[name] = true
			}
		}
		if _, err := json.Marshal(h); err != nil {
			t.Error(err)
		}

		// Plain comments before a header change nothing, save where a hashbang
		// is no longer first, and so no longer a comment.
		if after, _, err := header.Parse("// x\n/* y */"+strings.TrimPrefix(source, "\ufeff"), ""); err != nil ||
			!strings.HasPrefix(strings.TrimPrefix(source, "\ufeff"), "#!") && !reflect.DeepEqual(h, after) {
			t.Errorf("with comments before it: %+v, %v; want %+v", after, err, h)
		}
	})
}

func FuzzNumbers(f *testing.F) {
	for _, seed := range []string{"", "1", "5s", "5M", "64MiB", "1_000k", "-1", "1e309", "9223372036854775808", "9223372036854775k", "0", "1__0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := header.ParseDuration(text); (err == nil) != (d > 0) {
			t.Errorf("duration %v, %v", d, err)
		}
		if n, err := header.ParseCount(text); (err == nil) != (n > 0) {
			t.Errorf("count %v, %v", n, err)
		}
		if n, err := header.ParseBytes(text); (err == nil) != (n > 0) {
			t.Errorf("bytes %v, %v", n, err)
		}
	})
}
