package hostapi_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-js/ringfence/hostapi"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	tools := []string{"doc_create", "doc_read", "file_read", "file_write", "ls", "search", "web_search"}
	tests := map[string]struct{ name, want string }{
		"a letter left out":             {"serch", "search"},
		"a letter put in":               {"searrch", "search"},
		"two letters swapped":           {"saerch", "search"},
		"upper case":                    {"Search", "search"},
		"another way to join words":     {"docRead", "doc_read"},
		"three faults in a long name":   {"web-saerhc", "web_search"},
		"the first of two equally near": {"doc_wead", "doc_read"},
		"a short name":                  {"lz", "ls"},
		"nothing in common":             {"deploy", ""},
		"too many faults":               {"sxxxch", ""},
		"the name itself":               {"ls", ""},
		"an empty name":                 {"", ""},
		"a very long name":              {strings.Repeat("search", 1_000_000), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := hostapi.Nearest(test.name, tools)
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.want != "", ok)
		})
	}
}
