// Package bench holds the benchmarks that compare ringfence with the bare
// interpreters behind it.
//
//	go test -run '^$' -bench . -count 6 ./bench
//
// Each benchmark runs both sides in turn, in one process, and reports the median
// of each and their ratio (x-bare): a ratio holds where a time does not, on a busy
// or a slow machine.
//
// The bare side is pinned here: a new runtime for each run, a program that is
// compiled once, the same function around the script that ringfence puts there,
// host functions in the interpreter's own fastest form, and no limits.
package bench
