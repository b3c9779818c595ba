package hostapi

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A call is how one Go function is called with values.
type call struct {
	path   string
	run    func(ctx context.Context, self any, args []core.Value) (core.Value, error)
	fn     reflect.Value
	self   reflect.Type // nil unless the function is a method
	ctx    bool
	swap   bool // self stands before the context
	params []namedParameter
	rest   *namedParameter // the variadic parameter's elements
	value  bool            // the first result is a value
	fails  bool            // the last result is an error
}

type namedParameter struct {
	*parameter
	name string
	typ  reflect.Type
}

// newCall plans the calls of a function.
func newCall(path string, f *Function) (*call, error) {
	c := &call{path: path, fn: reflect.ValueOf(f.fn)}
	if c.fn.Kind() != reflect.Func {
		return nil, fmt.Errorf("got %T instead of a Go function", f.fn)
	}
	if c.fn.IsNil() {
		return nil, errors.New("the Go function is nil")
	}
	if err := c.takeParameters(c.fn.Type(), f); err != nil {
		return nil, err
	}
	if err := c.takeResults(c.fn.Type()); err != nil {
		return nil, err
	}
	if c.run = c.fastPath(f.fn); c.run == nil {
		c.run = c.reflected
	}
	return c, nil
}

func (c *call) takeParameters(t reflect.Type, f *Function) error {
	next := 0
	takesContext := func() bool {
		if t.NumIn() > next && t.In(next) == contextType {
			c.ctx = true
			next++
		}
		return c.ctx
	}
	takesContext()
	if f.method {
		if t.NumIn() == next || t.IsVariadic() && t.NumIn() == next+1 {
			return errors.New("the method takes no self")
		}
		c.self = t.In(next)
		next++
		if !c.ctx {
			c.swap = takesContext()
		}
	}
	if want := t.NumIn() - next; len(f.names) != want {
		return fmt.Errorf("%d parameter names are given for %d parameters of %s", len(f.names), want, t)
	}
	planner := planner{}
	for i, name := range f.names {
		in := t.In(next + i)
		variadic := t.IsVariadic() && next+i == t.NumIn()-1
		if variadic {
			in = in.Elem()
		}
		planned, err := planner.plan(in)
		if err != nil {
			return err
		}
		param := namedParameter{name: name, typ: in, parameter: planned}
		if short, optional := strings.CutSuffix(name, "?"); optional {
			copied := *planned
			copied.optional = true
			param.name, param.parameter = short, &copied
		}
		switch {
		case param.name == "":
			return fmt.Errorf("parameter %d has no name", i+1)
		case variadic && param.name != name:
			return fmt.Errorf("parameter %s is variadic and so optional by itself", param.name)
		case variadic:
			c.rest = &param
		default:
			c.params = append(c.params, param)
		}
	}
	return nil
}

func (c *call) takeResults(t reflect.Type) error {
	count := t.NumOut()
	if count > 0 && t.Out(count-1) == errorType {
		c.fails = true
		count--
	}
	if count > 1 {
		return fmt.Errorf("%s has more results than a value and an error", t)
	}
	if count == 0 {
		return nil
	}
	c.value = true
	return checkResult(t.Out(0), nil)
}

// checkResult fails for types that no value can be made of.
func checkResult(t reflect.Type, seen map[reflect.Type]bool) error {
	if seen[t] {
		return nil
	}
	if t == durationType {
		return errDuration
	}
	switch t.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("a result of type %s cannot be given to a script", t)
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if seen == nil {
			seen = map[reflect.Type]bool{}
		}
		seen[t] = true
		return checkResult(t.Elem(), seen)
	}
	return nil
}

// reflected calls the function by reflection.
func (c *call) reflected(ctx context.Context, self any, args []core.Value) (core.Value, error) {
	var array [8]reflect.Value
	in := array[:0]
	if c.ctx {
		in = append(in, reflect.ValueOf(ctx))
	}
	if c.self != nil {
		in = append(in, reflect.ValueOf(self))
		if c.swap {
			in[0], in[1] = in[1], in[0]
		}
	}
	for i := range c.params {
		target := reflect.New(c.params[i].typ).Elem()
		if err := c.read(i, args, target); err != nil {
			return core.Value{}, err
		}
		in = append(in, target)
	}
	if c.rest != nil {
		for i := len(c.params); i < len(args); i++ {
			target := reflect.New(c.rest.typ).Elem()
			if m := c.rest.read(args[i], target); m != nil {
				return core.Value{}, c.typeError(c.rest.name, m.under("["+strconv.Itoa(i-len(c.params))+"]"))
			}
			in = append(in, target)
		}
	}
	out := c.fn.Call(in)
	if c.fails {
		if err, _ := out[len(out)-1].Interface().(error); err != nil {
			return core.Value{}, err
		}
	}
	if !c.value {
		return core.Value{}, nil
	}
	return c.result(out[0])
}

// read stores the argument for parameter i in target, which holds the zero value.
func (c *call) read(i int, args []core.Value, target reflect.Value) error {
	param := &c.params[i]
	if i >= len(args) {
		if param.optional {
			return nil
		}
		return c.missing(param)
	}
	if param.optional && args[i].IsNull() {
		return nil
	}
	if m := param.read(args[i], target); m != nil {
		return c.typeError(param.name, m)
	}
	return nil
}

func (c *call) missing(param *namedParameter) error {
	return c.typeError(param.name, &mismatch{text: " must be " + param.want + ", got nothing"})
}

func (c *call) typeError(name string, m *mismatch) error {
	return &engine.GuestError{Name: "TypeError", Message: c.path + ": " + name + m.path + m.text}
}

func (c *call) result(out reflect.Value) (core.Value, error) {
	switch {
	case out.Type() == valueType:
		return out.Interface().(core.Value), nil
	case out.Type().PkgPath() != "": // a named type may have a form of its own
	case out.Kind() == reflect.String:
		return engine.String(out.String()), nil
	case out.Kind() == reflect.Bool:
		return engine.Bool(out.Bool()), nil
	case out.CanInt():
		return engine.Int(out.Int()), nil
	case out.CanFloat():
		return engine.Float(out.Float()), nil
	}
	return c.convert(out.Interface())
}

func (c *call) convert(result any) (core.Value, error) {
	v, err := engine.ValueOf(result)
	if err != nil {
		return core.Value{}, &resultError{path: c.path, err: err}
	}
	return v, nil
}

// A resultError says that a function's result has no form in JavaScript. Its text
// is for the guest; what is wrong in Go is behind it.
type resultError struct {
	path string
	err  error
}

func (e *resultError) Error() string { return e.path + ": the result cannot be given to a script" }
func (e *resultError) Unwrap() error { return e.err }
