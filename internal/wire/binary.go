package wire

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Tags of the binary form. They are part of the protocol between processes of the
// same build only, so they may change.
const (
	tagNull   = iota
	tagFalse  //
	tagTrue   //
	tagInt    // zigzag varint
	tagFloat  // 8 bytes, little endian
	tagBigInt // a sign byte, 0 or 1, then bytes, big endian
	tagString // bytes, UTF-8
	tagTime   // zigzag varint, milliseconds
	tagBytes  // bytes
	tagList   // a count, then values
	tagObject // a count, then pairs of key and value
)

// Append appends the binary form of v to dst.
func Append(dst []byte, v engine.Value) []byte {
	switch v.Kind() {
	case engine.KindBool:
		if b, _ := v.AsBool(); b {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case engine.KindInt:
		i, _ := v.AsInt()
		return binary.AppendVarint(append(dst, tagInt), i)
	case engine.KindFloat:
		f, _ := v.AsFloat()
		return binary.LittleEndian.AppendUint64(append(dst, tagFloat), math.Float64bits(f))
	case engine.KindBigInt:
		i, _ := v.AsBigInt()
		sign := byte(0)
		if i.Sign() < 0 {
			sign = 1
		}
		return appendSized(append(dst, tagBigInt, sign), i.Bytes())
	case engine.KindString:
		s, _ := v.AsString()
		return appendSized(append(dst, tagString), s)
	case engine.KindTime:
		t, _ := v.AsTime()
		return binary.AppendVarint(append(dst, tagTime), t.UnixMilli())
	case engine.KindBytes:
		b, _ := v.AsBytes()
		return appendSized(append(dst, tagBytes), b)
	case engine.KindList:
		items, _ := v.Items()
		dst = binary.AppendUvarint(append(dst, tagList), uint64(len(items)))
		for _, item := range items {
			dst = Append(dst, item)
		}
		return dst
	case engine.KindObject:
		members, _ := v.Members()
		dst = binary.AppendUvarint(append(dst, tagObject), uint64(len(members)))
		for _, m := range members {
			dst = Append(appendSized(dst, m.Key), m.Value)
		}
		return dst
	}
	return append(dst, tagNull)
}

func appendSized[T string | []byte](dst []byte, content T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(content))), content...)
}

// Decode reads a value that fills data, under a budget. The error is
// [ErrMalformed] or an *[engine.LimitError]. Strings and binary data of the value
// are copies.
func Decode(data []byte, b *engine.Budget) (engine.Value, error) {
	v, rest, err := Consume(data, b)
	if err != nil {
		return engine.Value{}, err
	}
	if len(rest) > 0 {
		return engine.Value{}, fmt.Errorf("%w: %d bytes follow it", ErrMalformed, len(rest))
	}
	return v, nil
}

// Consume is Decode for a value that other data may follow; it returns these.
func Consume(data []byte, b *engine.Budget) (v engine.Value, rest []byte, err error) {
	d := decoder{data: data, budget: b}
	v, err = d.value()
	return v, d.data, err
}

type decoder struct {
	data   []byte
	budget *engine.Budget
}

func (d *decoder) value() (engine.Value, error) {
	if len(d.data) == 0 {
		return engine.Value{}, ErrMalformed
	}
	tag := d.data[0]
	d.data = d.data[1:]
	switch tag {
	case tagNull:
		return engine.Value{}, nil
	case tagFalse, tagTrue:
		return engine.Bool(tag == tagTrue), nil
	case tagInt:
		i, err := d.varint()
		if err == nil && (i > maxSafeInteger || i < -maxSafeInteger) {
			err = ErrMalformed
		}
		return engine.Int(i), err
	case tagFloat:
		if len(d.data) < 8 {
			return engine.Value{}, ErrMalformed
		}
		f := math.Float64frombits(binary.LittleEndian.Uint64(d.data))
		d.data = d.data[8:]
		return engine.Float(f), nil
	case tagBigInt:
		return d.bigInt()
	case tagString:
		s, err := d.text()
		return engine.String(s), err
	case tagTime:
		ms, err := d.varint()
		return engine.Time(time.UnixMilli(ms)), err
	case tagBytes:
		raw, err := d.sized()
		if err == nil {
			err = d.budget.Bytes(int64(len(raw)))
		}
		if err != nil {
			return engine.Value{}, err
		}
		return engine.Bytes(append([]byte{}, raw...)), nil
	case tagList:
		return d.list()
	case tagObject:
		return d.object()
	}
	return engine.Value{}, ErrMalformed
}

// maxSafeInteger is Number.MAX_SAFE_INTEGER of ECMAScript.
const maxSafeInteger = 1<<53 - 1

func (d *decoder) varint() (int64, error) {
	i, n := binary.Varint(d.data)
	if n <= 0 {
		return 0, ErrMalformed
	}
	d.data = d.data[n:]
	return i, nil
}

// count reads a length or a count of things that take at least size bytes each.
func (d *decoder) count(size int) (int, error) {
	c, n := binary.Uvarint(d.data)
	if n <= 0 || c > uint64(len(d.data)-n)/uint64(size) {
		return 0, ErrMalformed
	}
	d.data = d.data[n:]
	return int(c), nil
}

func (d *decoder) sized() ([]byte, error) {
	n, err := d.count(1)
	if err != nil {
		return nil, err
	}
	raw := d.data[:n]
	d.data = d.data[n:]
	return raw, nil
}

func (d *decoder) text() (string, error) {
	raw, err := d.sized()
	if err == nil {
		err = d.budget.Bytes(int64(len(raw)))
	}
	if err != nil {
		return "", err
	}
	if !utf8.Valid(raw) {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), nil
	}
	return string(raw), nil
}

func (d *decoder) bigInt() (engine.Value, error) {
	if len(d.data) == 0 || d.data[0] > 1 {
		return engine.Value{}, ErrMalformed
	}
	negative := d.data[0] == 1
	d.data = d.data[1:]
	raw, err := d.sized()
	if err == nil {
		err = d.budget.Bytes(int64(len(raw)))
	}
	if err != nil {
		return engine.Value{}, err
	}
	i := new(big.Int).SetBytes(raw)
	if negative {
		i.Neg(i)
	}
	return engine.BigInt(i), nil
}

func (d *decoder) list() (engine.Value, error) {
	n, err := d.count(1)
	if err != nil || n == 0 {
		return engine.List(), err
	}
	if err := d.enter(n); err != nil {
		return engine.Value{}, err
	}
	defer d.budget.Leave()
	items := make([]engine.Value, n)
	for i := range items {
		if items[i], err = d.value(); err != nil {
			return engine.Value{}, err
		}
	}
	return engine.List(items...), nil
}

func (d *decoder) object() (engine.Value, error) {
	n, err := d.count(2)
	if err != nil || n == 0 {
		return engine.Object(), err
	}
	if err := d.enter(n); err != nil {
		return engine.Value{}, err
	}
	defer d.budget.Leave()
	members := make([]engine.Member, n)
	for i := range members {
		if members[i].Key, err = d.text(); err != nil {
			return engine.Value{}, err
		}
		if members[i].Value, err = d.value(); err != nil {
			return engine.Value{}, err
		}
	}
	return engine.Object(members...), nil
}

// enter goes into a container of n entries. An empty one is no deeper than what
// it stands in.
func (d *decoder) enter(n int) error {
	if err := d.budget.Enter(); err != nil {
		return err
	}
	if err := d.budget.Nodes(int64(n)); err != nil {
		d.budget.Leave()
		return err
	}
	return nil
}
