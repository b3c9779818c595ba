//go:build wip && !386 && !arm

package quickjs

import (
	"sync"
	"time"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// useUTC makes UTC the time zone of the engine's C library, which is that of all
// engines in the process. It does so where it is another: see the package comment.
var useUTC = sync.OnceFunc(func() {
	if _, offset := time.Now().Zone(); offset == 0 && time.Local.String() == "UTC" {
		return
	}
	tls := libc.NewTLS()
	defer tls.Close()
	name, err := libc.CString("TZ")
	if err != nil {
		return
	}
	defer libc.Xfree(tls, name)
	zone, err := libc.CString("UTC0")
	if err != nil {
		return
	}
	defer libc.Xfree(tls, zone)
	libc.Xsetenv(tls, name, zone, 1)
})

// useClock lets the script see the run's clock and random source.
func (c *runContext) useClock() {
	global := c.captured.global
	native := c.get(global, "Date")
	proto := c.get(native, "prototype")
	c.captured.date = native
	c.captured.dateToString = c.get(proto, "toString")

	date := c.cfunction("Date", 7, lib.EJS_CFUNC_constructor_or_func, 0, makeDate)
	c.define(date, "prototype", c.dup(proto), 0)
	c.define(date, "now", c.cfunction("now", 0, lib.EJS_CFUNC_generic, 0, now), hidden)
	for _, name := range []string{"parse", "UTC"} {
		c.define(date, name, c.get(native, name), hidden)
	}
	c.define(proto, "constructor", c.dup(date), hidden)
	c.define(global, "Date", date, hidden)
	c.free(proto)

	math := c.get(global, "Math")
	c.define(math, "random", c.cfunction("random", 0, lib.EJS_CFUNC_generic, 0, random), hidden)
	c.free(math)
}

// milliseconds is the run's time.
func (c *runContext) milliseconds() jsValue { return jsNumber(float64(c.cfg.Now().UnixMilli())) }

func now(_ *libc.TLS, ctx uintptr, _ jsValue, _ int32, _ uintptr) jsValue {
	return contextOf(ctx).milliseconds()
}

func random(_ *libc.TLS, ctx uintptr, _ jsValue, _ int32, _ uintptr) jsValue {
	return jsFloat(contextOf(ctx).cfg.Random())
}

// makeDate is the constructor Date. target is undefined where it was called.
func makeDate(_ *libc.TLS, ctx uintptr, target jsValue, argc int32, argv uintptr) jsValue {
	c := contextOf(ctx)
	native := c.captured.date
	if target == undefined {
		date := c.construct(native, native, c.milliseconds())
		text := c.call(c.captured.dateToString, date)
		c.free(date)
		return text
	}
	if argc == 0 {
		return c.construct(native, target, c.milliseconds())
	}
	return lib.XJS_CallConstructor2(c.tls, c.ctx, native, target, argc, argv)
}
