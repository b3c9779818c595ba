package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-js/ringfence/core"
)

func TestEveryClassHasItsExitStatus(t *testing.T) {
	assert.Equal(t, 0, exitStatus(nil))
	for class, want := range map[core.Class]int{
		core.ErrGuestException:    1,
		core.ErrHostException:     1,
		classBadRequest:           2,
		core.ErrInvalidHeader:     2,
		core.ErrMissingCapability: 2,
		core.ErrResourceExhausted: 3,
		core.ErrTimeout:           3,
		core.ErrCancelled:         3,
		core.ErrBusy:              3,
		core.ErrInternal:          4,
		"NEW_CLASS":               4,
	} {
		assert.Equal(t, want, exitStatus(&core.Error{Class: class}), class)
	}
}

func TestEveryErrorHasAClass(t *testing.T) {
	assert.Nil(t, asError(nil))
	busy := &core.Error{Class: core.ErrBusy}
	assert.Same(t, busy, asError(fmt.Errorf("run: %w", busy)))
	assert.Equal(t, classBadRequest, asError(&core.RequestError{Field: "Scope", Reason: "is missing"}).Class)
	assert.Equal(t, core.ErrInternal, asError(core.ErrClosed).Class)
	assert.Equal(t, "no disk", asError(errors.New("no disk")).Message)
}
