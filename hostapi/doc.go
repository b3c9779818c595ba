// Package hostapi declares host objects in Go: the frozen trees of functions and
// constants that a script sees.
//
// A definition is made once. It checks every signature and plans how arguments
// are converted, so that a mistake shows when the service starts:
//
//	var math = hostapi.MustNew("math", hostapi.Object{
//		"add": hostapi.Func(func(a, b int) int { return a + b }, "a", "b"),
//		"wait": hostapi.Async(func(ctx context.Context, ms float64) error {
//			...
//		}, "ms"),
//		"pi":   hostapi.Const(3.14159),
//		"text": hostapi.Object{ ... },
//	}).MustBind(nil)
//
//	result, err := ex.Run(ctx, core.Request{
//		Source: `math.add(1, 2) * math.pi`,
//		Host:   []core.HostObject{math},
//	})
//
// An object that differs from run to run is bound to a value of the service, its
// self. [Method] hands it to a function, [ConstFrom] takes a constant from it:
//
//	var account = hostapi.MustNew("account", hostapi.Object{
//		"id":     hostapi.ConstFrom(func(u *User) string { return u.ID }),
//		"rename": hostapi.Method((*User).Rename, "name"),
//	})
//
//	object, err := account.Bind(user)
//
// # Parameters
//
// A function takes a [context.Context] first if it wants one; the context ends
// with the run, and [core.RunFrom] finds the run in it. A method takes its self
// beside it. Each further parameter has a name in the declaration, for messages such as
// "math.add: b must be an integer, got string". A name that ends in "?" declares an
// optional parameter: where the argument is missing, undefined or null, the
// function gets the zero value. A pointer is optional by itself, and nil then.
// Arguments beyond the last parameter are ignored, unless the function is variadic.
//
// A parameter is of one of these types, or of a type made of them:
//
//	string, bool, float64, float32
//	int, int8 ... uint64   a number without a fraction, in the type's range;
//	                       64-bit types take a bigint too
//	[]byte                 an ArrayBuffer or a view of one
//	time.Time              a Date
//	*big.Int               a bigint, or a number without a fraction
//	[]T, map[string]T      an array, an object
//	struct                 an object with the members that the json tags name; a
//	                       member may be missing, an unknown one is refused
//	any                    anything, as core.Value.Any gives it
//	core.Value             anything, order of members kept
//	json.Unmarshaler, encoding.TextUnmarshaler
//
// # Results
//
// A function returns nothing, a value, an error, or a value and an error. The value
// is converted by [engine.ValueOf]. An error is thrown in the script, with the name
// and the message that [engine.GuestForm] gives; errors.Is and errors.As still reach
// it when the script leaves it uncaught. A wrong or missing argument is thrown as a
// TypeError. A panic in a function is the engine's to recover.
package hostapi
