//go:build wip && !386 && !arm

package quickjs

import (
	"unsafe"

	lib "modernc.org/libquickjs"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A memberList collects the members of an object. An object that turns out to have
// none is nested no deeper than what it stands in.
type memberList struct {
	x       *exporter
	members []engine.Member
	entered bool
}

// add adds a member, unless its value is undefined or has no form. It takes v over.
func (m *memberList) add(key string, v jsValue) error {
	if v.Ftag < 0 {
		defer m.x.c.free(v)
	}
	if m.x.formless(v) {
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
	value, ok, err := m.x.value(v, keyOf{name: key})
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

// members converts own enumerable members, in order.
func (x *exporter) members(o jsValue) (engine.Value, bool, error) {
	if classOf(o) == lib.EJS_CLASS_OBJECT {
		if s, ok := x.c.shapeOf(o); ok {
			return x.shaped(o, s)
		}
	}
	return x.listed(o)
}

// A shape is the engine's record of the members of an object, shared by objects that
// are alike.
type shape struct {
	at         uintptr
	properties []lib.TJSShapeProperty
}

const (
	// The flags of a member are the upper six bits of the first word of its record.
	flagShift = 26
	// indexAtom marks a key that is an array index.
	indexAtom = 1 << 31
)

// shapeOf is the shape of a plain object, if its members are in the order in which
// they are to be listed: no key of them looks like an array index.
func (c *runContext) shapeOf(o jsValue) (s shape, ok bool) {
	s.at = objectAt(o).Fshape
	head := atAddress[lib.TJSShape](s.at)
	at := s.at + unsafe.Sizeof(lib.TJSShape{}) + (uintptr(head.Fprop_hash_mask)+1)*4
	s.properties = unsafe.Slice(atAddress[lib.TJSShapeProperty](at), int(head.Fprop_count))
	for i := range s.properties {
		p := &s.properties[i]
		if p.Fatom&indexAtom != 0 {
			return s, false
		}
	}
	return s, true
}

// references is the number of references to a shape. The engine changes a shape in
// place only while it is the one.
func references(shape uintptr) *int32 { return atAddress[int32](shape - 4) }

// shaped converts the members that a shape lists.
func (x *exporter) shaped(o jsValue, s shape) (engine.Value, bool, error) {
	c := x.c
	m := memberList{x: x}
	defer m.leave()
	count := 0
	for i := range s.properties {
		if s.properties[i].F__ccgo0>>flagShift&lib.MJS_PROP_ENUMERABLE != 0 {
			count++
		}
	}
	if count == 0 {
		return engine.Object(), true, nil
	}
	m.members = make([]engine.Member, 0, min(count, 1024))
	// Held, the shape and its keys stay as they are whatever the script's code does
	// to the object meanwhile.
	*references(s.at)++
	defer func() { *references(s.at)-- }()
	for i := range s.properties {
		p := s.properties[i]
		flags := p.F__ccgo0 >> flagShift
		if flags&lib.MJS_PROP_ENUMERABLE == 0 || p.Fatom == 0 {
			continue
		}
		key, ok := c.key(p.Fatom)
		if !ok {
			continue
		}
		var v jsValue
		if object := objectAt(o); object.Fshape == s.at && flags&lib.MJS_PROP_TMASK == 0 {
			v = *atAddress[jsValue](object.Fprop + uintptr(i)*valueSize)
			if v.Ftag < 0 {
				v = c.dup(v)
			}
		} else if v = lib.XGetProperty(c.tls, c.ctx, o, p.Fatom); isException(v) {
			return engine.Value{}, false, errThrown
		}
		if err := m.add(key, v); err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}

// maxKeys is how many keys are kept as Go strings.
const maxKeys = 4_096

// key is a key as a Go string, if it is no symbol. The keys used last are kept: the
// rows of a result have the same ones.
func (c *runContext) key(a lib.TJSAtom) (string, bool) {
	if s, ok := c.keys[a]; ok {
		return s, true
	}
	record := *atAddress[uintptr](c.runtime().Fatom_array + uintptr(a)*unsafe.Sizeof(uintptr(0)))
	const stringAtom = 1
	if atAddress[lib.TJSAtomStruct](record).F__ccgo4>>30 != stringAtom {
		return "", false
	}
	s := stringAt(record).text()
	if len(c.keys) >= maxKeys {
		for a := range c.keys {
			c.freeAtom(a)
		}
		c.keys = nil
	}
	if c.keys == nil {
		c.keys = make(map[lib.TJSAtom]string)
	}
	c.keys[lib.XJS_DupAtom(c.tls, c.ctx, a)] = s
	return s, true
}

// listed converts the members that the engine lists.
func (x *exporter) listed(o jsValue) (engine.Value, bool, error) {
	c := x.c
	out := c.tls.Alloc(16)
	defer c.tls.Free(16)
	if lib.XJS_GetOwnPropertyNames(c.tls, c.ctx, out, out+8, o, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_ENUM_ONLY) < 0 {
		return engine.Value{}, false, errThrown
	}
	table, n := *atAddress[uintptr](out), *atAddress[uint32](out + 8)
	defer lib.XJS_FreePropertyEnum(c.tls, c.ctx, table, n)
	m := memberList{x: x}
	defer m.leave()
	for _, p := range unsafe.Slice(atAddress[lib.TJSPropertyEnum](table), int(n)) {
		key, ok := c.atomText(p.Fatom)
		if !ok {
			continue
		}
		v := lib.XGetProperty(c.tls, c.ctx, o, p.Fatom)
		if isException(v) {
			return engine.Value{}, false, errThrown
		}
		if err := m.add(key, v); err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}

func (c *runContext) atomText(a lib.TJSAtom) (string, bool) {
	if a&indexAtom == 0 {
		return c.key(a)
	}
	v := lib.XJS_AtomToString(c.tls, c.ctx, a)
	if !isString(v) {
		return "", false
	}
	defer c.free(v)
	return stringAt(pointer(v)).text(), true
}

// An arraySlot is what an array that the engine keeps in one piece has in its
// record.
type arraySlot struct {
	_      uint64
	values uintptr
	count  uint32
}

const fastArray = 1 << 4

func isFast(o jsValue) bool { return objectAt(o).F__ccgo16&fastArray != 0 }

// array converts an array. Its length is paid for first: a sparse array of four
// billion elements ends here.
func (x *exporter) array(o jsValue) (engine.Value, bool, error) {
	length, _ := number(*atAddress[jsValue](objectAt(o).Fprop)) // its first member
	return x.list(int(length), func(i int) (jsValue, error) {
		if isFast(o) { // looked at anew each time: a getter may have changed the array
			a := slotOf[arraySlot](o)
			if i >= int(a.count) {
				return undefined, nil
			}
			v := *atAddress[jsValue](a.values + uintptr(i)*valueSize)
			if v.Ftag < 0 {
				v = x.c.dup(v)
			}
			return v, nil
		}
		return x.element(o, i)
	})
}

func (x *exporter) element(o jsValue, i int) (jsValue, error) {
	v := lib.XJS_GetPropertyUint32(x.c.tls, x.c.ctx, o, uint32(i))
	if isException(v) {
		return v, errThrown
	}
	return v, nil
}

// arrayLike converts a proxy of an array.
func (x *exporter) arrayLike(o jsValue) (engine.Value, bool, error) {
	v := x.c.get(o, "length")
	if isException(v) {
		return engine.Value{}, false, errThrown
	}
	out := x.c.tls.Alloc(8)
	defer x.c.tls.Free(8)
	failed := lib.XJS_ToInt64Clamp(x.c.tls, x.c.ctx, out, v, 0, 1<<53-1, 0) < 0
	x.c.free(v)
	if failed {
		return engine.Value{}, false, errThrown
	}
	return x.list(int(*atAddress[int64](out)), func(i int) (jsValue, error) { return x.element(o, i) })
}

// list converts n elements, which get hands over.
func (x *exporter) list(n int, get func(i int) (jsValue, error)) (engine.Value, bool, error) {
	if n == 0 {
		return engine.List(), true, nil
	}
	if err := x.b.Enter(); err != nil {
		return engine.Value{}, false, err
	}
	defer x.b.Leave()
	if err := x.b.Nodes(int64(n)); err != nil {
		return engine.Value{}, false, err
	}
	items := make([]engine.Value, n)
	for i := range items {
		v, err := get(i)
		if err != nil {
			return engine.Value{}, false, err
		}
		items[i], _, err = x.value(v, keyOf{index: i, list: true})
		if v.Ftag < 0 {
			x.c.free(v)
		}
		if err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.List(items...), true, nil
}

type entry struct{ key, value jsValue }

// entries are the entries of a Map or Set, taken before any code of the script runs
// on them.
func (x *exporter) entries(o jsValue) []entry {
	state := *slotOf[uintptr](o)
	s := atAddress[lib.TJSMapState](state)
	entries := make([]entry, 0, s.Frecord_count)
	head := state + unsafe.Offsetof(s.Frecords)
	var record lib.TJSMapRecord
	for at := s.Frecords.Fnext; at != head; at = atAddress[lib.Tlist_head](at).Fnext {
		r := atAddress[lib.TJSMapRecord](at - unsafe.Offsetof(record.Flink))
		if r.F__ccgo4 != 0 { // deleted
			continue
		}
		entries = append(entries, entry{x.c.dup(r.Fkey), x.c.dup(r.Fvalue)})
	}
	return entries
}

func (x *exporter) freeEntries(entries []entry) {
	for _, e := range entries {
		x.c.free(e.key)
		x.c.free(e.value)
	}
}

// mapEntries converts a Map: an object where all keys are strings, else a list of
// pairs.
func (x *exporter) mapEntries(o jsValue) (engine.Value, bool, error) {
	entries := x.entries(o)
	defer x.freeEntries(entries)
	for _, e := range entries {
		if !isString(e.key) {
			return x.pairs(entries)
		}
	}
	m := memberList{x: x}
	defer m.leave()
	for _, e := range entries {
		key, err := x.keyText(e.key)
		if err == nil {
			err = m.add(key, x.c.dup(e.value))
		}
		if err != nil {
			return engine.Value{}, false, err
		}
	}
	return engine.Object(m.members...), true, nil
}

// keyText is a key that is a string. It is not copied where it alone is too long.
func (x *exporter) keyText(key jsValue) (string, error) {
	if limit := x.c.cfg.Limits.ResultBytes; lengthOf(key) > limit {
		return "", &engine.LimitError{Limit: engine.LimitResultBytes, Max: limit}
	}
	flat, ok := x.c.flat(key)
	if !ok {
		return "", errThrown
	}
	defer x.c.free(flat)
	return stringAt(pointer(flat)).text(), nil
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
		pair := [...]jsValue{e.key, e.value}
		item, _, err := x.list(len(pair), func(i int) (jsValue, error) { return x.c.dup(pair[i]), nil })
		if err != nil {
			return engine.Value{}, false, err
		}
		items[i] = item
	}
	return engine.List(items...), true, nil
}
