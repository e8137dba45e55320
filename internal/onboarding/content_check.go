package onboarding

import (
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/problem"
)

// Limits of what an agency publishes: lengths in characters, and numbers of elements of
// lists without pages. The specification has none; these keep a mistake from filling the
// database.
const (
	maxContentTitle = 200
	maxContentText  = 2000
	maxContractBody = 200_000
	maxChoice       = 200
	maxChoices      = 50
	maxQuestions    = 100
	maxCovenants    = 100
	maxProducts     = 50
	maxProductID    = 64
	maxSequence     = 10_000
)

// contentCheck collects the problems of content to publish.
type contentCheck struct{ check.Problems }

func (c *contentCheck) sequence(n int, field ...string) {
	c.Range(n, 1, maxSequence, field...)
}

// unique refuses keys that occur twice in a list. Blank keys are refused as blank.
func (c *contentCheck) unique(keys []string, field func(i int) []string) {
	for i, key := range keys {
		if key != "" && slices.ContainsFunc(keys[:i], func(other string) bool { return strings.EqualFold(other, key) }) {
			c.Refuse(problem.InvalidFormat, "is given more than once", field(i)...)
		}
	}
}

// element is the path of a property of an element of a list.
func element(list string, i int, property ...string) []string {
	return append([]string{list, strconv.Itoa(i)}, property...)
}
