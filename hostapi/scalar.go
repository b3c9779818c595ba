package hostapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

func readString(v core.Value, target reflect.Value) *mismatch {
	s, ok := v.AsString()
	if !ok {
		return wrong("a string", v)
	}
	target.SetString(s)
	return nil
}

func readBool(v core.Value, target reflect.Value) *mismatch {
	b, ok := v.AsBool()
	if !ok {
		return wrong("a boolean", v)
	}
	target.SetBool(b)
	return nil
}

func readInt(v core.Value, target reflect.Value) *mismatch {
	i, ok := v.AsInt()
	if !ok {
		wide, isWide := v.AsBigInt()
		if !isWide || target.Type().Bits() < 64 {
			return noInteger(v)
		}
		if !wide.IsInt64() {
			return outOfRange(v, math.MinInt64, math.MaxInt64)
		}
		i = wide.Int64()
	}
	if target.OverflowInt(i) {
		highest := int64(1)<<(target.Type().Bits()-1) - 1
		return outOfRange(v, -highest-1, uint64(highest))
	}
	target.SetInt(i)
	return nil
}

func readUint(v core.Value, target reflect.Value) *mismatch {
	highest := uint64(math.MaxUint64) >> (64 - target.Type().Bits())
	i, ok := v.AsInt()
	u := uint64(i)
	if !ok {
		wide, isWide := v.AsBigInt()
		if !isWide || target.Type().Bits() < 64 {
			return noInteger(v)
		}
		if !wide.IsUint64() {
			return outOfRange(v, 0, highest)
		}
		u = wide.Uint64()
	}
	if i < 0 || u > highest {
		return outOfRange(v, 0, highest)
	}
	target.SetUint(u)
	return nil
}

// noInteger is about a value that is no integer; -0 counts as none, as its sign
// would be lost.
func noInteger(v core.Value) *mismatch {
	if v.Kind() != engine.KindFloat {
		return wrong("an integer", v)
	}
	f, _ := v.AsFloat()
	return &mismatch{text: " must be an integer, got " + numberText(f)}
}

// numberText is a number as JavaScript shows it in messages.
func numberText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.Replace(strconv.FormatFloat(f, 'g', -1, 64), "Inf", "Infinity", 1)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func outOfRange(v core.Value, lowest int64, highest uint64) *mismatch {
	shown := v.Text()
	if wide, ok := v.AsBigInt(); ok {
		shown = wide.String()
	}
	return &mismatch{text: fmt.Sprintf(" must be an integer from %d to %d, got %s", lowest, highest, engine.CutText(shown, maxShown))}
}

func readFloat(v core.Value, target reflect.Value) *mismatch {
	f, ok := v.AsFloat()
	if !ok {
		return wrong("a number", v)
	}
	if !math.IsInf(f, 0) && target.OverflowFloat(f) {
		return &mismatch{text: " must be a number that 32 bits hold, got " + numberText(f)}
	}
	target.SetFloat(f)
	return nil
}

func readTime(v core.Value, target reflect.Value) *mismatch {
	t, ok := v.AsTime()
	if !ok {
		return wrong("a date", v)
	}
	*target.Addr().Interface().(*time.Time) = t
	return nil
}

func readBigInt(v core.Value, target reflect.Value) *mismatch {
	i, ok := v.AsBigInt()
	if !ok {
		small, isSmall := v.AsInt()
		if !isSmall {
			return wrong("a bigint", v)
		}
		i = big.NewInt(small)
	}
	target.Set(reflect.ValueOf(i))
	return nil
}

func readBytes(v core.Value, target reflect.Value) *mismatch {
	b, ok := v.AsBytes()
	if !ok {
		return wrong("bytes", v)
	}
	target.SetBytes(bytes.Clone(b))
	return nil
}

// readJSON serves types that read themselves. What they say of an unfit value may
// name Go types, so the script is not told.
func readJSON(v core.Value, target reflect.Value) *mismatch {
	if json.Unmarshal(v.AppendJSON(nil), target.Addr().Interface()) != nil {
		return &mismatch{text: " does not fit: " + engine.CutText(v.Text(), maxShown)}
	}
	return nil
}
