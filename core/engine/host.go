package engine

import (
	"context"
	"fmt"
)

// A HostObject is a frozen tree of functions and constants that a script sees
// under one global name. The shape is made once and shared by all runs; Self and
// Consts belong to one run.
type HostObject struct {
	// Shape says what the tree looks like. Its name is the global's name.
	Shape *Shape
	// Self is handed to every function of the shape.
	Self any
	// Consts are the values of the shape's constants, by slot.
	Consts []Value
}

// A Shape is the layout of a host object. It is immutable and safe for
// concurrent use; make it with [NewShape].
type Shape struct {
	name   string
	fields []Field
	funcs  []*Func
	consts int
}

// A Field is a member of a host object: a function, a constant, or an object
// with fields of its own. A function may have fields too.
type Field struct {
	// Name is the member's name.
	Name string
	// Func makes the member callable.
	Func *Func
	// Fields are the members of a nested object, or of a function.
	Fields []Field
	// Const says that the member is a constant, with its value in Slot of
	// [HostObject.Consts].
	Const bool
	Slot  int
}

// A Func is a function of the host. Engines call it through [Run].
type Func struct {
	// Name is the last part of Path. NewShape sets both.
	Name string
	// Path is the whole name from the global on: vance.tools.call.
	Path string
	// ID is the function's place in [Shape.Funcs].
	ID int
	// Async makes the guest's call return a promise; Call then runs in a
	// goroutine of its own.
	Async bool
	// Text makes the engine hand each argument over as the text that a person
	// would read, as console.log does, in a string value.
	Text bool
	// Call does the work. It runs under the run's deadline, which ctx carries,
	// and should return soon after ctx is done. self is [HostObject.Self]. An
	// error is thrown in the guest as docs/errors.md says.
	Call func(ctx context.Context, self any, args []Value) (Value, error)
}

// NewShape returns the shape of a host object under the global name. It fails
// where a name is empty or twice in one object, or where a field is neither a
// function, a constant nor an object. Slots of constants may be any numbers from
// 0 up.
func NewShape(name string, fields ...Field) (*Shape, error) {
	if name == "" {
		return nil, fmt.Errorf("host object: the global name is empty")
	}
	s := &Shape{name: name}
	var err error
	s.fields, err = s.take(name, fields)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Shape) take(path string, fields []Field) ([]Field, error) {
	seen := make(map[string]bool, len(fields))
	taken := make([]Field, len(fields))
	for i, f := range fields {
		full := path + "." + f.Name
		switch {
		case f.Name == "":
			return nil, fmt.Errorf("host object %s: member %d has no name", path, i)
		case seen[f.Name]:
			return nil, fmt.Errorf("host object: %s is there twice", full)
		case f.Func == nil && !f.Const && f.Fields == nil:
			return nil, fmt.Errorf("host object: %s is neither function, constant nor object", full)
		case f.Const && (f.Func != nil || f.Fields != nil):
			return nil, fmt.Errorf("host object: %s is a constant and something else too", full)
		case f.Func != nil && f.Func.Call == nil:
			return nil, fmt.Errorf("host object: function %s has no Go function", full)
		}
		seen[f.Name] = true
		if f.Func != nil {
			fn := *f.Func
			fn.Name, fn.Path, fn.ID = f.Name, full, len(s.funcs)
			s.funcs = append(s.funcs, &fn)
			f.Func = &fn
		}
		if f.Const {
			s.consts = max(s.consts, f.Slot+1)
		}
		if f.Fields != nil {
			nested, err := s.take(full, f.Fields)
			if err != nil {
				return nil, err
			}
			f.Fields = nested
		}
		taken[i] = f
	}
	return taken, nil
}

// Name returns the global's name.
func (s *Shape) Name() string { return s.name }

// Fields returns the members of the top object. The caller must not change them.
func (s *Shape) Fields() []Field { return s.fields }

// Funcs returns all functions of the tree, by ID. The caller must not change
// them.
func (s *Shape) Funcs() []*Func { return s.funcs }

// Consts returns how many values [HostObject.Consts] must have.
func (s *Shape) Consts() int { return s.consts }
