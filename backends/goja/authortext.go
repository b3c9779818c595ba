package goja

import (
	"math/big"
	"reflect"

	"github.com/dop251/goja/ast"

	"github.com/ringfence-js/ringfence/core/engine"
)

// showAuthorText gives every function and class of a tree the author's text in
// place of the metered one. Function.prototype.toString shows what stands there.
func showAuthorText(p *engine.Program, tree *ast.Program) {
	eachNode(reflect.ValueOf(tree.Body), func(node any) {
		switch n := node.(type) {
		case *ast.FunctionLiteral:
			n.Source = p.AuthorText(n.Source)
		case *ast.ArrowFunctionLiteral:
			n.Source = p.AuthorText(n.Source)
		case *ast.ClassLiteral:
			n.Source = p.AuthorText(n.Source)
		}
	})
}

// literalGlobals are the built-ins that a tree's syntax leads to without their
// names.
func literalGlobals(p *engine.Program, tree *ast.Program) (names []string) {
	seen := make(map[string]bool)
	var add func(string)
	add = func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
		if name == "Promise" {
			add("Error") // a handler gets errors that no name led to
		}
	}
	if p.Async {
		add("Promise")
	}
	eachNode(reflect.ValueOf(tree.Body), func(node any) {
		switch n := node.(type) {
		case *ast.RegExpLiteral:
			add("RegExp")
		case *ast.NumberLiteral:
			if _, ok := n.Value.(*big.Int); ok {
				add("BigInt")
			}
		case *ast.FunctionLiteral:
			if n.Async {
				add("Promise")
			}
		case *ast.ArrowFunctionLiteral:
			if n.Async {
				add("Promise")
			}
		case *ast.CatchStatement:
			add("Error")
		}
	})
	return names
}

var nodesPackage = reflect.TypeFor[ast.Program]().PkgPath()

// eachNode visits all nodes of the tree below v. It goes by reflection, so that a
// kind of node that a later goja adds is not forgotten.
func eachNode(v reflect.Value, visit func(any)) {
	switch v.Kind() {
	case reflect.Interface:
		eachNode(v.Elem(), visit)
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != nodesPackage {
			return
		}
		visit(v.Interface())
		eachNode(v.Elem(), visit)
	case reflect.Struct:
		for i := range v.NumField() {
			// A DeclarationList repeats what the body has. To follow both would double
			// the work at every level of nested functions.
			f := v.Type().Field(i)
			if f.IsExported() && f.Name != "DeclarationList" && holdsNodes(f.Type.Kind()) {
				eachNode(v.Field(i), visit)
			}
		}
	case reflect.Slice:
		if holdsNodes(v.Type().Elem().Kind()) {
			for i := range v.Len() {
				eachNode(v.Index(i), visit)
			}
		}
	}
}

func holdsNodes(k reflect.Kind) bool {
	return k == reflect.Interface || k == reflect.Pointer || k == reflect.Struct || k == reflect.Slice
}
