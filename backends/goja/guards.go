package goja

import (
	"github.com/dop251/goja"
)

// A guard replaces the Go function behind a built-in by a checked one. The
// function object itself stays as it is.
type guard struct {
	name   string
	symbol *goja.Symbol
	// once is set where one function has two names: it must get its guard once.
	once string
	call func(c *runContext, f callFunc) callFunc
	// setter guards the setter of an accessor with the name.
	setter func(c *runContext, f callFunc) callFunc
	// construct is call for new.
	construct func(c *runContext, f constructFunc) constructFunc
}

// guardedGlobals are the constructors and namespaces that are guarded as a whole
// when they are made.
var guardedGlobals = map[string]struct {
	self              guard   // the constructor itself
	members, instance []guard // its properties, those of its prototype
	typedArray        bool
}{
	"Array":             {self: guard{call: polled}, members: arrayConstructorGuards},
	"Object":            {self: guard{call: polled}, members: objectGuards},
	"String":            {members: stringConstructorGuards},
	"Reflect":           {members: reflectGuards},
	"BigInt":            {members: bigIntGuards},
	"JSON":              {members: jsonGuards},
	"RegExp":            {self: patternConstructor, instance: regexpGuards},
	"Promise":           {instance: promiseGuards},
	"Error":             {self: guard{call: polled}, instance: errorGuards},
	"TypeError":         {self: guard{call: polled}},
	"RangeError":        {self: guard{call: polled}},
	"SyntaxError":       {self: guard{call: polled}},
	"ReferenceError":    {self: guard{call: polled}},
	"EvalError":         {self: guard{call: polled}},
	"URIError":          {self: guard{call: polled}},
	"Date":              {instance: dateGuards},
	"Proxy":             {self: guard{construct: guardedProxy}, members: proxyGuards},
	"ArrayBuffer":       {self: guard{construct: chargedBuffer}},
	"Int8Array":         {self: guard{construct: chargedTypedArray(1)}, typedArray: true},
	"Uint8Array":        {self: guard{construct: chargedTypedArray(1)}, typedArray: true},
	"Uint8ClampedArray": {self: guard{construct: chargedTypedArray(1)}, typedArray: true},
	"Int16Array":        {self: guard{construct: chargedTypedArray(2)}, typedArray: true},
	"Uint16Array":       {self: guard{construct: chargedTypedArray(2)}, typedArray: true},
	"Int32Array":        {self: guard{construct: chargedTypedArray(4)}, typedArray: true},
	"Uint32Array":       {self: guard{construct: chargedTypedArray(4)}, typedArray: true},
	"Float32Array":      {self: guard{construct: chargedTypedArray(4)}, typedArray: true},
	"Float64Array":      {self: guard{construct: chargedTypedArray(8)}, typedArray: true},
	"BigInt64Array":     {self: guard{construct: chargedTypedArray(8)}, typedArray: true},
	"BigUint64Array":    {self: guard{construct: chargedTypedArray(8)}, typedArray: true},
}

// guardGlobal guards a global and what belongs to it, once. The global exists by
// now, and no script has had it in hand.
func (c *runContext) guardGlobal(name string) {
	if !c.once(name) {
		return
	}
	o := c.layout.original(c.rt, name)
	if o == nil {
		return
	}
	entry := guardedGlobals[name]
	c.guardFunction(o, &entry.self)
	c.guardMembers(o, entry.members)
	if len(entry.instance) > 0 {
		if p, ok := o.Get("prototype").(*goja.Object); ok {
			c.guardMembers(p, entry.instance)
		}
	}
	if name == "Date" {
		c.utcDates(o)
	}
	if p := o.Prototype(); entry.typedArray && p != nil && c.once("%TypedArray%") {
		c.guardMembers(p, typedArrayGuards) // they all inherit from it
		if proto, ok := p.Get("prototype").(*goja.Object); ok {
			c.guardMembers(proto, typedArrayPrototypeGuards)
		}
	}
}

func (c *runContext) guardMembers(o *goja.Object, guards []guard) {
	for i := range guards {
		g := &guards[i]
		var v goja.Value
		if g.symbol != nil {
			v = o.GetSymbol(g.symbol)
		} else {
			v = o.Get(g.name)
		}
		if f, ok := v.(*goja.Object); ok {
			c.guardFunction(f, g)
		}
	}
}

// guardProperty guards what a template's factory made.
func (c *runContext) guardProperty(v goja.Value, g *guard) {
	if value, setter := c.layout.property(v); g.setter != nil && setter != nil {
		c.guardFunction(setter, &guard{call: g.setter})
	} else if f, ok := value.(*goja.Object); ok {
		c.guardFunction(f, g)
	}
}

func (c *runContext) guardFunction(f *goja.Object, g *guard) {
	call, construct := c.layout.goFuncs(f)
	if call == nil || g.once != "" && !c.once(g.once) {
		return
	}
	if g.call != nil && *call != nil {
		*call = g.call(c, *call)
	}
	if g.construct != nil && *construct != nil {
		*construct = g.construct(c, *construct)
	}
}

// need guards a global that a script may come to without its name: by a literal,
// or by what the host hands it.
func (c *runContext) need(name string) {
	if !c.guarded[name] {
		c.layout.original(c.rt, name)
		c.guardGlobal(name)
	}
}

// poll ends the run where it is over, and waits where the sampler says so. Every
// guard begins with it, so that a built-in that is called by built-ins only can
// be stopped.
func (c *runContext) poll() {
	if c.attention.Load() {
		c.attend()
	}
}

// polled lets a built-in be stopped that could be called by built-ins for ever.
func polled(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.poll()
		return f(call)
	}
}

// charge ends the run if a built-in is about to take more bytes than the run may
// have in all. What it takes below that, the sampler sees.
func (c *runContext) charge(bytes int64) {
	if bytes > c.cfg.Limits.Memory || bytes < 0 {
		c.exhausted("memory", c.cfg.Limits.Memory)
	}
}

// chargeEach is charge for n things of a size.
func (c *runContext) chargeEach(n, size int64) {
	if n > 0 && n > c.cfg.Limits.Memory/size {
		c.exhausted("memory", c.cfg.Limits.Memory)
	}
}

// deep bounds built-ins that call each other without a function of the script in
// between. Only the Go stack would end such a recursion, and the process with it.
func deep(c *runContext, f callFunc) callFunc {
	return func(call goja.FunctionCall) goja.Value {
		c.descend()
		defer c.ascend()
		return f(call)
	}
}

func deepConstruct(c *runContext, f constructFunc) constructFunc {
	return func(args []goja.Value, newTarget *goja.Object) *goja.Object {
		c.descend()
		defer c.ascend()
		return f(args, newTarget)
	}
}

// descend counts a built-in in, ascend counts it out again.
func (c *runContext) descend() {
	c.poll()
	if c.nested >= maxCallDepth {
		c.throwTooDeep()
	}
	c.nested++
}

func (c *runContext) ascend() { c.nested-- }
