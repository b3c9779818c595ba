package wire_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/core/engine"
	"github.com/ringfence-js/ringfence/internal/wire"
)

var limits = engine.Limits{ResultNodes: 10_000, ResultDepth: 64, ResultBytes: 1 << 20}

func huge() *big.Int { return new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 200)) }

var values = map[string]engine.Value{
	"null":            engine.Null(),
	"true":            engine.Bool(true),
	"false":           engine.Bool(false),
	"integer":         engine.Int(-42),
	"largest integer": engine.Int(1<<53 - 1),
	"fraction":        engine.Float(1.5),
	"large number":    engine.Float(1e300),
	"beyond 2^53":     engine.Float(1 << 60),
	"NaN":             engine.Float(math.NaN()),
	"infinity":        engine.Float(math.Inf(1)),
	"-infinity":       engine.Float(math.Inf(-1)),
	"-0":              engine.Float(math.Copysign(0, -1)),
	"bigint":          engine.BigInt(huge()),
	"bigint 0":        engine.BigInt(new(big.Int)),
	"empty string":    engine.String(""),
	"string":          engine.String("a\u0000b\"\\\n\u2028😀ü\uFFFD"),
	"date":            engine.Time(time.UnixMilli(-62198755200000)),
	"bytes":           engine.Bytes([]byte{0, 1, 0x1F, '"', '\\', 0x7F, 0x80, 0xFF}),
	"no bytes":        engine.Bytes([]byte{}),
	"empty list":      engine.List(),
	"empty object":    engine.Object(),
	"list":            engine.List(engine.Null(), engine.List(engine.Int(1)), engine.String("x")),
	"object": engine.Object(engine.Member{Key: "__proto__", Value: engine.Int(1)},
		engine.Member{Key: "b", Value: engine.Object(engine.Member{Key: "0", Value: engine.Bool(true)})}),
	"an object with an empty key": engine.Object(engine.Member{Key: "", Value: engine.List(engine.String("n"), engine.String("NaN"))}),
	"an empty key among others": engine.List(engine.Object(engine.Member{Key: "a", Value: engine.Int(1)},
		engine.Member{Key: "", Value: engine.Float(math.NaN())})),
}

func TestValuesGoThroughUnchanged(t *testing.T) {
	t.Parallel()
	for name, v := range values {
		got, err := wire.Decode(wire.Append(nil, v), engine.NewBudget(limits))
		if assert.NoError(t, err, name) {
			assert.True(t, v.Equal(got), "%s: binary: %s", name, got)
		}
		text, _ := wire.AppendText(nil, v)
		got, err = wire.ParseText(string(text), engine.NewBudget(limits))
		if assert.NoError(t, err, "%s: %s", name, text) {
			assert.True(t, v.Equal(got), "%s: text %s: %s", name, text, got)
		}
	}
}

func TestEveryCutIsAnError(t *testing.T) {
	t.Parallel()
	for name, v := range values {
		data := wire.Append(nil, v)
		for i := range data {
			_, err := wire.Decode(data[:i], engine.NewBudget(limits))
			assert.ErrorIs(t, err, wire.ErrMalformed, name)
		}
		text, escaped := wire.AppendText(nil, v)
		if !escaped && v.Kind() != engine.KindList && v.Kind() != engine.KindObject {
			continue // a number may be cut to a number
		}
		for i := range text {
			_, err := wire.ParseText(string(text[:i]), engine.NewBudget(limits))
			assert.ErrorIs(t, err, wire.ErrMalformed, "%s: %s", name, text[:i])
		}
	}
}

func TestForgedInputIsAnError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "nul", "+1", "01x", "-", "1e999", "[1,]", "[,1]", "[1", `{"a":1,}`, `{"a" :1}`, `"\x"`, `"\u12"`, "\"\n\"", "1 ", "{} {}",
		`{"":1}`, `{"":["n","1"]}`, `{"":["x",1]}`, `{"":["n","NaN"],"a":1}`, `{"":["i","0x1"]}`, `{"":["i",""]}`, `{"":["i","_1"]}`, `{"":["i","+1"]}`,
		`{"":["d",1.5]}`, `{"":["d","1"]}`, `{"":["b","\u0100"]}`, `{"":["m",{}]}`, `{"":["m",["a"]]}`, `{"":["m",["a",1,]]}`, `{"":["m",[1,1]]}`, `{"":["n"]}`, `{"a":1,"":2}`, `{"":["n","NaN","NaN"]}`,
	} {
		_, err := wire.ParseText(text, engine.NewBudget(limits))
		assert.ErrorIs(t, err, wire.ErrMalformed, text)
	}
	for _, data := range []string{
		"\x0b", "\xff", "\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x06\xff\xff\xff\xff\x0f", "\x0a\x01\x00", "\x00\x00",
		"\x03\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\x05\x02\x01\x01",
	} {
		_, err := wire.Decode([]byte(data), engine.NewBudget(limits))
		assert.ErrorIs(t, err, wire.ErrMalformed, "%q", data)
	}
}

func TestLimitsHoldWhileReading(t *testing.T) {
	t.Parallel()
	small := engine.Limits{ResultNodes: 3, ResultDepth: 2, ResultBytes: 4}
	for _, tc := range []struct {
		name, text, limit string
	}{
		{"as many nodes as allowed", "[1,[2]]", ""},
		{"a node too many", "[1,2,3,4]", engine.LimitResultNodes},
		{"members count as nodes", `{"a":{"b":1},"c":1,"d":1}`, engine.LimitResultNodes},
		{"the deepest that is allowed", "[[1]]", ""},
		{"empty containers are no deeper", "[[[]]]", ""},
		{"too deep", "[[[1]]]", engine.LimitResultDepth},
		{"as much text as allowed", `{"ab":"cd"}`, ""},
		{"too much text", `{"ab":"cde"}`, engine.LimitResultBytes},
		{"too much binary data", `{"":["b","abcde"]}`, engine.LimitResultBytes},
	} {
		v, err := wire.ParseText(tc.text, engine.NewBudget(small))
		if tc.limit == "" {
			require.NoError(t, err, tc.name)
			_, err = wire.Decode(wire.Append(nil, v), engine.NewBudget(small))
			require.NoError(t, err, tc.name)
			continue
		}
		assert.Equal(t, tc.limit, limitOf(err), tc.name)
		v, err = wire.ParseText(tc.text, engine.NewBudget(limits))
		require.NoError(t, err)
		_, err = wire.Decode(wire.Append(nil, v), engine.NewBudget(small))
		assert.Equal(t, tc.limit, limitOf(err), tc.name)
	}
}

func limitOf(err error) string {
	var limit *engine.LimitError
	if errors.As(err, &limit) {
		return limit.Limit
	}
	return ""
}

func TestTextsAreArgumentsOfOneCall(t *testing.T) {
	t.Parallel()
	b := engine.NewBudget(engine.Limits{ResultNodes: 2, ResultDepth: 1, ResultBytes: 10})
	list, err := wire.ParseTexts(`[1,"a",[2],{"b":3}]`, b)
	require.NoError(t, err)
	assert.Len(t, list, 4)
	list, err = wire.ParseTexts("[]", b)
	require.NoError(t, err)
	assert.Empty(t, list)
	for _, text := range []string{"", "{}", "[1", "[1,]", "[,]", "[1]1"} {
		_, err = wire.ParseTexts(text, b)
		assert.ErrorIs(t, err, wire.ErrMalformed, text)
	}
}

func TestLoneSurrogatesBecomeReplacementCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"\ud83d\ude00"`: "😀", `"\ud83d"`: "\uFFFD", `"\ude00\ud83d"`: "\uFFFD\uFFFD", `"\ud83dx"`: "\uFFFDx", `"\ud83d\u0041"`: "\uFFFDA",
		"\"\xff\"": "\uFFFD",
	} {
		v, err := wire.ParseText(text, engine.NewBudget(limits))
		require.NoError(t, err, text)
		s, _ := v.AsString()
		assert.Equal(t, want, s, text)
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range values {
		f.Add(wire.Append(nil, v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Decode(data, engine.NewBudget(limits))
		if err != nil {
			return
		}
		again, err := wire.Decode(wire.Append(nil, v), engine.NewBudget(limits))
		require.NoError(t, err)
		require.True(t, v.Equal(again))
	})
}

func FuzzParseText(f *testing.F) {
	for _, v := range values {
		text, _ := wire.AppendText(nil, v)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := wire.ParseText(text, engine.NewBudget(limits))
		if err != nil {
			return
		}
		written, _ := wire.AppendText(nil, v)
		again, err := wire.ParseText(string(written), engine.NewBudget(limits))
		require.NoError(t, err, "%s", written)
		require.True(t, v.Equal(again), "%s", written)
	})
}

func rows() engine.Value {
	list := make([]engine.Value, 10_000)
	for i := range list {
		list[i] = engine.Object(engine.Member{Key: "id", Value: engine.Int(int64(i))}, engine.Member{Key: "name", Value: engine.String("row" + strings.Repeat("x", i%7))})
	}
	return engine.List(list...)
}

func BenchmarkRead(b *testing.B) {
	wide := engine.Limits{ResultNodes: 1_000_000, ResultDepth: 64, ResultBytes: 1 << 24}
	v := rows()
	text, _ := wire.AppendText(nil, v)
	data := wire.Append(nil, v)
	b.Run("form=text", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := wire.ParseText(string(text), engine.NewBudget(wide)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("form=binary", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := wire.Decode(data, engine.NewBudget(wide)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
