package hostapi

import (
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

// A reader stores a value in a target of the type that the reader was made for.
type reader func(v core.Value, target reflect.Value) *mismatch

// A mismatch says what is wrong with an argument.
type mismatch struct {
	// path leads from the argument to the value at fault: .items[2]
	path string
	// text goes on after the path: " must be a string, got number"
	text string
}

func (m *mismatch) under(path string) *mismatch {
	m.path = path + m.path
	return m
}

func wrong(want string, got core.Value) *mismatch {
	return &mismatch{text: " must be " + want + ", got " + got.Kind().String()}
}

// A parameter is how the argument for one Go type is read.
type parameter struct {
	read reader
	// want is the type as a script's author would name it: "a string".
	want string
	// optional says that the type has a value of its own for a missing argument.
	optional bool
}

var (
	contextType     = reflect.TypeFor[context.Context]()
	errorType       = reflect.TypeFor[error]()
	valueType       = reflect.TypeFor[core.Value]()
	timeType        = reflect.TypeFor[time.Time]()
	durationType    = reflect.TypeFor[time.Duration]()
	bigIntType      = reflect.TypeFor[*big.Int]()
	bytesType       = reflect.TypeFor[[]byte]()
	anyType         = reflect.TypeFor[any]()
	anyMapType      = reflect.TypeFor[map[string]any]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

var errDuration = errors.New("time.Duration has no form in JavaScript; use milliseconds as a number")

// maxShown is how many characters of a script's own text a message repeats.
const maxShown = 100

// A planner makes parameters of Go types, once for each type, so that recursive
// types end.
type planner map[reflect.Type]*parameter

func (p planner) plan(t reflect.Type) (*parameter, error) {
	if known, ok := p[t]; ok {
		return known, nil
	}
	made := &parameter{}
	p[t] = made
	if err := p.fill(made, t); err != nil {
		return nil, err
	}
	return made, nil
}

func (p planner) fill(made *parameter, t reflect.Type) error {
	switch {
	case t == valueType:
		made.want = "a value"
		made.read = func(v core.Value, target reflect.Value) *mismatch {
			*target.Addr().Interface().(*core.Value) = v
			return nil
		}
		return nil
	case t == timeType:
		made.want, made.read = "a date", readTime
		return nil
	case t == bigIntType:
		made.want, made.read = "a bigint", readBigInt
		return nil
	case t == bytesType:
		made.want, made.read = "bytes", readBytes
		return nil
	case t == durationType:
		return errDuration
	case t == anyType:
		made.want = "a value"
		made.read = func(v core.Value, target reflect.Value) *mismatch {
			if !v.IsNull() {
				target.Set(reflect.ValueOf(v.Any()))
			}
			return nil
		}
		return nil
	case t == anyMapType:
		made.want = "an object"
		made.read = func(v core.Value, target reflect.Value) *mismatch {
			if v.Kind() != engine.KindObject {
				return wrong("an object", v)
			}
			target.Set(reflect.ValueOf(v.Any()))
			return nil
		}
		return nil
	case t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(jsonUnmarshaler),
		t.Kind() != reflect.Pointer && reflect.PointerTo(t).Implements(textUnmarshaler):
		made.want, made.read = "a value", readJSON
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		made.want, made.read = "a string", readString
	case reflect.Bool:
		made.want, made.read = "a boolean", readBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		made.want, made.read = "an integer", readInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		made.want, made.read = "an integer", readUint
	case reflect.Float32, reflect.Float64:
		made.want, made.read = "a number", readFloat
	case reflect.Pointer:
		return p.pointer(made, t)
	case reflect.Slice:
		return p.slice(made, t)
	case reflect.Map:
		return p.mapping(made, t)
	case reflect.Struct:
		return p.structure(made, t)
	default:
		return fmt.Errorf("a parameter of type %s cannot be given by a script", t)
	}
	return nil
}

func (p planner) pointer(made *parameter, t reflect.Type) error {
	elem, err := p.plan(t.Elem())
	if err != nil {
		return err
	}
	made.optional, made.want = true, elem.want
	made.read = func(v core.Value, target reflect.Value) *mismatch {
		if v.IsNull() {
			return nil
		}
		target.Set(reflect.New(t.Elem()))
		return elem.read(v, target.Elem())
	}
	return nil
}

func (p planner) slice(made *parameter, t reflect.Type) error {
	elem, err := p.plan(t.Elem())
	if err != nil {
		return err
	}
	made.want = "an array"
	made.read = func(v core.Value, target reflect.Value) *mismatch {
		items, ok := v.Items()
		if !ok {
			return wrong("an array", v)
		}
		list := reflect.MakeSlice(t, len(items), len(items))
		for i, item := range items {
			if m := elem.read(item, list.Index(i)); m != nil {
				return m.under("[" + strconv.Itoa(i) + "]")
			}
		}
		target.Set(list)
		return nil
	}
	return nil
}

func (p planner) mapping(made *parameter, t reflect.Type) error {
	if t.Key().Kind() != reflect.String {
		return fmt.Errorf("a parameter of type %s cannot be given by a script: keys are strings", t)
	}
	elem, err := p.plan(t.Elem())
	if err != nil {
		return err
	}
	made.want = "an object"
	made.read = func(v core.Value, target reflect.Value) *mismatch {
		members, ok := v.Members()
		if !ok {
			return wrong("an object", v)
		}
		object := reflect.MakeMapWithSize(t, len(members))
		for _, member := range members {
			item := reflect.New(t.Elem()).Elem()
			if m := elem.read(member.Value, item); m != nil {
				return m.under(memberPath(member.Key))
			}
			object.SetMapIndex(reflect.ValueOf(member.Key).Convert(t.Key()), item)
		}
		target.Set(object)
		return nil
	}
	return nil
}

// A structField is a member that a struct takes.
type structField struct {
	index []int
	param *parameter
}

func (p planner) structure(made *parameter, t reflect.Type) error {
	fields := map[string]structField{}
	names, err := p.structFields(t, nil, fields, nil)
	if err != nil {
		return err
	}
	made.want = "an object"
	made.read = func(v core.Value, target reflect.Value) *mismatch {
		members, ok := v.Members()
		if !ok {
			return wrong("an object", v)
		}
		for _, member := range members {
			field, ok := fields[member.Key]
			if !ok {
				return unknownKey(member.Key, names)
			}
			if member.Value.IsNull() {
				continue
			}
			if m := field.param.read(member.Value, target.FieldByIndex(field.index)); m != nil {
				return m.under(memberPath(member.Key))
			}
		}
		return nil
	}
	return nil
}

// structFields collects the members of a struct by the rules of encoding/json for
// names: an embedded struct without a tag gives its own members.
func (p planner) structFields(t reflect.Type, index []int, fields map[string]structField, names []string) ([]string, error) {
	var embedded []reflect.StructField
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("json") == "-":
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			embedded = append(embedded, f)
			continue
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer && f.Type.Elem().Kind() == reflect.Struct:
			return nil, fmt.Errorf("%s embeds a pointer, which is not supported", t)
		case !f.IsExported():
			continue
		case options == "string" || strings.Contains(options, "string,") || strings.HasSuffix(options, ",string"):
			return nil, fmt.Errorf("field %s of %s: the json option \"string\" is not supported", f.Name, t)
		case name == "":
			name = f.Name
		}
		if _, shadowed := fields[name]; shadowed {
			continue
		}
		param, err := p.plan(f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %s of %s: %w", f.Name, t, err)
		}
		fields[name] = structField{index: append(index[:len(index):len(index)], f.Index...), param: param}
		names = append(names, name)
	}
	for _, f := range embedded {
		var err error
		if names, err = p.structFields(f.Type, append(index[:len(index):len(index)], f.Index...), fields, names); err != nil {
			return nil, err
		}
	}
	return names, nil
}

func unknownKey(key string, known []string) *mismatch {
	text := ": unknown key " + engine.CutText(key, maxShown)
	if near, ok := Nearest(key, known); ok {
		text += "; did you mean " + near + "?"
	}
	return &mismatch{text: text}
}

// memberPath is how a script would write the access to a member.
func memberPath(key string) string {
	if identifier.MatchString(key) {
		return "." + engine.CutText(key, maxShown)
	}
	return "[" + strconv.Quote(engine.CutText(key, maxShown)) + "]"
}
