//go:build race

package dbtest

// withRaceDetector says that every memory access is watched. SQLite is C
// translated to Go and takes ten times as long then, while what our own
// goroutines share is the same on both databases.
const withRaceDetector = true
