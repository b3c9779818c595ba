package hostapi

import (
	"strings"
	"unicode/utf8"
)

// maxNearestRunes bounds the names that [Nearest] compares, and with that its work.
const maxNearestRunes = 64

// Nearest returns the candidate that a misspelt name most likely means, for "did
// you mean". It counts letters left out, put in, changed, or swapped with their
// neighbour, upper and lower case being alike: one in names of up to five letters,
// two in names of up to eight, three in longer ones. Of equally near candidates the
// first is taken. Names of over 64 characters are not compared.
func Nearest(name string, candidates []string) (nearest string, ok bool) {
	typed, ok := foldedRunes(name)
	if !ok {
		return "", false
	}
	best := 1
	switch {
	case len(typed) > 8:
		best = 3
	case len(typed) > 5:
		best = 2
	}
	best++ // found must be smaller
	for _, candidate := range candidates {
		known, ok := foldedRunes(candidate)
		if !ok || candidate == name {
			continue
		}
		if d := editDistance(typed, known, best); d < best && d < len(known) {
			nearest, best = candidate, d
		}
	}
	return nearest, nearest != ""
}

func foldedRunes(name string) ([]rune, bool) {
	if name == "" || len(name) > maxNearestRunes*utf8.UTFMax || utf8.RuneCountInString(name) > maxNearestRunes {
		return nil, false
	}
	return []rune(strings.ToLower(name)), true
}

// editDistance is the optimal string alignment distance of a and b, or any number
// from limit on where it is not below limit.
func editDistance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before := make([]int, len(b)+1)
	above := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least >= limit {
			return limit
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}
