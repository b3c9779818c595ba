package header

// Parse reads the header of a script. The name of the script is used in
// warnings only.
//
// The Header is never nil when the error is nil; a script without a header
// block gives an empty one. The error is always an [*Error], for the first
// malformed value in the script; the Header is nil then, and the warnings are
// those of the lines before it. Warnings come in the order of their lines, at
// most [MaxWarnings] of them and one that counts the rest.
//
// Parse takes time and memory linear in the length of the source, and accepts
// any bytes, invalid UTF-8 included.
func Parse(source, scriptName string) (*Header, []Warning, error) {
	r := reader{warnings: warnings{script: scriptName}}
	first := true
	for b := range docBlocks(source) {
		if !first {
			r.warnings.secondBlock(b.line)
			continue
		}
		first = false
		if err := r.read(b); err != nil {
			return nil, r.warnings.all(), err
		}
	}
	return &r.header, r.warnings.all(), nil
}

// reader fills a Header from the lines of one block.
type reader struct {
	header   Header
	seen     map[string]tag
	warnings warnings
}

// read returns a plain error, not an *Error, so that no caller can turn a nil
// pointer into a non-nil error.
func (r *reader) read(b block) error {
	r.seen = make(map[string]tag, len(setters))
	text, line := b.text, b.line
	for more := true; more; line++ {
		var current string
		current, text, more = cutLine(text)
		t, ok := parseTag(current)
		if !ok {
			continue
		}
		t.line = line
		set, known := setters[t.name]
		if !known {
			r.warnings.unknownTag(t)
			continue
		}
		if reason := set(&r.header, t.value); reason != "" {
			return &Error{Tag: "@" + t.name, Value: cut(t.value), Reason: reason, Line: line}
		}
		if earlier, ok := r.seen[t.name]; ok {
			r.warnings.duplicateTag(t, earlier)
		}
		r.seen[t.name] = t
	}
	return nil
}
