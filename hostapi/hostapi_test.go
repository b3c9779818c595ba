package hostapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/hostapi"
)

// find returns a function of a host object by its path.
func find(t testing.TB, object core.HostObject, path string) *engine.Func {
	t.Helper()
	for _, fn := range object.Shape.Funcs() {
		if fn.Path == path {
			return fn
		}
	}
	t.Fatalf("no function %s", path)
	return nil
}

// call calls a function that is the only member of a host object.
func call(t testing.TB, fn *hostapi.Function, self any, args ...any) (core.Value, error) {
	t.Helper()
	d, err := hostapi.New("host", hostapi.Object{"fn": fn})
	require.NoError(t, err)
	object, err := d.Bind(self)
	require.NoError(t, err)
	values := make([]core.Value, len(args))
	for i, arg := range args {
		values[i] = engine.MustValueOf(arg)
	}
	return find(t, object, "host.fn").Call(t.Context(), object.Self, values)
}

type level string

type base struct {
	ID int `json:"id"`
}

type query struct {
	base
	Text  string            `json:"text"`
	Limit *int              `json:"limit,omitempty"`
	Tags  []string          `json:"tags"`
	Sub   *query            `json:"sub"`
	Meta  map[string]level  `json:"meta"`
	Pairs map[string]string `json:"-"`
	Plain bool
}

type counter struct{ n int }

func (c *counter) Add(_ context.Context, by int) int { c.n += by; return c.n }
func (c *counter) Reset()                            { c.n = 0 }

func TestArgumentsAndResults(t *testing.T) {
	t.Parallel()
	limit := 3
	day := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	wide := new(big.Int).Lsh(big.NewInt(1), 80)
	tests := map[string]struct {
		fn   *hostapi.Function
		args []any
		want any
	}{
		"integers":                        {hostapi.Func(func(a, b int) int { return a + b }, "a", "b"), []any{1, 2}, 3},
		"small integers":                  {hostapi.Func(func(a int8, b uint16) int { return int(a) + int(b) }, "a", "b"), []any{-128, 65535}, 65407},
		"a bigint for 64 bits":            {hostapi.Func(func(a int64, b uint64) bool { return a == math.MinInt64 && b == math.MaxUint64 }, "a", "b"), []any{int64(math.MinInt64), uint64(math.MaxUint64)}, true},
		"floats":                          {hostapi.Func(func(a float64, b float32) float64 { return a + float64(b) }, "a", "b"), []any{1, 0.5}, 1.5},
		"a string":                        {hostapi.Func(strings.ToUpper, "s"), []any{"abc"}, "ABC"},
		"a named string":                  {hostapi.Func(func(l level) level { return l + "!" }, "l"), []any{"hot"}, "hot!"},
		"a boolean":                       {hostapi.Func(func(b bool) bool { return !b }, "b"), []any{true}, false},
		"bytes":                           {hostapi.Func(func(b []byte) []byte { return append(b, 3) }, "b"), []any{[]byte{1, 2}}, []byte{1, 2, 3}},
		"a date":                          {hostapi.Func(func(d time.Time) time.Time { return d.Add(time.Hour) }, "d"), []any{day}, day.Add(time.Hour)},
		"a bigint":                        {hostapi.Func(func(i *big.Int) *big.Int { return i }, "i"), []any{wide}, wide},
		"an integer for a bigint":         {hostapi.Func(func(i *big.Int) string { return i.String() }, "i"), []any{7}, "7"},
		"an array":                        {hostapi.Func(func(s []string) string { return strings.Join(s, "-") }, "s"), []any{[]string{"a", "b"}}, "a-b"},
		"an object":                       {hostapi.Func(func(m map[string]int) int { return m["a"] }, "m"), []any{map[string]int{"a": 4}}, 4},
		"plain data":                      {hostapi.Func(func(m map[string]any) any { return m["a"] }, "m"), []any{map[string]any{"a": []any{"x"}}}, []any{"x"}},
		"anything":                        {hostapi.Func(func(x any) any { return x }, "x"), []any{[]any{1, nil}}, []any{1, nil}},
		"null for anything":               {hostapi.Func(func(x any) bool { return x == nil }, "x"), []any{nil}, true},
		"a value":                         {hostapi.Func(func(v core.Value) string { return v.Text() }, "v"), []any{json.RawMessage(`{"b":1,"a":2}`)}, `{"b":1,"a":2}`},
		"values in an array":              {hostapi.Func(func(v []core.Value) int { return len(v) }, "v"), []any{[]any{1, nil}}, 2},
		"a type that reads text":          {hostapi.Func(func(a netip.Addr) string { return a.String() }, "a"), []any{"::1"}, "::1"},
		"raw JSON":                        {hostapi.Func(func(r json.RawMessage) string { return string(r) }, "r"), []any{[]any{1, "a"}}, `[1,"a"]`},
		"a struct":                        {hostapi.Func(func(q query) int { return q.ID + *q.Sub.Limit + len(q.Tags) + len(q.Meta["m"]) }, "q"), []any{json.RawMessage(`{"id":1,"text":null,"tags":["x"],"sub":{"limit":5},"meta":{"m":"hot"}}`)}, 10},
		"a pointer":                       {hostapi.Func(func(q *query) string { return q.Text }, "q"), []any{map[string]any{"text": "a"}}, "a"},
		"no pointer":                      {hostapi.Func(func(q *query) bool { return q == nil }, "q"), nil, true},
		"null for a pointer":              {hostapi.Func(func(i *int) bool { return i == nil }, "i"), []any{nil}, true},
		"an optional argument left out":   {hostapi.Func(func(s string, n int) string { return strings.Repeat(s, n+1) }, "s", "n?"), []any{"a"}, "a"},
		"null for an optional argument":   {hostapi.Func(func(s string, n int) string { return strings.Repeat(s, n+1) }, "s?", "n?"), []any{nil, nil}, ""},
		"an optional value left out":      {hostapi.Func(func(_ context.Context, v core.Value) (core.Value, error) { return v, nil }, "v?"), nil, nil},
		"arguments that nobody asked for": {hostapi.Func(func(s string) string { return s }, "s"), []any{"a", 1, 2}, "a"},
		"variadic":                        {hostapi.Func(func(s string, n ...int) int { return len(s) + len(n) }, "s", "n"), []any{"a", 1, 2}, 3},
		"variadic with none":              {hostapi.Func(func(n ...int) int { return len(n) }, "n"), nil, 0},
		"no result":                       {hostapi.Func(func() {}), nil, nil},
		"no error":                        {hostapi.Func(func(context.Context) error { return nil }), nil, nil},
		"a value and no error":            {hostapi.Func(func() (*int, error) { return &limit, nil }), nil, 3},
		"a nil result":                    {hostapi.Func(func() (*int, error) { return nil, nil }), nil, nil},
		"a struct as result":              {hostapi.Func(func() base { return base{ID: 2} }), nil, map[string]any{"id": 2}},
		"fast: text":                      {hostapi.Func(func(_ context.Context, s string) (string, error) { return s + s, nil }, "s"), []any{"a"}, "aa"},
		"fast: value of text":             {hostapi.Func(func(_ context.Context, s string) (core.Value, error) { return engine.String(s), nil }, "s"), []any{"a"}, "a"},
		"fast: text and value":            {hostapi.Func(func(_ context.Context, s string, v core.Value) (core.Value, error) { return v, nil }, "s", "v"), []any{"a", 1}, 1},
		"fast: object":                    {hostapi.Func(func(_ context.Context, m map[string]any) (any, error) { return len(m), nil }, "m"), []any{map[string]any{"a": 1}}, 1},
		"fast: test":                      {hostapi.Func(func(s string) bool { return s == "a" }, "s"), []any{"a"}, true},
		"fast: number":                    {hostapi.Func(math.Sqrt, "x"), []any{9}, 3},
		"fast: numbers":                   {hostapi.Func(math.Max, "a", "b"), []any{2.5, 1}, 2.5},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, test.fn, nil, test.args...)
			require.NoError(t, err)
			assert.Equal(t, engine.MustValueOf(test.want).Text(), got.Text())
		})
	}
}

func TestWrongArgumentsAreTypeErrorsThatNameThem(t *testing.T) {
	t.Parallel()
	takesString := hostapi.Func(func(context.Context, string) error { return nil }, "name")
	takesQuery := hostapi.Func(func(query) {}, "q")
	tests := map[string]struct {
		fn   *hostapi.Function
		args []any
		want string
	}{
		"a number for a string":         {takesString, []any{1}, "host.fn: name must be a string, got number"},
		"null for a string":             {takesString, []any{nil}, "host.fn: name must be a string, got null"},
		"nothing for a string":          {takesString, nil, "host.fn: name must be a string, got nothing"},
		"nothing for a value":           {hostapi.Func(func(core.Value) {}, "v"), nil, "host.fn: v must be a value, got nothing"},
		"an object for a boolean":       {hostapi.Func(func(bool) {}, "on"), []any{map[string]any{}}, "host.fn: on must be a boolean, got object"},
		"a fraction for an integer":     {hostapi.Func(func(int) {}, "n"), []any{1.5}, "host.fn: n must be an integer, got 1.5"},
		"NaN for an integer":            {hostapi.Func(func(uint) {}, "n"), []any{math.NaN()}, "host.fn: n must be an integer, got NaN"},
		"infinity for an integer":       {hostapi.Func(func(int) {}, "n"), []any{math.Inf(-1)}, "host.fn: n must be an integer, got -Infinity"},
		"a string for an integer":       {hostapi.Func(func(int) {}, "n"), []any{"1"}, "host.fn: n must be an integer, got string"},
		"an integer out of range":       {hostapi.Func(func(int8) {}, "n"), []any{128}, "host.fn: n must be an integer from -128 to 127, got 128"},
		"a negative unsigned":           {hostapi.Func(func(uint8) {}, "n"), []any{-1}, "host.fn: n must be an integer from 0 to 255, got -1"},
		"a bigint for 32 bits":          {hostapi.Func(func(int32) {}, "n"), []any{big.NewInt(1)}, "host.fn: n must be an integer, got bigint"},
		"a bigint out of range":         {hostapi.Func(func(uint64) {}, "n"), []any{big.NewInt(-1)}, "host.fn: n must be an integer from 0 to 18446744073709551615, got -1"},
		"a float out of range":          {hostapi.Func(func(float32) {}, "x"), []any{1e300}, "host.fn: x must be a number that 32 bits hold, got 1e+300"},
		"a string for a number":         {hostapi.Func(math.Sqrt, "x"), []any{"9"}, "host.fn: x must be a number, got string"},
		"a string for bytes":            {hostapi.Func(func([]byte) {}, "b"), []any{"9"}, "host.fn: b must be bytes, got string"},
		"a number for a date":           {hostapi.Func(func(time.Time) {}, "d"), []any{9}, "host.fn: d must be a date, got number"},
		"a fraction for a bigint":       {hostapi.Func(func(*big.Int) {}, "i"), []any{9.5}, "host.fn: i must be a bigint, got number"},
		"an object for an array":        {hostapi.Func(func([]int) {}, "list"), []any{map[string]any{}}, "host.fn: list must be an array, got object"},
		"an element of an array":        {hostapi.Func(func([]int) {}, "list"), []any{[]any{1, "a"}}, "host.fn: list[1] must be an integer, got string"},
		"a member of an object":         {hostapi.Func(func(map[string][]int) {}, "m"), []any{map[string]any{"a b": []any{nil}}}, `host.fn: m["a b"][0] must be an integer, got null`},
		"an array for an object":        {hostapi.Func(func(map[string]any) {}, "m"), []any{[]any{}}, "host.fn: m must be an object, got array"},
		"a string for a fast object":    {hostapi.Func(func(_ context.Context, m map[string]any) (any, error) { return nil, nil }, "m"), []any{""}, "host.fn: m must be an object, got string"},
		"a member of a struct":          {takesQuery, []any{map[string]any{"sub": map[string]any{"limit": "3"}}}, "host.fn: q.sub.limit must be an integer, got string"},
		"a misspelt member":             {takesQuery, []any{map[string]any{"limt": 3}}, "host.fn: q: unknown key limt; did you mean limit?"},
		"a misspelt member deep down":   {takesQuery, []any{map[string]any{"sub": map[string]any{"texd": 3}}}, "host.fn: q.sub: unknown key texd; did you mean text?"},
		"a member that is not for JSON": {takesQuery, []any{map[string]any{"Pairs": 1}}, "host.fn: q: unknown key Pairs"},
		"text that does not fit":        {hostapi.Func(func(netip.Addr) {}, "a"), []any{"nowhere"}, "host.fn: a does not fit: nowhere"},
		"an extra of a variadic":        {hostapi.Func(func(...int) {}, "n"), []any{1, "2"}, "host.fn: n[1] must be an integer, got string"},
		"an optional of a wrong type":   {hostapi.Func(func(int) {}, "n?"), []any{"2"}, "host.fn: n must be an integer, got string"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := call(t, test.fn, nil, test.args...)
			assert.Equal(t, &engine.GuestError{Name: "TypeError", Message: test.want}, err)
		})
	}
}

func TestErrorsOfFunctionsKeepTheirIdentity(t *testing.T) {
	t.Parallel()
	errBusy := errors.New("busy")
	functions := map[string]*hostapi.Function{
		"an error alone":      hostapi.Func(func() error { return errBusy }),
		"a value and error":   hostapi.Func(func() (int, error) { return 1, errBusy }),
		"fast":                hostapi.Func(func(context.Context, string) (string, error) { return "x", errBusy }, "s?"),
		"fast value":          hostapi.Func(func(context.Context, core.Value) (core.Value, error) { return core.Value{}, errBusy }, "s?"),
		"an error as a value": hostapi.Raw(func(context.Context, any, []core.Value) (core.Value, error) { return core.Value{}, errBusy }),
	}
	for name, fn := range functions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := call(t, fn, nil)
			assert.Same(t, errBusy, err)
			assert.True(t, got.IsNull())
		})
	}
}

func TestResultWithoutFormInJavaScriptNamesNoGoType(t *testing.T) {
	t.Parallel()
	_, err := call(t, hostapi.Func(func() any { return make(chan int) }), nil)
	require.Error(t, err)
	name, message := engine.GuestForm(err)
	assert.Equal(t, "Error", name)
	assert.Equal(t, "host.fn: the result cannot be given to a script", message)
	assert.ErrorContains(t, errors.Unwrap(err), "chan int")
}

func TestMethodsGetTheSelfOfTheirBinding(t *testing.T) {
	t.Parallel()
	d := hostapi.MustNew("counter", hostapi.Object{
		"add":   hostapi.Method((*counter).Add, "by"),
		"reset": hostapi.Method((*counter).Reset),
		"later": hostapi.AsyncMethod((*counter).Add, "by?"),
		"start": hostapi.ConstFrom(func(c *counter) int { return c.n }),
		"unit":  hostapi.Const("apples"),
	})
	one, err := d.Bind(&counter{n: 10})
	require.NoError(t, err)
	two := d.MustBind(&counter{})
	assert.Same(t, one.Shape, two.Shape)

	add := find(t, one, "counter.add")
	got, err := add.Call(t.Context(), one.Self, []core.Value{engine.Int(5)})
	require.NoError(t, err)
	assert.Equal(t, "15", got.Text())
	got, err = add.Call(t.Context(), two.Self, []core.Value{engine.Int(5)})
	require.NoError(t, err)
	assert.Equal(t, "5", got.Text())
	assert.Equal(t, []core.Value{engine.Int(10), engine.String("apples")}, one.Consts)
	assert.True(t, find(t, one, "counter.later").Async)

	_, err = d.Bind(nil)
	assert.EqualError(t, err, "host object: counter.add takes *hostapi_test.counter, not <nil>")
	_, err = d.Bind("text")
	assert.Error(t, err)
}

func TestSelfMayBeAnInterface(t *testing.T) {
	t.Parallel()
	d := hostapi.MustNew("who", hostapi.Object{
		"text": hostapi.ConstFrom(func(s interface{ String() string }) string { return s.String() }),
	})
	object, err := d.Bind(netip.IPv6Loopback())
	require.NoError(t, err)
	assert.Equal(t, "::1", object.Consts[0].Text())
	_, err = d.Bind(1)
	assert.Error(t, err)
}

func TestBindReportsAConstantThatCannotBeConverted(t *testing.T) {
	t.Parallel()
	d := hostapi.MustNew("host", hostapi.Object{"c": hostapi.ConstFrom(func(x any) any { return x })})
	_, err := d.Bind(make(chan int))
	assert.ErrorContains(t, err, "host object: constant host.c: ")
	assert.Panics(t, func() { d.MustBind(make(chan int)) })
}

func TestMembersStandInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	d := hostapi.MustNew("host", hostapi.Object{
		"b": hostapi.Object{"y": hostapi.Const(1), "x": hostapi.Const(2)},
		"a": hostapi.Func(func() {}).With(hostapi.Object{"z": hostapi.Func(func() {})}),
		"c": hostapi.Object{},
	})
	object := d.MustBind(nil)
	fields := object.Shape.Fields()
	require.Len(t, fields, 3)
	assert.Equal(t, "a", fields[0].Name)
	assert.Equal(t, "host.a.z", fields[0].Fields[0].Func.Path)
	assert.Equal(t, "x", fields[1].Fields[0].Name)
	assert.Equal(t, engine.Int(2), object.Consts[fields[1].Fields[0].Slot])
	assert.NotNil(t, fields[2].Fields)
	assert.Equal(t, "host", d.Name())
}

func TestUnusableDefinitionsFailWithAReason(t *testing.T) {
	t.Parallel()
	type quoted struct {
		N int `json:"n,string"`
	}
	type embeds struct{ *base }
	tests := map[string]struct {
		name    string
		members hostapi.Object
		want    string
	}{
		"a global name with a dash":   {"a-b", nil, `the global name "a-b" is no identifier`},
		"no global name":              {"", nil, `the global name "" is no identifier`},
		"an empty member name":        {"h", hostapi.Object{"": hostapi.Const(1)}, "a member of h has no name"},
		"a prototype":                 {"h", hostapi.Object{"__proto__": hostapi.Const(1)}, "h.__proto__ cannot be declared"},
		"a nil member":                {"h", hostapi.Object{"a": nil}, "h.a is nil"},
		"a nil function value":        {"h", hostapi.Object{"a": (*hostapi.Function)(nil)}, "h.a is a nil function"},
		"no function":                 {"h", hostapi.Object{"a": hostapi.Func(3)}, "function h.a: got int instead of a Go function"},
		"a nil Go function":           {"h", hostapi.Object{"a": hostapi.Func((func())(nil))}, "function h.a: the Go function is nil"},
		"too few names":               {"h", hostapi.Object{"a": hostapi.Func(func(a, b int) {}, "a")}, "1 parameter names are given for 2 parameters of func(int, int)"},
		"too many names":              {"h", hostapi.Object{"a": hostapi.Func(func(context.Context) {}, "a")}, "1 parameter names are given for 0 parameters"},
		"an empty name":               {"h", hostapi.Object{"a": hostapi.Func(func(a int) {}, "?")}, "parameter 1 has no name"},
		"a channel":                   {"h", hostapi.Object{"a": hostapi.Func(func(chan int) {}, "c")}, "a parameter of type chan int cannot be given by a script"},
		"an interface":                {"h", hostapi.Object{"a": hostapi.Func(func(error) {}, "c")}, "a parameter of type error cannot be given by a script"},
		"keys that are no strings":    {"h", hostapi.Object{"a": hostapi.Func(func(map[int]int) {}, "c")}, "keys are strings"},
		"a duration":                  {"h", hostapi.Object{"a": hostapi.Func(func(time.Duration) {}, "d")}, "use milliseconds as a number"},
		"a duration as result":        {"h", hostapi.Object{"a": hostapi.Func(func() time.Duration { return 0 })}, "use milliseconds as a number"},
		"a channel deep in a struct":  {"h", hostapi.Object{"a": hostapi.Func(func([]struct{ C chan int }) {}, "c")}, "field C of struct { C chan int }"},
		"a quoted number":             {"h", hostapi.Object{"a": hostapi.Func(func(quoted) {}, "c")}, `the json option "string" is not supported`},
		"an embedded pointer":         {"h", hostapi.Object{"a": hostapi.Func(func(embeds) {}, "c")}, "embeds a pointer"},
		"two results":                 {"h", hostapi.Object{"a": hostapi.Func(func() (int, int) { return 1, 2 })}, "more results than a value and an error"},
		"a function as result":        {"h", hostapi.Object{"a": hostapi.Func(func() []func() { return nil })}, "a result of type func() cannot be given to a script"},
		"an optional variadic":        {"h", hostapi.Object{"a": hostapi.Func(func(...int) {}, "n?")}, "parameter n is variadic and so optional by itself"},
		"a method without self":       {"h", hostapi.Object{"a": hostapi.Method(func(context.Context) {})}, "function h.a: the method takes no self"},
		"methods of two types":        {"h", hostapi.Object{"a": hostapi.Method((*counter).Reset), "b": hostapi.ConstFrom(func(int) int { return 1 })}, "h.b takes int, but h.a takes *hostapi_test.counter"},
		"a constant that has no form": {"h", hostapi.Object{"a": hostapi.Const(make(chan int))}, "constant h.a: "},
		"a bound constant of no form": {"h", hostapi.Object{"a": hostapi.ConstFrom(func(int) chan int { return nil })}, "constant h.a: "},
		"a bound constant of nothing": {"h", hostapi.Object{"a": hostapi.ConstFrom[int, int](nil)}, "constant h.a has no Go function"},
		"something below a function":  {"h", hostapi.Object{"a": hostapi.Func(func() {}).With(hostapi.Object{"b": nil})}, "h.a.b is nil"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := hostapi.New(test.name, test.members)
			require.ErrorContains(t, err, test.want)
			assert.Panics(t, func() { hostapi.MustNew(test.name, test.members) })
		})
	}
}

func BenchmarkCall(b *testing.B) {
	functions := map[string]*hostapi.Function{
		"fast":       hostapi.Func(func(_ context.Context, s string, v core.Value) (core.Value, error) { return v, nil }, "s", "v"),
		"reflection": hostapi.Method(func(_ context.Context, _ *counter, s string, v core.Value) (core.Value, error) { return v, nil }, "s", "v"),
	}
	for name, fn := range functions {
		b.Run("path="+name, func(b *testing.B) {
			object := hostapi.MustNew("host", hostapi.Object{"fn": fn}).MustBind(&counter{})
			target := find(b, object, "host.fn")
			args := []core.Value{engine.String("name"), engine.Object()}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := target.Call(b.Context(), object.Self, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
