//go:build race

package conformance

// raceDetector says that this build has the race detector in it, which multiplies
// what a script takes of time and memory.
const raceDetector = true
