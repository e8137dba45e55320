package store

import (
	"errors"

	"github.com/uplinehq/upline/internal/platform/admission"
)

// IsRefused reports whether a statement did not run because no connection became free in
// time.
func IsRefused(err error) bool {
	var refusal *admission.Refusal
	return errors.As(err, &refusal)
}
