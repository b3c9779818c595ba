//go:build wip && !386 && !arm

package quickjs

import (
	"math/bits"
	"sync"
	"unsafe"

	"modernc.org/libc"
)

// Blocks that are cut from chunks come in classes: sizes that are multiples of 64 up
// to 1 KiB, then four for each doubling up to 128 KiB.
const (
	fineStep   = 64
	fineLimit  = 1 << 10
	fine       = fineLimit / fineStep
	steps      = 4
	doublings  = 7
	classes    = fine + doublings*steps
	classLimit = fineLimit << doublings
)

// classFor is the class of blocks of at least a size, from 1 to classes, and more
// than classes where there is none.
func classFor(size int64) int {
	switch {
	case size <= fineLimit:
		return max(1, int(size+fineStep-1)/fineStep)
	case size > classLimit:
		return classes + 1
	}
	doubling := bits.Len64(uint64(size-1)) - bits.Len64(fineLimit)  // 0 for up to 2 KiB
	step := int64(fineLimit/steps) << doubling                      // of this doubling
	return fine + doubling*steps + int((size-1)/step) - (steps - 1) // 1.. within it
}

// classSize is the size of the blocks of a class.
func classSize(class int) int64 {
	if class <= fine {
		return int64(class) * fineStep
	}
	n := class - fine - 1
	doubling := n / steps
	return int64(fineLimit/steps) << doubling * int64(n%steps+steps+1)
}

const (
	// A context without a script takes a little less than the first chunk.
	firstChunk = 256 << 10
	nextChunk  = 1 << 20
)

// fromChunk takes a block of a class.
func (m *memory) fromChunk(tls *libc.TLS, class int) uintptr {
	size := classSize(class)
	m.take(size + headerSize)
	if p := m.free[class]; p != 0 {
		m.free[class] = *atAddress[uintptr](p)
		return p
	}
	if int64(m.end-m.from) < size+headerSize {
		m.nextChunk(tls)
	}
	p := m.from + uintptr(headerSize)
	m.from = p + uintptr(size)
	*headerOf(p) = header{size, int64(class)}
	return p
}

func (m *memory) nextChunk(tls *libc.TLS) {
	size := nextChunk
	if len(m.chunks) == 0 {
		size = firstChunk
	}
	m.grow(int64(size))
	p := newChunk(tls, len(m.chunks))
	if p == 0 {
		m.passed()
	}
	m.chunks = append(m.chunks, p)
	m.from, m.end = p, p+uintptr(size)
}

// spare are first chunks of runtimes that are closed. Most runs need no other, and
// to clear one costs less than to have its pages mapped anew.
var spare struct {
	sync.Mutex
	chunks []uintptr
}

// maxSpare is how many are kept.
const maxSpare = 16

func newChunk(tls *libc.TLS, index int) uintptr {
	if index > 0 {
		return libc.Xmalloc(tls, nextChunk)
	}
	spare.Lock()
	n := len(spare.chunks)
	if n == 0 {
		spare.Unlock()
		return libc.Xcalloc(tls, 1, firstChunk)
	}
	p := spare.chunks[n-1]
	spare.chunks = spare.chunks[:n-1]
	spare.Unlock()
	clear(unsafe.Slice(atAddress[byte](p), firstChunk)) // of what another run had
	return p
}

func freeChunk(tls *libc.TLS, p uintptr, index int) {
	if index == 0 {
		spare.Lock()
		if len(spare.chunks) < maxSpare {
			spare.chunks = append(spare.chunks, p)
			spare.Unlock()
			return
		}
		spare.Unlock()
	}
	libc.Xfree(tls, p)
}
