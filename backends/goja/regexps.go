package goja

import (
	"reflect"
	"regexp"
	"strings"
	"time"
	"unsafe"

	"github.com/dop251/goja"
)

// maxRegexpTime is how long one match may take. Patterns with back-references or
// look-around go to a backtracking engine, which can take for ever and looks at
// no interrupt. It has a time limit of its own, which is this.
//
// That engine goes by a coarse clock, which is late on a starved machine, and goja
// takes a match that ran out of time for one that was not found. So what took half
// the time counts as having run out of it.
const maxRegexpTime = 5 * time.Second

// regexpGuards hold the methods that all matching goes through, called by name or
// by those of String.prototype.
var regexpGuards = []guard{
	{name: "exec", call: func(c *runContext, f callFunc) callFunc {
		c.exec = f
		return timedMatch(c, f)
	}},
	{name: "test", call: timedMatch},
	{name: "compile", call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			c.checkPattern(call.Argument(0))
			return f(call)
		}
	}},
	{name: "toString", call: deep},
	{symbol: goja.SymMatch, call: chargedMatches},
	{symbol: goja.SymMatchAll, call: timedMatch},
	{symbol: goja.SymSearch, call: timedMatch},
	{symbol: goja.SymSplit, call: chargedMatches},
	{symbol: goja.SymReplace, call: timedReplace},
}

// patternConstructor is RegExp itself.
var patternConstructor = guard{
	call: func(c *runContext, f callFunc) callFunc {
		return func(call goja.FunctionCall) goja.Value {
			c.poll()
			c.checkPattern(call.Argument(0))
			return f(call)
		}
	},
	construct: func(c *runContext, f constructFunc) constructFunc {
		return func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			if len(args) > 0 {
				c.checkPattern(args[0])
			}
			return f(args, newTarget)
		}
	},
}

// timedMatch bounds the time of a match and how deep matches may call each other,
// and keeps goja from crashing where this is no regular expression.
func timedMatch(c *runContext, f callFunc) callFunc {
	f = tame(c, f)
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		if !c.boundMatch(call.This) {
			return f(call)
		}
		began := time.Now()
		v := f(call)
		c.poll()
		if time.Since(began) >= maxRegexpTime/2 {
			panic(c.newError("RangeError", "the regular expression took too long"))
		}
		return v
	}
}

// matchBytes is what goja keeps of one match while it looks for all.
const matchBytes = 96

// chargedMatches charges the matches that goja collects before it looks at the
// first of them. In a text so short that they fit in any case they are not
// counted.
func chargedMatches(c *runContext, f callFunc) callFunc {
	f = timedMatch(c, f)
	return func(call goja.FunctionCall) goja.Value {
		if s, ok := subject(&call); ok {
			c.chargeMatches(call.This, s)
		}
		return f(call)
	}
}

// timedReplace charges the replacement texts too.
func timedReplace(c *runContext, f callFunc) callFunc {
	f = timedMatch(c, f)
	return func(call goja.FunctionCall) goja.Value {
		if s, ok := subject(&call); ok {
			c.chargeMatches(call.This, s)
			call = c.chargedReplacement(call, s, func() int64 { return c.linearMatches(call.This, s) })
		}
		return f(call)
	}
}

// subject is the text that a regular expression is applied to, made one once.
func subject(call *goja.FunctionCall) (s goja.String, ok bool) {
	if len(call.Arguments) == 0 {
		return nil, false
	}
	if s, ok = stringOf(call.Arguments[0]); ok {
		*call = withArgument(*call, 0, s)
	}
	return s, ok
}

// chargeMatches counts the matches of a regular expression in a long text before
// goja collects them.
func (c *runContext) chargeMatches(v goja.Value, s goja.String) {
	most := c.cfg.Limits.Memory / matchBytes
	o, ok := v.(*goja.Object)
	if !ok || int64(s.Length()) < most {
		return
	}
	if c.layout.implOf(o).Type().Elem() != c.layout.regexpType {
		return
	}
	if n := c.linearMatches(o, s); n >= 0 {
		c.chargeEach(n, matchBytes)
		return
	}
	if !c.counting {
		c.counting = true
		defer func() { c.counting = false }()
		c.countMatches(o, s)
	}
}

// linearMatches is the number of matches in a text, as far as there may be
// any, or -1 for what needs backtracking.
func (c *runContext) linearMatches(v goja.Value, s goja.String) int64 {
	o, ok := v.(*goja.Object)
	if !ok {
		return -1
	}
	impl := c.layout.implOf(o)
	if impl.Type().Elem() != c.layout.regexpType {
		return -1
	}
	linear := *at[*regexp.Regexp](*at[unsafe.Pointer](impl.UnsafePointer(), c.layout.pattern), c.layout.linear)
	if linear == nil {
		return -1
	}
	most := int(c.cfg.Limits.Memory/matchBytes) + 1
	return int64(len(linear.FindAllStringIndex(s.String(), most)))
}

// countMatches charges the matches of a backtracking regular expression one by
// one, and can be stopped between them.
func (c *runContext) countMatches(o *goja.Object, s goja.String) {
	counter, err := c.rt.New(c.layout.original(c.rt, "RegExp"), o, c.rt.ToValue("g"))
	if err != nil {
		return
	}
	position := func() int64 { return counter.Get("lastIndex").ToInteger() }
	for n := int64(0); ; n++ {
		c.poll()
		c.chargeEach(n, matchBytes)
		before := position()
		c.boundMatch(counter)
		if goja.IsNull(c.exec(goja.FunctionCall{This: counter, Arguments: []goja.Value{s}})) {
			return
		}
		if after := position(); after == before || after == 0 {
			if counter.Set("lastIndex", max(before, after)+1) != nil {
				return
			}
		}
	}
}

// chargedReplacement charges the replacement of a call in advance. A replacing
// function is the script's own and pays for itself. count counts the matches, -1
// where that is not known; it is asked where the replacement could be too much.
func (c *runContext) chargedReplacement(call goja.FunctionCall, s goja.String, count func() int64) goja.FunctionCall {
	if r, isObject := call.Argument(1).(*goja.Object); isObject {
		if _, callable := goja.AssertFunction(r); callable {
			return call
		}
	}
	text, ok := stringOf(call.Argument(1))
	if ok && len(call.Arguments) > 1 {
		call = withArgument(call, 1, text)
	}
	if !ok || int64(s.Length()+1) <= c.cfg.Limits.Memory/int64(replacementBound(s, text)) {
		return call
	}
	if !strings.Contains(text.String(), "$") {
		if n := count(); n >= 0 {
			c.chargeEach(n, matchBytes)
			c.chargeEach(n, max(1, int64(text.Length())*unitBytes(text)))
			return call
		}
	}
	// It is expanded here, match by match.
	return withArgument(call, 1, c.expander(text))
}

// replacementBound is the most that one match can be replaced by.
func replacementBound(s, text goja.String) int {
	bound := text.Length() + 1
	if dollars := strings.Count(text.String(), "$"); dollars > 0 {
		bound += s.Length() * dollars
	}
	return bound
}

// boundMatch sets the time limit of a backtracking regular expression and says
// whether it is one.
func (c *runContext) boundMatch(v goja.Value) bool {
	o, ok := v.(*goja.Object)
	if !ok {
		return false
	}
	l := c.layout
	impl := l.implOf(o)
	if impl.Type().Elem() != l.regexpType {
		return false
	}
	pattern := *at[unsafe.Pointer](impl.UnsafePointer(), l.pattern)
	if pattern == nil {
		return false
	}
	wrapper := at[unsafe.Pointer](pattern, l.backtracking)
	if *wrapper == nil {
		c.makeBacktracking(o)
	}
	if *wrapper == nil {
		return false
	}
	// One that is part of the program, and so shared between runs, has its limit
	// since it was compiled and is not written to.
	if limit := at[time.Duration](*at[unsafe.Pointer](*wrapper, l.regexp), l.matchTimeout); *limit != maxRegexpTime {
		*limit = maxRegexpTime
	}
	return true
}

// makeBacktracking brings goja to make the backtracking form of a linear regular
// expression where the next match, which does not begin at the start of the text,
// will need it, so that it can be given its time limit before.
func (c *runContext) makeBacktracking(o *goja.Object) {
	last := o.Get("lastIndex")
	if c.exec == nil || !goja.IsNumber(last) || last.ToInteger() <= 0 {
		return
	}
	if o.Set("lastIndex", 1) != nil {
		return
	}
	_ = c.try(func() { c.exec(goja.FunctionCall{This: o, Arguments: []goja.Value{c.rt.ToValue("a")}}) })
	_ = o.Set("lastIndex", last)
}

// boundProgram sets the time limit of the regular expressions in a program.
func (l *layout) boundProgram(p *goja.Program) {
	seen := make(map[unsafe.Pointer]bool)
	var visit func(v reflect.Value)
	visit = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Interface:
			if !v.IsNil() {
				visit(v.Elem())
			}
		case reflect.Pointer:
			if v.IsNil() || v.Type().Elem().PkgPath() != gojaPackage || seen[v.UnsafePointer()] {
				return
			}
			seen[v.UnsafePointer()] = true
			if v.Type().Elem() == l.wrapperType {
				*at[time.Duration](*at[unsafe.Pointer](v.UnsafePointer(), l.regexp), l.matchTimeout) = maxRegexpTime
				return
			}
			visit(v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				if holdsNodes(v.Field(i).Kind()) {
					visit(v.Field(i))
				}
			}
		case reflect.Slice:
			if holdsNodes(v.Type().Elem().Kind()) {
				for i := range v.Len() {
					visit(v.Index(i))
				}
			}
		}
	}
	visit(reflect.ValueOf(p))
}

var gojaPackage = reflect.TypeFor[goja.Program]().PkgPath()
