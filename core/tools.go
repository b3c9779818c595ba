package core

import "slices"

// toolSet is a set of tool names, or of all there are.
type toolSet struct {
	all    bool
	names  map[string]bool
	denied map[string]bool
}

// newToolSet is the effective allow list: what the process allows, narrowed by
// the header, minus what the request denies. A nil list allows everything.
func newToolSet(process, header, denied []string) toolSet {
	s := toolSet{all: process == nil && header == nil}
	if len(denied) > 0 {
		s.denied = asSet(denied)
	}
	switch {
	case s.all:
	case process == nil:
		s.names = asSet(header)
	case header == nil:
		s.names = asSet(process)
	default:
		s.names = asSet(slices.DeleteFunc(slices.Clone(header), func(name string) bool {
			return !slices.Contains(process, name)
		}))
	}
	return s
}

func (s toolSet) has(name string) bool {
	return !s.denied[name] && (s.all || s.names[name])
}

// missing returns the names that are not in the set, in their order.
func (s toolSet) missing(names []string) []string {
	var missing []string
	for _, name := range names {
		if !s.has(name) {
			missing = append(missing, name)
		}
	}
	return missing
}

func asSet(names []string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}
