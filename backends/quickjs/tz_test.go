//go:build wip && !386 && !arm

package quickjs

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTimesAreUTC(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `[0,0,1970,"2020-01-01T00:00:00.000Z","2020-07-01T00:00:00.000Z"]`, valueOfScript(t,
		"const d = new Date(0); [d.getHours(), d.getTimezoneOffset(), d.getFullYear(), new Date(2020, 0, 1).toISOString(), new Date('2020-07-01T00:00').toISOString()]"))
}
