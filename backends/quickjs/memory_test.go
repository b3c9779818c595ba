//go:build wip && !386 && !arm

package quickjs

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClassesFitTheirSizes(t *testing.T) {
	t.Parallel()
	for class := 1; class <= classes; class++ {
		size := classSize(class)
		require.Equal(t, class, classFor(size), "the size of class %d is %d", class, size)
		require.Zero(t, size%16, "class %d", class)
		if class > 1 {
			require.Equal(t, class, classFor(classSize(class-1)+1), "just above class %d", class-1)
		}
	}
	require.Equal(t, int64(classLimit), classSize(classes))
	require.Equal(t, 1, classFor(0))
	require.Greater(t, classFor(classLimit+1), classes)
}
