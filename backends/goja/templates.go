package goja

import (
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// goja makes most of its built-ins when a script first asks for them, by a
// factory for each, which it finds in a template that all runtimes share. This
// package gives its own runtimes copies of four of these templates, with
// factories that put the guards in place. So a guard costs nothing until its
// built-in is used, and there is no way to a built-in that leads around it. goja's
// own templates, and with them any other runtime of the process, stay as they are.

// A factory makes a property's value. It is what goja's templatePropFactory is.
type factory = func(*goja.Runtime) goja.Value

// An objectTemplate is the part of goja's objectTemplate that is replaced.
type templateLayout struct {
	typ       reflect.Type // objectTemplate
	propNames uintptr      // []unistring.String
	props     uintptr      // map[unistring.String]templatePropFactory
	symProps  uintptr      // map[*Symbol]templatePropFactory
}

// templates are the copies, each a *objectTemplate.
type templates struct {
	global, object, function, array, str unsafe.Pointer
}

var guardedTemplates = sync.OnceValues(makeTemplates)

func makeTemplates() (t *templates, err error) {
	l, err := goLayout()
	if err != nil {
		return nil, err
	}
	rt := goja.New()
	rt.NewArray() // each makes its prototype
	rt.ToValue("").ToObject(rt)
	rt.ToValue(func(goja.FunctionCall) goja.Value { return nil })
	copyOf := func(prototype string, edit func(name string, symbol *goja.Symbol, f factory) factory) unsafe.Pointer {
		o := l.prototype(rt, prototype)
		return l.copyTemplate(*l.templateOf(o), edit)
	}
	return &templates{
		global:   copyOf("globalObject", guardGlobal),
		object:   copyOf("ObjectPrototype", guardedBy("Object", objectPrototypeGuards)),
		function: copyOf("FunctionPrototype", guardedBy("", functionGuards)),
		array:    copyOf("ArrayPrototype", guardedBy("Array", arrayGuards)),
		str:      copyOf("StringPrototype", guardedBy("String", stringGuards)),
	}, nil
}

// guardGlobal edits the template of the global object. What scripts must not see
// is left out; constructors and namespaces are guarded as they are made.
func guardGlobal(name string, _ *goja.Symbol, f factory) factory {
	for _, hidden := range forbidden {
		if name == hidden {
			return nil
		}
	}
	if _, ok := guardedGlobals[name]; !ok {
		return guardedBy("", textFunctionGuards)(name, nil, f)
	}
	return func(rt *goja.Runtime) goja.Value {
		v := f(rt)
		if c := contextOf(rt); c != nil {
			c.guardGlobal(name)
		}
		return v
	}
}

// guardedBy edits the template of a prototype: its methods get their guards, and
// by its constructor property the constructor gets its own.
func guardedBy(constructor string, guards []guard) func(string, *goja.Symbol, factory) factory {
	return func(name string, symbol *goja.Symbol, f factory) factory {
		if name == "constructor" && constructor != "" {
			return func(rt *goja.Runtime) goja.Value {
				v := f(rt)
				if c := contextOf(rt); c != nil {
					c.guardGlobal(constructor)
				}
				return v
			}
		}
		for i := range guards {
			g := &guards[i]
			if symbol != nil && g.symbol == symbol || symbol == nil && g.symbol == nil && g.name == name {
				return func(rt *goja.Runtime) goja.Value {
					v := f(rt)
					if c := contextOf(rt); c != nil {
						c.guardProperty(v, g)
					}
					return v
				}
			}
		}
		return f
	}
}

// contextOf finds the context of a runtime: it stands where a service's own field
// name mapper would, which these runtimes have no use for.
func contextOf(rt *goja.Runtime) *runContext {
	l, _ := goLayout()
	c, _ := (*at[goja.FieldNameMapper](unsafe.Pointer(rt), l.nameMapper)).(*runContext)
	return c
}

// FieldName and MethodName make a context a [goja.FieldNameMapper]. They hide
// whatever they are asked for.
func (c *runContext) FieldName(reflect.Type, reflect.StructField) string { return "" }
func (c *runContext) MethodName(reflect.Type, reflect.Method) string     { return "" }

// useTemplates puts the copies in place of goja's own, before any script has run.
func (c *runContext) useTemplates() error {
	t, err := guardedTemplates()
	if err != nil {
		return err
	}
	c.rt.SetFieldNameMapper(c)
	c.rt.NewArray()
	c.rt.ToValue("").ToObject(c.rt)
	for _, use := range [...]struct {
		prototype string
		template  unsafe.Pointer
	}{
		{"globalObject", t.global},
		{"ObjectPrototype", t.object},
		{"FunctionPrototype", t.function},
		{"ArrayPrototype", t.array},
		{"StringPrototype", t.str},
	} {
		*c.layout.templateOf(c.layout.prototype(c.rt, use.prototype)) = use.template
	}
	return nil
}

// templateOf returns where an object keeps its template.
func (l *layout) templateOf(o *goja.Object) *unsafe.Pointer {
	impl := l.implOf(o)
	offset, ok := l.templated[impl.Type().Elem()]
	if !ok {
		panic(fmt.Sprintf("%s has no template", impl.Type()))
	}
	return at[unsafe.Pointer](impl.UnsafePointer(), offset)
}

// copyTemplate copies a template. edit says what becomes of each property's
// factory; nil leaves the property out.
func (l *layout) copyTemplate(from unsafe.Pointer, edit func(string, *goja.Symbol, factory) factory) unsafe.Pointer {
	value := reflect.New(l.template.typ)
	value.Elem().Set(reflect.NewAt(l.template.typ, from).Elem())
	p := value.UnsafePointer()

	props := at[map[unistring.String]factory](p, l.template.props)
	names := at[[]unistring.String](p, l.template.propNames)
	edited, kept := make(map[unistring.String]factory, len(*props)), []unistring.String(nil)
	for _, name := range *names {
		if f := edit(name.String(), nil, (*props)[name]); f != nil {
			edited[name] = f
			kept = append(kept, name)
		}
	}
	*props, *names = edited, kept

	symProps := at[map[*goja.Symbol]factory](p, l.template.symProps)
	editedSymbols := make(map[*goja.Symbol]factory, len(*symProps))
	for symbol, f := range *symProps {
		editedSymbols[symbol] = edit("", symbol, f)
	}
	*symProps = editedSymbols
	return p
}
