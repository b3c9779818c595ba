//go:build wip && !386 && !arm

package quickjs

import (
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// A jsValue is a value of the engine. One that is an object, a string, a symbol or
// a large bigint holds a reference: who has it frees it, or hands it on.
type jsValue = lib.TJSValue

const valueSize = unsafe.Sizeof(jsValue{})

var (
	undefined = jsValue{Ftag: lib.EJS_TAG_UNDEFINED}
	null      = jsValue{Ftag: lib.EJS_TAG_NULL}
	exception = jsValue{Ftag: lib.EJS_TAG_EXCEPTION}
)

func tagOf(v jsValue) int32 { return int32(v.Ftag) }

func word(v jsValue) uint64 { return *(*uint64)(unsafe.Pointer(&v.Fu)) }

func pointer(v jsValue) uintptr { return uintptr(word(v)) }

func valueOf(word uint64, tag int64) (v jsValue) {
	*(*uint64)(unsafe.Pointer(&v.Fu)) = word
	v.Ftag = tag
	return v
}

func jsInt(i int32) jsValue { return valueOf(uint64(uint32(i)), lib.EJS_TAG_INT) }

func jsFloat(f float64) (v jsValue) {
	*(*float64)(unsafe.Pointer(&v.Fu)) = f
	v.Ftag = lib.EJS_TAG_FLOAT64
	return v
}

func jsBool(b bool) jsValue {
	if b {
		return valueOf(1, lib.EJS_TAG_BOOL)
	}
	return valueOf(0, lib.EJS_TAG_BOOL)
}

// number is the number that v is, and whether it is one.
func number(v jsValue) (f float64, ok bool) {
	switch tagOf(v) {
	case lib.EJS_TAG_INT:
		return float64(int32(word(v))), true
	case lib.EJS_TAG_FLOAT64:
		return *(*float64)(unsafe.Pointer(&v.Fu)), true
	}
	return 0, false
}

func isException(v jsValue) bool { return tagOf(v) == lib.EJS_TAG_EXCEPTION }
func isObject(v jsValue) bool    { return tagOf(v) == lib.EJS_TAG_OBJECT }
func isString(v jsValue) bool {
	return tagOf(v) == lib.EJS_TAG_STRING || tagOf(v) == lib.EJS_TAG_STRING_ROPE
}

// objectAt is the engine's record of an object.
func objectAt(v jsValue) *lib.TJSObject { return atAddress[lib.TJSObject](pointer(v)) }

func classOf(v jsValue) int { return int(objectAt(v).Fclass_id) }

// slotOf is a part of the union at the end of an object's record, which depends on
// its class.
func slotOf[T any](v jsValue) *T { return (*T)(unsafe.Pointer(&objectAt(v).Fu)) }

// A jsString is a string of the engine that is not a rope.
type jsString struct {
	length int
	wide   bool
	data   uintptr
}

// stringHeader is the size of what goes before a string's characters.
const stringHeader = unsafe.Sizeof(lib.TJSString{})

func stringAt(p uintptr) jsString {
	head := *atAddress[uint32](p)
	return jsString{length: int(head & 0x7FFFFFFF), wide: head>>31 != 0, data: p + stringHeader}
}

// lengthOf is the number of UTF-16 units of a string, a rope included.
func lengthOf(v jsValue) int64 {
	if tagOf(v) == lib.EJS_TAG_STRING_ROPE {
		return int64(atAddress[lib.TJSStringRope](pointer(v)).Flen1 & 0x7FFFFFFF)
	}
	return int64(stringAt(pointer(v)).length)
}

// text copies the string to Go. A surrogate that stands alone becomes U+FFFD.
func (s jsString) text() string {
	if s.length == 0 {
		return ""
	}
	if s.wide {
		return fromUTF16(unsafe.Slice(atAddress[uint16](s.data), s.length))
	}
	bytes := unsafe.Slice(atAddress[byte](s.data), s.length)
	high := 0
	for _, b := range bytes {
		high += int(b >> 7)
	}
	if high == 0 {
		return string(bytes)
	}
	out := make([]byte, 0, len(bytes)+high)
	for _, b := range bytes {
		if b < utf8.RuneSelf {
			out = append(out, b)
		} else {
			out = append(out, 0xC0|b>>6, 0x80|b&0x3F)
		}
	}
	return unsafe.String(&out[0], len(out))
}

func fromUTF16(units []uint16) string {
	out := make([]byte, 0, len(units)+len(units)/2)
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if r >= 0xD800 && r <= 0xDFFF {
			pair := utf8.RuneError
			if i+1 < len(units) {
				pair = utf16.DecodeRune(r, rune(units[i+1]))
			}
			if pair != utf8.RuneError {
				i++
			}
			r = pair
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// fillC copies a Go string into C memory, with a NUL behind it.
func fillC(p uintptr, s string) {
	to := unsafe.Slice(atAddress[byte](p), len(s)+1)
	copy(to, s)
	to[len(s)] = 0
}

func size(n int) libc.Tsize_t { return libc.Tsize_t(n) }
