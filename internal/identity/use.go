package identity

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
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

// uses counts what clients use of the schema. It is safe for concurrent use.
type uses struct {
	store *store.Store
	clock clock.Clock
}

// AddUses counts uses, in the order of their keys: so that processes that count at once do
// not wait for each other in a circle.
func (s *uses) AddUses(ctx context.Context, uses []Use) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
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
	LastUsedOn           date.Date
}

// UseFilter selects uses; nil selects all. Both days count.
type UseFilter struct {
	ClientID, Coordinate *string
	From, Through        *date.Date
}

// Uses is the list of what was used, by coordinate and client.
func (s *uses) Uses(ctx context.Context, f UseFilter) (listing.List[*UsedCoordinate], error) {
	tenantID, err := tenant.ID(ctx)
	return listing.List[*UsedCoordinate]{
		Rows: listing.Rows{
			Store: s.store, Name: "schemaUses", Default: pageSize, Max: maxPageSize, ByValue: listing.ByValue(f),
			Keys: []page.Key{{Name: "coordinate", SQL: "u.coordinate", Kind: page.Text}, {Name: "client", SQL: "u.client_id", Kind: page.Text}},
			From: func(q *store.SQL) { f.write(q, tenantID) },
		},
		Columns: "u.coordinate, u.client_id, u.requests, u.last_day",
		Scan: func(row store.Scanner) (*UsedCoordinate, error) {
			u := new(UsedCoordinate)
			return u, row.Scan(&u.Coordinate, &u.ClientID, &u.Requests, &u.LastUsedOn)
		},
		Place: func(u *UsedCoordinate, key string) any {
			if key == "client" {
				return u.ClientID
			}
			return u.Coordinate
		},
	}, err
}

// UsesSince returns all that was used from a day on.
func (s *uses) UsesSince(ctx context.Context, day date.Date) ([]*UsedCoordinate, error) {
	list, err := s.Uses(ctx, UseFilter{From: &day})
	if err != nil {
		return nil, err
	}
	q := new(store.SQL).Write("SELECT " + list.Columns + " FROM ")
	list.From(q)
	return store.Collect(ctx, s.store, list.Scan, q.Text(), q.Args()...)
}

func (f UseFilter) write(q *store.SQL, tenantID int64) {
	q.Write("(SELECT coordinate, client_id, CAST(sum(requests) AS bigint) AS requests, max(day) AS last_day FROM identity_schema_use WHERE tenant_id = ?", tenantID)
	if f.From != nil {
		q.Write(" AND day >= ?", *f.From)
	}
	if f.Through != nil {
		q.Write(" AND day <= ?", *f.Through)
	}
	if f.ClientID != nil {
		q.Write(" AND client_id = ?", *f.ClientID)
	}
	if f.Coordinate != nil {
		q.Write(" AND coordinate = ?", *f.Coordinate)
	}
	q.Write(" GROUP BY coordinate, client_id) u WHERE u.requests > 0")
}

// SweepUses deletes uses of days long ago, of the context's tenant.
func (s *uses) SweepUses(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM identity_schema_use WHERE tenant_id = $1 AND day < $2", tenantID, date.In(s.clock.Now(), time.UTC).AddDays(-useKept))
		return err
	})
}
