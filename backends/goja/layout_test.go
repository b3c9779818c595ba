package goja

import (
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A goja that is laid out otherwise must not go unnoticed: the messages say which
// part is missing.
func TestLayoutOfThisGoja(t *testing.T) {
	t.Parallel()
	l, err := goLayout()
	require.NoError(t, err)
	_, err = guardedTemplates()
	require.NoError(t, err)

	rt := goja.New()
	depth := l.depthOf(rt)
	assert.Empty(t, *depth)
	require.NoError(t, rt.Set("depth", func() int { return len(*depth) }))
	v, err := rt.RunString("(function () { return [depth(), (() => depth())()] })()")
	require.NoError(t, err)
	var got []int
	require.NoError(t, rt.ExportTo(v, &got))
	assert.Equal(t, 1, got[1]-got[0], "one call, one more on the stack")

	assert.Same(t, rt.Get("RangeError"), l.original(rt, "RangeError"))
	require.NoError(t, rt.Set("Date", 1))
	assert.Equal(t, "Date", l.original(rt, "Date").Get("name").String())
}

// Other runtimes of the process must not notice that there are guards.
func TestOtherRuntimesAreLeftAlone(t *testing.T) {
	t.Parallel()
	require.Equal(t, "1", value(t, "[1].join()+''")[1:2])
	rt := goja.New()
	v, err := rt.RunString("typeof GoError + ' ' + 'x'.repeat(3) + ' ' + eval('1+1') + ' ' + [1, 2].join('-')")
	require.NoError(t, err)
	assert.Equal(t, "function xxx 2 1-2", v.String())
}
