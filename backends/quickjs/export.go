//go:build wip && !386 && !arm

package quickjs

import (
	"math/big"
	"strconv"
	"time"
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// export converts a value of the guest under a budget, by the table of
// docs/values.md. It runs getters, proxies and toJSON of the guest and uses no
// built-in that a script could have replaced. What has no form in Go, a function or
// a symbol, is null. The error is errThrown or an *[engine.LimitError].
func (c *runContext) export(v jsValue, b *engine.Budget) (engine.Value, error) {
	x := exporter{c: c, b: b}
	out, _, err := x.value(v, keyOf{})
	return out, err
}

type exporter struct {
	c *runContext
	b *engine.Budget
}

// A keyOf is a key that toJSON may ask for.
type keyOf struct {
	name  string
	index int
	list  bool
}

func (k keyOf) String() string {
	if k.list {
		return strconv.Itoa(k.index)
	}
	return k.name
}

// value converts v, which stands under a key and which the caller holds. It reports
// whether v has a form at all.
func (x *exporter) value(v jsValue, key keyOf) (out engine.Value, ok bool, err error) {
	switch tagOf(v) {
	case lib.EJS_TAG_INT:
		return engine.Int(int64(int32(word(v)))), true, nil
	case lib.EJS_TAG_STRING:
		out, err = x.text(stringAt(pointer(v)))
		return out, true, err
	case lib.EJS_TAG_STRING_ROPE:
		out, err = x.rope(v)
		return out, true, err
	case lib.EJS_TAG_OBJECT:
		return x.object(v, key, true)
	}
	out, ok, err = x.scalar(v)
	return out, ok, err
}

// scalar is a value that is neither a string nor an object.
func (x *exporter) scalar(v jsValue) (out engine.Value, ok bool, err error) {
	switch tagOf(v) {
	case lib.EJS_TAG_INT, lib.EJS_TAG_FLOAT64:
		f, _ := number(v)
		return engine.Float(f), true, nil
	case lib.EJS_TAG_BOOL:
		return engine.Bool(word(v) != 0), true, nil
	case lib.EJS_TAG_NULL, lib.EJS_TAG_UNDEFINED:
		return engine.Value{}, true, nil
	case lib.EJS_TAG_SHORT_BIG_INT:
		return engine.BigInt(big.NewInt(int64(int32(word(v))))), true, nil // as wide as a limb
	case lib.EJS_TAG_BIG_INT:
		limbs := bigLimbs(v)
		if err := x.b.Bytes(int64(len(limbs)) * 4); err != nil {
			return engine.Value{}, false, err
		}
		return engine.BigInt(bigInt(limbs)), true, nil
	}
	return engine.Value{}, false, nil
}

// The engine's bigints have limbs of 32 bits wherever its C compiler lacks integers
// of 128, which the translation to Go does.
var _ [lib.MJS_LIMB_BITS - 32]struct{} = [0]struct{}{}

// bigLimbs are the 32-bit digits of a large bigint, the lowest first, in two's
// complement.
func bigLimbs(v jsValue) []uint32 {
	p := pointer(v)
	n := int(atAddress[lib.TJSBigInt](p).Flen1)
	return unsafe.Slice(atAddress[uint32](p+unsafe.Sizeof(lib.TJSBigInt{})), n)
}

func bigInt(limbs []uint32) *big.Int {
	negative := len(limbs) > 0 && limbs[len(limbs)-1]>>31 != 0
	bytes := make([]byte, 4*len(limbs)) // the highest first
	for i, limb := range limbs {
		if negative {
			limb = ^limb
		}
		at := len(bytes) - 4*i
		bytes[at-1], bytes[at-2], bytes[at-3], bytes[at-4] = byte(limb), byte(limb>>8), byte(limb>>16), byte(limb>>24)
	}
	n := new(big.Int).SetBytes(bytes)
	if negative {
		n.Not(n)
	}
	return n
}

// text copies a string. UTF-8 takes at least a byte for each UTF-16 unit, so that a
// string that is too long is refused before it is looked at.
func (x *exporter) text(s jsString) (engine.Value, error) {
	if err := x.b.Bytes(int64(s.length)); err != nil {
		return engine.Value{}, err
	}
	text := s.text()
	if more := len(text) - s.length; more > 0 {
		if err := x.b.Bytes(int64(more)); err != nil {
			return engine.Value{}, err
		}
	}
	return engine.String(text), nil
}

func (x *exporter) rope(v jsValue) (engine.Value, error) {
	length := lengthOf(v)
	if err := x.b.Bytes(length); err != nil { // before it is made one string
		return engine.Value{}, err
	}
	flat, ok := x.c.flat(v)
	if !ok {
		return engine.Value{}, errThrown
	}
	defer x.c.free(flat)
	text := stringAt(pointer(flat)).text()
	if err := x.b.Bytes(int64(len(text)) - length); err != nil {
		return engine.Value{}, err
	}
	return engine.String(text), nil
}

// object converts an object by what it is inside, whatever its prototype says.
func (x *exporter) object(o jsValue, key keyOf, useJSON bool) (engine.Value, bool, error) {
	switch class := classOf(o); class {
	case lib.EJS_CLASS_ARRAY:
		return x.array(o)
	case lib.EJS_CLASS_MAP:
		return x.mapEntries(o)
	case lib.EJS_CLASS_SET:
		entries := x.entries(o)
		defer x.freeEntries(entries)
		return x.list(len(entries), func(i int) (jsValue, error) { return x.c.dup(entries[i].key), nil })
	case lib.EJS_CLASS_ERROR:
		return x.error(o)
	case lib.EJS_CLASS_NUMBER, lib.EJS_CLASS_STRING, lib.EJS_CLASS_BOOLEAN, lib.EJS_CLASS_SYMBOL, lib.EJS_CLASS_BIG_INT:
		return x.value(*slotOf[jsValue](o), key)
	case lib.EJS_CLASS_DATE:
		ms, _ := number(*slotOf[jsValue](o))
		if ms != ms {
			return engine.Value{}, true, nil
		}
		return engine.Time(time.UnixMilli(int64(ms))), true, nil
	case lib.EJS_CLASS_PROMISE:
		return engine.Value{}, true, nil
	case lib.EJS_CLASS_ARRAY_BUFFER:
		return x.bytes(o, 0, -1)
	case lib.EJS_CLASS_WEAKMAP, lib.EJS_CLASS_WEAKSET, lib.EJS_CLASS_WEAK_REF, lib.EJS_CLASS_FINALIZATION_REGISTRY:
		return engine.Value{}, false, nil
	default:
		if class >= lib.EJS_CLASS_UINT8C_ARRAY && class <= lib.EJS_CLASS_DATAVIEW {
			return x.view(o)
		}
		if class != lib.EJS_CLASS_OBJECT && x.callable(o) {
			return engine.Value{}, false, nil
		}
	}
	if useJSON {
		toJSON := lib.XGetProperty(x.c.tls, x.c.ctx, o, lib.EJS_ATOM_toJSON)
		if isException(toJSON) {
			return engine.Value{}, false, errThrown
		}
		if isObject(toJSON) && x.callable(toJSON) {
			defer x.c.free(toJSON)
			return x.json(o, toJSON, key)
		}
		x.c.free(toJSON)
	}
	if classOf(o) == lib.EJS_CLASS_PROXY {
		switch is := lib.XJS_IsArray(x.c.tls, x.c.ctx, o); {
		case is < 0:
			return engine.Value{}, false, errThrown
		case is > 0:
			return x.arrayLike(o)
		}
	}
	return x.members(o)
}

func (x *exporter) callable(v jsValue) bool { return lib.XJS_IsFunction(x.c.tls, x.c.ctx, v) != 0 }

// json converts what toJSON makes of an object.
func (x *exporter) json(o, toJSON jsValue, key keyOf) (engine.Value, bool, error) {
	name := x.c.text(key.String())
	r := x.c.call(toJSON, o, name)
	x.c.free(name)
	if isException(r) {
		return engine.Value{}, false, errThrown
	}
	defer x.c.free(r)
	if isObject(r) {
		return x.object(r, key, false)
	}
	return x.value(r, key)
}

// formless says whether a value is one of those that have no form in Go, or
// undefined, which leaves a member out as well.
func (x *exporter) formless(v jsValue) bool {
	switch tagOf(v) {
	case lib.EJS_TAG_UNDEFINED, lib.EJS_TAG_SYMBOL:
		return true
	case lib.EJS_TAG_OBJECT:
		return classOf(v) != lib.EJS_CLASS_OBJECT && classOf(v) != lib.EJS_CLASS_ARRAY && x.callable(v)
	}
	return false
}

// bytes copies n bytes of a buffer from an offset on, all that there are for -1.
func (x *exporter) bytes(buffer jsValue, offset, n int64) (engine.Value, bool, error) {
	b := atAddress[lib.TJSArrayBuffer](*slotOf[uintptr](buffer))
	length := int64(b.Fbyte_length)
	if b.Fdetached != 0 || offset > length {
		offset, length = 0, 0
	}
	if n < 0 || n > length-offset {
		n = length - offset
	}
	if err := x.b.Bytes(n); err != nil {
		return engine.Value{}, false, err
	}
	if n == 0 {
		return engine.Bytes([]byte{}), true, nil
	}
	data := unsafe.Slice(atAddress[byte](b.Fdata+uintptr(offset)), int(n))
	return engine.Bytes(append([]byte{}, data...)), true, nil
}

// view converts a typed array or a DataView.
func (x *exporter) view(o jsValue) (engine.Value, bool, error) {
	view := atAddress[lib.TJSTypedArray](*slotOf[uintptr](o))
	n := int64(view.Flength)
	if view.Ftrack_rab != 0 {
		n = -1
	}
	return x.bytes(valueOf(uint64(view.Fbuffer), lib.EJS_TAG_OBJECT), int64(view.Foffset), n)
}

// error converts an Error to its name, message and cause.
func (x *exporter) error(o jsValue) (engine.Value, bool, error) {
	m := memberList{x: x}
	defer m.leave()
	for _, key := range [...]string{"name", "message", "cause"} {
		v := x.c.get(o, key)
		if isObject(v) && key != "cause" {
			text := lib.XJS_ToString(x.c.tls, x.c.ctx, v)
			x.c.free(v)
			v = text
		}
		if isException(v) {
			return engine.Value{}, false, errThrown
		}
		if err := m.add(key, v); err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}
