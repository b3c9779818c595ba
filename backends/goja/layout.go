package goja

import (
	"fmt"
	"reflect"
	"regexp"
	"sync"
	"time"
	"unsafe"

	"github.com/dop251/goja"
	"github.com/dop251/goja/unistring"
)

// The few private parts of goja that this package reads or replaces, because
// goja has no call for them and every way around costs either microseconds per
// context or a difference that scripts can see:
//
//   - the depth of the call stack, for a RangeError that scripts can catch;
//   - the Go function behind a built-in, so that a checked one can take its
//     place while the function object stays what it is: its name, its length,
//     its prototype, its identity;
//   - the elements of arrays, maps and sets and the text of a boxed string, so
//     that no built-in that a script has replaced can take part in a conversion;
//   - the original error constructors, for the same reason.
//
// Everything is found by name and checked by type once per process. If a version
// of goja has another layout, no context is made at all: the error says which
// part is missing.
type layout struct {
	runtimeVM uintptr // *vm in Runtime
	globals   uintptr // global in Runtime
	callStack uintptr // []context in vm

	self   uintptr      // objectImpl in Object
	selfOf reflect.Type // objectImpl

	native funcLayout // nativeFuncObject
	bound  funcLayout // boundFuncObject
	tmpl   funcLayout // templatedFuncObject

	arrayType, sparseType reflect.Type
	mapType, setType      reflect.Type
	stringType, errorType reflect.Type
	proxyType, plainType  reflect.Type
	regexpType            reflect.Type
	wrapperType           reflect.Type // regexp2Wrapper
	propertyType          reflect.Type // of an array element with attributes

	arrayValues            uintptr // []Value in arrayObject
	arrayLength            uintptr // uint32 in arrayObject
	sparseLength           uintptr // uint32 in sparseArrayObject
	plainValues            uintptr // map[unistring.String]Value in baseObject
	mapEntries, setEntries uintptr // *orderedMap
	first, size            uintptr // iterFirst and size in orderedMap
	next, key, value       uintptr // iterNext, key and value in mapEntry
	pattern                uintptr // *regexpPattern in regexpObject
	backtracking           uintptr // *regexp2Wrapper in regexpPattern
	linear                 uintptr // *regexpWrapper, which is *regexp.Regexp, in regexpPattern
	regexp                 uintptr // *regexp2.Regexp in regexp2Wrapper
	matchTimeout           uintptr // time.Duration in regexp2.Regexp
	stringValue            uintptr // String in stringObject
	errorStack             uintptr // []StackFrame in errorObject

	nameMapper uintptr // FieldNameMapper in Runtime
	template   templateLayout
	templated  map[reflect.Type]uintptr // *objectTemplate, by the kind of object

	namespace     templatedLayout // templatedObject
	function      templatedLayout // templatedFuncObject
	objectRuntime uintptr         // *Runtime in Object

	propertyValue, propertySetter uintptr // Value and *Object in valueProperty
	propertyEnumerable            uintptr // bool in valueProperty

	extensible map[reflect.Type]uintptr // bool, by the kind of object
	prototypes map[string]uintptr       // *Object in Runtime
	originals  map[string]uintptr       // *Object in global
}

// A funcLayout says where a kind of native function keeps its Go functions.
type funcLayout struct {
	typ             reflect.Type
	call, construct uintptr
}

type (
	callFunc      = func(goja.FunctionCall) goja.Value
	constructFunc = func(args []goja.Value, newTarget *goja.Object) *goja.Object
)

var goLayout = sync.OnceValues(findLayout)

// findLayout looks the parts up in a runtime made for it.
func findLayout() (l *layout, err error) {
	defer func() {
		if x := recover(); x != nil {
			err = fmt.Errorf("this version of goja is not supported: %v", x)
		}
	}()
	l = &layout{}
	rt := goja.New()
	runtime := reflect.TypeFor[goja.Runtime]()
	valueSlice, valueType, object := reflect.TypeFor[[]goja.Value](), reflect.TypeFor[goja.Value](), reflect.TypeFor[*goja.Object]()

	vm := offset(&l.runtimeVM, runtime, "vm", reflect.Pointer).Elem()
	offset(&l.callStack, vm, "callStack", reflect.Slice)
	l.selfOf = offset(&l.self, object.Elem(), "self", reflect.Interface)

	run := func(text string) reflect.Type {
		v, err := rt.RunString(text)
		if err != nil {
			panic(err)
		}
		return l.implOf(v.(*goja.Object)).Type().Elem()
	}
	l.native = findFunc(run("isNaN"))
	l.bound = findFunc(run("isNaN.bind()"))
	l.tmpl = findFunc(run("Object"))

	l.arrayType, l.sparseType = run("[1]"), run("var a = []; a[9999999] = 1; a")
	offsetTyped(&l.arrayValues, l.arrayType, "values", valueSlice)
	l.mapType, l.setType = run("new Map"), run("new Set")
	ordered := offset(&l.mapEntries, l.mapType, "m", reflect.Pointer)
	offsetTyped(&l.setEntries, l.setType, "m", ordered)
	entry := offset(&l.first, ordered.Elem(), "iterFirst", reflect.Pointer)
	offset(&l.size, ordered.Elem(), "size", reflect.Int)
	offsetTyped(&l.next, entry.Elem(), "iterNext", entry)
	offsetTyped(&l.key, entry.Elem(), "key", valueType)
	offsetTyped(&l.value, entry.Elem(), "value", valueType)
	l.stringType = run("new String('a')")
	offsetTyped(&l.stringValue, l.stringType, "value", reflect.TypeFor[goja.String]())

	global := offset(&l.globals, runtime, "global", reflect.Struct)
	l.originals = make(map[string]uintptr)
	for _, name := range []string{
		"Error", "AggregateError", "TypeError", "ReferenceError", "SyntaxError", "RangeError", "EvalError", "URIError",
		"Array", "Object", "String", "Reflect", "BigInt", "JSON", "RegExp", "Promise", "Date", "Proxy", "ArrayBuffer",
		"Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array",
		"Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
	} {
		var at uintptr
		offsetTyped(&at, global, name, object)
		l.originals[name] = at
	}
	l.errorType, l.proxyType = run("new Error"), run("new Proxy({}, {})")
	offsetTyped(&l.errorStack, l.errorType, "stack", reflect.TypeFor[[]goja.StackFrame]())
	l.regexpType = run("/(?=a)a/")
	pattern := offset(&l.pattern, l.regexpType, "pattern", reflect.Pointer)
	wrapper := offset(&l.backtracking, pattern.Elem(), "regexp2Wrapper", reflect.Pointer)
	l.wrapperType = wrapper.Elem()
	if linear := offset(&l.linear, pattern.Elem(), "regexpWrapper", reflect.Pointer); !linear.Elem().ConvertibleTo(reflect.TypeFor[regexp.Regexp]()) {
		panic(fmt.Sprintf("a linear pattern is a %s", linear))
	}
	backtracking := offset(&l.regexp, l.wrapperType, "rx", reflect.Pointer)
	offsetTyped(&l.matchTimeout, backtracking.Elem(), "MatchTimeout", reflect.TypeFor[time.Duration]())
	l.plainType = run("({})")
	offsetTyped(&l.plainValues, l.plainType, "values", reflect.TypeFor[map[unistring.String]goja.Value]())
	offset(&l.sparseLength, l.sparseType, "length", reflect.Uint32)
	offset(&l.arrayLength, l.arrayType, "length", reflect.Uint32)
	l.extensible = make(map[reflect.Type]uintptr)
	for _, t := range []reflect.Type{l.plainType, l.native.typ, l.arrayType, run("new Date"), run("new Uint8Array")} {
		var at uintptr
		offset(&at, t, "extensible", reflect.Bool)
		l.extensible[t] = at
	}
	special, err := rt.RunString("Object.defineProperty([1], '0', {enumerable: false})")
	if err != nil {
		panic(err)
	}
	values := *at[[]goja.Value](l.implOf(special.(*goja.Object)).UnsafePointer(), l.arrayValues)
	l.propertyType = reflect.TypeOf(values[0])
	if l.propertyType.Kind() != reflect.Pointer || l.propertyType.Elem().Name() != "valueProperty" {
		panic(fmt.Sprintf("an element with attributes is a %s", l.propertyType))
	}
	l.prototypes = make(map[string]uintptr)
	for _, name := range []string{"ObjectPrototype", "FunctionPrototype", "ArrayPrototype", "StringPrototype"} {
		var at uintptr
		offsetTyped(&at, global, name, object)
		l.prototypes[name] = l.globals + at
	}
	var globalObject uintptr
	offsetTyped(&globalObject, runtime, "globalObject", object)
	l.prototypes["globalObject"] = globalObject

	offsetTyped(&l.propertyValue, l.propertyType.Elem(), "value", valueType)
	offsetTyped(&l.propertySetter, l.propertyType.Elem(), "setterFunc", object)

	offset(&l.propertyEnumerable, l.propertyType.Elem(), "enumerable", reflect.Bool)

	l.namespace, l.function = findTemplated(run("Math")), findTemplated(l.tmpl.typ)
	offsetTyped(&l.objectRuntime, object.Elem(), "runtime", reflect.TypeFor[*goja.Runtime]())

	offsetTyped(&l.nameMapper, runtime, "fieldNameMapper", reflect.TypeFor[goja.FieldNameMapper]())
	l.templated = make(map[reflect.Type]uintptr)
	for name := range l.prototypes {
		var at uintptr
		t := l.implOf(l.prototype(rt, name)).Type().Elem()
		l.template.typ = offset(&at, t, "tmpl", reflect.Pointer).Elem()
		l.templated[t] = at
	}
	tmpl := &l.template
	offsetTyped(&tmpl.propNames, tmpl.typ, "propNames", reflect.TypeFor[[]unistring.String]())
	isFactories(offset(&tmpl.props, tmpl.typ, "props", reflect.Map), reflect.TypeFor[unistring.String]())
	isFactories(offset(&tmpl.symProps, tmpl.typ, "symProps", reflect.Map), reflect.TypeFor[*goja.Symbol]())
	return l, nil
}

// isFactories checks that a map of a template can be read as one of factories.
func isFactories(m, key reflect.Type) {
	if f := reflect.TypeFor[factory](); m.Key() != key || m.Elem().Kind() != reflect.Func || !m.Elem().ConvertibleTo(f) {
		panic(fmt.Sprintf("a template's factories are a %s", m))
	}
}

func findFunc(t reflect.Type) (f funcLayout) {
	f.typ = t
	offsetTyped(&f.call, t, "f", reflect.TypeFor[callFunc]())
	offsetTyped(&f.construct, t, "construct", reflect.TypeFor[constructFunc]())
	return f
}

// offset finds a field, embedded ones included, and returns its type.
func offset(at *uintptr, t reflect.Type, name string, kind reflect.Kind) reflect.Type {
	f, ok := t.FieldByName(name)
	if !ok || f.Type.Kind() != kind {
		panic(fmt.Sprintf("%s has no %s named %s", t, kind, name))
	}
	*at = 0
	for i := range f.Index {
		part := t.FieldByIndex(f.Index[:i+1])
		*at += part.Offset
		if i < len(f.Index)-1 && part.Type.Kind() != reflect.Struct {
			panic(fmt.Sprintf("%s reaches %s by a pointer", t, name))
		}
	}
	return f.Type
}

func offsetTyped(at *uintptr, t reflect.Type, name string, want reflect.Type) {
	if got := offset(at, t, name, want.Kind()); got != want {
		panic(fmt.Sprintf("%s.%s is a %s, not a %s", t, name, got, want))
	}
}

func at[T any](base unsafe.Pointer, offset uintptr) *T {
	return (*T)(unsafe.Add(base, offset))
}

// implOf returns the pointer that an object's behaviour hangs on.
func (l *layout) implOf(o *goja.Object) reflect.Value {
	return reflect.NewAt(l.selfOf, unsafe.Add(unsafe.Pointer(o), l.self)).Elem().Elem()
}

// depthOf returns where the call stack of a runtime is kept. Only its length is
// ever read.
func (l *layout) depthOf(rt *goja.Runtime) *[]struct{} {
	vm := *at[unsafe.Pointer](unsafe.Pointer(rt), l.runtimeVM)
	return at[[]struct{}](vm, l.callStack)
}

// goFuncs returns the places of the Go functions behind a native function, nil
// for any other object.
func (l *layout) goFuncs(o *goja.Object) (call *callFunc, construct *constructFunc) {
	impl := l.implOf(o)
	for _, f := range [...]*funcLayout{&l.native, &l.tmpl, &l.bound} {
		if impl.Type().Elem() == f.typ {
			p := impl.UnsafePointer()
			return at[callFunc](p, f.call), at[constructFunc](p, f.construct)
		}
	}
	return nil, nil
}

// original returns the built-in constructor of the name as goja made it, whatever
// a script has put in its place. goja makes its globals at first use, also when
// that use replaces or deletes one; so what was never made was never replaced.
func (l *layout) original(rt *goja.Runtime, name string) *goja.Object {
	place := at[*goja.Object](unsafe.Pointer(rt), l.globals+l.originals[name])
	if *place == nil {
		rt.GlobalObject().Get(name)
	}
	return *place
}

// prototype returns one of the objects that have templates.
func (l *layout) prototype(rt *goja.Runtime, name string) *goja.Object {
	return *at[*goja.Object](unsafe.Pointer(rt), l.prototypes[name])
}

// property takes a property apart: its value, or its setter.
func (l *layout) property(v goja.Value) (value goja.Value, setter *goja.Object) {
	if reflect.TypeOf(v) != l.propertyType {
		return v, nil
	}
	p := reflect.ValueOf(v).UnsafePointer()
	return *at[goja.Value](p, l.propertyValue), *at[*goja.Object](p, l.propertySetter)
}

// sizeOf is the number of entries of a Map or Set.
func (l *layout) sizeOf(impl reflect.Value) int {
	return *at[int](l.orderedMap(impl), l.size)
}

func (l *layout) orderedMap(impl reflect.Value) unsafe.Pointer {
	offset := l.mapEntries
	if impl.Type().Elem() == l.setType {
		offset = l.setEntries
	}
	return *at[unsafe.Pointer](impl.UnsafePointer(), offset)
}

// entries calls yield for the entries of a Map or Set in order. For a Set the key
// is the element.
func (l *layout) entries(impl reflect.Value, yield func(key, value goja.Value)) {
	m := l.orderedMap(impl)
	for e := *at[unsafe.Pointer](m, l.first); e != nil; e = *at[unsafe.Pointer](e, l.next) {
		yield(*at[goja.Value](e, l.key), *at[goja.Value](e, l.value))
	}
}

// preventExtensions is Object.preventExtensions for a function of the host or a
// plain object or array.
func (l *layout) preventExtensions(o *goja.Object) {
	impl := l.implOf(o)
	offset, ok := l.extensible[impl.Type().Elem()]
	if !ok {
		panic("ringfence: no way to freeze a " + impl.Type().String())
	}
	*at[bool](impl.UnsafePointer(), offset) = false
}
