// The part of the engine that v8go does not offer. Everything here is plain C, so
// that Go can call it.
#ifndef RINGFENCE_V8_GUARD_H
#define RINGFENCE_V8_GUARD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A ringfence_guard watches the memory of one isolate.
typedef struct ringfence_guard ringfence_guard;

// ringfence_process prepares what belongs to the whole process: array buffers are
// counted, the time zone is UTC, the locale en-US. It is called once, after the
// first isolate was made and before the one that is to be guarded. It returns 0
// where it could not.
int ringfence_process(void);

// ringfence_guard_new guards an isolate; ringfence_guard_free is called after the
// isolate was disposed of.
ringfence_guard* ringfence_guard_new(void* isolate, size_t slack);
void ringfence_guard_free(ringfence_guard* guard);

// ringfence_begin starts a run with a limit in bytes, ringfence_end ends it.
void ringfence_begin(ringfence_guard* guard, size_t limit);
void ringfence_end(ringfence_guard* guard);

// ringfence_seal takes code generation from strings away from the context that is
// running, and remembers the array that it has as the global of the name for
// ringfence_rejected. It is called within a callback from that context. It returns
// 0 where it could not.
int ringfence_seal(ringfence_guard* guard, const char* global);

// ringfence_rejected puts promises that were rejected without a handler into that
// array, and returns how many. It is called within a callback from the context.
int ringfence_rejected(ringfence_guard* guard);

// A ringfence_place says where something was thrown, from 1; 0 where that is not
// known, or not in the script.
typedef struct {
  int thrown;
  int line;
  int column;
} ringfence_place;

// ringfence_call calls the function that is first in that array, and puts what it
// returned or threw in its place. V8 tells the place of a throw only to a handler in
// C++. It is called within a callback from the context.
ringfence_place ringfence_call(ringfence_guard* guard, const char* script);

// ringfence_here is the place in the script that has called the host. It is called
// within a callback from the context.
ringfence_place ringfence_here(ringfence_guard* guard, const char* script);

// ringfence_look makes the isolate look at its memory at the next moment at which
// a script can be interrupted. Any thread may call it.
void ringfence_look(ringfence_guard* guard);

// ringfence_over says whether the limit was passed. Any thread may call it.
int ringfence_over(ringfence_guard* guard);

// ringfence_settle says the same when the guest has returned.
int ringfence_settle(ringfence_guard* guard);

// ringfence_peak is the most that was seen taken in this run.
size_t ringfence_peak(ringfence_guard* guard);

// ringfence_buffers is how much the array buffers of the isolate take.
size_t ringfence_buffers(ringfence_guard* guard);

// ringfence_resume lets code run again after a termination. Nothing of the guest
// may be on the stack.
void ringfence_resume(ringfence_guard* guard);

// ringfence_heap is the heap's used size, read on the isolate's own thread.
size_t ringfence_heap(ringfence_guard* guard);

#ifdef __cplusplus
}
#endif

#endif
