// Package header reads the JSDoc block at the top of a script, in which the
// author of the script says what it needs:
//
//	/**
//	 * Sums up the chapters.
//	 *
//	 * @description  Chapter summary
//	 * @timeout      10m
//	 * @statements   500k
//	 * @allowTools   doc_read, doc_list
//	 */
//
// [Parse] finds the block and reads its tags. What they ask for is only a
// request: whoever runs the script clamps the limits and intersects the tools.
// [ParseDuration], [ParseCount] and [ParseBytes] read the notation of the tags
// wherever else it is used, such as in settings and command-line flags.
//
// # The block
//
// The header is the first /** */ comment above the first statement. A byte
// order mark, a #! line, blank lines, // comments and plain /* */ comments may
// stand before it. A directive such as 'use strict' is a statement. Further
// /** */ comments above the first statement are ignored with a warning. As in
// JSDoc, a comment that opens with three or more stars is a plain one, and so
// is /**/. A script without a header is in order: nothing is given.
//
// # The tags
//
// A tag is "@name value" at the start of a line, after blanks and at most one
// star. The value ends with its line; a line has one tag.
//
//	@timeout         a duration: 300 (seconds), 30s, 10m, 1h
//	@statements      a count: 1_000_000, 500k, 5M
//	@memory          bytes: 67108864, 64M, 64MiB
//	@maxResultNodes  a count
//	@allowTools      tool names, separated by commas or blanks; may be empty
//	@requiresTools   likewise
//	@description     free text; may be empty
//	@version         a semantic version such as 1.2.0; any one word is accepted
//
// Names are case sensitive. An unknown tag gives a warning, a repeated one too,
// and its last value counts. A known tag with a malformed value is an [*Error],
// also when a later line repeats the tag.
package header

import (
	"encoding/json"
	"time"
)

// Header is what a script asks for. A tag that is absent leaves its field nil
// or "". The limits of a Header from [Parse] are greater than zero, and its
// Timeout is a whole number of seconds.
type Header struct {
	Timeout        *time.Duration // wall clock time of the run
	Statements     *int64         // statements that the run may execute
	Memory         *int64         // bytes that the run may take
	MaxResultNodes *int64         // array elements and object members of the result

	// AllowTools and RequiresTools hold each name once, in the order of the
	// script. Nil means that the tag is absent; empty but not nil, that it is
	// present and names no tool. No name is a wildcard, not even "*".
	AllowTools    []string
	RequiresTools []string

	Description string
	Version     string // one word, usually a semantic version; not checked further
}

// MarshalJSON writes the tags that are given and no others, a given list also
// when it is empty. The timeout is written as by [FormatDuration], the other
// limits as plain numbers.
func (h Header) MarshalJSON() ([]byte, error) {
	var timeout string
	if h.Timeout != nil {
		timeout = FormatDuration(*h.Timeout)
	}
	return json.Marshal(struct {
		Timeout        string   `json:"timeout,omitzero"`
		Statements     *int64   `json:"statements,omitzero"`
		Memory         *int64   `json:"memory,omitzero"`
		MaxResultNodes *int64   `json:"maxResultNodes,omitzero"`
		AllowTools     []string `json:"allowTools,omitzero"`
		RequiresTools  []string `json:"requiresTools,omitzero"`
		Description    string   `json:"description,omitzero"`
		Version        string   `json:"version,omitzero"`
	}{
		timeout, h.Statements, h.Memory, h.MaxResultNodes,
		h.AllowTools, h.RequiresTools, h.Description, h.Version,
	})
}
