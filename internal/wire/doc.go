// Package wire writes values for the way between a guest and the host, in two
// forms.
//
// The binary form ([Append], [Decode]) is for pipes between processes: a tag, then
// what the tag says, lengths before contents. It says everything that a value can
// be, byte for byte the same for the same value.
//
// The text form ([AppendText], [ParseText]) is for engines that read and write
// JSON faster than anything else that a script in them could do. It is JSON, with
// an escape for what JSON cannot say: an object whose only key is the empty string
// holds a tag and what the tag is about:
//
//	{"":["n","NaN"]}        a number: NaN, Infinity, -Infinity, -0
//	{"":["i","-ff"]}        a bigint, in hexadecimal digits
//	{"":["d",86400000]}     a date, in milliseconds
//	{"":["b","\u0000\u00ff"]} binary data, one character for each byte
//	{"":["m",["",1,"a",2]]} an object, as a list of its keys and values
//
// Every object with an empty key is written by the last form, so nothing that a
// guest makes can be taken for an escape. A guest also uses it for objects that
// it could not have in the right order otherwise.
//
// What is read counts against an [engine.Budget] while it is read, before memory
// is spent. Cut or forged input is an error, [ErrMalformed]; it never panics.
package wire

import "errors"

// ErrMalformed says that what was read is not what this package writes.
var ErrMalformed = errors.New("wire: malformed value")
