package header

import (
	"strings"
	"time"
)

// tag is one tag line. Its name has no "@", its value no blanks around it.
type tag struct {
	name, value string
	line        int
}

// parseTag reads a line of a block as a tag; false means that it is text. The
// name is all that stands before the first blank, so that "@timeout=5s" is an
// unknown tag, which the author hears of, rather than text.
func parseTag(line string) (tag, bool) {
	line = strings.TrimLeftFunc(line, isBlank)
	line = strings.TrimPrefix(line, "*")
	line = strings.TrimLeftFunc(line, isBlank)
	line, ok := strings.CutPrefix(line, "@")
	if !ok || line == "" || !isWord(line[0]) {
		return tag{}, false
	}
	name, value := line, ""
	if i := strings.IndexFunc(line, isBlank); i >= 0 {
		name, value = line[:i], strings.TrimFunc(line[i:], isBlank)
	}
	return tag{name: name, value: value}, true
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// setters holds the known tags. Each reads a value into its field, or returns
// why it cannot.
var setters = map[string]func(h *Header, value string) (reason string){
	"timeout": func(h *Header, value string) string {
		n, reason := durations.parse(value)
		d := time.Duration(n)
		h.Timeout = &d
		return reason
	},
	"statements": func(h *Header, value string) string {
		n, reason := counts.parse(value)
		h.Statements = &n
		return reason
	},
	"memory": func(h *Header, value string) string {
		n, reason := sizes.parse(value)
		h.Memory = &n
		return reason
	},
	"maxResultNodes": func(h *Header, value string) string {
		n, reason := counts.parse(value)
		h.MaxResultNodes = &n
		return reason
	},
	"allowTools": func(h *Header, value string) string {
		h.AllowTools = names(value)
		return ""
	},
	"requiresTools": func(h *Header, value string) string {
		h.RequiresTools = names(value)
		return ""
	},
	"description": func(h *Header, value string) string {
		h.Description = value
		return ""
	},
	"version": func(h *Header, value string) string {
		h.Version = value
		switch {
		case value == "":
			return "empty value; allowed: one word, such as 1.2.0"
		case strings.ContainsFunc(value, isBlank):
			return "blank inside the value; allowed: one word, such as 1.2.0"
		}
		return ""
	},
}

// names splits a list at commas and blanks and drops repetitions. It is never
// nil: an empty list is a given one.
func names(list string) []string {
	result := []string{}
	seen := map[string]bool{}
	for name := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ',' || isBlank(r) }) {
		if !seen[name] {
			seen[name] = true
			result = append(result, name)
		}
	}
	return result
}
