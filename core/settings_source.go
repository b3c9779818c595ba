package core

import (
	"context"
	"fmt"
	"strings"

	"github.com/ringfence-js/ringfence/core/engine"
)

// WarnBadSetting is the code of the warning that a stored setting could not be
// read, or made no sense; the service's own counts in its place.
const WarnBadSetting = "bad-setting"

// A SettingsSource has settings that are stored for a scope, such as those of a
// tenant, and go before the service's. It is asked at each run for these keys,
// one after the other, so it should answer from memory; it must be safe for
// concurrent use:
//
//	vance.script.timeout.default     vance.script.timeout.max
//	vance.script.statements.default  vance.script.statements.max
//	vance.script.result.default      vance.script.result.max
//	vance.script.result.maxDepth
//
// and, for the limits that came later,
//
//	vance.script.memory.default           vance.script.memory.max
//	vance.script.result.maxBytes.default  vance.script.result.maxBytes.max
//	vance.script.source.default           vance.script.source.max
//	vance.script.hostCalls.default        vance.script.hostCalls.max
//	vance.script.hostBytes.default        vance.script.hostBytes.max
//	vance.script.logChars.default         vance.script.logChars.max
//
// A stored maximum can only lower the service's. It may lie below the minimum,
// and holds then for the minimum too. A stored default counts for runs that say
// nothing themselves, and is clamped like what others ask for. Nothing else can
// be stored: no minimum, nor whether @requiresTools is enforced.
//
// Values are written as in a settings file. One that cannot be read, or an error
// of the source, is a warning with the code [WarnBadSetting], and the service's
// setting counts.
type SettingsSource interface {
	// Setting returns the stored text of a key (vance.script.timeout.max) for a
	// scope; ok is false where none is stored.
	Setting(ctx context.Context, scope []string, key string) (value string, ok bool, err error)
}

// settingsFor returns the settings of a scope. They are for [Settings.effective]
// only, and must not be changed: a default may lie out of its bounds there, so
// that the runs that use it are warned.
func (ex *Executor) settingsFor(ctx context.Context, scope []string) (*Settings, []Warning) {
	if ex.opts.Overrides == nil {
		return ex.opts.Settings, nil
	}
	settings := *ex.opts.Settings
	o := overrides{ctx: ctx, source: ex.opts.Overrides, scope: scope}
	for i := range limits {
		l := &limits[i]
		b := l.bounds(&settings)
		if n, ok := o.read(l, partDefault, *b[partDefault]); ok {
			*b[partDefault] = n
		}
		if l.onlyDefault {
			continue
		}
		if n, ok := o.read(l, partMax, *b[partMax]); ok {
			*b[partMax] = o.lowered(l, *b[partMax], n)
			*b[partMin] = min(*b[partMin], *b[partMax])
		}
	}
	return &settings, o.result()
}

// overrides are one reading of a source.
type overrides struct {
	ctx      context.Context
	source   SettingsSource
	scope    []string
	warnings []Warning

	// An error of the source mostly fails all keys: it is told once.
	failed []string
	err    error
}

// read returns a stored number. Own is what counts without it.
func (o *overrides) read(l *limit, p part, own int64) (n int64, ok bool) {
	key := l.settingKey(p)
	text, ok, err := o.source.Setting(o.ctx, o.scope, key)
	if err != nil {
		o.failed = append(o.failed, key)
		if o.err == nil {
			o.err = err
		}
		return 0, false
	}
	if !ok {
		return 0, false
	}
	n, err = l.unit.parse(text)
	if err != nil {
		o.warn(WarnBadSetting, "stored setting %s: %v; the service's %s counts", key, err, l.unit.format(own))
		return 0, false
	}
	return n, true
}

// lowered brings a stored maximum between the limit's floor and the service's
// maximum.
func (o *overrides) lowered(l *limit, own, stored int64) int64 {
	n := min(max(stored, l.floor), own)
	if n != stored {
		what := "below the least that can be set"
		if stored > n {
			what = "above the service's"
		}
		o.warn(engine.WarnClamped, "stored setting %s %s is %s; clamped to %s",
			l.settingKey(partMax), l.unit.format(stored), what, l.unit.format(n))
	}
	return n
}

func (o *overrides) warn(code, format string, args ...any) {
	o.warnings = append(o.warnings, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// maxSourceError is the number of characters of an error of the source that a
// warning shows.
const maxSourceError = 200

func (o *overrides) result() []Warning {
	if o.err != nil {
		o.warn(WarnBadSetting, "stored settings %s: %s; the service's count",
			strings.Join(o.failed, ", "),
			engine.CutText(strings.Join(strings.Fields(o.err.Error()), " "), maxSourceError))
	}
	return o.warnings
}
