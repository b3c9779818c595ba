package header_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-js/ringfence/header"
)

func TestMessagesAreShortAndPrintableWhateverTheScriptSays(t *testing.T) {
	t.Parallel()
	const most = 8_000 // a few quoted texts of 100 characters, each escaped at its longest
	for name, long := range map[string]string{
		"letters":        strings.Repeat("x", 1e6),
		"wide letters":   strings.Repeat("é", 1e6),
		"invalid bytes":  strings.Repeat("\xff", 1e6),
		"control bytes":  strings.Repeat("\x1b", 1e6),
		"private plane":  strings.Repeat("\U0010ffff", 1e6),
		"digits":         strings.Repeat("9", 1e6),
		"digits, a unit": "1" + strings.Repeat("k", 1e6),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := header.Parse("/** @timeout "+long+" */", long)
			require.Error(t, err)
			assertShort(t, err.Error(), most)

			_, _, err = header.Parse("/** @version "+long+" x */", long)
			require.Error(t, err)
			assertShort(t, err.Error(), most)

			_, err = header.ParseBytes(long)
			require.Error(t, err)
			assertShort(t, err.Error(), most)

			_, warnings, err := header.Parse("/** @x"+long+" "+long+"\n@description "+long+"\n@description "+long+"\n*/ /** */", long)
			require.NoError(t, err)
			require.Len(t, warnings, 3)
			for _, w := range warnings {
				assertShort(t, w.Message, most)
			}
		})
	}
}

func assertShort(t *testing.T, message string, most int) {
	t.Helper()
	assert.Less(t, len(message), most)
	assert.NotContains(t, message, "\n")
	assert.NotContains(t, message, "\x1b")
	assert.True(t, strings.ToValidUTF8(message, "") == message, "valid UTF-8")
}

func TestAValueIsShownWholeUpToAHundredCharacters(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ value, want string }{
		"a hundred":                 {strings.Repeat("x", 100), strings.Repeat("x", 100)},
		"a hundred wide ones":       {strings.Repeat("é", 100), strings.Repeat("é", 100)},
		"a hundred and one":         {strings.Repeat("x", 101), strings.Repeat("x", 100) + "… (101 bytes in all)"},
		"a hundred and one of wide": {strings.Repeat("é", 101), strings.Repeat("é", 100) + "… (202 bytes in all)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := header.Parse("/** @timeout "+test.value+" */", "s.js")
			var e *header.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.want, e.Value)
		})
	}
}

func TestWarningsAreBoundedAndTheRestIsCounted(t *testing.T) {
	t.Parallel()
	_, warnings, err := header.Parse("/**"+strings.Repeat("\n@x", header.MaxWarnings)+"*/", "s.js")
	require.NoError(t, err)
	require.Len(t, warnings, header.MaxWarnings)
	assert.Equal(t, header.UnknownTag, warnings[header.MaxWarnings-1].Code)

	_, warnings, err = header.Parse("/**"+strings.Repeat("\n@x", 5_000)+"*/", "s.js")
	require.NoError(t, err)
	require.Len(t, warnings, header.MaxWarnings+1)
	assert.Equal(t, header.Warning{
		Code:    header.MoreWarnings,
		Message: `4900 more warnings for the header of script "s.js" are left out`,
		Line:    header.MaxWarnings + 2,
	}, warnings[header.MaxWarnings])
}

func TestTagsThatAreNearlyKnownGetASuggestion(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"timout": "@timeout", "timeoutt": "@timeout", "timeour": "@timeout", "tiemout": "@timeout",
		"statement": "@statements", "allowTool": "@allowTools", "requireTools": "@requiresTools",
		"Memory": "@memory", "param": "", "see": "", "t": "",
	} {
		_, warnings, err := header.Parse("/** @"+name+" 5s */", "s.js")
		if err != nil || len(warnings) != 1 {
			t.Fatalf("%s: %v, %v", name, warnings, err)
		}
		_, got, _ := strings.Cut(warnings[0].Message, "did you mean ")
		if strings.TrimSuffix(got, "?") != want {
			t.Errorf("%s: %s", name, warnings[0].Message)
		}
	}
}
