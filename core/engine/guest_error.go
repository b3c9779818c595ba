package engine

import (
	"errors"
	"reflect"
	"unicode"
	"unicode/utf8"
)

// A GuestError is an error that a host function gives to the guest as the
// guest's own: a wrong argument is a TypeError like any other. Left uncaught it
// ends the run with GUEST_EXCEPTION, where any other Go error ends it with
// HOST_EXCEPTION.
type GuestError struct {
	// Name is one of the error constructors of ECMAScript: TypeError, RangeError,
	// SyntaxError, Error, ...
	Name    string
	Message string
}

func (e *GuestError) Error() string { return e.Name + ": " + e.Message }

// ErrorName is the name that the guest sees.
func (e *GuestError) ErrorName() string { return e.Name }

// GuestForm returns the name and the message that a guest sees of a Go error. The
// name is what the first error in the chain with a method ErrorName() string says,
// else the name of err's own type where that is exported, else Error. Nothing else
// of the error reaches the guest.
func GuestForm(err error) (name, message string) {
	if guest, ok := errors.AsType[*GuestError](err); ok {
		return guest.Name, CutText(guest.Message, MaxErrorText)
	}
	message = CutText(err.Error(), MaxErrorText)
	var named interface{ ErrorName() string }
	if errors.As(err, &named) {
		if name := named.ErrorName(); name != "" {
			return name, message
		}
	}
	t := reflect.TypeOf(err)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if first, _ := utf8.DecodeRuneInString(t.Name()); unicode.IsUpper(first) {
		return t.Name(), message
	}
	return "Error", message
}

// IsGuestError says whether err counts as an error of the guest itself.
func IsGuestError(err error) bool {
	_, ok := errors.AsType[*GuestError](err)
	return ok
}
