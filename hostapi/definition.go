package hostapi

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A Definition is a host object that is checked and ready to be bound to runs. It
// is immutable and may be used from any goroutine. Make it with [New].
type Definition struct {
	shape  *engine.Shape
	consts []core.Value
	bound  []binding

	// self is the type that methods and bound constants take, or nil; selfPath is
	// the first member that takes it.
	self     reflect.Type
	selfPath string
}

// A binding is a constant whose value comes from self.
type binding struct {
	path string
	slot int
	from func(self any) (core.Value, error)
}

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// New returns the definition of the host object under the global name. It fails
// where name is no identifier, where a function has a signature that the package
// comment does not allow or a wrong number of parameter names, where a constant
// cannot be converted, and where methods take different types.
func New(name string, members Object) (*Definition, error) {
	if !identifier.MatchString(name) {
		return nil, fmt.Errorf("host object: the global name %q is no identifier", name)
	}
	d := &Definition{}
	fields, err := d.fields(name, members)
	if err != nil {
		return nil, err
	}
	if d.shape, err = engine.NewShape(name, fields...); err != nil {
		return nil, err
	}
	return d, nil
}

// MustNew is [New] for package variables; it panics where New fails.
func MustNew(name string, members Object) *Definition {
	d, err := New(name, members)
	if err != nil {
		panic(err)
	}
	return d
}

// Name returns the global's name.
func (d *Definition) Name() string { return d.shape.Name() }

// Bind returns the host object for one run, or for many. Self is what methods get
// and what bound constants are taken from; nil will do for a definition without
// them. Bind fails where self is of another type than they take, or where a bound
// constant cannot be converted.
func (d *Definition) Bind(self any) (core.HostObject, error) {
	if d.self != nil && !takes(d.self, self) {
		return core.HostObject{}, fmt.Errorf("host object: %s takes %s, not %T", d.selfPath, d.self, self)
	}
	consts := d.consts
	if len(d.bound) > 0 {
		consts = slices.Clone(consts)
		for _, b := range d.bound {
			v, err := b.from(self)
			if err != nil {
				return core.HostObject{}, fmt.Errorf("host object: constant %s: %w", b.path, err)
			}
			consts[b.slot] = v
		}
	}
	return core.HostObject{Shape: d.shape, Self: self, Consts: consts}, nil
}

// MustBind is [Definition.Bind] for objects whose constants are sure to convert; it
// panics where Bind fails.
func (d *Definition) MustBind(self any) core.HostObject {
	object, err := d.Bind(self)
	if err != nil {
		panic(err)
	}
	return object
}

func takes(want reflect.Type, self any) bool {
	got := reflect.TypeOf(self)
	return got == want || got != nil && want.Kind() == reflect.Interface && got.Implements(want)
}

// wantSelf notes that the member takes a self of the type.
func (d *Definition) wantSelf(path string, t reflect.Type) error {
	switch d.self {
	case nil:
		d.self, d.selfPath = t, path
	case t:
	default:
		return fmt.Errorf("host object: %s takes %s, but %s takes %s", path, t, d.selfPath, d.self)
	}
	return nil
}

// fields declares the members of an object in the order of their names.
func (d *Definition) fields(path string, members Object) ([]engine.Field, error) {
	fields := make([]engine.Field, 0, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		full := path + "." + name
		switch {
		case name == "":
			return nil, fmt.Errorf("host object: a member of %s has no name", path)
		case name == "__proto__":
			return nil, fmt.Errorf("host object: %s cannot be declared", full)
		case members[name] == nil:
			return nil, fmt.Errorf("host object: %s is nil", full)
		}
		field, err := members[name].declare(d, full)
		if err != nil {
			return nil, err
		}
		field.Name = name
		fields = append(fields, field)
	}
	return fields, nil
}
