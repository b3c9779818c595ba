//go:build wip && !386 && !arm

package quickjs

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
	"modernc.org/libc"
)

// Large blocks are mapped by themselves. One that grows is not copied: its pages move.

func pages(size int64) uintptr {
	page := int64(os.Getpagesize())
	return uintptr((size + page - 1) / page * page)
}

func pointerTo(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

func newLarge(_ *libc.TLS, size int64) uintptr {
	p, err := unix.MmapPtr(-1, 0, nil, pages(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return 0
	}
	return uintptr(p)
}

func freeLarge(_ *libc.TLS, p uintptr, size int64) { _ = unix.MunmapPtr(pointerTo(p), pages(size)) }

func resizeLarge(_ *libc.TLS, p uintptr, old, size int64) uintptr {
	if pages(old) == pages(size) {
		return p
	}
	moved, err := unix.MremapPtr(pointerTo(p), pages(old), nil, pages(size), unix.MREMAP_MAYMOVE)
	if err != nil {
		return 0
	}
	return uintptr(moved)
}

// heldWhileMoving is how much of a block is there twice while it grows.
func heldWhileMoving(int64) int64 { return 0 }
