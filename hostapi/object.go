package hostapi

import (
	"context"
	"fmt"
	"reflect"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A Member is what a host object is made of: an [Object], or what [Func], [Async],
// [Method], [AsyncMethod], [Raw], [Const] and [ConstFrom] return.
type Member interface {
	// declare adds the member to the definition under its full name.
	declare(d *Definition, path string) (engine.Field, error)
}

// An Object is an object with the members by name. A script sees them in the order
// of their names.
type Object map[string]Member

// A Function is a member that a script can call.
type Function struct {
	fn     any
	names  []string
	method bool
	async  bool
	raw    func(ctx context.Context, self any, args []core.Value) (core.Value, error)
	fields Object
}

// Func declares a function. Names are those of fn's parameters, the context left
// out; the package comment says what fn may look like.
func Func(fn any, names ...string) *Function { return &Function{fn: fn, names: names} }

// Async declares a function that gives the script a promise. fn runs in a goroutine
// of its own, so it must be safe beside the run's other functions.
func Async(fn any, names ...string) *Function {
	return &Function{fn: fn, names: names, async: true}
}

// Method declares a function that takes the self of [Definition.Bind] as its first
// parameter, right before or after the context; a method expression will do. All
// methods of a definition take the same type. The names do not include self.
func Method(fn any, names ...string) *Function {
	return &Function{fn: fn, names: names, method: true}
}

// AsyncMethod is [Method] for a function that gives the script a promise, as
// [Async] does.
func AsyncMethod(fn any, names ...string) *Function {
	return &Function{fn: fn, names: names, method: true, async: true}
}

// Raw declares a function that converts its arguments itself. Self is that of
// [Definition.Bind].
func Raw(fn func(ctx context.Context, self any, args []core.Value) (core.Value, error)) *Function {
	return &Function{raw: fn}
}

// With gives the function members of its own and returns it: log("text") beside
// log.warn("text").
func (f *Function) With(members Object) *Function {
	f.fields = members
	return f
}

// Const declares a constant, converted by [engine.ValueOf]. Objects and arrays are
// frozen all the way down.
func Const(x any) Member { return constant{x} }

// ConstFrom declares a constant that is taken from the self of [Definition.Bind] at
// each binding.
func ConstFrom[T, R any](from func(self T) R) Member {
	m := boundConstant{
		self:   reflect.TypeFor[T](),
		result: reflect.TypeFor[R](),
	}
	if from != nil {
		m.from = func(self any) (core.Value, error) { return engine.ValueOf(from(self.(T))) }
	}
	return m
}

type constant struct{ value any }

type boundConstant struct {
	self, result reflect.Type
	from         func(self any) (core.Value, error)
}

func (o Object) declare(d *Definition, path string) (engine.Field, error) {
	fields, err := d.fields(path, o)
	return engine.Field{Fields: fields}, err
}

func (f *Function) declare(d *Definition, path string) (engine.Field, error) {
	if f == nil {
		return engine.Field{}, fmt.Errorf("host object: %s is a nil function", path)
	}
	call := f.raw
	if call == nil {
		plan, err := newCall(path, f)
		if err != nil {
			return engine.Field{}, fmt.Errorf("host object: function %s: %w", path, err)
		}
		if f.method {
			if err := d.wantSelf(path, plan.self); err != nil {
				return engine.Field{}, err
			}
		}
		call = plan.run
	}
	field := engine.Field{Func: &engine.Func{Async: f.async, Call: call}}
	if f.fields == nil {
		return field, nil
	}
	var err error
	field.Fields, err = d.fields(path, f.fields)
	return field, err
}

func (c constant) declare(d *Definition, path string) (engine.Field, error) {
	v, err := engine.ValueOf(c.value)
	if err != nil {
		return engine.Field{}, fmt.Errorf("host object: constant %s: %w", path, err)
	}
	d.consts = append(d.consts, v)
	return engine.Field{Const: true, Slot: len(d.consts) - 1}, nil
}

func (c boundConstant) declare(d *Definition, path string) (engine.Field, error) {
	if c.from == nil {
		return engine.Field{}, fmt.Errorf("host object: constant %s has no Go function", path)
	}
	if err := checkResult(c.result, nil); err != nil {
		return engine.Field{}, fmt.Errorf("host object: constant %s: %w", path, err)
	}
	if err := d.wantSelf(path, c.self); err != nil {
		return engine.Field{}, err
	}
	d.consts = append(d.consts, core.Value{})
	slot := len(d.consts) - 1
	d.bound = append(d.bound, binding{path: path, slot: slot, from: c.from})
	return engine.Field{Const: true, Slot: slot}, nil
}
