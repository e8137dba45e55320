package store

import (
	"context"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/tenant"
)

// gone is what is known of removed rows, by tenant. It may be old: rows are removed at any time, by
// other servers, too. A statement that reads as if none were fails then, and is sent again.
type gone struct{ of sync.Map }

// againIfGone calls f with what is known of removed rows, and once more with all that is known by then
// if f failed since that was too little. A transaction cannot read on after a failure: within one, any
// row may be gone.
func (s *Store) againIfGone(ctx context.Context, f func(visibility.Gone) error) error {
	t := tenant.From(ctx)
	if s == nil || t == nil || !visibility.IsPast(ctx) || IsInside(ctx) {
		return f(nil)
	}
	known, ok := s.gone.of.Load(t.ID)
	for attempt := 0; ; attempt++ {
		if !ok {
			read, err := s.readGone(ctx, t.ID)
			if err != nil {
				return err
			}
			s.gone.of.Store(t.ID, read)
			known = read
		}
		if attempt == maxAttempts {
			return f(nil)
		}
		if err := f(known.(visibility.Gone)); !visibility.IsGone(err) {
			return err
		}
		ok = false
	}
}

func (s *Store) readGone(ctx context.Context, tenantID int64) (visibility.Gone, error) {
	all := visibility.Gone{}
	ctx = visibility.KnownNow(tenant.Whole(FromPrimary(ctx), "which rows were removed decides how others are found"))
	_, err := Collect(ctx, s, func(row Scanner) (none struct{}, err error) {
		var (
			table string
			last  time.Time
		)
		err = row.Scan(&table, &last)
		all[table] = last
		return none, err
	}, visibility.GoneQuery, tenantID)
	return all, err
}
