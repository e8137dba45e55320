package store

import (
	"context"
	"errors"
	"fmt"

	"entgo.io/ent"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/intercept"
	"github.com/uplinehq/upline/internal/tenant"
)

// platformTypes are the entities that belong to no tenant.
var platformTypes = map[string]bool{
	db.TypeTenant: true, db.TypeTenantKeyset: true,
	db.TypeIdentityClient: true, db.TypeIdentitySigningKey: true,
	db.TypeReportRecipe: true,
}

// guardTenant adds the tenant of the context to every query and every change
// of a client, and refuses both without one.
func guardTenant(client *db.Client) {
	client.Intercept(intercept.TraverseFunc(func(ctx context.Context, q intercept.Query) error {
		if platformTypes[q.Type()] || tenant.IsSystem(ctx) {
			return nil
		}
		id, err := tenant.ID(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", q.Type(), err)
		}
		if _, limited := tenant.LimitOf(ctx); limited && !openTypes[q.Type()] {
			return fmt.Errorf("%s: %w", q.Type(), errEntOfLimited)
		}
		q.WhereP(ofTenant(id))
		return nil
	}))
	client.Use(func(next ent.Mutator) ent.Mutator {
		return ent.MutateFunc(func(ctx context.Context, m ent.Mutation) (ent.Value, error) {
			if err := guardMutation(ctx, m); err != nil {
				return nil, fmt.Errorf("%s: %w", m.Type(), err)
			}
			return next.Mutate(ctx, m)
		})
	})
}

// openTypes are the entities whose tables limited callers read unchanged; see open for
// the reasons.
var openTypes = map[string]bool{
	db.TypeTeam: true, db.TypeIdentityRole: true,
}

// errEntOfLimited is returned when code reads another entity with ent for a limited
// caller. What such a caller sees is expressed in SQL (see shadows), so it has to be read
// by statements written by hand.
var errEntOfLimited = errors.New("store: a limited caller reads by hand, or with tenant.Whole")

func ofTenant(id int64) func(*entsql.Selector) {
	return func(s *entsql.Selector) { s.Where(entsql.EQ(s.C("tenant_id"), id)) }
}

func guardMutation(ctx context.Context, m ent.Mutation) error {
	if m.Op().Is(ent.OpUpdateOne | ent.OpDeleteOne) {
		// These operations read the row a second time without the tenant.
		return fmt.Errorf("%s is banned: use Update or Delete with Where(id)", m.Op())
	}
	if platformTypes[m.Type()] {
		return nil
	}
	id, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	if m.Op().Is(ent.OpCreate) {
		return m.SetField("tenant_id", id)
	}
	m.(interface {
		WhereP(...func(*entsql.Selector))
	}).WhereP(ofTenant(id))
	return nil
}
