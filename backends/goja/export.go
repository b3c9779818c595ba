package goja

import (
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/ringfence-js/ringfence/core/engine"
)

// export converts a value of the guest under a budget, by the table of
// docs/values.md. It runs getters, proxies and toJSON of the guest; what these
// throw leaves it as goja's panic. It uses no built-in that a script could have
// replaced. What has no form in Go, a function or a symbol, is null.
func (c *runContext) export(v goja.Value, b *engine.Budget) (engine.Value, error) {
	x := exporter{c: c, b: b}
	out, _, err := x.value(v, "")
	return out, err
}

type exporter struct {
	c *runContext
	b *engine.Budget
}

// value converts v, which stands under a key. It reports whether v has a form at
// all.
func (x *exporter) value(v goja.Value, key string) (out engine.Value, ok bool, err error) {
	switch v := v.(type) {
	case nil:
		return engine.Value{}, false, nil
	case goja.String:
		out, err = x.text(v)
		return out, true, err
	case *goja.Symbol:
		return engine.Value{}, false, nil
	case *goja.Object:
		return x.object(v, key, true)
	}
	out, _ = scalar(v.Export())
	return out, true, nil
}

// scalar is a number, a boolean or a bigint as goja exports it.
func scalar(e any) (v engine.Value, ok bool) {
	switch e := e.(type) {
	case int64:
		return engine.Float(float64(e)), true // goja has 2^53 among its integers
	case float64:
		return engine.Float(e), true
	case bool:
		return engine.Bool(e), true
	case *big.Int:
		return engine.BigInt(e), true
	}
	return engine.Value{}, false
}

// text copies a string. UTF-8 takes at least a byte for each UTF-16 unit, so that
// a string that is too long is refused before it is copied.
func (x *exporter) text(s goja.String) (engine.Value, error) {
	units := s.Length()
	if err := x.b.Bytes(int64(units)); err != nil {
		return engine.Value{}, err
	}
	text := s.String()
	if err := x.b.Bytes(int64(len(text) - units)); err != nil {
		return engine.Value{}, err
	}
	return engine.String(text), nil
}

func (x *exporter) bytes(data []byte) (engine.Value, bool, error) {
	if err := x.b.Bytes(int64(len(data))); err != nil {
		return engine.Value{}, false, err
	}
	return engine.Bytes(append([]byte{}, data...)), true, nil
}

// object converts an object by what it is inside, whatever its prototype says.
func (x *exporter) object(o *goja.Object, key string, useJSON bool) (engine.Value, bool, error) {
	impl := x.c.layout.implOf(o)
	switch impl.Type().Elem().Name() {
	case "arrayObject", "sparseArrayObject":
		return x.array(o, impl)
	case "mapObject":
		return x.mapEntries(impl)
	case "setObject":
		return x.setEntries(impl)
	case "errorObject":
		return x.error(o)
	case "stringObject":
		v, err := x.text(*at[goja.String](impl.UnsafePointer(), x.c.layout.stringValue))
		return v, true, err
	case "primitiveValueObject":
		v, ok := scalar(o.Export())
		return v, ok, nil
	case "dateObject":
		t, ok := o.Export().(time.Time)
		if !ok {
			return engine.Value{}, true, nil
		}
		return engine.Time(t), true, nil
	case "Promise":
		return engine.Value{}, true, nil
	case "arrayBufferObject":
		buffer, _ := o.Export().(goja.ArrayBuffer)
		return x.bytes(buffer.Bytes())
	case "typedArrayObject", "dataViewObject":
		var data []byte
		if err := x.c.rt.ExportTo(o, &data); err != nil {
			return engine.Value{}, false, err
		}
		return x.bytes(data)
	case "weakMapObject", "weakSetObject":
		return engine.Value{}, false, nil
	}
	if _, callable := goja.AssertFunction(o); callable {
		return engine.Value{}, false, nil
	}
	if useJSON {
		if toJSON, ok := goja.AssertFunction(o.Get("toJSON")); ok {
			replaced := x.c.call(toJSON, o, x.c.text(key))
			if r, ok := replaced.(*goja.Object); ok {
				return x.object(r, key, false)
			}
			return x.value(replaced, key)
		}
	}
	if impl.Type().Elem() == x.c.layout.proxyType && x.isArray(o) {
		return x.arrayLike(o)
	}
	return x.members(o)
}

// isArray looks through proxies.
func (x *exporter) isArray(o *goja.Object) bool {
	for o != nil {
		impl := x.c.layout.implOf(o)
		switch impl.Type().Elem() {
		case x.c.layout.arrayType, x.c.layout.sparseType:
			return true
		case x.c.layout.proxyType:
			proxy, _ := o.Export().(goja.Proxy)
			o = proxy.Target()
		default:
			return false
		}
	}
	return false
}

// members converts own enumerable members, in order.
func (x *exporter) members(o *goja.Object) (engine.Value, bool, error) {
	m := memberList{x: x}
	defer m.leave()
	for _, key := range o.Keys() {
		v := o.Get(key)
		if v == nil && strings.ContainsRune(key, '\uFFFD') {
			return x.oddMembers(o)
		}
		if err := m.add(key, v); err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}

// oddMembers is members for an object with a key that is no valid UTF-16, which
// goja does not give in a form that a member could be found by.
func (x *exporter) oddMembers(o *goja.Object) (engine.Value, bool, error) {
	m := memberList{x: x}
	defer m.leave()
	get := x.c.helper(&x.c.helpers.member, memberProgram)
	keys := x.c.call(x.c.helper(&x.c.helpers.keys, keysProgram), goja.Undefined(), o).(*goja.Object)
	for i := range int(keys.Get("length").ToInteger()) {
		key := keys.Get(strconv.Itoa(i))
		if err := m.add(key.String(), x.c.call(get, goja.Undefined(), o, key)); err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}

// A memberList collects the members of an object. An object that turns out to
// have none is nested no deeper than what it stands in.
type memberList struct {
	x       *exporter
	members []engine.Member
	entered bool
}

// add adds a member, unless its value is undefined or has no form.
func (m *memberList) add(key string, v goja.Value) error {
	if v == nil || goja.IsUndefined(v) || m.x.formless(v) {
		return nil
	}
	if !m.entered {
		if err := m.x.b.Enter(); err != nil {
			return err
		}
		m.entered = true
	}
	if err := m.x.b.Nodes(1); err != nil {
		return err
	}
	if err := m.x.b.Bytes(int64(len(key))); err != nil {
		return err
	}
	value, ok, err := m.x.value(v, key)
	if err != nil || !ok {
		return err
	}
	m.members = append(m.members, engine.Member{Key: key, Value: value})
	return nil
}

func (m *memberList) leave() {
	if m.entered {
		m.x.b.Leave()
	}
}

// formless says whether a value is one of those that have no form in Go.
func (x *exporter) formless(v goja.Value) bool {
	switch v := v.(type) {
	case *goja.Symbol:
		return true
	case *goja.Object:
		_, function := goja.AssertFunction(v)
		return function
	}
	return false
}

// array converts an array. Its length is paid for first: a sparse array of four
// billion elements ends here.
func (x *exporter) array(o *goja.Object, impl reflect.Value) (engine.Value, bool, error) {
	if impl.Type().Elem() != x.c.layout.arrayType {
		return x.arrayLike(o)
	}
	p := impl.UnsafePointer()
	length := int(*at[uint32](p, x.c.layout.arrayLength))
	return x.list(length, func(i int) goja.Value {
		// Read anew each time: a getter may have changed the array.
		values := *at[[]goja.Value](p, x.c.layout.arrayValues)
		if x.c.layout.implOf(o) != impl || i < len(values) && reflect.TypeOf(values[i]) == x.c.layout.propertyType {
			return o.Get(strconv.Itoa(i))
		}
		if i < len(values) {
			return values[i]
		}
		return nil
	})
}

// arrayLike converts what counts as an array without being a plain one.
func (x *exporter) arrayLike(o *goja.Object) (engine.Value, bool, error) {
	length := 0
	if l := o.Get("length"); l != nil {
		length = int(min(max(l.ToInteger(), 0), 1<<53-1))
	}
	return x.list(length, func(i int) goja.Value { return o.Get(strconv.Itoa(i)) })
}

func (x *exporter) list(length int, get func(int) goja.Value) (engine.Value, bool, error) {
	if length == 0 {
		return engine.List(), true, nil
	}
	if err := x.b.Enter(); err != nil {
		return engine.Value{}, false, err
	}
	defer x.b.Leave()
	if err := x.b.Nodes(int64(length)); err != nil {
		return engine.Value{}, false, err
	}
	items := make([]engine.Value, length)
	for i := range items {
		value, _, err := x.value(get(i), strconv.Itoa(i))
		if err != nil {
			return engine.Value{}, false, err
		}
		items[i] = value
	}
	return engine.List(items...), true, nil
}

// error converts an Error to its name, message and cause.
func (x *exporter) error(o *goja.Object) (engine.Value, bool, error) {
	m := memberList{x: x}
	defer m.leave()
	for _, key := range [...]string{"name", "message", "cause"} {
		v := o.Get(key)
		if s, ok := v.(*goja.Object); ok && key != "cause" {
			v, _ = stringOf(s)
		}
		if err := m.add(key, v); err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}

type entry struct{ key, value goja.Value }

// entries are the entries of a Map or Set, taken before any guest code runs on
// them.
func (x *exporter) entries(impl reflect.Value) []entry {
	entries := make([]entry, 0, x.c.layout.sizeOf(impl))
	x.c.layout.entries(impl, func(key, value goja.Value) { entries = append(entries, entry{key, value}) })
	return entries
}

func (x *exporter) setEntries(impl reflect.Value) (engine.Value, bool, error) {
	entries := x.entries(impl)
	return x.list(len(entries), func(i int) goja.Value { return entries[i].key })
}

// mapEntries converts a Map: an object where all keys are strings, else a list of
// pairs.
func (x *exporter) mapEntries(impl reflect.Value) (engine.Value, bool, error) {
	entries := x.entries(impl)
	for _, e := range entries {
		if _, ok := e.key.(goja.String); !ok {
			return x.pairs(entries)
		}
	}
	m := memberList{x: x}
	defer m.leave()
	for _, e := range entries {
		if err := m.add(e.key.String(), e.value); err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}

func (x *exporter) pairs(entries []entry) (engine.Value, bool, error) {
	if err := x.b.Enter(); err != nil {
		return engine.Value{}, false, err
	}
	defer x.b.Leave()
	if err := x.b.Nodes(int64(len(entries))); err != nil {
		return engine.Value{}, false, err
	}
	items := make([]engine.Value, len(entries))
	for i, e := range entries {
		pair := [...]goja.Value{e.key, e.value}
		item, _, err := x.list(len(pair), func(i int) goja.Value { return pair[i] })
		if err != nil {
			return engine.Value{}, false, err
		}
		items[i] = item
	}
	return engine.List(items...), true, nil
}
