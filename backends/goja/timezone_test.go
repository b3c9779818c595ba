package goja

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// utcScript shows everything of Date that depends on a time zone.
const utcScript = `
	const d = new Date(Date.UTC(2024, 6, 15, 23, 30, 15, 250));
	const set = new Date(d); set.setHours(1, 2, 3, 4); set.setMonth(0); set.setDate(31); set.setFullYear(2023); set.setMinutes(9); set.setSeconds(8); set.setMilliseconds(7);
	[d.getFullYear(), d.getMonth(), d.getDate(), d.getDay(), d.getHours(), d.getMinutes(), d.getSeconds(), d.getMilliseconds(), d.getTimezoneOffset(),
	 d.toString(), '' + d, d.toDateString(), d.toTimeString(), d.toLocaleString(), d.toLocaleDateString(), d.toLocaleTimeString(), d.toISOString(), d.toUTCString(), JSON.stringify(d),
	 set.toISOString(),
	 new Date(2024, 6, 15).toISOString(), new Date(2024, 6).toISOString(), new Date(24, 0, 2, 3, 4, 5, 6).toISOString(), new Date(0).toISOString(),
	 ...['2024-07-15T10:00:00', '2024-07-15T10:00', '2024-07-15', '2024-07', '2024-07-15T10:00:00Z', '2024-07-15T10:00:00+02:00',
	     'Jul 15 2024 10:00', 'July 15, 2024', 'Mon Jul 15 2024 10:00:00 GMT+0200', 'Mon, 15 Jul 2024 10:00:00 GMT', '2024-03-10 02:30:00'].map(s => new Date(s).toISOString() + ' ' + Date.parse(s)),
	 new Date(new String('2024-07-15T10:00:00')).toISOString(), String(new Date(NaN)), new Date(NaN).getTimezoneOffset(), new Date('nonsense').getTime(),
	 Date().slice(-15), typeof Date(), new Date(new Date(5)).getTime(), new Date('2024-07-15T10:00:00') instanceof Date, Date.length, Date.prototype.getHours.name, Date.prototype.toString.name]`

const zoneVariable = "RINGFENCE_TEST_ZONE"

// A process elsewhere must show scripts what one in UTC shows.
func TestScriptsLiveInUTC(t *testing.T) {
	if zone := os.Getenv(zoneVariable); zone != "" {
		local, err := time.LoadLocation(zone)
		require.NoError(t, err)
		time.Local = local // in a process of its own
		t.Logf("zone shows: %s", value(t, utcScript))
		return
	}
	t.Parallel()
	show := func(zone string) string {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestScriptsLiveInUTC$", "-test.v")
		cmd.Env = append(os.Environ(), zoneVariable+"="+zone)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out[:len(out)-len(afterTest(out))])
	}
	inUTC := show("UTC")
	require.Contains(t, inUTC, "GMT+0000 (UTC)")
	for _, zone := range []string{"America/New_York", "Europe/London", "Asia/Kolkata", "Pacific/Apia"} {
		assert.Equal(t, inUTC, show(zone), zone)
	}
}

// afterTest is what the test binary prints after the log line, which has times in
// it.
func afterTest(out []byte) []byte {
	for i := len(out) - 1; i > 0; i-- {
		if out[i] == ']' {
			return out[i+1:]
		}
	}
	return nil
}

func TestIsUTC(t *testing.T) {
	t.Parallel()
	assert.True(t, isUTC(time.UTC))
	assert.False(t, isUTC(time.FixedZone("X", 3600)))
	assert.False(t, isUTC(time.FixedZone("GMT", 0)), "its name would show")
	if london, err := time.LoadLocation("Europe/London"); err == nil {
		assert.False(t, isUTC(london))
	}
}
