//go:build wip && cgo && (linux || darwin) && (amd64 || arm64)

package v8

/*
#cgo CXXFLAGS: -std=c++17 -fno-rtti -fno-exceptions -fPIC -Wall
#include <stdlib.h>
#include "guard.h"
*/
import "C"

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	v8go "rogchap.com/v8go"
)

// flags are set before the first isolate. Each is set by a call of its own: an
// unknown flag silently drops those that follow in the same call.
var flags = []string{
	// More than any run may have: the guard brings the limit down to the run's.
	"--max-heap-size=1536",
	// Without these some growth crawls near the limit for many seconds.
	"--min-semi-space-size=4",
	"--max-semi-space-size=8",
	// Some thousand nested calls, as many as an ordinary script can need.
	"--stack-size=700",
	"--harmony-change-array-by-copy",
	"--no-expose-wasm",
	"--no-harmony-sharedarraybuffer",
}

// process prepares what belongs to the whole process, once.
var process = sync.OnceValue(func() error {
	for _, flag := range flags {
		v8go.SetFlags(flag)
	}
	first := v8go.NewIsolate()
	defer first.Dispose()
	if _, err := pointer(first); err != nil {
		return err
	}
	if C.ringfence_process() == 0 {
		return errors.New("v8: the time zone, the locale or the allocator of array buffers could not be set")
	}
	return nil
})

// pointer is V8's own pointer to an isolate, which v8go keeps in a private field.
func pointer(iso *v8go.Isolate) (unsafe.Pointer, error) {
	field := reflect.ValueOf(iso).Elem().FieldByName("ptr")
	if !field.IsValid() || field.Kind() != reflect.Pointer {
		return nil, errors.New("v8: this version of v8go keeps its isolates in a way that this package does not know")
	}
	p := field.UnsafePointer()
	if p == nil {
		return nil, errors.New("v8: the isolate was disposed of")
	}
	return p, nil
}

// An isolate is a heap with its guard. One goroutine uses it at a time.
type isolate struct {
	*v8go.Isolate
	guard    *C.ringfence_guard
	dispatch *v8go.FunctionTemplate
	current  *runContext // the run that the dispatcher serves
	scripts  map[*compiled]*v8go.UnboundScript
	boot     *v8go.UnboundScript
	booted   bool // the boot has run in it
	runs     int
	broken   bool // it must not serve another run
}

func newIsolate() (*isolate, error) {
	if err := process(); err != nil {
		return nil, err
	}
	iso := &isolate{Isolate: v8go.NewIsolate(), scripts: map[*compiled]*v8go.UnboundScript{}}
	p, err := pointer(iso.Isolate)
	if err != nil {
		iso.Isolate.Dispose()
		return nil, err
	}
	isolates.Add(1)
	iso.guard = C.ringfence_guard_new(p, heapSlack)
	iso.dispatch = v8go.NewFunctionTemplate(iso.Isolate, iso.callback)
	return iso, nil
}

// dispose ends the isolate. Nothing may use it afterwards, a request to terminate
// included.
func (iso *isolate) dispose() {
	iso.Isolate.Dispose()
	C.ringfence_guard_free(iso.guard)
	iso.guard = nil
	isolates.Add(-1)
}

// isolates is how many there are in the process.
var isolates atomic.Int64

// begin starts a run with a memory limit.
func (iso *isolate) begin(limit int64) {
	iso.runs++
	C.ringfence_begin(iso.guard, C.size_t(limit))
}

// end ends it.
func (iso *isolate) end() { C.ringfence_end(iso.guard) }

// look makes the isolate look at its memory soon. Any goroutine may call it.
func (iso *isolate) look() { C.ringfence_look(iso.guard) }

// over says whether the run passed its memory limit. Any goroutine may call it.
func (iso *isolate) over() bool { return C.ringfence_over(iso.guard) != 0 }

// settle says the same when the guest has returned. Only the isolate's own goroutine
// may ask.
func (iso *isolate) settle() bool { return C.ringfence_settle(iso.guard) != 0 }

// peak is the most memory that the run was seen to take.
func (iso *isolate) peak() int64 { return int64(C.ringfence_peak(iso.guard)) }

// heap is the used size of the heap. Only the isolate's own goroutine may ask.
func (iso *isolate) heap() int64 { return int64(C.ringfence_heap(iso.guard)) }

// buffers is what its array buffers take.
func (iso *isolate) buffers() int64 { return int64(C.ringfence_buffers(iso.guard)) }

// resume lets code of the host run after a termination.
func (iso *isolate) resume() { C.ringfence_resume(iso.guard) }

// seal takes code from strings away from the context that is running, and remembers
// the array that is its global of the name. It is called within the dispatcher.
func (iso *isolate) seal(global string) bool {
	name := C.CString(global)
	defer C.free(unsafe.Pointer(name))
	return C.ringfence_seal(iso.guard, name) != 0
}

// rejected fills that array with the promises that nobody handled, and returns how
// many there are. It is called within the dispatcher.
func (iso *isolate) rejected() int { return int(C.ringfence_rejected(iso.guard)) }

// call calls the function that is first in that array, and says whether it threw,
// and where in the script. It is called within the dispatcher.
func (iso *isolate) call() (threw bool, line, column int) {
	script := C.CString(scriptName)
	defer C.free(unsafe.Pointer(script))
	place := C.ringfence_call(iso.guard, script)
	return place.thrown != 0, int(place.line), int(place.column)
}

// here is the place in the script that has called the host, or 0. It is called
// within the dispatcher.
func (iso *isolate) here() (line, column int) {
	script := C.CString(scriptName)
	defer C.free(unsafe.Pointer(script))
	place := C.ringfence_here(iso.guard, script)
	return int(place.line), int(place.column)
}
