//go:build wip && !linux && !386 && !arm

package quickjs

import "modernc.org/libc"

func newLarge(tls *libc.TLS, size int64) uintptr { return libc.Xmalloc(tls, libc.Tsize_t(size)) }

func freeLarge(tls *libc.TLS, p uintptr, _ int64) { libc.Xfree(tls, p) }

func resizeLarge(tls *libc.TLS, p uintptr, _, size int64) uintptr {
	return libc.Xrealloc(tls, p, libc.Tsize_t(size))
}

// heldWhileMoving is how much of a block is there twice while it grows.
func heldWhileMoving(old int64) int64 { return old }
