package goja

import (
	"cmp"
	"reflect"
	"slices"
	"sort"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"

	"github.com/ringfence-js/ringfence/core/engine"
)

// positions lead from offsets in the author's text, which a compiled program has,
// back to the program's text.
type positions []position

type position struct{ source, text int32 }

// useAuthorPositions gives all nodes of a tree their places in the author's text,
// so that the stack of an error shows these to the script. What lowering added is
// put on a line of its own behind the author's last.
func useAuthorPositions(p *engine.Program, tree *ast.Program) positions {
	const base = 1 // of a file that is in no set
	var list positions
	seen := make(map[any]bool)
	known := make(map[file.Idx]file.Idx)
	eachNode(reflect.ValueOf(tree.Body), func(node any) {
		if seen[node] {
			return
		}
		seen[node] = true
		eachIdx(reflect.ValueOf(node).Elem(), func(idx *file.Idx) {
			if *idx < base {
				return // not set
			}
			at, ok := known[*idx]
			if !ok {
				text := int(*idx) - base
				source := p.SourceOffset(text)
				if source < 0 {
					source = len(p.Source) + 1
				} else {
					list = append(list, position{int32(source), int32(text)})
				}
				at = file.Idx(source + base)
				known[*idx] = at
			}
			*idx = at
		})
	})
	tree.File = file.NewFile(p.Name, p.Source+"\n\n", base)
	// Of several places in the text the last one counts: the others are in what was
	// inserted before it.
	slices.SortFunc(list, func(a, b position) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(b.text, a.text))
	})
	return slices.Clip(slices.CompactFunc(list, func(a, b position) bool { return a.source == b.source }))
}

var idxType = reflect.TypeFor[file.Idx]()

// eachIdx visits the positions that a node has itself.
func eachIdx(node reflect.Value, visit func(*file.Idx)) {
	if node.Kind() != reflect.Struct {
		return
	}
	for i := range node.NumField() {
		f := node.Field(i)
		switch {
		case f.Type() == idxType && f.CanAddr():
			visit(f.Addr().Interface().(*file.Idx))
		case f.Kind() == reflect.Struct && node.Type().Field(i).IsExported():
			eachIdx(f, visit)
		}
	}
}

// textOffset is the place in the program's text of one in the author's, or -1.
func (l positions) textOffset(source int) int {
	i := sort.Search(len(l), func(i int) bool { return int(l[i].source) >= source })
	if i == len(l) || int(l[i].source) != source {
		return -1
	}
	return int(l[i].text)
}
