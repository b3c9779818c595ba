//go:build wip && !386 && !arm

package quickjs

import (
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// memory is what one runtime of the engine has allocated. The engine makes small
// objects itself, out of blocks that it asks for here; the C library would map and
// unmap a page for each of these, so they are cut from chunks, which are given back
// when the runtime closes. Larger blocks are mapped one by one.
type memory struct {
	live, peak int64 // of all blocks, headers included
	footprint  int64 // of chunks and large blocks
	limit      int64
	runtime    uintptr
	passed     func() // called when the limit is passed; it does not return
	check      func() // called whenever the engine asks for memory, if not nil

	chunks    []uintptr
	from, end uintptr              // what is left of the last chunk
	free      [classes + 1]uintptr // lists of free blocks, by class
	large     links                // a ring of large blocks, this its fixed member
}

// A header goes before each block that the engine has.
type header struct {
	size  int64 // of the block, without the header
	class int64 // or largeClass
}

// links go before the header of a large block.
type links struct{ prev, next uintptr }

const (
	headerSize = int64(unsafe.Sizeof(header{}))
	linksSize  = int64(unsafe.Sizeof(links{}))
	largeClass = -1
)

// memoryFunctions are the allocator that a runtime is made with, in C memory.
var memoryFunctions = func() uintptr {
	tls := libc.NewTLS()
	defer tls.Close()
	p := libc.Xcalloc(tls, 1, libc.Tsize_t(unsafe.Sizeof(lib.TJSMallocFunctions{})))
	*atAddress[lib.TJSMallocFunctions](p) = lib.TJSMallocFunctions{
		Fjs_malloc:             function(memoryMalloc),
		Fjs_free:               function(memoryFree),
		Fjs_realloc:            function(memoryRealloc),
		Fjs_malloc_usable_size: function(memoryUsable),
	}
	return p
}()

// function is what the engine takes for a pointer to a C function.
func function(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

// opaque and fromOpaque let the engine carry a pointer to a Go object. The object
// outlives every call into the engine: the caller holds it.
func opaque[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

func fromOpaque[T any](u uintptr) *T { return *(**T)(unsafe.Pointer(&u)) }

// atAddress is a Go view of C memory.
func atAddress[T any](u uintptr) *T { return *(**T)(unsafe.Pointer(&u)) }

func memoryOf(state uintptr) (*lib.TJSMallocState, *memory) {
	s := atAddress[lib.TJSMallocState](state)
	return s, fromOpaque[memory](s.Fopaque)
}

func memoryMalloc(tls *libc.TLS, state uintptr, size libc.Tsize_t) uintptr {
	s, m := memoryOf(state)
	p := m.allocate(tls, int64(size))
	s.Fmalloc_count++
	s.Fmalloc_size = libc.Tsize_t(m.live)
	return p
}

func memoryFree(tls *libc.TLS, state, p uintptr) {
	if p == 0 {
		return
	}
	s, m := memoryOf(state)
	m.release(tls, p)
	s.Fmalloc_count--
	s.Fmalloc_size = libc.Tsize_t(m.live)
}

func memoryRealloc(tls *libc.TLS, state, p uintptr, size libc.Tsize_t) uintptr {
	if p == 0 {
		if size == 0 {
			return 0
		}
		return memoryMalloc(tls, state, size)
	}
	if size == 0 {
		memoryFree(tls, state, p)
		return 0
	}
	s, m := memoryOf(state)
	p = m.resize(tls, p, int64(size))
	s.Fmalloc_size = libc.Tsize_t(m.live)
	return p
}

func memoryUsable(_ *libc.TLS, p uintptr) libc.Tsize_t {
	if p == 0 {
		return 0
	}
	return libc.Tsize_t(headerOf(p).size)
}

func headerOf(p uintptr) *header { return atAddress[header](p - uintptr(headerSize)) }

func linksOf(p uintptr) *links { return atAddress[links](p - uintptr(headerSize+linksSize)) }

// init makes the memory ready to be given to a runtime.
func (m *memory) init(limit int64) {
	m.limit = limit
	m.large.prev = opaque(&m.large)
	m.large.next = m.large.prev
}

// take counts size more bytes, or ends the run.
func (m *memory) take(size int64) {
	if m.check != nil {
		m.check()
	}
	if size > m.limit-m.live {
		m.passed()
	}
	m.live += size
	m.peak = max(m.peak, m.live)
	m.collectEarly()
}

// grow counts what is asked of the C library. It may be more than the limit by half
// of it: free blocks that do not fit, and the old place of a block while it moves.
func (m *memory) grow(size int64) {
	if size > m.limit+m.limit/2-m.footprint {
		m.passed()
	}
	m.footprint += size
}

func (m *memory) allocate(tls *libc.TLS, size int64) uintptr {
	if class := classFor(size); class <= classes {
		return m.fromChunk(tls, class)
	}
	m.take(size + headerSize + linksSize)
	m.grow(size + headerSize + linksSize)
	p := newLarge(tls, size+headerSize+linksSize)
	if p == 0 {
		m.passed()
	}
	return m.link(p, size)
}

// link makes a large block of what the C library gave.
func (m *memory) link(p uintptr, size int64) uintptr {
	p += uintptr(headerSize + linksSize)
	*headerOf(p) = header{size, largeClass}
	l := linksOf(p)
	l.prev, l.next = opaque(&m.large), m.large.next
	at := p - uintptr(headerSize+linksSize)
	atAddress[links](l.next).prev = at
	m.large.next = at
	return p
}

func (m *memory) unlink(p uintptr) {
	l := linksOf(p)
	atAddress[links](l.prev).next = l.next
	atAddress[links](l.next).prev = l.prev
}

func (m *memory) release(tls *libc.TLS, p uintptr) {
	h := headerOf(p)
	if h.class == largeClass {
		m.live -= h.size + headerSize + linksSize
		m.footprint -= h.size + headerSize + linksSize
		m.unlink(p)
		freeLarge(tls, p-uintptr(headerSize+linksSize), h.size+headerSize+linksSize)
		return
	}
	m.live -= h.size + headerSize
	*atAddress[uintptr](p) = m.free[h.class]
	m.free[h.class] = p
}

func (m *memory) resize(tls *libc.TLS, p uintptr, size int64) uintptr {
	old := headerOf(p).size
	switch isLarge := headerOf(p).class == largeClass; {
	case !isLarge && size <= old && size > old/2:
		return p
	case isLarge && classFor(size) > classes:
		m.take(size - old)
		held := heldWhileMoving(old)
		m.grow(size - old + held)
		m.unlink(p)
		const before = headerSize + linksSize
		moved := resizeLarge(tls, p-uintptr(before), old+before, size+before)
		if moved == 0 {
			m.link(p-uintptr(before), old)
			m.passed()
		}
		m.footprint -= held
		return m.link(moved, size)
	}
	to := m.allocate(tls, size)
	n := min(old, size)
	copy(unsafe.Slice(atAddress[byte](to), n), unsafe.Slice(atAddress[byte](p), n))
	m.release(tls, p)
	return to
}

// collectEarly keeps the engine from waiting with its next collection of cycles
// until the limit is passed: it collects when half of what is left is taken.
func (m *memory) collectEarly() {
	if m.runtime == 0 {
		return
	}
	rt := atAddress[lib.TJSRuntime](m.runtime)
	if left := m.limit - m.live; int64(rt.Fmalloc_gc_threshold) > m.limit && left > 1<<20 {
		rt.Fmalloc_gc_threshold = libc.Tsize_t(m.live + left/2)
	}
}

// freeLater is how much is freed in the background: to unmap more takes as long as a
// run may take to end.
const freeLater = 16 << 20

// close frees everything, in whatever state the engine was left.
func (m *memory) close(tls *libc.TLS) {
	if m.footprint < freeLater {
		m.freeAll(tls)
		return
	}
	go m.freeAll(tls)
}

func (m *memory) freeAll(tls *libc.TLS) {
	defer tls.Close()
	for p := m.large.next; p != opaque(&m.large); {
		next := atAddress[links](p).next
		freeLarge(tls, p, atAddress[header](p+uintptr(linksSize)).size+headerSize+linksSize)
		p = next
	}
	for i, chunk := range m.chunks {
		freeChunk(tls, chunk, i)
	}
}
