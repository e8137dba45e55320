package onboarding

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// writes makes the changes of the area. It is safe for concurrent use.
type writes struct{ writer *change.Writer }

// write runs f in a transaction. Its initiator is the token's subject, since applications
// name none (Application).
func (s *writes) write(ctx context.Context, f func(ctx context.Context, w *change.Writing) error) error {
	caller, _ := tenant.CallerFrom(ctx)
	return s.writer.Write(ctx, caller.Subject, f)
}

func unknownApplication(field ...string) error {
	return problem.Missing(problem.NotFoundCode, "There is no such application", field...)
}
