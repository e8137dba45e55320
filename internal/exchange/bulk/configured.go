package bulk

import (
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

// configuredShown bounds how many of the configured values a refusal lists.
const configuredShown = 20

// WithConfigured returns the refusal of a value that is not configured, and lists the
// configured ones: whoever has a file of another system does not know them.
func WithConfigured(p *problem.Error, keys []string) *problem.Error {
	with := *p
	switch more := len(keys) - configuredShown; {
	case len(keys) == 0:
		with.Message += " None is configured."
	case more > 0:
		with.Message += " Configured are " + strings.Join(keys[:configuredShown], ", ") + " and " + strconv.Itoa(more) + " more."
	default:
		with.Message += " Configured are " + strings.Join(keys, ", ") + "."
	}
	return &with
}
