package goja

import (
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dop251/goja"
)

// goja's dates are in the time zone of the process; those of a script are in UTC,
// wherever the service runs. Where the two differ, the local methods of Date get
// the Go functions of their UTC counterparts.

// The layouts of goja, with the names that UTC has in them.
const (
	dateTimeText = "Mon Jan 02 2006 15:04:05 GMT+0000 (UTC)"
	dateText     = "Mon Jan 02 2006"
	timeText     = "15:04:05 GMT+0000 (UTC)"
)

var localParts = []string{
	"Date", "FullYear", "Hours", "Milliseconds", "Minutes", "Month", "Seconds",
}

// isUTC says whether a zone cannot be told from UTC.
func isUTC(zone *time.Location) bool {
	if known, ok := zones.Load(zone); ok {
		return known.(bool)
	}
	utc := true
	for month := range 12 * 140 {
		name, offset := time.Date(1900, time.Month(1+month), 1, 0, 0, 0, 0, zone).Zone()
		utc = utc && offset == 0 && name == "UTC"
	}
	zones.Store(zone, utc)
	return utc
}

var zones sync.Map // *time.Location to bool; a process has one or two

// utcDates makes Date one of UTC. It is called when Date is made.
func (c *runContext) utcDates(date *goja.Object) {
	if isUTC(time.Local) {
		return
	}
	proto, _ := date.Get("prototype").(*goja.Object)
	method := func(name string) *callFunc {
		if f, ok := proto.Get(name).(*goja.Object); ok {
			if call, _ := c.layout.goFuncs(f); call != nil {
				return call
			}
		}
		return new(callFunc) // none of this name: what is set is set nowhere
	}
	for _, part := range localParts {
		*method("get" + part) = *method("getUTC" + part)
		*method("set" + part) = *method("setUTC" + part)
	}
	*method("getDay") = *method("getUTCDay")

	getTime := *method("getTime")
	offset := *method("getTimezoneOffset")
	*method("getTimezoneOffset") = func(call goja.FunctionCall) goja.Value {
		if v := offset(call); goja.IsNaN(v) {
			return v
		}
		return c.rt.ToValue(0)
	}
	text := func(name, layout string) {
		*method(name) = func(call goja.FunctionCall) goja.Value {
			ms := getTime(call)
			if goja.IsNaN(ms) {
				return c.rt.ToValue("Invalid Date")
			}
			return c.rt.ToValue(time.UnixMilli(ms.ToInteger()).UTC().Format(layout))
		}
	}
	text("toString", dateTimeText)
	text("toDateString", dateText)
	text("toTimeString", timeText)
	text("toLocaleString", "01/02/2006, 15:04:05")
	text("toLocaleDateString", "01/02/2006")
	text("toLocaleTimeString", "15:04:05")

	static := func(name string) callFunc {
		f, _ := date.Get(name).(*goja.Object)
		call, _ := c.layout.goFuncs(f)
		return *call
	}
	c.utcConstructor(date, static("UTC"), static("parse"))
}

// utcConstructor does the same for Date and Date.parse themselves.
func (c *runContext) utcConstructor(date *goja.Object, utc, parse callFunc) {
	parseText := func(s goja.Value) goja.Value {
		return parse(goja.FunctionCall{Arguments: []goja.Value{c.rt.ToValue(inUTC(s.String()))}})
	}
	if f, ok := date.Get("parse").(*goja.Object); ok {
		if call, _ := c.layout.goFuncs(f); call != nil {
			*call = func(call goja.FunctionCall) goja.Value { return parseText(call.Argument(0).ToString()) }
		}
	}
	call, construct := c.layout.goFuncs(date)
	*call = func(goja.FunctionCall) goja.Value { return c.rt.ToValue(c.cfg.Now().UTC().Format(dateTimeText)) }
	make := *construct
	*construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		switch {
		case len(args) >= 2:
			args = []goja.Value{utc(goja.FunctionCall{Arguments: args})}
		case len(args) == 1:
			if s, ok := c.dateText(args[0]); ok {
				args = []goja.Value{parseText(s)}
			}
		}
		return make(args, newTarget)
	}
}

// dateText is the text that a date is to be made of.
func (c *runContext) dateText(v goja.Value) (goja.String, bool) {
	if o, ok := v.(*goja.Object); ok {
		impl := c.layout.implOf(o)
		if impl.Type().Elem() == c.layout.stringType {
			return *at[goja.String](impl.UnsafePointer(), c.layout.stringValue), true
		}
	}
	s, ok := v.(goja.String)
	return s, ok
}

var (
	isoLocal  = regexp.MustCompile(`^(?:[+-]\d\d)?\d{4}-\d\d(?:-\d\d)?T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?$`)
	isoDate   = regexp.MustCompile(`^(?:[+-]\d\d)?\d{4}(?:-\d\d(?:-\d\d)?)?$`)
	namedZone = regexp.MustCompile(`(?i)(?:\bz|\dz|gmt|utc|\but|[ecmp][sd]t|:\d\d(?:[.,]\d+)?\s*[+-]\d{1,2}(?::?\d\d)?)\s*(?:[+-]\d{1,2}(?::?\d\d)?)?\s*(?:\(.*\))?\s*$`)
)

// inUTC writes the zone into the text of a date that names none.
func inUTC(s string) string {
	switch trimmed := strings.TrimSpace(s); {
	case isoLocal.MatchString(trimmed):
		return trimmed + "Z"
	case isoDate.MatchString(trimmed), namedZone.MatchString(trimmed):
		return s
	}
	return s + " GMT"
}
