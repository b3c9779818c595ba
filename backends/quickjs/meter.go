//go:build wip && !386 && !arm

package quickjs

import (
	"strings"
	"unicode"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// The counter is a variable, the cheapest thing that the engine can count with, as
// long as it is a small integer. It counts up to 0 from what the host has granted;
// above that the script asks for more. $R does so, and is given to the host once,
// which reads the counter where it lies.
//
// The forms were measured (BenchmarkCharge) against the same script without a meter, in
// a loop of one statement, a recursion and a small tool script. This one, a var of the
// script's own function with += as a statement, which the engine has one operation
// for, takes 1.4, 1.46 and 1.06 times as long; the same around the script's function
// 1.6, 1.46 and 1.07; a global 1.7, 1.49 and 1.07; a host call for each charge 1.9,
// 1.65 and 1.1.
const (
	meterPrologue = "var $N=0,$R=()=>{$N=$($N)};$($R);"
	meterCharge   = "($N+=#,$N>0?$R():0)"
)

// maxGrant keeps the counter within the engine's small integers.
const maxGrant = 1 << 30

// meterInside moves the meter's variables from around the script's function into it.
// Nothing else moves: both places are in what the front end put before the script. A
// script that begins with a directive keeps them outside.
func meterInside(p *engine.Program) string {
	if len(p.Edits) == 0 || p.Edits[0].At != 0 || beginsWithString(p.Source) {
		return p.Text
	}
	head := p.Text[:min(p.Edits[0].Insert, len(p.Text))]
	name, _, _ := strings.Cut(strings.TrimPrefix(head, "("), ",")
	prologue := strings.ReplaceAll(meterPrologue, "$", name)
	before, after, found := strings.Cut(head, prologue)
	if !found || !strings.HasSuffix(after, "=>{") {
		return p.Text
	}
	return before + after + prologue + p.Text[len(head):]
}

// beginsWithString says whether the first token of a script is a string, which may be
// a directive.
func beginsWithString(source string) bool {
	for {
		source = strings.TrimLeftFunc(source, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
		switch {
		case strings.HasPrefix(source, "//"), strings.HasPrefix(source, "#!"), strings.HasPrefix(source, "<!--"), strings.HasPrefix(source, "-->"):
			end := strings.IndexAny(source, "\n\r\u2028\u2029")
			if end < 0 {
				return false
			}
			source = source[end:]
		case strings.HasPrefix(source, "/*"):
			_, rest, _ := strings.Cut(source[2:], "*/")
			source = rest
		default:
			return strings.HasPrefix(source, "'") || strings.HasPrefix(source, `"`)
		}
	}
}

// A meter counts the statements of a run.
type meter struct {
	granted int64   // in all
	counter uintptr // the engine's record of the variable, 0 before the script begins
	// final is the total where the engine was left by a panic: the variable may have
	// been on its stack.
	final int64
	site  uintptr // likewise, of the variable with the number of the last throw
}

// total is what was charged so far.
func (m *meter) total() int64 {
	if m.counter == 0 {
		return m.final
	}
	return m.granted + int64(variableAt(m.counter))
}

// freeze takes the total for good.
func (m *meter) freeze() { *m = meter{final: m.total()} }

// variableAt is the number in a variable.
func variableAt(p uintptr) float64 {
	n, _ := number(*atAddress[jsValue](atAddress[lib.TJSVarRef](p).Fpvalue))
	return n
}

// lastThrow is the number of the throw statement that came last, 0 for none.
func (m *meter) lastThrow() int {
	if m.site == 0 {
		return 0
	}
	return int(variableAt(m.site))
}

// charge is the function that a program calls: with functions that have the
// variables at first, then with what the counter has come to. It returns the next
// grant.
func charge(_ *libc.TLS, ctx uintptr, _ jsValue, argc int32, argv uintptr) jsValue {
	c := contextOf(ctx)
	args := argsAt(argc, argv)
	if isObject(args[0]) {
		variable := variableOf(c.dup(args[0])) // which lives as long as the function
		if argc > 1 {
			c.meter.site = variable
		} else {
			c.meter.counter = variable
		}
		return undefined
	}
	n, _ := number(args[0])
	used := c.meter.granted + int64(n)
	limit := c.cfg.Limits.Statements
	if used > limit {
		c.exhausted(engine.LimitStatements, limit)
	}
	c.check()
	grant := min(limit-used, maxGrant)
	c.meter.granted = used + grant
	return jsInt(int32(-grant))
}

// variableOf is the engine's record of the number among the variables of a closure.
// The variable itself moves: it leaves the stack when the function that declared it
// returns.
func variableOf(f jsValue) uintptr {
	closure := slotOf[struct{ code, variables, home uintptr }](f)
	code := atAddress[lib.TJSFunctionBytecode](closure.code)
	for _, p := range unsafe.Slice(atAddress[uintptr](closure.variables), int(code.Fclosure_var_count)) {
		v := atAddress[lib.TJSVarRef](p)
		if tagOf(*atAddress[jsValue](v.Fpvalue)) == lib.EJS_TAG_INT {
			return p
		}
	}
	return 0
}
