package goja

import (
	"math/big"
	"runtime"

	"github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/core/engine"
)

const (
	// maxCallDepth is how many calls may be nested. It counts what goja puts on
	// its stack: 1 for a plain call, 3 for one that goes through a built-in.
	maxCallDepth = 1_000

	// maxGoFrames is how many Go frames may lie on the goroutine's stack. Some
	// recursions grow that stack and leave goja's alone; the Go stack ends at
	// 1 GB, with the process.
	maxGoFrames = 20_000

	// goFramesEvery is how many charges lie between two looks at the Go stack.
	goFramesEvery = 1_024
)

// A meter counts the statements of a run. It is the place that every loop and
// every function of a script passes, so whatever needs checking often is checked
// here.
type meter struct {
	c          *runContext
	fn         goja.Value
	total, max int64
	stack      *[]struct{}
	nextLook   int64
	calls      int64
}

func (m *meter) init(c *runContext) {
	m.c = c
	m.max = c.cfg.Limits.Statements
	m.stack = c.layout.depthOf(c.rt)
	m.nextLook = goFramesEvery
	m.fn = c.hidden(m.charge)
}

// charge is the function that a program calls.
func (m *meter) charge(call goja.FunctionCall) goja.Value {
	m.total += call.Arguments[0].ToInteger()
	if m.total > m.max {
		m.c.exhausted(engine.LimitStatements, m.max)
	}
	if m.c.attention.Load() {
		m.c.attend()
	}
	if len(*m.stack) > maxCallDepth {
		m.c.throwTooDeep()
	}
	if m.calls++; m.calls > m.nextLook {
		m.lookAtGoStack()
	}
	if m.calls&63 == 0 {
		m.c.memory.statements.Store(m.total)
	}
	return goja.Undefined()
}

// lookAtGoStack walks the Go stack. The deeper that is, the longer until the next
// walk, so that the walks stay a small part of the run.
func (m *meter) lookAtGoStack() {
	var deep [1]uintptr
	if runtime.Callers(maxGoFrames, deep[:]) > 0 {
		m.c.throwTooDeep()
	}
	m.nextLook = m.calls + goFramesEvery
}

// throwTooDeep throws the RangeError of a call stack that is full.
func (c *runContext) throwTooDeep() { panic(c.newError("RangeError", tooDeepMessage)) }

const tooDeepMessage = "Maximum call stack size exceeded"

func (c *runContext) tooDeep(stack []goja.StackFrame) *engine.Thrown {
	return &engine.Thrown{Name: "RangeError", Message: tooDeepMessage, Frames: c.frames(stack)}
}

// hidden makes a native function that shows no Go name in a stack trace.
func (c *runContext) hidden(f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := c.rt.ToValue(f).(*goja.Object)
	_ = o.DefineDataProperty("name", c.rt.ToValue(""), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	return o
}

// maxBigIntOperand is the largest right operand of << and ** that a script may
// use, in either direction. The guard sees the operand alone, neither operator
// nor left side: as a shift it lets a number grow by 2 MiB, and as an exponent it
// keeps 3n ** x at 3.3 MB, which takes goja about a second.
const maxBigIntOperand = 1 << 24

// operandGuard returns the function that looks at right operands. A BigInt beyond
// the bound ends the run as one that asked for too much memory. An object comes
// back as its primitive value: its valueOf must not run twice, as the second time
// it might give another number.
func (c *runContext) operandGuard() goja.Value {
	bound := big.NewInt(maxBigIntOperand)
	return c.hidden(func(call goja.FunctionCall) goja.Value {
		v := call.Argument(0)
		if o, ok := v.(*goja.Object); ok {
			v = c.toNumeric(o)
		}
		if goja.IsBigInt(v) {
			if i, ok := v.Export().(*big.Int); ok && i.CmpAbs(bound) > 0 {
				c.exhausted(engine.LimitMemory, c.cfg.Limits.Memory)
			}
		}
		return v
	})
}
