package goja

import (
	"github.com/dop251/goja"
)

// expander returns a replacing function that does what a replacement text says
// ($&, $1, $<name> and so on), charges what it makes, and can be stopped.
func (c *runContext) expander(text goja.String) goja.Value {
	total := int64(0)
	return c.hidden(func(call goja.FunctionCall) goja.Value {
		c.poll()
		m := matchOf(call.Arguments)
		var b goja.StringBuilder
		for i := 0; i < text.Length(); {
			i += m.expand(&b, text, i)
		}
		s := b.String()
		total += int64(s.Length()) * unitBytes(s)
		c.charge(total)
		return s
	})
}

// A match is what a replacing function is told of one match.
type match struct {
	subject goja.String
	start   int
	groups  []goja.Value // the whole match first
	named   *goja.Object
}

func matchOf(args []goja.Value) match {
	var m match
	if o, ok := args[len(args)-1].(*goja.Object); ok {
		m.named = o
		args = args[:len(args)-1]
	}
	m.subject, _ = args[len(args)-1].(goja.String)
	m.start = int(args[len(args)-2].ToInteger())
	m.groups = args[:len(args)-2]
	return m
}

func (m *match) write(b *goja.StringBuilder, group int) {
	if s, ok := m.groups[group].(goja.String); ok {
		b.WriteString(s)
	}
}

// expand writes what stands at i of a replacement text and returns how many units
// of the text that took. ECMAScript: GetSubstitution.
func (m *match) expand(b *goja.StringBuilder, text goja.String, i int) int {
	literal := func(n int) int {
		b.WriteSubstring(text, i, i+n)
		return n
	}
	if text.CharAt(i) != '$' {
		n := 1
		for i+n < text.Length() && text.CharAt(i+n) != '$' {
			n++
		}
		return literal(n)
	}
	if i+1 == text.Length() {
		return literal(1)
	}
	digit := func(at int) int {
		if at < text.Length() && text.CharAt(at) >= '0' && text.CharAt(at) <= '9' {
			return int(text.CharAt(at) - '0')
		}
		return -1
	}
	switch ch := text.CharAt(i + 1); {
	case ch == '$':
		b.WriteRune('$')
		return 2
	case ch == '&':
		m.write(b, 0)
		return 2
	case ch == '`':
		b.WriteSubstring(m.subject, 0, m.start)
		return 2
	case ch == '\'':
		end := m.start
		if s, ok := m.groups[0].(goja.String); ok {
			end += s.Length()
		}
		b.WriteSubstring(m.subject, min(end, m.subject.Length()), m.subject.Length())
		return 2
	case ch == '<' && m.named != nil:
		for end := i + 2; end < text.Length(); end++ {
			if text.CharAt(end) == '>' {
				if v := m.named.Get(text.Substring(i+2, end).String()); v != nil && !goja.IsUndefined(v) {
					if s, ok := v.ToString().(goja.String); ok {
						b.WriteString(s)
					}
				}
				return end + 1 - i
			}
		}
		return literal(1)
	}
	one := digit(i + 1)
	if one < 0 {
		return literal(1)
	}
	if two := digit(i + 2); two >= 0 && one*10+two > 0 && one*10+two < len(m.groups) {
		m.write(b, one*10+two)
		return 3
	}
	if one > 0 && one < len(m.groups) {
		m.write(b, one)
		return 2
	}
	return literal(1)
}
