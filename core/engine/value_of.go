package engine

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"time"
)

// ValueOf converts Go data. It takes Value itself, nil, bool, all integer and
// float types, *big.Int, string, time.Time, []byte, error (an object with name
// and message), json.RawMessage, and slices, arrays, pointers and maps with
// string keys of these; the keys of a map are sorted. A struct, and any type with
// a MarshalJSON of its own, becomes what encoding/json writes of it. Integers
// beyond ±(2^53-1) become bigints. Functions, channels and cycles are errors.
func ValueOf(x any) (Value, error) {
	switch x := x.(type) {
	case nil:
		return Value{}, nil
	case Value:
		return x, nil
	case bool:
		return Bool(x), nil
	case int:
		return Int(int64(x)), nil
	case int64:
		return Int(x), nil
	case float64:
		return Float(x), nil
	case string:
		return String(x), nil
	case []byte:
		if x == nil {
			return Value{}, nil
		}
		return Bytes(slices.Clone(x)), nil
	case time.Time:
		return Time(x), nil
	case *big.Int:
		return BigInt(x), nil
	case []Member:
		return Object(x...), nil
	case json.RawMessage:
		return ParseJSON(x)
	}
	return valueOf(reflect.ValueOf(x), 0)
}

// MustValueOf is ValueOf for data of one's own; it panics where ValueOf fails.
func MustValueOf(x any) Value {
	v, err := ValueOf(x)
	if err != nil {
		panic(err)
	}
	return v
}

// maxGoDepth is how deep Go data may be nested; a cycle passes it.
const maxGoDepth = 10_000

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	valueType     = reflect.TypeFor[Value]()
	timeType      = reflect.TypeFor[time.Time]()
	bigIntType    = reflect.TypeFor[*big.Int]()
	errorType     = reflect.TypeFor[error]()
)

func valueOf(rv reflect.Value, depth int) (Value, error) {
	if depth > maxGoDepth {
		return Value{}, fmt.Errorf("value of type %s: nested deeper than %d, or a cycle", rv.Type(), maxGoDepth)
	}
	if !rv.IsValid() {
		return Value{}, nil
	}
	switch t := rv.Type(); {
	case t == valueType, t == timeType, t == bigIntType, t == reflect.TypeFor[json.RawMessage]():
		return ValueOf(rv.Interface())
	case (t.Kind() == reflect.Pointer || t.Kind() == reflect.Map || t.Kind() == reflect.Slice) && rv.IsNil():
		return Value{}, nil
	case t.Implements(jsonMarshaler):
		return viaJSON(rv.Interface())
	case t.Implements(errorType):
		err := rv.Interface().(error)
		name, message := GuestForm(err)
		return Object(Member{"name", String(name)}, Member{"message", String(message)}), nil
	}
	switch rv.Kind() {
	case reflect.Bool:
		return Bool(rv.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return Int(rv.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		u := rv.Uint()
		if u > maxSafeInteger {
			return BigInt(new(big.Int).SetUint64(u)), nil
		}
		return Int(int64(u)), nil
	case reflect.Float32, reflect.Float64:
		return Float(rv.Float()), nil
	case reflect.String:
		return String(rv.String()), nil
	case reflect.Interface, reflect.Pointer:
		return valueOf(rv.Elem(), depth+1)
	case reflect.Struct:
		return viaJSON(rv.Interface())
	case reflect.Slice, reflect.Array:
		if rv.Kind() == reflect.Slice && rv.Type().Elem().Kind() == reflect.Uint8 {
			return Bytes(slices.Clone(rv.Bytes())), nil
		}
		items := make([]Value, rv.Len())
		for i := range items {
			item, err := valueOf(rv.Index(i), depth+1)
			if err != nil {
				return Value{}, err
			}
			items[i] = item
		}
		return Value{ref: items}, nil
	case reflect.Map:
		return mapValue(rv, depth)
	}
	return Value{}, fmt.Errorf("a Go value of type %s has no form in JavaScript", rv.Type())
}

func mapValue(rv reflect.Value, depth int) (Value, error) {
	if rv.Type().Key().Kind() != reflect.String {
		return viaJSON(rv.Interface())
	}
	keys := rv.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int {
		if a.String() < b.String() {
			return -1
		}
		return 1
	})
	members := make([]Member, len(keys))
	for i, key := range keys {
		item, err := valueOf(rv.MapIndex(key), depth+1)
		if err != nil {
			return Value{}, err
		}
		members[i] = Member{Key: key.String(), Value: item}
	}
	return Value{ref: members}, nil
}

func viaJSON(x any) (Value, error) {
	data, err := json.Marshal(x)
	if err != nil {
		return Value{}, fmt.Errorf("a Go value of type %T: %w", x, err)
	}
	return ParseJSON(data)
}
