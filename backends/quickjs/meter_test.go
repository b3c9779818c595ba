//go:build wip && !386 && !arm

package quickjs

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

func TestStatementsAreExact(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		script string
		want   int64
	}{
		{"1; 2; 3;", 3},
		{"'use strict'; 1; 2; 3;", 3},
		{"// a comment\n'use strict'\n1; 2", 2},
		{"function f() { return 1 } f();", 3},
		{"let n = 0; while (n < 3) n++;", 8},
		{"do ; while (0)", 2},
		{"await 1; 2", 2},
		{"async function* g() { yield 1 } for await (const x of g()) x; 1", 6},
	} {
		c, _, code := open(t, job{script: tc.script})
		_, err := evaluate(c, code)
		require.NoError(t, err, tc.script)
		assert.Equal(t, tc.want, c.Statements(), tc.script)
		c.Close()
	}
}

func TestTheChargeThatPassesTheLimitCounts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		script      string
		limit, want int64
	}{
		{"1; 2; 3;", 3, 3},
		{"1; 2; 3; 4;", 3, 4},
		{"1; 2; { 3; 4; 5 }", 3, 5},
		{"'use strict'; 1; 2; { 3; 4; 5 }", 3, 5},
		{"try { for (;;) ; } catch { } finally { for (;;) ; }", 1_000, 1_001},
		{"await 1; function f() { return f() } f()", 100, 102},
		{"async function f() { for (;;) await 1 } f(); await f()", 1_000, 1_002},
	} {
		limits := usualLimits
		limits.Statements = tc.limit
		c, r, code := open(t, job{script: tc.script, limits: limits})
		_, err := evaluate(c, code)
		if tc.want > tc.limit {
			require.ErrorIs(t, err, engine.ErrStopped, tc.script)
			assert.Equal(t, engine.LimitStatements, r.limit, tc.script)
		} else {
			require.NoError(t, err, tc.script)
		}
		assert.Equal(t, tc.want, c.Statements(), tc.script)
		c.Close()
	}
}

func TestStatementsOfAFailedRunAreKept(t *testing.T) {
	t.Parallel()
	c, _, code := open(t, job{script: "for (let i = 0; i < 5; i++) i; probe.stop(); 1; 2"})
	defer c.Close()
	_, err := evaluate(c, code)
	_, isThrown := errors.AsType[*engine.Thrown](err)
	require.True(t, isThrown, err)
	assert.Equal(t, int64(14), c.Statements())
}

func TestTheMeterLiesInTheScriptsFunction(t *testing.T) {
	t.Parallel()
	inside := func(script string) bool {
		p := buildProgram(t, script, true)
		text := meterInside(p)
		require.Len(t, text, len(p.Text))
		return strings.Index(text, "return") < strings.Index(text, "N=0")
	}
	assert.True(t, inside("1"))
	assert.True(t, inside("/* 'use strict' */ await 1"))
	assert.True(t, inside("#!/bin/x 'a'\n1"))
	for _, script := range []string{"'use strict'; 1", "// x\n\n\"use strict\"", "/* x */ 'a' + 1"} {
		assert.False(t, inside(script), script)
	}
}
