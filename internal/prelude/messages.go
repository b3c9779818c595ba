package prelude

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/wire"
)

// ErrMessage says that a message from the guest's side was not one. It means that
// the engine, or this package, is broken.
var ErrMessage = errors.New("prelude: malformed message")

// Result is the message that gives the guest a value.
func Result(v engine.Value) string {
	text, escaped := wire.AppendText(make([]byte, 1, 64), v)
	text[0] = '='
	if escaped {
		text[0] = '~'
	}
	return string(text)
}

// Started is the message that an asynchronous call is under way.
func Started(call int64) string { return "#" + strconv.FormatInt(call, 10) }

// Failures keeps the Go errors that one context gave to its guest, so that they
// are found again when the guest throws them. The zero value is ready; it serves
// one goroutine.
type Failures struct{ list []error }

// Message is the message that throws err in the guest, or rejects with it.
func (f *Failures) Message(err error) string {
	id := 0
	if !engine.IsGuestError(err) {
		f.list = append(f.list, err)
		id = len(f.list)
	}
	name, message := engine.GuestForm(err)
	return string(list('!', strconv.Itoa(id), quoted(name), quoted(message)))
}

// At returns the error that a number of a description stands for, or nil.
func (f *Failures) At(id int) error {
	if id < 1 || id > len(f.list) {
		return nil
	}
	return f.list[id-1]
}

func list(kind byte, parts ...string) []byte {
	out := []byte{kind, '['}
	for i, part := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, part...)
	}
	return append(out, ']')
}

func quoted(s string) string { return string(engine.String(s).AppendJSON(nil)) }

// Args reads the arguments of a call under the limits of a run. fn says whether
// they are values or texts. The error is an *[engine.LimitError] or ErrMessage.
func Args(args string, fn *engine.Func, limits engine.Limits) ([]engine.Value, error) {
	if args == "[]" {
		return nil, nil
	}
	b := engine.NewBudget(limits)
	if !fn.Text {
		return wire.ParseTexts(args, b)
	}
	var shown []string
	if err := json.Unmarshal([]byte(args), &shown); err != nil {
		return nil, ErrMessage
	}
	values := make([]engine.Value, len(shown))
	for i, s := range shown {
		text, err := displayed(s)
		if err == nil {
			err = b.Bytes(int64(len(text)))
		}
		if err != nil {
			return nil, err
		}
		values[i] = engine.String(text)
	}
	return values, nil
}

// displayLimits bound a value that is shown. They are a little wider than those of
// the guest's side, which cuts off first.
var displayLimits = engine.Limits{ResultNodes: 10_000, ResultDepth: 64, ResultBytes: 1 << 20}

// displayed is the text of what the guest's side shows: a text, or a value.
func displayed(s string) (string, error) {
	if s == "" {
		return "", ErrMessage
	}
	if s[0] == 't' {
		return s[1:], nil
	}
	v, err := wire.ParseText(s[1:], engine.NewBudget(displayLimits))
	if err != nil {
		return "[object Object]", nil
	}
	return v.Text(), nil
}

// LimitName is the limit that OpLimit names by its first argument.
func LimitName(which int) string {
	switch which {
	case 0:
		return engine.LimitResultNodes
	case 1:
		return engine.LimitResultDepth
	}
	return engine.LimitResultBytes
}

// A Thrown is the description of a thrown value.
type Thrown struct {
	// IsError, Name and Message are for [engine.Thrown]; Name is empty unless
	// IsError.
	IsError       bool
	Name, Message string
	// Stack is the engine's stack text, or what the guest put in its place.
	Stack string
	// Host is the error's number in [Failures], or 0.
	Host int
}

// ParseThrown reads a description, without the "!" that may stand before it.
func ParseThrown(description string) (Thrown, error) {
	var t Thrown
	err := json.Unmarshal([]byte(description), &[]any{&t.IsError, &t.Name, &t.Message, &t.Stack, &t.Host})
	if err == nil {
		t.Message, err = displayed(t.Message)
	}
	if err != nil {
		return Thrown{}, ErrMessage
	}
	return t, nil
}
