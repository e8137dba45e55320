package agency

import (
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/date"
)

// Lengths, in characters. The specification limits only applications; these
// keep a mistake from filling the database.
const (
	maxName = 100
	maxText = 255
	maxNote = 4000

	maxReferenceCode = 50
)

// maxCodes: "GET /agents agentCodes filter: up to 100 codes" (Limits).
const maxCodes = 100

// inputCheck collects what is wrong with an input of the area.
type inputCheck struct{ check.Problems }

// period checks the days of a period.
func (c *inputCheck) period(from date.Date, through *date.Date) {
	c.InOrder(&from, through, "effectiveFrom", "effectiveThrough")
}

// firstOf returns the first error that is not nil. All of its arguments are
// evaluated: what must not happen after an error is no argument.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
