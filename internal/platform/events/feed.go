package events

import (
	"context"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Feed reads the outbox as a list in a fixed order, oldest first. A reader that continues
// after the last position it saw misses nothing: positions are given after the commit, so
// no event appears before one that was already read. It is safe for concurrent use.
type Feed struct{ store *store.Store }

// NewFeed returns the feed of the events in a database.
func NewFeed(s *store.Store) *Feed { return &Feed{s} }

// Filter says which events of the feed are wanted.
type Filter struct {
	// Types are names as subscriptions use them; all types when empty.
	Types []string
	// Areas are the areas whose events the caller may read; nil for all.
	Areas []Area
	// AgentCode is the agent that the events are about; nil for any.
	AgentCode *string
}

// Page reads a page of the context's tenant.
func (f *Feed) Page(ctx context.Context, filter Filter, args page.Args) (page.Page[*Stored], error) {
	t := tenant.From(ctx)
	if t == nil {
		return page.Page[*Stored]{}, tenant.ErrNone
	}
	var refused problem.List
	plan, err := listOf(t).Plan(ctx, args)
	refused = append(refused, problem.From(err)...)
	types, err := filter.types()
	refused = append(refused, problem.From(err)...)
	if err := refused.Err(); err != nil {
		return page.Page[*Stored]{}, err
	}
	if err := f.Number(ctx); err != nil {
		return page.Page[*Stored]{}, err
	}
	p, err := page.Reader[*Stored]{Scan: Scan, Place: placeOf,
		Reading: page.Reading{Columns: Columns, From: func(s *store.SQL) string {
			return s.Piece(func(s *store.SQL) { f.from(s, t.ID, types, filter.AgentCode) })
		}},
	}.Page(ctx, f.store, plan)
	if err == nil {
		err = f.checkRemembered(ctx, t.ID, plan.After())
	}
	if err != nil {
		return page.Page[*Stored]{}, err
	}
	return p, nil
}

func listOf(t *tenant.Tenant) page.List {
	return page.List{Name: "events", TenantID: t.ID, Default: t.DefaultPageSize, Max: t.MaxPageSize,
		Keys: []page.Key{{Name: "position", SQL: "e.position", Kind: page.Int}}}
}

func placeOf(e *Stored) []any { return []any{e.Position} }

// Cursor returns the cursor of an event in the feed of the context's tenant.
func (f *Feed) Cursor(ctx context.Context, e *Stored) (string, error) {
	t := tenant.From(ctx)
	if t == nil {
		return "", tenant.ErrNone
	}
	plan, err := listOf(t).Plan(ctx, page.Args{})
	if err != nil {
		return "", err
	}
	return page.Cut(plan, []*Stored{e}, placeOf).Cursor(e), nil
}

// PlaceOf returns the position after which a reader with a cursor continues.
func (f *Feed) PlaceOf(ctx context.Context, cursor string) (int64, error) {
	// Read before the page: if no event follows, nothing up to this position is left to
	// read.
	head, err := f.Head(ctx)
	if err != nil {
		return 0, err
	}
	one := 1
	next, err := f.Page(ctx, Filter{}, page.Args{First: &one, After: &cursor})
	if err != nil || len(next.Items) == 0 {
		return head, err
	}
	return next.Items[0].Position - 1, nil
}

func (f *Feed) from(s *store.SQL, tenantID int64, types []string, agentCode *string) {
	s.Write(" FROM outbox_event e WHERE e.tenant_id = ? AND e.position > (SELECT f.forgotten FROM outbox_feed f WHERE f.tenant_id = ?)", tenantID, tenantID)
	if types != nil {
		s.Write(" AND " + f.store.InTexts("e.type", s.Arg(f.store.Texts(types))))
	}
	if agentCode != nil {
		s.Write(" AND e.agent_code = ?", *agentCode)
	}
}

// types returns the full names of the types that the filter wants, nil for all.
func (f Filter) types() ([]string, error) {
	types, unknown := Resolve(f.Types)
	var refused problem.List
	for _, i := range unknown {
		refused.Add(problem.Invalid(problem.InvalidFormat, "There is no event type of this name", "types", strconv.Itoa(i)))
	}
	if f.Areas == nil {
		return types, refused.Err()
	}
	readable := []string{}
	for _, t := range catalogue {
		if slices.Contains(f.Areas, t.Area) && (types == nil || slices.Contains(types, t.Name)) {
			readable = append(readable, t.Name)
		}
	}
	return readable, refused.Err()
}

// after reads the events after a position, at most that many.
func (f *Feed) after(ctx context.Context, tenantID, position int64, most int) ([]*Stored, error) {
	return store.Collect(ctx, f.store, Scan, "SELECT "+Columns+" FROM outbox_event e WHERE e.tenant_id = $1 AND e.position > $2 ORDER BY e.position LIMIT "+strconv.Itoa(most),
		tenantID, position)
}
