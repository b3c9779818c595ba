package engine_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "github.com/ringfence-js/ringfence/core/engine"
)

func TestValueSaysItsKindAndGivesItsContent(t *testing.T) {
	t.Parallel()
	day := time.Date(2024, 2, 29, 12, 0, 0, 123_456_789, time.FixedZone("", 3600))
	big1 := new(big.Int).Lsh(big.NewInt(1), 80)
	tests := []struct {
		name string
		v    Value
		kind Kind
		any  any
		json string
	}{
		{"the zero value is null", Value{}, KindNull, nil, `null`},
		{"a boolean", Bool(true), KindBool, true, `true`},
		{"an integral number", Float(42), KindInt, int64(42), `42`},
		{"the largest safe integer", Float(1<<53 - 1), KindInt, int64(1<<53 - 1), `9007199254740991`},
		{"a number beyond the safe integers", Float(1 << 53), KindFloat, float64(1 << 53), `9007199254740992`},
		{"an integer beyond the safe integers", Int(1<<53 + 1), KindBigInt, big.NewInt(1<<53 + 1), `"9007199254740993"`},
		{"a fraction", Float(0.1), KindFloat, 0.1, `0.1`},
		{"a huge number", Float(1e21), KindFloat, 1e21, `1e+21`},
		{"a tiny number", Float(1e-7), KindFloat, 1e-7, `1e-7`},
		{"an infinity", Float(math.Inf(-1)), KindFloat, math.Inf(-1), `null`},
		{"a bigint", BigInt(big1), KindBigInt, big1, `"1208925819614629174706176"`},
		{"a string", String("a\x00\"\\\n\u2028é"), KindString, "a\x00\"\\\n\u2028é", `"a\u0000\"\\\n\u2028é"`},
		{"an empty string", String(""), KindString, "", `""`},
		{"a date, in UTC and milliseconds", Time(day), KindTime, day.UTC().Truncate(time.Millisecond), `"2024-02-29T11:00:00.123Z"`},
		{"a date of a year beyond four digits", Time(time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)), KindTime, time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC), `"+012345-01-01T00:00:00.000Z"`},
		{"bytes", Bytes([]byte{1, 2, 255}), KindBytes, []byte{1, 2, 255}, `"AQL/"`},
		{"no bytes", Bytes(nil), KindBytes, []byte{}, `""`},
		{"an array", List(Int(1), Value{}, String("x")), KindList, []any{int64(1), nil, "x"}, `[1,null,"x"]`},
		{"an empty array", List(), KindList, []any{}, `[]`},
		{"an object, in order", Object(Member{"b", Int(1)}, Member{"a", Object()}), KindObject, map[string]any{"b": int64(1), "a": map[string]any{}}, `{"b":1,"a":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.kind, test.v.Kind())
			assert.Empty(t, cmp.Diff(test.any, test.v.Any(), cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })))
			got, err := json.Marshal(test.v)
			require.NoError(t, err)
			assert.Equal(t, test.json, string(got))
			assert.True(t, test.v.Equal(test.v))
			assert.Equal(t, test.kind == KindNull, test.v.IsNull())
		})
	}
}

func TestNumbersThatAreNoIntegersKeepWhatTheyAre(t *testing.T) {
	t.Parallel()
	minusZero := Float(math.Copysign(0, -1))
	assert.Equal(t, KindFloat, minusZero.Kind())
	f, ok := minusZero.AsFloat()
	assert.True(t, ok && math.Signbit(f))
	assert.Equal(t, "0", string(minusZero.AppendJSON(nil)))
	assert.False(t, minusZero.Equal(Int(0)))
	assert.True(t, Float(math.NaN()).Equal(Float(math.NaN())))
	f, _ = Int(7).AsFloat()
	assert.Equal(t, 7.0, f)
}

func TestAccessorsRefuseOtherKinds(t *testing.T) {
	t.Parallel()
	v := List()
	_, isBool := v.AsBool()
	_, isInt := v.AsInt()
	_, isFloat := v.AsFloat()
	_, isBig := v.AsBigInt()
	_, isString := v.AsString()
	_, isTime := v.AsTime()
	_, isBytes := v.AsBytes()
	_, isObject := v.Members()
	_, isMember := v.Get("x")
	assert.Equal(t, [9]bool{}, [9]bool{isBool, isInt, isFloat, isBig, isString, isTime, isBytes, isObject, isMember})
	_, isList := Object().Items()
	assert.False(t, isList)
}

func TestValueOfConvertsGoData(t *testing.T) {
	t.Parallel()
	type row struct {
		Name string    `json:"name"`
		When time.Time `json:"when"`
		Skip int       `json:"-"`
	}
	type id string
	n := 5
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"nil", nil, `null`},
		{"a nil pointer", (*int)(nil), `null`},
		{"a pointer", &n, `5`},
		{"small integer types", []any{int8(-1), uint16(2), uint64(3)}, `[-1,2,3]`},
		{"an unsigned integer that a number cannot hold", uint64(math.MaxUint64), `"18446744073709551615"`},
		{"a named string", id("x"), `"x"`},
		{"a typed slice", []string{"a"}, `["a"]`},
		{"a nil slice", []string(nil), `null`},
		{"a map, keys sorted", map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
		{"a map with other keys, as JSON", map[int]string{1: "x"}, `{"1":"x"}`},
		{"a struct, as JSON", row{Name: "n", When: time.Unix(0, 0).UTC()}, `{"name":"n","when":"1970-01-01T00:00:00Z"}`},
		{"raw JSON, in order", json.RawMessage(`{"z":1,"a":[true]}`), `{"z":1,"a":[true]}`},
		{"an error", errors.New("boom"), `{"name":"Error","message":"boom"}`},
		{"a value in a map", map[string]any{"v": Int(1)}, `{"v":1}`},
		{"__proto__ as a key", map[string]any{"__proto__": 1}, `{"__proto__":1}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := ValueOf(test.in)
			require.NoError(t, err)
			assert.Equal(t, test.want, string(v.AppendJSON(nil)))
		})
	}
}

func TestValueOfRefusesWhatHasNoForm(t *testing.T) {
	t.Parallel()
	type node map[string]any
	cycle := node{}
	cycle["self"] = cycle
	for _, x := range []any{func() {}, make(chan int), []any{complex(1, 1)}, cycle} {
		_, err := ValueOf(x)
		assert.Error(t, err)
	}
	assert.Panics(t, func() { MustValueOf(func() {}) })
}

func TestValueIsACopyOfWhatItWasMadeFrom(t *testing.T) {
	t.Parallel()
	data := []byte("abc")
	number := big.NewInt(1)
	v, w := MustValueOf(data), BigInt(number)
	data[0] = 'x'
	number.SetInt64(9)
	assert.Equal(t, []byte("abc"), v.Any())
	got, _ := w.AsBigInt()
	got.SetInt64(5)
	assert.Equal(t, `"1"`, string(w.AppendJSON(nil)))
}

func TestParseJSONKeepsOrderAndRefusesWhatFollows(t *testing.T) {
	t.Parallel()
	v, err := ParseJSON([]byte(` {"z":1,"a":{"y":[1.5,"é"]},"z":2} `))
	require.NoError(t, err)
	assert.Equal(t, `{"z":2,"a":{"y":[1.5,"é"]}}`, v.Text())
	for _, bad := range []string{``, `{`, `1 2`, `[1,]`, `nul`, strings.Repeat("[", 20_000)} {
		_, err := ParseJSON([]byte(bad))
		assert.Error(t, err, bad)
	}
}

func TestDecodeFillsAStruct(t *testing.T) {
	t.Parallel()
	var target struct {
		Name string
		Data []byte
		When time.Time
	}
	v := Object(Member{"name", String("n")}, Member{"data", Bytes([]byte{1})}, Member{"when", Time(time.Unix(1, 0))})
	require.NoError(t, v.Decode(&target))
	assert.Equal(t, "n", target.Name)
	assert.Equal(t, []byte{1}, target.Data)
	assert.Equal(t, time.Unix(1, 0).UTC(), target.When)
}

func TestInvalidUTF8BecomesTheReplacementCharacterInJSON(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "\"a\uFFFDb\"", string(String("a\xffb").AppendJSON(nil)))
	assert.True(t, json.Valid(String("\xf5\x00").AppendJSON(nil)))
}

// ToolFailure is an error type with an exported name.
type ToolFailure struct{}

func (ToolFailure) Error() string { return "failed" }

type selfNamed struct{}

func (selfNamed) Error() string     { return "m" }
func (selfNamed) ErrorName() string { return "QuotaExceeded" }

func TestGuestFormTellsNameAndMessageOnly(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err           error
		name, message string
	}{
		{errors.New("plain"), "Error", "plain"},
		{ToolFailure{}, "ToolFailure", "failed"},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, "PathError", "open x: file does not exist"},
		{errors.Join(selfNamed{}), "QuotaExceeded", "m"},
		{&GuestError{Name: "TypeError", Message: "bad"}, "TypeError", "bad"},
	}
	for _, test := range tests {
		name, message := GuestForm(test.err)
		assert.Equal(t, test.name, name)
		assert.Equal(t, test.message, message)
	}
	assert.True(t, IsGuestError(&GuestError{}))
	assert.False(t, IsGuestError(ToolFailure{}))
}
