//go:build cgo && (linux || darwin) && (amd64 || arm64)

// The names of V8 that this file uses are declared here, as they are exported by
// the library: its own headers are not needed, and do not have to agree with any
// compiler's settings. A handle is a pointer to a slot, which is all that a Local
// holds.

#include "guard.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace v8 {

class Isolate;
class Context;
class Object;
class Value;
class String;
class Promise;
class Message;

template <class T>
class Local {
 public:
  T* slot;
};
template <class T>
class MaybeLocal {
 public:
  T* slot;
};
template <class T>
class Maybe {
 public:
  bool has;
  T value;
};

enum class NewStringType { kNormal, kInternalized };
enum GCType { kGCTypeMarkSweepCompact = 1 << 2 };
enum GCCallbackFlags { kNoGCCallbackFlags };
enum class MemoryPressureLevel { kNone, kModerate, kCritical };
enum class MicrotasksPolicy { kExplicit, kScoped, kAuto };

class PromiseRejectMessage {
 public:
  Local<Promise> promise;
  int event;
  Local<Value> value;
};

class Message {
 public:
  Local<Value> GetScriptResourceName() const;
  Maybe<int> GetLineNumber(Local<Context>) const;
  Maybe<int> GetStartColumn(Local<Context>) const;
};

class Value {
 public:
  bool StrictEquals(Local<Value>) const;
};

class Function {
 public:
  MaybeLocal<Value> Call(Local<Context>, Local<Value> self, int count, Local<Value> args[]);
};

class Location {
 public:
  int line;  // from 0, as the column is
  int column;
};

class StackFrame {
 public:
  Location GetLocation() const;
  Local<String> GetScriptName() const;
};

class StackTrace {
 public:
  enum StackTraceOptions { kOverview = 15 };
  static Local<StackTrace> CurrentStackTrace(Isolate*, int limit, StackTraceOptions);
  int GetFrameCount() const;
  Local<StackFrame> GetFrame(Isolate*, uint32_t) const;
};

// TryCatch lives on the stack. The room is more than it needs.
class TryCatch {
 public:
  explicit TryCatch(Isolate*);
  ~TryCatch();
  bool HasCaught() const;
  Local<Value> Exception() const;
  Local<v8::Message> Message() const;

 private:
  void* room_[16];
};

// HeapStatistics is filled by the isolate. The room is more than it needs.
class HeapStatistics {
 public:
  size_t field[32] = {};
  size_t used() const { return field[4]; }
};

class Isolate {
 public:
  static Isolate* TryGetCurrent();
  void AddNearHeapLimitCallback(size_t (*)(void*, size_t, size_t), void*);
  void RemoveNearHeapLimitCallback(size_t (*)(void*, size_t, size_t), size_t);
  void AddGCEpilogueCallback(void (*)(Isolate*, GCType, GCCallbackFlags, void*), void*, GCType);
  void MemoryPressureNotification(MemoryPressureLevel);
  void SetAllowAtomicsWait(bool);
  void SetMicrotasksPolicy(MicrotasksPolicy);
  void SetPromiseRejectCallback(void (*)(PromiseRejectMessage));
  void RequestInterrupt(void (*)(Isolate*, void*), void*);
  void TerminateExecution();
  void CancelTerminateExecution();
  void GetHeapStatistics(HeapStatistics*);
  Local<Context> GetCurrentContext();
};

class Context {
 public:
  Local<Object> Global();
  void AllowCodeGenerationFromStrings(bool);
};

class Object {
 public:
  MaybeLocal<Value> Get(Local<Context>, Local<Value>);
  MaybeLocal<Value> Get(Local<Context>, uint32_t);
  Maybe<bool> Set(Local<Context>, uint32_t, Local<Value>);
};

class String {
 public:
  static MaybeLocal<String> NewFromUtf8(Isolate*, const char*, NewStringType, int);
};

class ArrayBuffer {
 public:
  class Allocator {
   public:
    virtual ~Allocator() = default;
    virtual void* Allocate(size_t length) = 0;
    virtual void* AllocateUninitialized(size_t length) = 0;
    virtual void Free(void* data, size_t length) = 0;
    virtual void* Reallocate(void* data, size_t before, size_t after) = 0;
  };
};

namespace internal {
class Isolate;
}
namespace api_internal {
uintptr_t* GlobalizeReference(internal::Isolate*, uintptr_t*);
void DisposeGlobal(uintptr_t*);
}  // namespace api_internal

}  // namespace v8

// v8go makes every isolate with this allocator.
extern v8::ArrayBuffer::Allocator* default_allocator;

// ICU carries its version in its names.
extern "C" void ucal_setDefaultTimeZone_71(const char16_t* zone, int* status);
extern "C" void uloc_setDefault_71(const char* locale, int* status);

struct ringfence_guard {
  v8::Isolate* isolate;
  size_t slack;

  std::atomic<size_t> limit{0};  // of the run under way; 0 means none
  std::atomic<bool> over{false};
  std::atomic<bool> looking{false};  // a look was asked for
  std::atomic<unsigned> waiting{0};  // how often it was asked for again
  std::atomic<size_t> buffers{0};
  std::atomic<size_t> peak{0};

  // Used on the isolate's own thread only.
  size_t heap = 0;     // as it was last seen
  size_t refused = 0;  // the length of the buffer that was asked for last and refused
  uintptr_t* list = nullptr;
  std::vector<uintptr_t*> rejected;
  size_t rejected_more = 0;
};

namespace {

v8::Local<v8::Value> value(const void* slot) {
  return v8::Local<v8::Value>{static_cast<v8::Value*>(const_cast<void*>(slot))};
}

// kYoung is what the young generation may take on top of the heap limit.
constexpr size_t kYoung = size_t{16} << 20;

// kHeadroom is what the heap may take beyond the run's limit before V8 itself counts
// it as full. What is live is measured after each collection; with less room than
// this V8 collects again and again, for seconds, before it says so.
constexpr size_t kHeadroom = size_t{32} << 20;

// kRejected is how many unhandled rejections are kept; more are only counted.
constexpr size_t kRejected = 1000;

// kFrames is how many frames are looked through for one of the script's.
constexpr int kFrames = 10;

// The guards by their isolates, and by the array buffers that they count. Both are
// for all isolates of the process: a buffer may be freed on a thread of the
// garbage collector, where no isolate is current.
std::mutex mutex;
std::unordered_map<v8::Isolate*, ringfence_guard*>& guards() {
  static auto* map = new std::unordered_map<v8::Isolate*, ringfence_guard*>;
  return *map;
}
struct block {
  ringfence_guard* owner;
  size_t size;
};
std::unordered_map<void*, block>& blocks() {
  static auto* map = new std::unordered_map<void*, block>;
  return *map;
}

ringfence_guard* guard_of(v8::Isolate* isolate) {
  if (isolate == nullptr) return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = guards().find(isolate);
  return found == guards().end() ? nullptr : found->second;
}

void note(ringfence_guard* g) {
  size_t now = g->heap + g->buffers.load();
  if (now > g->peak.load()) g->peak.store(now);
}

void measure(ringfence_guard* g) {
  v8::HeapStatistics statistics;
  g->isolate->GetHeapStatistics(&statistics);
  g->heap = statistics.used();
  note(g);
}

void end_run(ringfence_guard* g) {
  g->over.store(true);
  g->isolate->TerminateExecution();
}

// collected is called after a full collection: what the heap holds now is live.
void collected(v8::Isolate*, v8::GCType, v8::GCCallbackFlags, void* data) {
  auto* g = static_cast<ringfence_guard*>(data);
  size_t limit = g->limit.load();
  if (limit == 0) return;
  measure(g);
  if (g->heap > limit) end_run(g);
}

// look runs on the isolate's thread, between two instructions of a script. What it
// finds too much may be garbage, so it has that collected: one allocation of any
// size gets past V8's own limit.
void look(v8::Isolate* isolate, void* data) {
  auto* g = static_cast<ringfence_guard*>(data);
  if (!g->looking.exchange(false)) return;
  size_t limit = g->limit.load();
  if (limit == 0 || g->over.load()) return;
  if (g->refused != 0) {
    end_run(g);
    return;
  }
  measure(g);
  if (g->heap + g->buffers.load() <= limit + kYoung) return;
  isolate->MemoryPressureNotification(v8::MemoryPressureLevel::kCritical);
  isolate->MemoryPressureNotification(v8::MemoryPressureLevel::kNone);
  measure(g);
  if (g->heap + g->buffers.load() > limit) end_run(g);
}

// near_limit is called by the garbage collector when what is live comes near to
// the heap limit. The limit that it returns is the new one.
size_t near_limit(void* data, size_t current, size_t) {
  auto* g = static_cast<ringfence_guard*>(data);
  size_t limit = g->limit.load();
  if (limit != 0 && current < limit + kHeadroom && !g->over.load()) return limit + kHeadroom;
  if (limit != 0) {
    g->heap = current;
    note(g);
    end_run(g);
  }
  return current + g->slack - kHeadroom;
}

void rejection(v8::PromiseRejectMessage message) {
  auto* g = guard_of(v8::Isolate::TryGetCurrent());
  if (g == nullptr || g->limit.load() == 0) return;
  auto* slot = reinterpret_cast<uintptr_t*>(message.promise.slot);
  if (message.event == 0) {  // rejected, and nobody handles it
    if (g->rejected.size() == kRejected) {
      g->rejected_more++;
      return;
    }
    g->rejected.push_back(v8::api_internal::GlobalizeReference(
        reinterpret_cast<v8::internal::Isolate*>(g->isolate), slot));
  } else if (message.event == 1) {  // handled after all
    for (size_t i = g->rejected.size(); i-- > 0;) {
      if (*g->rejected[i] != *slot) continue;
      v8::api_internal::DisposeGlobal(g->rejected[i]);
      g->rejected.erase(g->rejected.begin() + i);
      return;
    }
    if (g->rejected_more > 0) g->rejected_more--;
  }
}

// A Counter hands out array buffers and counts them for the isolate that asks. A
// request that does not fit is refused: V8 then collects garbage and asks again,
// and at last throws a RangeError. The run ends all the same, whatever the script
// does with that: see refused.
class Counter : public v8::ArrayBuffer::Allocator {
 public:
  explicit Counter(v8::ArrayBuffer::Allocator* inner) : inner_(inner) {}

  void* Allocate(size_t length) override { return take(length, true); }
  void* AllocateUninitialized(size_t length) override { return take(length, false); }

  void Free(void* data, size_t length) override {
    if (data != nullptr) {
      std::lock_guard<std::mutex> lock(mutex);
      auto found = blocks().find(data);
      if (found != blocks().end()) {
        found->second.owner->buffers.fetch_sub(found->second.size);
        blocks().erase(found);
      }
    }
    inner_->Free(data, length);
  }

  void* Reallocate(void* data, size_t before, size_t after) override {
    void* fresh = take(after, true);
    if (fresh == nullptr) return nullptr;
    __builtin_memcpy(fresh, data, before < after ? before : after);
    Free(data, before);
    return fresh;
  }

 private:
  // The allocator of V8 gives out whole pages.
  static size_t pages(size_t length) { return (length + 4095) & ~size_t{4095}; }

  void* take(size_t length, bool zeroed) {
    auto* isolate = v8::Isolate::TryGetCurrent();
    auto* g = guard_of(isolate);
    if (g != nullptr && !admit(g, length)) return nullptr;
    void* data = zeroed ? inner_->Allocate(length) : inner_->AllocateUninitialized(length);
    if (g == nullptr) return data;
    if (data == nullptr) {
      refuse(g, length);
      return nullptr;
    }
    // V8 asks again and again for a buffer that it does not get. One of another
    // length means that it gave up, and that the script went on.
    if (g->refused != 0 && g->refused != length) end_run(g);
    g->refused = 0;
    g->buffers.fetch_add(pages(length));
    note(g);
    std::lock_guard<std::mutex> lock(mutex);
    blocks()[data] = block{g, pages(length)};
    return data;
  }

  static bool fits(ringfence_guard* g, size_t limit, size_t length) {
    return pages(length) <= limit && g->heap + g->buffers.load() + pages(length) <= limit;
  }

  static bool admit(ringfence_guard* g, size_t length) {
    size_t limit = g->limit.load();
    if (limit == 0 || fits(g, limit, length)) return true;
    if (length <= limit) {
      measure(g);
      if (fits(g, limit, length)) return true;
    }
    refuse(g, length);
    return false;
  }

  static void refuse(ringfence_guard* g, size_t length) {
    if (g->refused != 0 && g->refused != length) end_run(g);
    g->refused = length;
    g->looking.store(true);
    g->isolate->RequestInterrupt(look, g);
  }

  v8::ArrayBuffer::Allocator* inner_;
};

// settle is called when the guest has returned: a buffer that was refused and not
// asked for again was refused for good.
void settle(ringfence_guard* g) {
  if (g->refused != 0) g->over.store(true);
}

void forget_rejected(ringfence_guard* g) {
  for (auto* slot : g->rejected) v8::api_internal::DisposeGlobal(slot);
  g->rejected.clear();
  g->rejected_more = 0;
}

}  // namespace

int ringfence_process(void) {
  if (default_allocator == nullptr) return 0;
  default_allocator = new Counter(default_allocator);
  int status = 0;
  ucal_setDefaultTimeZone_71(u"UTC", &status);
  if (status > 0) return 0;
  uloc_setDefault_71("en_US", &status);
  return status <= 0;
}

ringfence_guard* ringfence_guard_new(void* isolate, size_t slack) {
  auto* g = new ringfence_guard;
  g->isolate = static_cast<v8::Isolate*>(isolate);
  g->slack = slack;
  {
    std::lock_guard<std::mutex> lock(mutex);
    guards()[g->isolate] = g;
  }
  g->isolate->AddNearHeapLimitCallback(near_limit, g);
  g->isolate->AddGCEpilogueCallback(collected, g, v8::kGCTypeMarkSweepCompact);
  g->isolate->SetAllowAtomicsWait(false);
  g->isolate->SetMicrotasksPolicy(v8::MicrotasksPolicy::kExplicit);
  g->isolate->SetPromiseRejectCallback(rejection);
  return g;
}

void ringfence_guard_free(ringfence_guard* g) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    guards().erase(g->isolate);
    for (auto i = blocks().begin(); i != blocks().end();) {
      i = i->second.owner == g ? blocks().erase(i) : ++i;
    }
  }
  delete g;
}

void ringfence_begin(ringfence_guard* g, size_t limit) {
  g->over.store(false);
  g->refused = 0;
  g->heap = 0;
  g->peak.store(0);
  g->limit.store(limit);
  // This brings the heap's limit down to the run's. It cannot go up: where an
  // earlier run had less, near_limit does it.
  g->isolate->RemoveNearHeapLimitCallback(near_limit, limit + kHeadroom);
  g->isolate->AddNearHeapLimitCallback(near_limit, g);
}

void ringfence_end(ringfence_guard* g) {
  settle(g);
  g->limit.store(0);
  forget_rejected(g);
  if (g->list != nullptr) v8::api_internal::DisposeGlobal(g->list);
  g->list = nullptr;
}

int ringfence_seal(ringfence_guard* g, const char* global) {
  auto context = g->isolate->GetCurrentContext();
  context.slot->AllowCodeGenerationFromStrings(false);
  auto name = v8::String::NewFromUtf8(g->isolate, global, v8::NewStringType::kNormal, -1);
  if (name.slot == nullptr) return 0;
  auto list = context.slot->Global().slot->Get(
      context, value(name.slot));
  if (list.slot == nullptr) return 0;
  g->list = v8::api_internal::GlobalizeReference(
      reinterpret_cast<v8::internal::Isolate*>(g->isolate), reinterpret_cast<uintptr_t*>(list.slot));
  return 1;
}

int ringfence_rejected(ringfence_guard* g) {
  if (g->list == nullptr) return 0;
  auto context = g->isolate->GetCurrentContext();
  auto* array = reinterpret_cast<v8::Object*>(g->list);
  uint32_t i = 0;
  for (auto* slot : g->rejected) {
    array->Set(context, i++, value(slot));
  }
  return static_cast<int>(i);
}

ringfence_place ringfence_call(ringfence_guard* g, const char* script) {
  ringfence_place place = {0, 0, 0};
  if (g->list == nullptr) return place;
  auto context = g->isolate->GetCurrentContext();
  auto* list = reinterpret_cast<v8::Object*>(g->list);
  auto f = list->Get(context, 0);
  if (f.slot == nullptr) return place;
  v8::TryCatch caught(g->isolate);
  auto result = reinterpret_cast<v8::Function*>(f.slot)->Call(context, value(f.slot), 0, nullptr);
  if (result.slot != nullptr) {
    list->Set(context, 0, value(result.slot));
    return place;
  }
  place.thrown = 1;
  auto exception = caught.Exception();
  if (exception.slot == nullptr) return place;
  list->Set(context, 0, exception);
  auto message = caught.Message();
  if (message.slot == nullptr) return place;
  auto name = v8::String::NewFromUtf8(g->isolate, script, v8::NewStringType::kNormal, -1);
  auto from = message.slot->GetScriptResourceName();
  if (name.slot == nullptr || from.slot == nullptr || !from.slot->StrictEquals(value(name.slot))) return place;
  auto line = message.slot->GetLineNumber(context);
  auto column = message.slot->GetStartColumn(context);
  if (line.has && column.has) {
    place.line = line.value;
    place.column = column.value + 1;
  }
  return place;
}

ringfence_place ringfence_here(ringfence_guard* g, const char* script) {
  ringfence_place place = {0, 0, 0};
  auto name = v8::String::NewFromUtf8(g->isolate, script, v8::NewStringType::kNormal, -1);
  auto trace = v8::StackTrace::CurrentStackTrace(g->isolate, kFrames, v8::StackTrace::kOverview);
  if (name.slot == nullptr || trace.slot == nullptr) return place;
  int count = trace.slot->GetFrameCount();
  for (int i = 0; i < count; i++) {
    auto* frame = trace.slot->GetFrame(g->isolate, i).slot;
    auto* from = reinterpret_cast<v8::Value*>(frame->GetScriptName().slot);
    if (from == nullptr || !from->StrictEquals(value(name.slot))) continue;
    auto at = frame->GetLocation();
    place.line = at.line + 1;
    place.column = at.column + 1;
    return place;
  }
  return place;
}

void ringfence_look(ringfence_guard* g) {
  // A request that comes before the isolate was entered is lost, so it is made
  // again; but not each time, as V8 keeps them all while a built-in is at work.
  if (!g->looking.exchange(true) || ++g->waiting % 8 == 0) g->isolate->RequestInterrupt(look, g);
}

int ringfence_over(ringfence_guard* g) { return g->over.load(); }

int ringfence_settle(ringfence_guard* g) {
  settle(g);
  return g->over.load();
}

size_t ringfence_peak(ringfence_guard* g) { return g->peak.load(); }

size_t ringfence_buffers(ringfence_guard* g) { return g->buffers.load(); }

void ringfence_resume(ringfence_guard* g) { g->isolate->CancelTerminateExecution(); }

size_t ringfence_heap(ringfence_guard* g) {
  measure(g);
  return g->heap;
}
