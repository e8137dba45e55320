// Package edge is what is said of a request before anybody knows who sends it: through which
// door it comes, from which address, and whether the page that sends it may.
package edge

import (
	"slices"
	"strings"

	"github.com/uplinehq/upline/rest/paths"
)

// Other stands for all doors and methods that are not ours.
const Other = "other"

// TokenDoors are the first parts of the paths of requests that have a token in their
// head. Doors are the first parts of all our paths.
var (
	TokenDoors = append(paths.Doors(), "graphql", "mcp", "exports", "scim")
	Doors      = append(slices.Clone(TokenDoors), "oauth2", "playground", "workbench", "openapi.json", "openapi-3.0.json", "docs", "healthz", "readyz")
)

// Door is the first part of a path, if it is one of ours.
func Door(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if slices.Contains(Doors, first) {
		return first
	}
	return Other
}
