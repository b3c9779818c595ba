package hostapi_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

// A definition without self is bound once, for all runs.
func Example() {
	math := hostapi.MustNew("math", hostapi.Object{
		"add": hostapi.Func(func(a, b int) int { return a + b }, "a", "b"),
		"pi":  hostapi.Const(3.14159),
		"text": hostapi.Object{
			"repeat": hostapi.Func(func(s string, count int) (string, error) {
				if count > 1000 {
					return "", errors.New("that is too often")
				}
				return fmt.Sprint(s, " x ", count), nil
			}, "text", "count?"),
		},
	}).MustBind(nil)

	req := core.Request{
		Source: `math.add(1, 2) * math.pi`,
		Host:   []core.HostObject{math},
	}

	// What an engine does for math.add(1, 2) and math.add(1):
	add := req.Host[0].Shape.Funcs()[0]
	sum, _ := add.Call(context.Background(), math.Self, []core.Value{engine.Int(1), engine.Int(2)})
	_, err := add.Call(context.Background(), math.Self, []core.Value{engine.Int(1)})
	fmt.Println(sum)
	fmt.Println(err)
	// Output:
	// 3
	// TypeError: math.add: b must be an integer, got nothing
}

// User is what the service knows of the one on whose behalf a script runs.
type User struct{ ID, Name string }

// Rename is called by scripts.
func (u *User) Rename(_ context.Context, name string) { u.Name = name }

// An object that differs from run to run is bound to a value of the service.
func ExampleMethod() {
	account := hostapi.MustNew("account", hostapi.Object{
		"id":     hostapi.ConstFrom(func(u *User) string { return u.ID }),
		"rename": hostapi.Method((*User).Rename, "name"),
	})

	user := &User{ID: "u-1", Name: "Ada"}
	object, err := account.Bind(user)
	if err != nil {
		fmt.Println(err)
		return
	}
	req := core.Request{
		Source: `account.rename("Ada L.")`,
		Host:   []core.HostObject{object},
	}

	// What an engine does for the script:
	rename := req.Host[0].Shape.Funcs()[0]
	_, err = rename.Call(context.Background(), object.Self, []core.Value{engine.String("Ada L.")})
	fmt.Println(object.Consts[0], user.Name, err)
	// Output: u-1 Ada L. <nil>
}

func ExampleNearest() {
	name, ok := hostapi.Nearest("serch", []string{"read", "search", "write"})
	fmt.Println(name, ok)
	// Output: search true
}
