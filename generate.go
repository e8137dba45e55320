// Package upline is the root of the module. It holds what concerns the whole
// tree: the generators, and the tests of the architecture.
package upline

//go:generate go run ./cmd/generate
//go:generate go run ./cmd/generate graphql
//go:generate go run ./cmd/upline schema --output schema.graphql
