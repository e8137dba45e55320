// Package migrations holds the versioned SQL of both databases. The files are
// written by hand: composite keys, exclusion constraints and partial indexes
// are beyond what ent describes. What SQL cannot say is in internal/platform/store. A test
// holds ent's idea of every table against what they create.
package migrations

import "embed"

// Files has one folder per database: postgres and sqlite.
//
//go:embed postgres/*.sql sqlite/*.sql
var Files embed.FS
