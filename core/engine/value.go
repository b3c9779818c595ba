package engine

import (
	"math"
	"math/big"
	"time"
	"unsafe"
)

// A Kind says what a [Value] is.
type Kind uint8

const (
	KindNull   Kind = iota // undefined and null
	KindBool               // a boolean
	KindInt                // an integral number within ±(2^53-1), not -0
	KindFloat              // any other number: fractions, NaN, ±Inf, -0
	KindBigInt             // a bigint
	KindString             // a string, UTF-8
	KindTime               // a date, UTC, in milliseconds
	KindBytes              // binary data
	KindList               // an array
	KindObject             // members in order
)

var kindNames = [...]string{"null", "boolean", "number", "number", "bigint", "string", "date", "bytes", "array", "object"}

// String is the kind as a script's author would name it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// A Value is a value on its way between guest and host: immutable, small, tied to
// no engine. The zero Value is null. docs/values.md has the table of what becomes
// what.
//
// Scalars up to a string are held without a reference to other Go data but the
// string's own; so a Value costs three words and making one rarely allocates.
type Value struct {
	num uint64 // bool, int64, float64 bits, time in ms, or a length
	ref any    // nil, or: Kind (bool, int, float, time), stringData, *big.Int, bytesData, []Value, []Member
}

// A Member is one entry of an object.
type Member struct {
	Key   string
	Value Value
}

type (
	stringData *byte
	bytesData  *byte
)

// maxSafeInteger is Number.MAX_SAFE_INTEGER of ECMAScript.
const maxSafeInteger = 1<<53 - 1

// Null is the zero Value.
func Null() Value { return Value{} }

// Bool returns a boolean.
func Bool(b bool) Value {
	v := Value{ref: KindBool}
	if b {
		v.num = 1
	}
	return v
}

// Int returns a number, or a bigint where a number could not hold i exactly.
func Int(i int64) Value {
	if i < -maxSafeInteger || i > maxSafeInteger {
		return BigInt(big.NewInt(i))
	}
	return Value{num: uint64(i), ref: KindInt}
}

// Float returns a number. Integral values within ±(2^53-1) other than -0 are of
// KindInt, as every number that leaves a guest is.
func Float(f float64) Value {
	if f == math.Trunc(f) && math.Abs(f) <= maxSafeInteger && !(f == 0 && math.Signbit(f)) {
		return Value{num: uint64(int64(f)), ref: KindInt}
	}
	return Value{num: math.Float64bits(f), ref: KindFloat}
}

// BigInt returns a bigint with a copy of i. A nil i gives null.
func BigInt(i *big.Int) Value {
	if i == nil {
		return Value{}
	}
	return Value{ref: new(big.Int).Set(i)}
}

// String returns a string. The caller sees to it that s is valid UTF-8; what is
// not becomes U+FFFD where it is written out.
func String(s string) Value {
	return Value{num: uint64(len(s)), ref: stringData(unsafe.StringData(s))}
}

// Time returns a date, cut to milliseconds, in UTC.
func Time(t time.Time) Value {
	return Value{num: uint64(t.UnixMilli()), ref: KindTime}
}

// Bytes returns binary data. The caller must not change b any more.
func Bytes(b []byte) Value {
	return Value{num: uint64(len(b)), ref: bytesData(unsafe.SliceData(b))}
}

// List returns an array. The caller must not change items any more.
func List(items ...Value) Value {
	if items == nil {
		items = []Value{}
	}
	return Value{ref: items}
}

// Object returns an object with the members in their order. The caller must not
// change members any more, and gives no key twice.
func Object(members ...Member) Value {
	if members == nil {
		members = []Member{}
	}
	return Value{ref: members}
}

// Kind returns what v is.
func (v Value) Kind() Kind {
	switch r := v.ref.(type) {
	case nil:
		return KindNull
	case Kind:
		return r
	case stringData:
		return KindString
	case *big.Int:
		return KindBigInt
	case bytesData:
		return KindBytes
	case []Value:
		return KindList
	default:
		return KindObject
	}
}

// IsNull says whether v is null or undefined.
func (v Value) IsNull() bool { return v.ref == nil }

// AsBool returns the boolean, and whether v is one.
func (v Value) AsBool() (b, ok bool) { return v.num == 1 && v.ref == KindBool, v.ref == KindBool }

// AsInt returns the integral number, and whether v is one.
func (v Value) AsInt() (i int64, ok bool) {
	if v.ref == KindInt {
		return int64(v.num), true
	}
	return 0, false
}

// AsFloat returns the number, integral or not, and whether v is one.
func (v Value) AsFloat() (f float64, ok bool) {
	switch v.ref {
	case KindInt:
		return float64(int64(v.num)), true
	case KindFloat:
		return math.Float64frombits(v.num), true
	}
	return 0, false
}

// AsBigInt returns a copy of the bigint, and whether v is one.
func (v Value) AsBigInt() (i *big.Int, ok bool) {
	if r, ok := v.ref.(*big.Int); ok {
		return new(big.Int).Set(r), true
	}
	return nil, false
}

// AsString returns the string, and whether v is one.
func (v Value) AsString() (s string, ok bool) {
	if r, ok := v.ref.(stringData); ok {
		return unsafe.String((*byte)(r), int(v.num)), true
	}
	return "", false
}

// AsTime returns the date in UTC, and whether v is one.
func (v Value) AsTime() (t time.Time, ok bool) {
	if v.ref == KindTime {
		return time.UnixMilli(int64(v.num)).UTC(), true
	}
	return time.Time{}, false
}

// AsBytes returns the binary data, which the caller must not change, and whether
// v is that.
func (v Value) AsBytes() (b []byte, ok bool) {
	if r, ok := v.ref.(bytesData); ok {
		return unsafe.Slice((*byte)(r), int(v.num)), true
	}
	return nil, false
}

// Items returns the elements of an array, which the caller must not change, and
// whether v is one.
func (v Value) Items() (items []Value, ok bool) {
	items, ok = v.ref.([]Value)
	return items, ok
}

// Members returns the members of an object in order, which the caller must not
// change, and whether v is one.
func (v Value) Members() (members []Member, ok bool) {
	members, ok = v.ref.([]Member)
	return members, ok
}

// Get returns the member of an object with the key, and whether there is one.
func (v Value) Get(key string) (Value, bool) {
	members, _ := v.Members()
	for _, m := range members {
		if m.Key == key {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Any returns v as plain Go data: nil, bool, int64, float64, *big.Int, string,
// time.Time, []byte, []any, map[string]any. A map has no order; where order
// matters use Members or JSON. The data is the caller's own.
func (v Value) Any() any {
	switch r := v.ref.(type) {
	case Kind:
		switch r {
		case KindBool:
			return v.num == 1
		case KindInt:
			return int64(v.num)
		case KindFloat:
			return math.Float64frombits(v.num)
		case KindTime:
			t, _ := v.AsTime()
			return t
		}
	case stringData:
		s, _ := v.AsString()
		return s
	case *big.Int:
		return new(big.Int).Set(r)
	case bytesData:
		b, _ := v.AsBytes()
		return append([]byte{}, b...)
	case []Value:
		list := make([]any, len(r))
		for i, item := range r {
			list[i] = item.Any()
		}
		return list
	case []Member:
		object := make(map[string]any, len(r))
		for _, m := range r {
			object[m.Key] = m.Value.Any()
		}
		return object
	}
	return nil
}

// Equal reports whether two values are the same: kinds, contents, and the order
// of members. NaN equals NaN, and -0 does not equal 0.
func (v Value) Equal(w Value) bool {
	if v.Kind() != w.Kind() {
		return false
	}
	switch r := v.ref.(type) {
	case nil:
		return true
	case Kind:
		if r == KindFloat {
			a, b := math.Float64frombits(v.num), math.Float64frombits(w.num)
			return v.num == w.num || a != a && b != b
		}
		return v.num == w.num
	case stringData:
		a, _ := v.AsString()
		b, _ := w.AsString()
		return a == b
	case *big.Int:
		return r.Cmp(w.ref.(*big.Int)) == 0
	case bytesData:
		a, _ := v.AsBytes()
		b, _ := w.AsBytes()
		return string(a) == string(b)
	case []Value:
		other := w.ref.([]Value)
		if len(r) != len(other) {
			return false
		}
		for i := range r {
			if !r[i].Equal(other[i]) {
				return false
			}
		}
		return true
	case []Member:
		other := w.ref.([]Member)
		if len(r) != len(other) {
			return false
		}
		for i := range r {
			if r[i].Key != other[i].Key || !r[i].Value.Equal(other[i].Value) {
				return false
			}
		}
		return true
	}
	return false
}
