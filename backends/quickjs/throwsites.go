//go:build wip && !386 && !arm

package quickjs

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"github.com/ringfence-js/ringfence/core/engine"
)

// The engine notes where an Error was made, and nothing where something else is
// thrown: throw 42 has no place. So each throw statement of a program notes its
// number, throw $L=7,42, in a variable beside the counter. What leaves the script
// without a stack came from the last one.

// A sited program is a program's text with its throw statements numbered.
type sited struct {
	text string
	// at are the places of the insertions in the program's text, in order, size how
	// long each is. The first declares the variable.
	at, size []int
	starts   []int          // where they begin in text
	strip    *regexp.Regexp // what to cut out of a piece of the text
}

// numberThrows numbers the throw statements of a program. A program without any, or
// one that the parser does not understand, stays as it is.
func numberThrows(program string) *sited {
	s := &sited{text: program}
	if !strings.Contains(program, "throw") {
		return s
	}
	tree, err := parser.ParseFile(nil, "", program, 0, parser.WithDisableSourceMaps)
	if err != nil {
		return s
	}
	var places []int
	body, name := -1, ""
	eachStatement(reflect.ValueOf(tree.Body), func(node any) {
		switch n := node.(type) {
		case *ast.ThrowStatement:
			places = append(places, int(n.Throw)-1+len("throw"))
		case *ast.ArrowFunctionLiteral:
			if b, ok := n.Body.(*ast.BlockStatement); ok && body < 0 && len(n.ParameterList.List) == 3 {
				if id, ok := n.ParameterList.List[0].Target.(*ast.Identifier); ok && strings.HasPrefix(id.Name.String(), engine.ReservedName) {
					body, name = int(b.LeftBrace), id.Name.String()
				}
			}
		}
	})
	if len(places) == 0 || body < 0 {
		return s
	}
	slices.Sort(places)
	var out strings.Builder
	from := 0
	insert := func(at int, text string) {
		out.WriteString(program[from:at])
		s.starts = append(s.starts, out.Len())
		out.WriteString(text)
		from = at
		s.at, s.size = append(s.at, at), append(s.size, len(text))
	}
	insert(body, fmt.Sprintf("let %[1]sL=0;%[1]s(()=>%[1]sL,0);", name))
	for i, at := range places {
		insert(at, fmt.Sprintf(" %sL=%d,", name, i+1))
	}
	out.WriteString(program[from:])
	s.text = out.String()
	s.strip = regexp.MustCompile(" " + name + "L=[0-9]+,")
	return s
}

// original is a piece of the text without the numbers.
func (s *sited) original(piece string) string {
	if s.strip == nil {
		return piece
	}
	return s.strip.ReplaceAllString(piece, "")
}

// programOffset leads from an offset in the text to one in the program's text.
func (s *sited) programOffset(offset int) int {
	i := sort.SearchInts(s.starts, offset+1) - 1
	if i < 0 {
		return offset
	}
	// Within an insertion, or behind it.
	return s.at[i] + max(0, offset-s.starts[i]-s.size[i])
}

// throws are the places of the throw statements in the program's text, by number
// from 1.
func (s *sited) throws() []int32 {
	if len(s.at) == 0 {
		return nil
	}
	list := make([]int32, len(s.at))
	for i, at := range s.at[1:] {
		list[i+1] = int32(at - len("throw"))
	}
	return list
}

var nodesPackage = reflect.TypeFor[ast.Program]().PkgPath()

// eachStatement visits the nodes below v.
func eachStatement(v reflect.Value, visit func(any)) {
	switch v.Kind() {
	case reflect.Interface:
		eachStatement(v.Elem(), visit)
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().PkgPath() == nodesPackage {
			visit(v.Interface())
			eachStatement(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			switch f.Type.Kind() {
			case reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Slice:
				if f.IsExported() && f.Name != "DeclarationList" { // which repeats the body
					eachStatement(v.Field(i), visit)
				}
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachStatement(v.Index(i), visit)
		}
	}
}
