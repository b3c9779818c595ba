package goja

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"

	"github.com/ringfence-js/ringfence/core/engine"
)

// A host object has many functions of which a script uses few. So its objects are
// made of templates, like goja's own built-ins: a member comes into being when it
// is first looked up, and cannot be told from one that was there all the time.

// A hostNode is what is known of one object or function of a shape once and for
// all runs.
type hostNode struct {
	fn       *engine.Func // nil for a namespace
	template unsafe.Pointer
}

// hostShapes keeps the nodes of the shapes that runs came with.
type hostShapes struct {
	mu     sync.RWMutex
	shapes map[*engine.Shape]*hostNode
}

// maxShapes bounds what a service that makes a shape for every run can fill.
const maxShapes = 256

func (s *hostShapes) node(l *layout, shape *engine.Shape) *hostNode {
	s.mu.RLock()
	n := s.shapes[shape]
	s.mu.RUnlock()
	if n != nil {
		return n
	}
	n = l.newHostNode(shape, nil, shape.Fields())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shapes == nil || len(s.shapes) >= maxShapes {
		s.shapes = make(map[*engine.Shape]*hostNode)
	}
	s.shapes[shape] = n
	return n
}

// newHostNode makes the template of a namespace or a function.
func (l *layout) newHostNode(shape *engine.Shape, fn *engine.Func, fields []engine.Field) *hostNode {
	var names []unistring.String
	props := make(map[unistring.String]factory, len(fields)+2)
	add := func(name string, enumerable bool, make func(c *runContext) goja.Value) {
		key := unistring.NewFromString(name)
		if _, twice := props[key]; twice {
			return // a function's own name or length goes before a field's
		}
		names = append(names, key)
		props[key] = func(rt *goja.Runtime) goja.Value {
			return l.frozenProperty(make(contextOf(rt)), enumerable)
		}
	}
	if fn != nil {
		add("length", false, func(c *runContext) goja.Value { return c.rt.ToValue(0) })
		add("name", false, func(c *runContext) goja.Value { return c.rt.ToValue(fn.Name) })
	}
	for i := range fields {
		f := &fields[i]
		if f.Const {
			add(f.Name, true, func(c *runContext) goja.Value { return c.hostConst(c.hostOf(shape), f.Slot) })
			continue
		}
		node := l.newHostNode(shape, f.Func, f.Fields)
		add(f.Name, true, func(c *runContext) goja.Value { return c.newHostObject(c.hostOf(shape), node) })
	}
	template := reflect.New(l.template.typ).UnsafePointer()
	*at[[]unistring.String](template, l.template.propNames) = names
	*at[map[unistring.String]factory](template, l.template.props) = props
	return &hostNode{fn: fn, template: template}
}

// hostOf is the run's host object of a shape.
func (c *runContext) hostOf(shape *engine.Shape) *engine.HostObject {
	for i := range c.cfg.Host {
		if c.cfg.Host[i].Shape == shape {
			return &c.cfg.Host[i]
		}
	}
	return &engine.HostObject{Shape: shape}
}

// newHostObject makes a node's object: frozen, a namespace without prototype, a
// function like any built-in that is no constructor.
func (c *runContext) newHostObject(h *engine.HostObject, n *hostNode) *goja.Object {
	if n.fn == nil {
		return c.layout.newTemplated(c.rt, &c.layout.namespace, n.template, nil, nil)
	}
	fn := n.fn
	call := func(fc goja.FunctionCall) goja.Value { return c.callSync(h, fn, fc.Arguments) }
	if fn.Async {
		call = func(fc goja.FunctionCall) goja.Value { return c.callAsync(h, fn, fc.Arguments) }
	}
	return c.layout.newTemplated(c.rt, &c.layout.function, n.template, c.layout.prototype(c.rt, "FunctionPrototype"), call)
}

// A templatedLayout says how a kind of object with a template is put together.
type templatedLayout struct {
	typ                                        reflect.Type
	class, val, prototype, values, tmpl, known uintptr
}

func findTemplated(t reflect.Type) (l templatedLayout) {
	l.typ = t
	offset(&l.class, t, "class", reflect.String)
	offsetTyped(&l.val, t, "val", reflect.TypeFor[*goja.Object]())
	offsetTyped(&l.prototype, t, "prototype", reflect.TypeFor[*goja.Object]())
	offsetTyped(&l.values, t, "values", reflect.TypeFor[map[unistring.String]goja.Value]())
	offset(&l.tmpl, t, "tmpl", reflect.Pointer)
	offset(&l.known, t, "protoMaterialised", reflect.Bool)
	return l
}

// newTemplated makes an object that is not extensible, with members by a
// template. call makes it a function.
func (l *layout) newTemplated(rt *goja.Runtime, t *templatedLayout, template unsafe.Pointer, prototype *goja.Object, call callFunc) *goja.Object {
	o := new(goja.Object)
	impl := reflect.New(t.typ)
	p := impl.UnsafePointer()
	*at[string](p, t.class) = "Object"
	*at[*goja.Object](p, t.val) = o
	*at[*goja.Object](p, t.prototype) = prototype
	*at[bool](p, t.known) = true
	*at[map[unistring.String]goja.Value](p, t.values) = make(map[unistring.String]goja.Value)
	*at[unsafe.Pointer](p, t.tmpl) = template
	if call != nil {
		*at[string](p, t.class) = "Function"
		*at[callFunc](p, l.tmpl.call) = call
	}
	*at[*goja.Runtime](unsafe.Pointer(o), l.objectRuntime) = rt
	reflect.NewAt(l.selfOf, unsafe.Add(unsafe.Pointer(o), l.self)).Elem().Set(impl)
	return o
}

// frozenProperty is a value as a property that can be neither changed nor
// removed.
func (l *layout) frozenProperty(v goja.Value, enumerable bool) goja.Value {
	property := reflect.New(l.propertyType.Elem())
	*at[goja.Value](property.UnsafePointer(), l.propertyValue) = v
	*at[bool](property.UnsafePointer(), l.propertyEnumerable) = enumerable
	return property.Interface().(goja.Value)
}
