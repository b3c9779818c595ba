package wire

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Tags of the text form.
const (
	textNumber  = "n"
	textBigInt  = "i"
	textDate    = "d"
	textBytes   = "b"
	textMembers = "m"
)

// AppendText appends the text form of v to dst. escaped says whether there is an
// escape in it: without one, what a guest's JSON.parse makes of the text is the
// value.
func AppendText(dst []byte, v engine.Value) (text []byte, escaped bool) {
	w := writer{out: dst}
	w.value(v)
	return w.out, w.escaped
}

type writer struct {
	out     []byte
	escaped bool
}

func (w *writer) escape(tag string) {
	w.escaped = true
	w.out = append(append(append(w.out, `{"":["`...), tag...), `",`...)
}

func (w *writer) close() { w.out = append(w.out, ']', '}') }

func (w *writer) value(v engine.Value) {
	switch v.Kind() {
	case engine.KindFloat:
		f, _ := v.AsFloat()
		w.float(f)
	case engine.KindBigInt:
		i, _ := v.AsBigInt()
		w.escape(textBigInt)
		w.out = append(i.Append(append(w.out, '"'), 16), '"')
		w.close()
	case engine.KindTime:
		t, _ := v.AsTime()
		w.escape(textDate)
		w.out = strconv.AppendInt(w.out, t.UnixMilli(), 10)
		w.close()
	case engine.KindBytes:
		b, _ := v.AsBytes()
		w.escape(textBytes)
		w.bytes(b)
		w.close()
	case engine.KindList:
		items, _ := v.Items()
		w.out = append(w.out, '[')
		for i, item := range items {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			w.value(item)
		}
		w.out = append(w.out, ']')
	case engine.KindObject:
		w.object(v)
	default: // JSON has these
		w.out = v.AppendJSON(w.out)
	}
}

func (w *writer) float(f float64) {
	switch {
	case math.IsNaN(f):
		w.number("NaN")
	case math.IsInf(f, 1):
		w.number("Infinity")
	case math.IsInf(f, -1):
		w.number("-Infinity")
	case f == 0:
		w.number("-0")
	default:
		w.out = engine.Float(f).AppendJSON(w.out)
	}
}

func (w *writer) number(name string) {
	w.escape(textNumber)
	w.out = strconv.AppendQuote(w.out, name)
	w.close()
}

// bytes writes each byte as the character with its number.
func (w *writer) bytes(b []byte) {
	const hex = "0123456789abcdef"
	w.out = append(w.out, '"')
	for _, c := range b {
		switch {
		case c < 0x20:
			w.out = append(w.out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		case c == '"' || c == '\\':
			w.out = append(w.out, '\\', c)
		case c < utf8.RuneSelf:
			w.out = append(w.out, c)
		default:
			w.out = utf8.AppendRune(w.out, rune(c))
		}
	}
	w.out = append(w.out, '"')
}

func (w *writer) object(v engine.Value) {
	members, _ := v.Members()
	open, between, end := byte('{'), byte(':'), byte('}')
	_, odd := v.Get("")
	if odd {
		w.escape(textMembers)
		open, between, end = '[', ',', ']'
	}
	w.out = append(w.out, open)
	for i, m := range members {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(engine.String(m.Key).AppendJSON(w.out), between)
		w.value(m.Value)
	}
	w.out = append(w.out, end)
	if odd {
		w.close()
	}
}

// ParseText reads a value that fills text, under a budget. The error is
// [ErrMalformed] or an *[engine.LimitError]. Strings of the value share text's
// memory where they can.
func ParseText(text string, b *engine.Budget) (engine.Value, error) {
	p := newParser(text, b)
	v, err := p.value()
	if err == nil {
		err = p.end()
	}
	if err != nil {
		return engine.Value{}, err
	}
	return v, nil
}

// ParseTexts reads an array of values as the arguments of a call: they share the
// budget, and each of them stands at depth 0.
func ParseTexts(text string, b *engine.Budget) ([]engine.Value, error) {
	p := newParser(text, b)
	if !p.take('[') {
		return nil, ErrMalformed
	}
	var list []engine.Value
	for !p.take(']') {
		if len(list) > 0 && !p.take(',') {
			return nil, ErrMalformed
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if err := p.end(); err != nil {
		return nil, err
	}
	return list, nil
}

// A parser reads JSON as engines write it: without blanks between tokens.
type parser struct {
	text   string
	at     int
	budget *engine.Budget

	// What was read of the containers that are still open. Each is cut to its
	// exact size when it closes, with one allocation.
	items   []engine.Value
	members []engine.Member
}

func newParser(text string, b *engine.Budget) *parser {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return &parser{text: text, budget: b}
}

func (p *parser) take(c byte) bool {
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) end() error {
	if p.at != len(p.text) {
		return ErrMalformed
	}
	return nil
}

func (p *parser) word(word string, v engine.Value) (engine.Value, error) {
	if !strings.HasPrefix(p.text[p.at:], word) {
		return engine.Value{}, ErrMalformed
	}
	p.at += len(word)
	return v, nil
}

func (p *parser) value() (engine.Value, error) {
	if p.at >= len(p.text) {
		return engine.Value{}, ErrMalformed
	}
	switch c := p.text[p.at]; c {
	case 'n':
		return p.word("null", engine.Value{})
	case 't':
		return p.word("true", engine.Bool(true))
	case 'f':
		return p.word("false", engine.Bool(false))
	case '"':
		s, err := p.counted()
		return engine.String(s), err
	case '[':
		return p.list()
	case '{':
		return p.object()
	}
	return p.number()
}

func (p *parser) number() (engine.Value, error) {
	start := p.at
	negative := p.take('-')
	digits := p.at
	var n int64
	for p.at < len(p.text) && p.text[p.at]-'0' <= 9 && p.at-digits < 16 {
		n = n*10 + int64(p.text[p.at]-'0')
		p.at++
	}
	if p.at == digits {
		return engine.Value{}, ErrMalformed
	}
	simple := n <= maxSafeInteger
	for p.at < len(p.text) && strings.IndexByte("0123456789.eE+-", p.text[p.at]) >= 0 {
		simple = false
		p.at++
	}
	if simple && !(negative && n == 0) {
		if negative {
			n = -n
		}
		return engine.Int(n), nil
	}
	f, err := strconv.ParseFloat(p.text[start:p.at], 64)
	if err != nil || math.IsInf(f, 0) {
		return engine.Value{}, ErrMalformed
	}
	return engine.Float(f), nil
}

// counted is a string that counts as text of the value.
func (p *parser) counted() (string, error) {
	s, err := p.str()
	if err == nil {
		err = p.budget.Bytes(int64(len(s)))
	}
	if err != nil {
		return "", err
	}
	return s, nil
}

// str reads a string.
func (p *parser) str() (string, error) {
	if !p.take('"') {
		return "", ErrMalformed
	}
	start := p.at
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[start : p.at-1], nil
		case c == '\\':
			return p.unescape(start)
		case c < 0x20:
			return "", ErrMalformed
		}
		p.at++
	}
	return "", ErrMalformed
}

// unescape reads on a string that began at start and has its first escape here.
func (p *parser) unescape(start int) (string, error) {
	out := append([]byte(nil), p.text[start:p.at]...)
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		switch {
		case c == '"':
			return string(out), nil
		case c < 0x20:
			return "", ErrMalformed
		case c != '\\':
			out = append(out, c)
			continue
		}
		if p.at >= len(p.text) {
			break
		}
		c = p.text[p.at]
		p.at++
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := p.unit()
			if !ok {
				return "", ErrMalformed
			}
			out = utf8.AppendRune(out, p.pair(r))
		default:
			return "", ErrMalformed
		}
	}
	return "", ErrMalformed
}

func (p *parser) unit() (rune, bool) {
	if p.at+4 > len(p.text) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16)
	p.at += 4
	return rune(n), err == nil
}

// pair completes a surrogate pair. A surrogate that stands alone is U+FFFD.
func (p *parser) pair(high rune) rune {
	if high < 0xD800 || high > 0xDFFF {
		return high
	}
	if high > 0xDBFF || !strings.HasPrefix(p.text[p.at:], `\u`) {
		return utf8.RuneError
	}
	back := p.at
	p.at += 2
	if low, ok := p.unit(); ok && low >= 0xDC00 && low <= 0xDFFF {
		return (high-0xD800)<<10 + (low - 0xDC00) + 0x10000
	}
	p.at = back
	return utf8.RuneError
}

// longList is how long a list must be not to be copied once more.
const longList = 1 << 10

func (p *parser) list() (engine.Value, error) {
	p.at++
	if p.take(']') {
		return engine.List(), nil
	}
	if err := p.budget.Enter(); err != nil {
		return engine.Value{}, err
	}
	defer p.budget.Leave()
	base := len(p.items)
	for {
		if err := p.budget.Nodes(1); err != nil {
			return engine.Value{}, err
		}
		v, err := p.value()
		if err != nil {
			return engine.Value{}, err
		}
		p.items = append(p.items, v)
		if p.take(',') {
			continue
		}
		if !p.take(']') {
			return engine.Value{}, ErrMalformed
		}
		if base == 0 && len(p.items) > longList {
			list := p.items
			p.items = nil
			return engine.List(list[:len(list):len(list)]...), nil
		}
		list := append([]engine.Value(nil), p.items[base:]...)
		p.items = p.items[:base]
		return engine.List(list...), nil
	}
}

// object reads an object or an escape.
func (p *parser) object() (engine.Value, error) {
	p.at++
	if p.take('}') {
		return engine.Object(), nil
	}
	if strings.HasPrefix(p.text[p.at:], `"":`) {
		return p.escaped()
	}
	return p.entries(':', '}')
}

// entries reads the members of an object, of which there is at least one. Only an
// escape may have an empty key.
func (p *parser) entries(between, end byte) (engine.Value, error) {
	if err := p.budget.Enter(); err != nil {
		return engine.Value{}, err
	}
	defer p.budget.Leave()
	base := len(p.members)
	for {
		if err := p.budget.Nodes(1); err != nil {
			return engine.Value{}, err
		}
		key, err := p.counted()
		if err != nil {
			return engine.Value{}, err
		}
		if key == "" && end == '}' || !p.take(between) {
			return engine.Value{}, ErrMalformed
		}
		v, err := p.value()
		if err != nil {
			return engine.Value{}, err
		}
		p.members = append(p.members, engine.Member{Key: key, Value: v})
		if p.take(',') {
			continue
		}
		if !p.take(end) {
			return engine.Value{}, ErrMalformed
		}
		list := append([]engine.Member(nil), p.members[base:]...)
		p.members = p.members[:base]
		return engine.Object(list...), nil
	}
}

// escaped reads an escape, from its empty key on.
func (p *parser) escaped() (v engine.Value, err error) {
	p.at += len(`"":`)
	if !p.take('[') {
		return v, ErrMalformed
	}
	tag, err := p.str()
	if err != nil || !p.take(',') {
		return v, ErrMalformed
	}
	switch tag {
	case textNumber, textBigInt, textBytes:
		s, err := p.str()
		if err != nil {
			return v, err
		}
		if v, err = p.tagged(tag, s); err != nil {
			return v, err
		}
	case textDate:
		n, err := p.number()
		ms, ok := n.AsInt()
		if err != nil || !ok {
			return v, ErrMalformed
		}
		v = engine.Time(time.UnixMilli(ms))
	case textMembers:
		if !p.take('[') {
			return v, ErrMalformed
		}
		v = engine.Object()
		if !p.take(']') {
			if v, err = p.entries(',', ']'); err != nil {
				return v, err
			}
		}
	default:
		return v, ErrMalformed
	}
	if !p.take(']') || !p.take('}') {
		return engine.Value{}, ErrMalformed
	}
	return v, nil
}

func (p *parser) tagged(tag, s string) (engine.Value, error) {
	switch tag {
	case textNumber:
		switch s {
		case "NaN":
			return engine.Float(math.NaN()), nil
		case "Infinity":
			return engine.Float(math.Inf(1)), nil
		case "-Infinity":
			return engine.Float(math.Inf(-1)), nil
		case "-0":
			return engine.Float(math.Copysign(0, -1)), nil
		}
	case textBigInt:
		if err := p.budget.Bytes(int64(len(s) / 2)); err != nil {
			return engine.Value{}, err
		}
		if strings.Trim(s, "-0123456789abcdef") == "" {
			if i, ok := new(big.Int).SetString(s, 16); ok {
				return engine.BigInt(i), nil
			}
		}
	case textBytes:
		n := utf8.RuneCountInString(s)
		if err := p.budget.Bytes(int64(n)); err != nil {
			return engine.Value{}, err
		}
		data := make([]byte, 0, n)
		for _, r := range s {
			if r > 0xFF {
				return engine.Value{}, ErrMalformed
			}
			data = append(data, byte(r))
		}
		return engine.Bytes(data), nil
	}
	return engine.Value{}, ErrMalformed
}
