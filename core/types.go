package core

import (
	"errors"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Types that the executor shares with engines.
type (
	// Value is a value on its way between guest and host.
	Value = engine.Value
	// Member is one entry of an object value.
	Member = engine.Member
	// Limits bound one run.
	Limits = engine.Limits
	// Error is how a run failed.
	Error = engine.Error
	// Class is the kind of a failure.
	Class = engine.Class
	// Frame is a stack frame in the author's text.
	Frame = engine.Frame
	// Warning tells of something that did not stop the run.
	Warning = engine.Warning
	// HostObject is a tree of functions and constants that a script sees.
	HostObject = engine.HostObject
)

// ClassOf returns the class of the outermost [*Error] in err's chain, or "" where
// there is none. It is what to switch on.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// Sentinels for errors.Is, one for each class. errors.Is looks at the cause too:
// where a host function runs scripts of its own, a HOST_EXCEPTION of the outer run
// may have the TIMEOUT of an inner one behind it. [ClassOf] tells them apart.
const (
	ErrInvalidHeader     = engine.InvalidHeader
	ErrMissingCapability = engine.MissingCapability
	ErrGuestException    = engine.GuestException
	ErrHostException     = engine.HostException
	ErrResourceExhausted = engine.ResourceExhausted
	ErrTimeout           = engine.Timeout
	ErrCancelled         = engine.Cancelled
	ErrBusy              = engine.Busy
	ErrInternal          = engine.Internal
)
