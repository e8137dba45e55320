//go:build !race

package dbtest

const withRaceDetector = false
