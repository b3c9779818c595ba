package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"
)

// MarshalJSON writes v as JSON, members in their order: a bigint as a string of
// its digits, a date as toISOString gives it, bytes in base64, NaN and ±Inf as
// null. It never fails.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// AppendJSON appends v as JSON to dst.
func (v Value) AppendJSON(dst []byte) []byte {
	switch r := v.ref.(type) {
	case Kind:
		switch r {
		case KindBool:
			return strconv.AppendBool(dst, v.num == 1)
		case KindInt:
			return strconv.AppendInt(dst, int64(v.num), 10)
		case KindFloat:
			return appendFloat(dst, math.Float64frombits(v.num))
		case KindTime:
			return append(append(append(dst, '"'), v.isoTime()...), '"')
		}
	case stringData:
		s, _ := v.AsString()
		return appendString(dst, s)
	case *big.Int:
		return append(r.Append(append(dst, '"'), 10), '"')
	case bytesData:
		b, _ := v.AsBytes()
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"')
	case []Value:
		dst = append(dst, '[')
		for i, item := range r {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.AppendJSON(dst)
		}
		return append(dst, ']')
	case []Member:
		dst = append(dst, '{')
		for i, m := range r {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.Key), ':')
			dst = m.Value.AppendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// isoTime is the date as Date.prototype.toISOString gives it: years outside of
// 0 to 9999 have a sign and six digits.
func (v Value) isoTime() string {
	t, _ := v.AsTime()
	if year := t.Year(); year < 0 || year > 9999 {
		sign := '+'
		if year < 0 {
			sign, year = '-', -year
		}
		return fmt.Sprintf("%c%06d-%s", sign, year, t.Format("01-02T15:04:05.000Z"))
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	if f == 0 { // -0, as JSON.stringify writes it
		return append(dst, '0')
	}
	b, err := json.Marshal(f) // its number format is that of ECMAScript
	if err != nil {
		return append(dst, "null"...)
	}
	return append(dst, b...)
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string: only what JSON demands is escaped, and
// U+2028 and U+2029, which are line ends in JavaScript.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= 0x20 && b != '"' && b != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch b {
			case '"', '\\':
				dst = append(dst, '\\', b)
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&0xF])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			dst = append(dst, s[start:i]...)
			if r == utf8.RuneError {
				dst = append(dst, "\uFFFD"...)
			} else {
				dst = append(dst, '\\', 'u', '2', '0', '2', hexDigits[r&0xF])
			}
			start = i + size
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}

// UnmarshalJSON reads JSON into v, keeping the order of members.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := ParseJSON(data)
	if err != nil {
		return err
	}
	*v = parsed
	return nil
}

// maxJSONDepth is how deep JSON from the host may be nested.
const maxJSONDepth = 10_000

// ParseJSON reads one JSON text. Members keep their order; of a key that is
// there twice the last value counts, as in JavaScript. An integer that a number
// cannot hold exactly becomes the nearest number.
func ParseJSON(data []byte) (Value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	v, err := parseJSON(d, 0)
	if err != nil {
		return Value{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return Value{}, fmt.Errorf("JSON: something follows the value at byte %d", d.InputOffset())
	}
	return v, nil
}

func parseJSON(d *json.Decoder, depth int) (Value, error) {
	token, err := d.Token()
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return Value{}, fmt.Errorf("JSON: %w", err)
	}
	if depth > maxJSONDepth {
		return Value{}, fmt.Errorf("JSON: nested deeper than %d", maxJSONDepth)
	}
	switch t := token.(type) {
	case bool:
		return Bool(t), nil
	case string:
		return String(t), nil
	case json.Number:
		f, err := t.Float64()
		if err != nil && !math.IsInf(f, 0) {
			return Value{}, fmt.Errorf("JSON: %w", err)
		}
		return Float(f), nil
	case json.Delim:
		if t == '[' {
			return parseList(d, depth)
		}
		return parseObject(d, depth)
	}
	return Value{}, nil
}

func parseList(d *json.Decoder, depth int) (Value, error) {
	items := []Value{}
	for d.More() {
		item, err := parseJSON(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		items = append(items, item)
	}
	return Value{ref: items}, endJSON(d)
}

func parseObject(d *json.Decoder, depth int) (Value, error) {
	members := []Member{}
	at := map[string]int{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return Value{}, fmt.Errorf("JSON: %w", err)
		}
		item, err := parseJSON(d, depth+1)
		if err != nil {
			return Value{}, err
		}
		name := key.(string)
		if i, twice := at[name]; twice {
			members[i].Value = item
			continue
		}
		at[name] = len(members)
		members = append(members, Member{Key: name, Value: item})
	}
	return Value{ref: members}, endJSON(d)
}

// endJSON reads the bracket that ends an array or object.
func endJSON(d *json.Decoder) error {
	_, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	return nil
}

// Decode stores v in the variable that target points to, as encoding/json would
// store v's JSON there.
func (v Value) Decode(target any) error {
	return json.Unmarshal(v.AppendJSON(nil), target)
}

// Text returns a string as it is and any other value as JSON.
func (v Value) Text() string {
	if s, ok := v.AsString(); ok {
		return s
	}
	return string(v.AppendJSON(nil))
}

// Size is about the number of bytes that v takes once it is in a guest: what
// [Limits.HostBytes] counts.
func (v Value) Size() int64 {
	const word = 8
	switch r := v.ref.(type) {
	case stringData, bytesData:
		return int64(v.num) + word
	case *big.Int:
		return int64(r.BitLen()/8) + word
	case []Value:
		size := int64(word)
		for _, item := range r {
			size += item.Size()
		}
		return size
	case []Member:
		size := int64(word)
		for _, m := range r {
			size += int64(len(m.Key)) + m.Value.Size()
		}
		return size
	}
	return word
}

// String returns a short form for logs and debuggers.
func (v Value) String() string { return CutText(v.Text(), 200) }

var _ fmt.Stringer = Value{}
