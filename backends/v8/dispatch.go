//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	v8go "rogchap.com/v8go"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/prelude"
)

// Operations of the dispatcher that only boot.js uses.
const (
	// opSeal () seals the context and returns the run's memory limit.
	opSeal prelude.Op = -1 - iota
	// opRejected () fills the list of promises that nobody handled and returns their
	// number.
	opRejected
	// opMemory () ends the run: it asked for more memory than it may have.
	opMemory
	// opCheck () looks whether the run is over.
	opCheck
	// opRun () calls the function that is first in the list, puts what it returned or
	// threw in its place, and returns whether it threw.
	opRun
)

// callback is the dispatcher: the one way from a context into Go. A panic must not
// leave it, as V8's frames are on the stack. All arguments were made by the prelude.
func (iso *isolate) callback(info *v8go.FunctionCallbackInfo) (out *v8go.Value) {
	c := iso.current
	if c == nil {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			c.crash = fmt.Sprintf("%v\n%s", p, debug.Stack())
			c.stopped.Store(true)
			c.iso.TerminateExecution()
			out = nil
		}
	}()
	args := info.Args()
	op := prelude.Op(args[0].Int32())
	if op == prelude.OpCharge && args[1].IsFunction() {
		out, err := c.hand(args[1]) // which is kept
		return c.answered(out, err)
	}
	defer info.Release()
	return c.answered(c.dispatch(op, args[1:]))
}

// answered keeps what the dispatcher returns until V8 has taken it.
func (c *runContext) answered(v *v8go.Value, err error) *v8go.Value {
	if c.answer != nil {
		c.answer.Release()
		c.answer = nil
	}
	if err != nil {
		panic(err)
	}
	c.answer = v
	if c.stopped.Load() {
		// What runs on until V8 looks up finds nothing.
		c.iso.TerminateExecution()
		return nil
	}
	return v
}

func (c *runContext) dispatch(op prelude.Op, args []*v8go.Value) (*v8go.Value, error) {
	switch op {
	case prelude.OpCharge:
		c.spent(args[0].Number())
		return nil, nil
	case prelude.OpCall, prelude.OpStart:
		return c.hostCall(op, int(args[0].Int32()), int(args[1].Int32()), args[2].String())
	case prelude.OpAuthor:
		return c.newText(c.cfg.Program.AuthorText(args[0].String()))
	case prelude.OpNow:
		return v8go.NewValue(c.iso.Isolate, float64(c.cfg.Now().UnixMilli()))
	case prelude.OpRandom:
		return v8go.NewValue(c.iso.Isolate, c.cfg.Random())
	case prelude.OpLimit:
		c.exhausted(prelude.LimitName(int(args[0].Int32())), int64(args[1].Number()))
		return nil, nil
	case prelude.OpPlace:
		return c.newText(c.place(int(args[0].Int32()), int(args[1].Int32())))
	case opSeal:
		if !c.iso.seal(listName) {
			return nil, errors.New("v8: the context could not be sealed")
		}
		return v8go.NewValue(c.iso.Isolate, float64(c.cfg.Limits.Memory))
	case opRejected:
		return v8go.NewValue(c.iso.Isolate, int32(c.iso.rejected()))
	case opRun:
		threw, line, column := c.iso.call()
		if threw && line > 0 {
			c.thrownAt = offsetIn(c.cfg.Program, line, column)
		}
		return v8go.NewValue(c.iso.Isolate, threw)
	case opCheck:
		return nil, nil
	case opMemory:
		c.exhausted(engine.LimitMemory, c.cfg.Limits.Memory)
		return nil, nil
	}
	return nil, fmt.Errorf("v8: the dispatcher has no operation %d", op)
}

// hostCall calls a host function, or starts it. No code of the guest runs meanwhile.
func (c *runContext) hostCall(op prelude.Op, h, id int, text string) (*v8go.Value, error) {
	host := &c.cfg.Host[h]
	fn := host.Shape.Funcs()[id]
	args, err := prelude.Args(text, fn, c.cfg.Limits)
	if limit, ok := errors.AsType[*engine.LimitError](err); ok {
		c.exhausted(limit.Limit, limit.Max)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	message := ""
	if op == prelude.OpStart {
		var call int64
		if call, err = c.run.Start(host, fn, args); err == nil {
			message = prelude.Started(call)
			if line, column := c.iso.here(); line > 0 {
				c.started[call] = offsetIn(c.cfg.Program, line, column)
			}
		}
	} else {
		theCage.pause()
		var v engine.Value
		v, err = c.run.Call(host, fn, args)
		for !theCage.resume(c.stopped.Load) {
			// The run is over, but V8's frames are still to be left.
			if theCage.resume(never) {
				break
			}
		}
		if err == nil {
			message = prelude.Result(v)
		}
	}
	if errors.Is(err, engine.ErrStopped) {
		c.stop()
		return nil, nil
	}
	if err != nil {
		message = c.failures.Message(err)
	}
	return c.newText(message)
}

// place is "line:column" in the author's text for a place in the program's.
func (c *runContext) place(line, column int) string {
	offset := offsetIn(c.cfg.Program, line, column)
	l, col, ok := c.cfg.Program.Position(offset)
	if !ok {
		return ""
	}
	place := strconv.Itoa(l) + ":" + strconv.Itoa(col)
	if len(c.places) < maxPlaces {
		c.places[place] = offset
	}
	return place
}

// maxPlaces bounds what a script can make the host remember.
const maxPlaces = 10_000
