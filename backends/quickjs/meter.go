//go:build wip

package quickjs

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// The counter is a variable of the function around the script: the cheapest thing
// that the engine can count with, as long as it is a small integer. It counts down
// what the host has granted; below zero the script asks for more. $R does that, and
// is given to the host once, which reads the counter where it lies.
const (
	meterPrologue = "let $N=0;const $R=()=>{$N=$($N)};$($R);"
	meterCharge   = "($N-=#)<0&&$R()"
)

// maxGrant keeps the counter within the engine's small integers.
const maxGrant = 1 << 30

// A meter counts the statements of a run.
type meter struct {
	granted int64   // in all
	counter uintptr // the engine's record of the variable, 0 before the script begins
	site    uintptr // likewise, of the variable with the number of the last throw
}

// total is what was charged so far. It reads memory alone, so it is right after the
// engine was left by a panic too.
func (m *meter) total() int64 {
	if m.counter == 0 {
		return 0
	}
	return m.granted - int64(variableAt(m.counter))
}

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
	used := c.meter.granted - int64(n)
	limit := c.cfg.Limits.Statements
	if used > limit {
		c.exhausted(engine.LimitStatements, limit)
	}
	c.check()
	grant := min(limit-used, maxGrant)
	c.meter.granted = used + grant
	return jsInt(int32(grant))
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
