// Package journey tests the whole with stories: a few lines each, across areas and
// through both doors, on both databases. Each ends in a sweep, which reads all that
// a caller can read of both tenants and demands an answer without errors
// (docs/testing.md).
package journey
