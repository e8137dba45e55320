// Package preset keeps what people arrange for themselves and use again under a name: the
// columns and conditions of a list, how the columns of a file are read, the tiles of a
// dashboard. A preset belongs to one user, or to everybody in the agency.
//
// Upline does not read what a preset holds: it is what the page that keeps it wrote.
package preset

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Kind says what a preset arranges.
type Kind string

// The kinds.
const (
	View        Kind = "VIEW"
	FileMapping Kind = "FILE_MAPPING"
	Dashboard   Kind = "DASHBOARD"
)

// Kinds are all kinds.
var Kinds = enum.Of(View, FileMapping, Dashboard)

// Preset is what somebody arranged and keeps under a name.
type Preset struct {
	ID int64
	// UID is the id that callers use.
	UID  string
	Kind Kind
	// Subject is what it is for, such as the list of a view; empty where there is only one.
	Subject, Name string
	// Content is a JSON object.
	Content []byte
	// IsShared is true for one that everybody in the agency has, and false for one of the
	// caller's own.
	IsShared                  bool
	CreatedAt, LastModified   time.Time
	CreatedBy, LastModifiedBy string

	nameKey string
}

// Service keeps presets. It is safe for concurrent use.
type Service struct {
	store  *store.Store
	writer *change.Writer
}

// New returns the presets in a database.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service {
	return &Service{store: s, writer: change.New(s, c, v)}
}

const selected = "p.id, p.uid, p.kind, p.subject, p.name, p.name_key, p.content, p.user_id IS NULL, p.created_at, p.created_by, p.last_modified, p.last_modified_by"

func scan(row store.Scanner) (*Preset, error) {
	var (
		p       Preset
		content string
	)
	err := row.Scan(&p.ID, &p.UID, &p.Kind, &p.Subject, &p.Name, &p.nameKey, &content, &p.IsShared, &p.CreatedAt, &p.CreatedBy, &p.LastModified, &p.LastModifiedBy)
	p.Content = []byte(content)
	return &p, err
}

// from writes the table, and the condition that a preset is the caller's own or
// everybody's. Who is limited to a downline has none of everybody's: their conditions may
// name agents whom the caller does not see.
func from(q *store.SQL, tenantID int64, c tenant.Caller) {
	q.Write("identity_preset p WHERE p.tenant_id = ? AND (p.user_id = ?", tenantID, c.UserID)
	if c.Within == nil {
		q.Write(" OR p.user_id IS NULL")
	}
	q.Write(")")
}

// List returns the list of the presets of a kind that the caller has, by name; only those
// for one subject, if it is given.
func (s *Service) List(ctx context.Context, kind Kind, subject *string) (listing.List[*Preset], error) {
	tenantID, err := tenant.ID(ctx)
	caller, _ := tenant.CallerFrom(ctx)
	return listing.List[*Preset]{
		Rows: listing.Rows{
			Store: s.store, Name: "presets", Keys: []page.Key{{Name: "name", SQL: "p.name_key", Kind: page.Text}, {Name: "id", SQL: "p.id", Kind: page.Int}},
			From: func(q *store.SQL) {
				from(q, tenantID, caller)
				q.Write(" AND p.kind = ?", kind)
				if subject != nil {
					q.Write(" AND p.subject = ?", *subject)
				}
			},
		},
		Columns: selected, Scan: scan,
		Place: func(one *Preset, key string) any {
			if key == "id" {
				return one.ID
			}
			return one.nameKey
		},
	}, err
}

// Named returns the presets of a kind that the caller has under a name: its own, or, if it has none,
// everybody's; one for each subject.
func (s *Service) Named(ctx context.Context, kind Kind, name string) ([]*Preset, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	var q store.SQL
	q.Write("SELECT " + selected + " FROM ")
	from(&q, tenantID, caller)
	q.Write(" AND p.kind = ? AND p.name_key = ? ORDER BY p.user_id IS NULL, p.subject", kind, nameKey(strings.TrimSpace(name)))
	found, err := store.Collect(ctx, s.store, scan, q.Text(), q.Args()...)
	return slices.DeleteFunc(found, func(p *Preset) bool { return p.IsShared && !found[0].IsShared }), err
}

// read finds the preset with an id; nil if the caller has none.
func read(ctx context.Context, q store.Querier, uid, lock string) (*Preset, error) {
	tenantID, err := tenant.ID(ctx)
	key, ok := check.UUID(uid)
	if err != nil || !ok {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	var text store.SQL
	text.Write("SELECT " + selected + " FROM ")
	from(&text, tenantID, caller)
	text.Write(" AND p.uid = ?"+lock, key)
	found, err := store.Collect(ctx, q, scan, text.Text(), text.Args()...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}
