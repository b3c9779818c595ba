package core

import (
	"fmt"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/header"
)

// effective returns the limits of a run: of each the header's value, else the
// caller's, else the default, brought between minimum and maximum. Each value
// that had to be changed gives a warning. A caller's zero means "not given"; a
// negative value is one below the minimum.
//
// Should the minimum lie above the maximum, the maximum holds.
func (s *Settings) effective(h *header.Header, caller Limits) (Limits, []Warning) {
	var result Limits
	var warnings []Warning
	for i := range limits {
		l := &limits[i]
		b := l.bounds(s)
		asked, by := *b[partDefault], byDefault
		if n := l.get(caller); n != 0 {
			asked, by = n, byCaller
		}
		if l.header != nil {
			if n := l.header(h); n != nil {
				asked, by = *n, byHeader
			}
		}
		n := min(max(asked, *b[partMin]), *b[partMax])
		if n != asked {
			warnings = append(warnings, l.clampWarning(by, asked, n))
		}
		l.set(&result, n)
	}
	return result, warnings
}

// An asker is who asked for a limit's value.
type asker int

const (
	byDefault asker = iota
	byCaller
	byHeader
)

// clampWarning says that a value was brought to n.
func (l *limit) clampWarning(by asker, asked, n int64) Warning {
	var what string
	switch by {
	case byHeader:
		what = l.tag + " " + l.unit.format(asked)
	case byCaller:
		what = l.name + " " + l.unit.format(asked) + ", which the caller asked for,"
	default:
		what = l.name + " " + l.unit.format(asked) + ", the default,"
	}
	bound := "below the minimum"
	if asked > n {
		bound = "above the maximum"
	}
	return Warning{
		Code:    engine.WarnClamped,
		Message: fmt.Sprintf("%s is %s; clamped to %s", what, bound, l.unit.format(n)),
	}
}
