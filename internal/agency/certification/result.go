package certification

import "github.com/uplinehq/upline/internal/agency/record"

// Result is the outcome of a change of a certification.
type Result struct {
	// ID is 0 after a dry run that would add the certification.
	ID int64
	// IsNew is false if the input matched a certification.
	IsNew bool
	// Change is the change of the status history; zero if the request has no status.
	Change record.Change
	// Changed reports whether the certification or its history differs from before.
	Changed bool
}
