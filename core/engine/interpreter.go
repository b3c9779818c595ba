package engine

import (
	"errors"
	"time"
)

// An Interpreter adapts one JavaScript interpreter. Methods may be called from
// any goroutine.
type Interpreter interface {
	// Info describes the interpreter.
	Info() Info

	// Dialect says how the interpreter wants its programs written. It is asked
	// once, when the engine is made.
	Dialect() Dialect

	// Compile makes a program ready for this interpreter. What it returns must be
	// safe to use from many contexts at once and is kept beside the program. An
	// *[Error] with class GUEST_EXCEPTION and name SyntaxError is passed on to
	// the caller of the run as it is; any other error counts as INTERNAL.
	Compile(p *Program) (Compiled, error)

	// NewContext makes a fresh global environment: sealed, limited, with the
	// host objects and globals in place. It serves one run.
	NewContext(cfg *ContextConfig) (Context, error)

	// Close releases what the interpreter keeps. All contexts are closed before.
	Close() error
}

// Compiled is an interpreter's own form of a program.
type Compiled any

// A Dialect is what an interpreter needs in a program's text. In the three texts
// the letter $ stands for the reserved name, which no script can use.
//
// A program's text is the expression
//
//	($,$G,$K)=>{PROLOGUE var $V;return()=>{ the script }}
//
// The context calls it with a meter, an object of globals (or null) and an
// operand guard, gets the script's arrow function, and calls that without
// arguments.
type Dialect struct {
	// Prologue is put before the script, inside the outer function: declarations
	// that the charges use. It may be empty.
	Prologue string
	// Charge is an expression without blanks at its ends that charges #
	// statements (# stands for the number) and is falsy: $(#).
	Charge string
	// Enter is the same, used where a function of the script is entered.
	Enter string
	// Operands puts $K( ) around the right operand of **, << and >> and their
	// assignment forms, unless it is a plain number: for interpreters that
	// allocate whatever a BigInt operator asks for.
	Operands bool
	// Watch are names of built-ins that the context wants to know the use of:
	// see [Program.Reaches].
	Watch []string
}

// ContextConfig is what a context is made with.
type ContextConfig struct {
	// Limits of the run.
	Limits Limits
	// Program is the program that the context will evaluate.
	Program *Program
	// Host are the run's host objects.
	Host []HostObject
	// Globals are the run's data; each run gets copies of its own.
	Globals []Member
	// Now is the guest's clock, Random its random source, with numbers in [0, 1).
	// They are called on the context's goroutine only.
	Now    func() time.Time
	Random func() float64
	// Run is the run that the context belongs to.
	Run Run
}

// A Run is what a context may ask of, and must tell, the run that it serves.
type Run interface {
	// Call runs a synchronous host function and waits for it. Arguments and
	// results are values, never references. An error is what the guest must see
	// thrown, as [GuestError] describes it; if the error is [ErrStopped] the run
	// is over and the context must leave the guest's code without giving it
	// another turn. To be called on the context's goroutine.
	Call(host *HostObject, fn *Func, args []Value) (Value, error)

	// Start begins an asynchronous host function and returns the number under
	// which [Context.Settle] will bring its result. To be called on the context's
	// goroutine. Errors are as for Call; the guest sees them as a rejection.
	Start(host *HostObject, fn *Func, args []Value) (call int64, err error)

	// Exhausted records that a limit was passed and ends the run. The first
	// reason to stop wins, so Exhausted may come too late to matter. It calls
	// [Context.Interrupt]. Any goroutine may call it.
	Exhausted(limit string, max int64)

	// Stopped says whether the run is over. Any goroutine may call it.
	Stopped() bool
}

// ErrStopped is what a context returns from a call that the run's end cut short.
// Why it ended is the run's to know.
var ErrStopped = errors.New("the run was stopped")

// State says how far the script's value is.
type State int

const (
	// Fulfilled: the value is there, or was no promise at all.
	Fulfilled State = iota
	// Pending: the value is a promise that has not settled yet.
	Pending
	// Rejected: the value is a promise that was rejected.
	Rejected
)

// A Context is one global environment of an interpreter, in use for one run. All
// methods but Interrupt are called on one goroutine, one after the other. Each
// returns [ErrStopped] where the run's end cut it short. A panic that leaves a
// method is taken for a crash of the interpreter.
type Context interface {
	// Eval evaluates the program, once. It returns when the script's synchronous
	// part is done. The error is nil, ErrStopped or a *[Thrown].
	Eval(compiled Compiled) error

	// Drain runs promise jobs until none is queued. A context whose interpreter
	// does so by itself returns at once.
	Drain() error

	// State tells how far the script's value is, Rejection with what it was
	// rejected.
	State() State
	Rejection() *Thrown

	// Result converts the script's value, fulfilled by now, under the budget.
	// Getters, proxies and toJSON of the guest run while it does. The error is
	// nil, ErrStopped, a *[LimitError] or a *[Thrown].
	Result(b *Budget) (Value, error)

	// Settle resolves or rejects the promise of an asynchronous call. It does not
	// drain.
	Settle(call int64, v Value, err error) error

	// Unhandled returns the rejections that nobody has handled so far.
	Unhandled() []*Thrown

	// Statements is what was charged so far; the charge that passed the limit
	// counts.
	Statements() int64

	// Memory is the peak of bytes taken so far, or -1.
	Memory() int64

	// Interrupt makes the guest stop soon, uncatchably. Any goroutine may call
	// it, any number of times, at any time before Close.
	Interrupt()

	// Close releases the context. It is called exactly once, last.
	Close()
}

// Thrown is something that guest code threw, or rejected a promise with. Taking
// its parts runs guest code (getters, toString), so a context takes them under
// the run's deadline.
type Thrown struct {
	// Name is the name of a thrown Error, empty for any other value.
	Name string
	// Message is the message of an Error, the text of any other value.
	Message string
	// Frames are the frames of the guest, innermost first.
	Frames []ThrownFrame
	// Host is the Go error of the host function that failed, where the thrown
	// value is the very error that the guest was given for it.
	Host error
}

func (t *Thrown) Error() string {
	if t.Name == "" {
		return t.Message
	}
	return t.Name + ": " + t.Message
}

// A ThrownFrame is a stack frame in the text of the program.
type ThrownFrame struct {
	// Func is the guest function's name, which may be empty.
	Func string
	// Offset is a byte offset in [Program.Text], or -1 where the frame has no place
	// of the author's.
	Offset int
}
