package prelude

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/ringfence-js/ringfence/core/engine"
)

// Options say what an engine's prelude has to do.
type Options struct {
	// Forbidden are globals to remove.
	Forbidden []string
	// StackHook lets stacks show the author's places by Error.prepareStackTrace.
	StackHook bool
	// Script is the name under which the engine was given the program's text: the
	// stack hook keeps frames of that name.
	Script string
}

// Spec is the second argument of the prelude's function.
func Spec(cfg *engine.ContextConfig, opts Options) string {
	b := []byte(`{"limits":[`)
	b = strconv.AppendInt(b, cfg.Limits.ResultNodes, 10)
	b = strconv.AppendInt(append(b, ','), int64(cfg.Limits.ResultDepth), 10)
	b = strconv.AppendInt(append(b, ','), cfg.Limits.ResultBytes, 10)
	b = appendStrings(append(b, `],"forbidden":`...), opts.Forbidden)
	b = appendStrings(append(b, `,"vars":`...), cfg.Program.Vars)
	b = append(append(b, `,"name":`...), quoted(cfg.Program.Name)...)
	b = append(append(b, `,"script":`...), quoted(opts.Script)...)
	b = strconv.AppendBool(append(b, `,"stackHook":`...), opts.StackHook)
	b = append(append(b, `,"globals":`...), quoted(Result(engine.Object(cfg.Globals...)))...)
	b = append(b, `,"host":[`...)
	for i := range cfg.Host {
		h := &cfg.Host[i]
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"name":`...), quoted(h.Shape.Name())...)
		b = append(append(b, `,"fields":`...), fields(h.Shape)...)
		b = append(append(b, `,"consts":`...), quoted(Result(engine.List(h.Consts...)))...)
		b = append(b, '}')
	}
	return string(append(b, `]}`...))
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quoted(s)...)
	}
	return append(b, ']')
}

// field is a member of a host object as the guest's side reads it.
type field struct {
	Name   string  `json:"n"`
	Func   *int    `json:"f,omitempty"`
	How    int     `json:"h"`
	Const  *int    `json:"c,omitempty"`
	Fields []field `json:"m,omitempty"`
}

// Ways to call a host function.
const (
	callSync = iota
	callAsync
	callShow
)

// shapes keeps the text of the shapes used last, as most runs of a service have
// the same.
var shapes struct {
	sync.RWMutex
	text map[*engine.Shape][]byte
}

// maxShapes bounds what a service that makes a shape for every run can fill.
const maxShapes = 256

func fields(s *engine.Shape) []byte {
	shapes.RLock()
	text := shapes.text[s]
	shapes.RUnlock()
	if text != nil {
		return text
	}
	text, err := json.Marshal(treeOf(s.Fields()))
	if err != nil {
		panic(err) // of strings and numbers only
	}
	shapes.Lock()
	defer shapes.Unlock()
	if shapes.text == nil || len(shapes.text) >= maxShapes {
		shapes.text = make(map[*engine.Shape][]byte)
	}
	shapes.text[s] = text
	return text
}

func treeOf(list []engine.Field) []field {
	tree := make([]field, len(list))
	for i := range list {
		f := &list[i]
		tree[i] = field{Name: f.Name, Fields: treeOf(f.Fields)}
		switch {
		case f.Const:
			tree[i].Const = &f.Slot
		case f.Func != nil:
			tree[i].Func = &f.Func.ID
			switch {
			case f.Func.Async:
				tree[i].How = callAsync
			case f.Func.Text:
				tree[i].How = callShow
			}
		}
	}
	return tree
}
