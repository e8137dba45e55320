package identity

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Use is how often a client used a coordinate of the schema, such as Agent.npn, on a day
// (UTC).
type Use struct {
	Day                  date.Date
	ClientID, Coordinate string
	Requests             int64
}

// useKept is for how many days uses are kept.
const useKept = 400

// usesAtOnce is how many rows a statement takes.
const usesAtOnce = 200

// AddUses counts uses, in the order of their keys: so that processes that count at once do
// not wait for each other in a circle.
func (s *Service) AddUses(ctx context.Context, uses []Use) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		for some := range slices.Chunk(uses, usesAtOnce) {
			q := new(store.SQL).Write("INSERT INTO identity_schema_use AS u (tenant_id, day, client_id, coordinate, requests) VALUES ")
			for i, u := range some {
				if i > 0 {
					q.Write(", ")
				}
				q.Write("(?, ?, ?, ?, ?)", tenantID, u.Day, u.ClientID, u.Coordinate, u.Requests)
			}
			q.Write(" ON CONFLICT (tenant_id, day, client_id, coordinate) DO UPDATE SET requests = u.requests + excluded.requests")
			if err := tx.Later(ctx, q.Text(), q.Args()...); err != nil {
				return err
			}
		}
		return nil
	})
}

// UsedCoordinate sums the uses of a coordinate by a client.
type UsedCoordinate struct {
	ClientID, Coordinate string
	Requests             int64
	LastDay              date.Date
}

// UseFilter selects uses; an empty text selects all.
type UseFilter struct {
	ClientID, Coordinate string
	From, Through        date.Date
}

// Uses sums what was used on some days, by coordinate and client: those after one, at most
// so many.
func (s *Service) Uses(ctx context.Context, f UseFilter, after UsedCoordinate, most int) ([]UsedCoordinate, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	q := new(store.SQL).Write("SELECT coordinate, client_id, CAST(sum(requests) AS bigint), max(day) FROM identity_schema_use WHERE tenant_id = ? AND day BETWEEN ? AND ?", tenantID, f.From, f.Through)
	if f.ClientID != "" {
		q.Write(" AND client_id = ?", f.ClientID)
	}
	if f.Coordinate != "" {
		q.Write(" AND coordinate = ?", f.Coordinate)
	}
	q.Write(" AND (coordinate > ? OR coordinate = ? AND client_id > ?) GROUP BY coordinate, client_id ORDER BY coordinate, client_id LIMIT ?",
		after.Coordinate, after.Coordinate, after.ClientID, most)
	return store.Collect(ctx, s.Store, func(row store.Scanner) (u UsedCoordinate, err error) {
		err = row.Scan(&u.Coordinate, &u.ClientID, &u.Requests, &u.LastDay)
		return u, err
	}, q.Text(), q.Args()...)
}

// SweepUses deletes uses of days long ago, of the context's tenant.
func (s *Service) SweepUses(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM identity_schema_use WHERE tenant_id = $1 AND day < $2", tenantID, date.In(s.Clock.Now(), time.UTC).AddDays(-useKept))
		return err
	})
}
