package hostapi

import (
	"context"
	"reflect"

	"github.com/ringfence-js/ringfence/core"
	"github.com/ringfence-js/ringfence/core/engine"
)

type runFunc = func(ctx context.Context, self any, args []core.Value) (core.Value, error)

// fastPath returns how a function of a common signature is called without
// reflection, or nil. Each behaves as reflected does.
func (c *call) fastPath(fn any) runFunc {
	switch fn := fn.(type) {
	case func(context.Context, core.Value) (core.Value, error):
		return func(ctx context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, asValue)
			if err != nil {
				return core.Value{}, err
			}
			return fn(ctx, a)
		}
	case func(context.Context, string) (core.Value, error):
		return func(ctx context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, core.Value.AsString)
			if err != nil {
				return core.Value{}, err
			}
			return fn(ctx, a)
		}
	case func(context.Context, string) (string, error):
		return func(ctx context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, core.Value.AsString)
			if err != nil {
				return core.Value{}, err
			}
			s, err := fn(ctx, a)
			if err != nil {
				return core.Value{}, err
			}
			return engine.String(s), nil
		}
	case func(context.Context, string, core.Value) (core.Value, error):
		return func(ctx context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, core.Value.AsString)
			if err != nil {
				return core.Value{}, err
			}
			b, err := argument(c, 1, args, asValue)
			if err != nil {
				return core.Value{}, err
			}
			return fn(ctx, a, b)
		}
	case func(context.Context, map[string]any) (any, error):
		return func(ctx context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, asMap)
			if err != nil {
				return core.Value{}, err
			}
			result, err := fn(ctx, a)
			if err != nil {
				return core.Value{}, err
			}
			return c.convert(result)
		}
	case func(string) string:
		return func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, core.Value.AsString)
			if err != nil {
				return core.Value{}, err
			}
			return engine.String(fn(a)), nil
		}
	case func(string) bool:
		return func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, core.Value.AsString)
			if err != nil {
				return core.Value{}, err
			}
			return engine.Bool(fn(a)), nil
		}
	case func(float64) float64:
		return func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, core.Value.AsFloat)
			if err != nil {
				return core.Value{}, err
			}
			return engine.Float(fn(a)), nil
		}
	case func(float64, float64) float64:
		return func(_ context.Context, _ any, args []core.Value) (core.Value, error) {
			a, err := argument(c, 0, args, core.Value.AsFloat)
			if err != nil {
				return core.Value{}, err
			}
			b, err := argument(c, 1, args, core.Value.AsFloat)
			if err != nil {
				return core.Value{}, err
			}
			return engine.Float(fn(a, b)), nil
		}
	}
	return nil
}

// argument returns the argument for parameter i. What as cannot take goes the way
// of every other type.
func argument[T any](c *call, i int, args []core.Value, as func(core.Value) (T, bool)) (T, error) {
	if i < len(args) {
		if x, ok := as(args[i]); ok {
			return x, nil
		}
	}
	var x T
	err := c.read(i, args, reflect.ValueOf(&x).Elem())
	return x, err
}

func asValue(v core.Value) (core.Value, bool) { return v, true }

func asMap(v core.Value) (map[string]any, bool) {
	object, ok := v.Any().(map[string]any)
	return object, ok
}
