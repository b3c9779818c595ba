package goja

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
)

func TestStatementsAreCountedAndTheChargeThatPassesCounts(t *testing.T) {
	t.Parallel()
	limit := func(n int64) func(*engine.Limits) { return func(l *engine.Limits) { l.Statements = n } }
	for _, tc := range []struct {
		script     string
		limit      int64
		statements int64
		stopped    bool
	}{
		{"1; 2; 3;", 3, 3, false},
		{"1; 2; 3; 4;", 3, 4, true},
		{"let n = 0; while (n < 3) n++;", 8, 8, false},
		{"function f() { return 1 } f();", 2, 3, true},
		{"for (;;) {}", 1000, 1001, true},
	} {
		o := eval(t, testCase{script: tc.script, limits: limit(tc.limit)})
		assert.Equal(t, tc.statements, o.statements, tc.script)
		if tc.stopped {
			require.ErrorIs(t, o.err, engine.ErrStopped, tc.script)
			assert.Equal(t, engine.LimitStatements, o.limit(), tc.script)
			assert.Equal(t, tc.limit, o.run.max, tc.script)
		} else {
			require.NoError(t, o.err, tc.script)
		}
	}
}

// Whatever a script does when its run is over, it stops.
func TestInterruptStops(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a loop":              "for (;;) {}",
		"a caught loop":       "for (;;) try { for (;;) {} } catch (e) {} finally { for (;;) {} }",
		"promise jobs":        "(function again() { Promise.resolve().then(again) })(); 1",
		"jobs of built-ins":   "const p = {}; p.then = Function.prototype.call.bind(Promise.prototype.then, Promise.resolve(p)); Promise.resolve(p); 1",
		"a loop in a getter":  "({ get x() { for (;;) {} } })",
		"a loop in toString":  "throw { toString() { for (;;) {} } }",
		"a looping name":      "const f = (function () { for (;;) {} }).bind(); Object.defineProperty(f, 'name', { get() { for (;;) {} } }); f()",
		"a callback's name":   "const f = (function () { for (;;) {} }).bind(); Object.defineProperty(f, 'name', { get() { for (;;) {} } }); [1].forEach(f)",
		"a proxy's name":      "const f = isNaN.bind(); delete f.name; Object.setPrototypeOf(f, new Proxy({}, { get() { for (;;) {} } })); [1].map(f); for (;;) {}",
		"backtracking":        "/^(?:(b+)+)\\1$/.test('b'.repeat(40) + '!')",
		"backtracking inside": "const r = /(b+)+$/g; r.lastIndex = 1; r.exec('b'.repeat(40) + '!')",
		"a rejection":         "await Promise.reject({ get message() { for (;;) {} } })",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := eval(t, testCase{script: script, timeout: 20 * time.Millisecond, limits: func(l *engine.Limits) { l.Statements = 1 << 60 }})
			assert.ErrorIs(t, o.err, engine.ErrStopped)
			assert.Empty(t, o.limit())
		})
	}
}

func TestInterruptBeforeEval(t *testing.T) {
	t.Parallel()
	in := testInterpreter()
	p := build(t, "1; 2")
	compiled, err := in.Compile(p)
	require.NoError(t, err)
	c, err := in.NewContext(&engine.ContextConfig{
		Limits: testLimits, Program: p, Now: time.Now, Random: func() float64 { return 0 }, Run: &testRun{},
	})
	require.NoError(t, err)
	c.Interrupt()
	c.Interrupt()
	assert.ErrorIs(t, c.Eval(compiled), engine.ErrStopped)
	assert.ErrorIs(t, c.Drain(), engine.ErrStopped)
	_, err = c.Result(engine.NewBudget(testLimits))
	assert.ErrorIs(t, err, engine.ErrStopped)
	c.Close()
}

func TestClockAndRandomAreTheRuns(t *testing.T) {
	t.Parallel()
	now := time.Date(2024, 2, 29, 12, 30, 15, 7e6, time.UTC)
	o := eval(t, testCase{script: "[Date.now(), new Date().getTime(), new Date().toISOString(), Math.random() === Math.random()]", now: now})
	require.NoError(t, o.err)
	assert.Equal(t, `[1709209815007,1709209815007,"2024-02-29T12:30:15.007Z",false]`, string(o.value.AppendJSON(nil)))
}

func TestThrownValuesAreTakenSafely(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"throw new TypeError('m')":                                          "TypeError: m",
		"throw new (class Mine extends Error { name = 'Mine' })('m')":       "Mine: m",
		"throw Object.create(Error.prototype, { message: { value: 'm' } })": "Error: m",
		"throw Object.assign(new Error('m'), { name: '' })":                 "Error: m",
		"undefinedName.foo":                      "ReferenceError: undefinedName is not defined",
		"null.x":                                 "TypeError: Cannot read property 'x' of",
		"JSON.parse('{')":                        "SyntaxError: ",
		"throw 'text'":                           "text",
		"throw 42":                               "42",
		"throw null":                             "null",
		"throw undefined":                        "undefined",
		"throw Symbol('s')":                      "Symbol(s)",
		"throw { code: 7 }":                      `{"code":7}`,
		"throw { toString() { return 'mine' } }": "mine",
		"throw { toString() { throw 1 } }":       unreadable,
		"throw new Proxy({}, { get() { throw 1 } })":                                           unreadable,
		"throw new Proxy(new Error('m'), { get() { throw 1 }, getPrototypeOf() { throw 2 } })": unreadable,
		"throw Object.defineProperty(new Error('m'), 'message', { get() { throw 1 } })":        "Error: " + unreadable,
		"throw Object.defineProperty(new Error('m'), 'name', { get() { throw 1 } })":           "Error: m",
		"throw Object.defineProperty(new Error('m'), 'stack', { get() { throw 1 } })":          "Error: m",
		"Error = TypeError = null; throw (() => { try { null.x } catch (e) { return e } })()":  "TypeError: Cannot read property 'x' of",
		"({ get a() { throw new RangeError('late') } })":                                       "RangeError: late",
		"await Promise.reject(new Error('rejected'))":                                          "Error: rejected",
		"Promise.reject(1)": "1",
	} {
		o := eval(t, testCase{script: script})
		thrown, ok := o.err.(*engine.Thrown)
		require.True(t, ok, "%s: %v", script, o.err)
		assert.Contains(t, thrown.Error(), want, script)
	}
}

func TestFramesAreTheScriptsOwn(t *testing.T) {
	t.Parallel()
	script := "const π = 1; function inner() {\n\t1; 2; throw new Error('m')\n}\nfunction outer() { [1].forEach(() => inner()) }\nouter()"
	o := eval(t, testCase{script: script})
	thrown, ok := o.err.(*engine.Thrown)
	require.True(t, ok, "%v", o.err)
	type frame struct {
		Func         string
		Line, Column int
	}
	var got []frame
	for _, f := range thrown.Frames {
		line, column, ok := o.context.cfg.Program.Position(f.Offset)
		require.True(t, ok)
		got = append(got, frame{f.Func, line, column})
	}
	require.Len(t, got, 4)
	assert.Equal(t, frame{"inner", 2, 14}, got[0])
	assert.Equal(t, 4, got[1].Line)
	assert.Equal(t, "outer", got[2].Func)
	assert.Equal(t, frame{"", 5, 6}, got[3])

	// A line has the author's columns also where the meter is on it.
	assert.Equal(t, `["1","32"]`, value(t, "function f() { 1; 2; 3; return new Error('x').stack } /test\\.js:(\\d+):(\\d+)/.exec(f()).slice(1)"))
	for _, script := range []string{
		"try { null.x } catch (e) { return e.stack }",
		"try { (function f() { f() })() } catch (e) { return e.stack.slice(0, 300) }",
		"try { 'a'.replace(/a/, () => null.x) } catch (e) { return e.stack }",
		"try { new Proxy({}, { get() { null.x } }).x } catch (e) { return e.stack }",
		"try { [3, 1, 2].concat(Array(5000).keys()).sort(() => null.x) } catch (e) { return e.stack }",
	} {
		assert.NotRegexp(t, `\.go|goja|ringfence|github|func\d`, value(t, script), script)
	}
}

// The result is read with nothing that a script has replaced.
func TestReplacedBuiltinsChangeNothingForTheHost(t *testing.T) {
	t.Parallel()
	script := `
		const map = new Map([['k', 1]]), pairs = new Map([[1, 2]]), set = new Set([1]);
		JSON.stringify = JSON.parse = Array.prototype.map = Array.prototype.forEach = Map.prototype.forEach = Set.prototype.forEach = null;
		Array.prototype[Symbol.iterator] = Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = Map.prototype.entries = null;
		Object.prototype.toString = Object.keys = Object.entries = Date.prototype.getTime = Date.prototype.toISOString = null;
		Object.prototype.leak = 1; Array.prototype[0] = 'hole'; Array.prototype.length = 5;
		Object.defineProperty(Object.prototype, 'a', { set() { throw 1 }, configurable: true });
		Error.prototype.toString = String.prototype.valueOf = Number.prototype.valueOf = null;
		({ list: [1, , 3], map, pairs, set, date: new Date(0), text: new String('t'), number: new Number(7), error: new TypeError('m') })`
	assert.Equal(t, `{"list":[1,null,3],"map":{"k":1},"pairs":[[1,2]],"set":[1],"date":"1970-01-01T00:00:00.000Z","text":"t","number":7,"error":{"name":"TypeError","message":"m"}}`, value(t, script))
}

func TestOperandGuard(t *testing.T) {
	t.Parallel()
	// An operand's valueOf runs once.
	assert.Equal(t, `["8",1]`, value(t, "let n = 0; const r = 2n ** { valueOf() { n++; return 3n } }; [r, n]"))
	assert.Equal(t, `[8,1]`, value(t, "let n = 0; const r = 2 ** { valueOf() { n++; return 3 } }; [r, n]"))
	o := eval(t, testCase{script: "let n = 0; 1n << { valueOf() { return n++ ? 10n ** 15n : 10n ** 14n } }"})
	require.ErrorIs(t, o.err, engine.ErrStopped)
	assert.Equal(t, engine.LimitMemory, o.limit())
}

func TestSourceMapsStayClosed(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "1", value(t, "1\n//# sourceMappingURL=/dev/zero"))
	assert.Equal(t, `"EvalError"`, value(t, "try { eval('1\\n//# sourceMappingURL=/dev/zero') } catch (e) { return e.name }; 0"))
}
