//go:build wip && !386 && !arm

package quickjs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFindFindsWhatGoFinds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ text, pattern string }{
		{"abcabcabd", "abcabd"}, {"aaaa", "aa"}, {"aaab", "aab"}, {"abab", "x"}, {"", "a"}, {"a", "a"}, {"ab", "b"}, {"aabaabaaab", "aaab"},
	} {
		for from := range len(tc.text) + 1 {
			want := strings.Index(tc.text[from:], tc.pattern)
			if want >= 0 {
				want += from
			}
			require.Equal(t, want, find(func() {}, []byte(tc.text), []byte(tc.pattern), from), "%+v from %d", tc, from)
		}
	}
	require.Equal(t, 1, find(func() {}, []uint16{0x100, 0x41, 0x42}, []byte("AB"), 0))
	require.Equal(t, -1, find(func() {}, []byte("AB"), []uint16{0x141}, 0))
}

func TestLongSearchesGiveWhatShortOnesDo(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `[-1,4194305,4194305,true,false,4194306,-1]`, valueOfScript(t, `
		const s = 'a'.repeat(2 ** 22), p = 'a'.repeat(2 ** 21) + 'b', t = s + 'x' + s + 'b';
		[s.indexOf(p), t.indexOf('x' + 'a'.repeat(2 ** 21)) + 1, t.indexOf('x' + 'a'.repeat(2 ** 21), '5') + 1, t.includes(p), t.includes(p + '\u0100'),
			(t + '\u0100').indexOf('a'.repeat(2 ** 21), 4194305.5) + 1, t.indexOf(p, Infinity)]`))
}
