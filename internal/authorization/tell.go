package authorization

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Teller writes the events SalesAuthorizationChanged of watched products. It keeps who was
// last told to be authorized, and changes that with the event, in one transaction for some
// agents; so whoever applies all events has the answer of now, whenever a process stops.
//
// The feed says which agents have changed; those below them, as far as a rule looks up, are
// looked at with them. After midnight, a change of reference data, or more changes than are
// worth looking up, everybody is looked at, some at once.
type Teller struct {
	store *store.Store
	clock clock.Clock
	feed  *events.Feed
	// Some is how many agents are looked at together when everybody is, and Few how many
	// that have changed.
	Some, Few int
}

// NewTeller returns the teller.
func NewTeller(s *store.Store, c clock.Clock, f *events.Feed) *Teller {
	return &Teller{s, c, f, 250, 2000}
}

// watch is how far an agency was told.
type watch struct {
	// position is the last event of the feed whose changes are told, and day the day for
	// which.
	position int64
	day      date.Date
	// swept is the last agent that was looked at while everybody is; nil when nobody waits.
	swept *int64
}

// Tell tells all changes of the context's tenant.
func (t *Teller) Tell(ctx context.Context) error {
	for {
		more, err := t.step(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// step tells the changes of some agents, and reports whether there may be more.
func (t *Teller) step(ctx context.Context) (more bool, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return false, err
	}
	was, isWatching, err := watchOf(ctx, t.store, tenantID, "")
	if err != nil {
		return false, err
	}
	watched, err := store.Collect(ctx, t.store, store.ScanOne[string], "SELECT code FROM agency_product WHERE tenant_id = $1 AND is_watched ORDER BY code", tenantID)
	if err != nil || len(watched) == 0 && !isWatching {
		return false, err
	}
	head, err := t.feed.Head(ctx)
	if err != nil {
		return false, err
	}
	s := &telling{Teller: t, tenantID: tenantID, was: was, now: was, isNew: !isWatching}
	if s.asked, err = ask(ctx, t.store, Question{Products: append([]string{}, watched...), AsOf: history.AsOf{Day: clock.Today(t.clock, tenant.From(ctx).Zone)}, Status: new(Authorized)}); err != nil {
		return false, err
	}
	if err := s.choose(ctx, head); err != nil {
		return false, err
	}
	if len(s.ids)+len(s.codes) == 0 && s.now == s.was && !s.isNew {
		return false, nil
	}
	if err := s.judge(ctx); err != nil {
		return false, err
	}
	// Who was looked at before midnight, while everybody is, is looked at again.
	return s.now.swept != nil || s.now.position < head || s.now.day != s.Day, t.store.InTx(ctx, s.write)
}

func watchOf(ctx context.Context, q store.Querier, tenantID int64, lock string) (w watch, found bool, err error) {
	found, err = store.One(ctx, q, []any{&w.position, &w.day, &w.swept}, "SELECT position, day, swept_to FROM authorization_watch WHERE tenant_id = $1"+lock, tenantID)
	return w, found, err
}

// telling tells the changes of some agents.
type telling struct {
	*Teller
	*asked
	tenantID int64
	was, now watch
	isNew    bool
	// codes are the agents that are looked at beside those of ids: those who may be no more.
	codes []string
	// authorized is what they may sell now; judged has them, by code.
	authorized map[cell]bool
	snapshot   *Snapshot
	judged     map[string]int64
}

// cell is a question about an agent.
type cell struct{ agent, product, place string }

// choose decides who is looked at, and what is told then.
func (s *telling) choose(ctx context.Context, head int64) error {
	s.ids = []int64{}
	if s.was.swept == nil && !s.isNew && s.was.day == s.Day {
		all, err := s.changed(ctx, head)
		if err != nil {
			return err
		}
		if s.now.position = head; !all {
			return nil
		}
	}
	if s.was.swept == nil { // everybody, from the first on
		s.now = watch{position: head, day: s.Day, swept: new(int64)}
	}
	last := *s.now.swept
	ids, err := store.Collect(ctx, s.store, store.ScanOne[int64], "SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 AND a.id > $2 ORDER BY a.id LIMIT $3", s.tenantID, last, s.Some)
	if s.ids = append(s.ids, ids...); err != nil || len(ids) == s.Some {
		if len(ids) > 0 {
			s.now.swept = &ids[len(ids)-1]
		}
		return err
	}
	s.now.swept = nil
	s.codes, err = store.Collect(ctx, s.store, store.ScanOne[string], "SELECT DISTINCT t.agent_code FROM authorization_told t WHERE t.tenant_id = $1"+
		" AND NOT EXISTS (SELECT 1 FROM agency_agent a WHERE a.tenant_id = t.tenant_id AND a.code = t.agent_code)", s.tenantID)
	return err
}

// changed finds the agents that have changed since, and those below them. all is true if
// everybody may have.
func (s *telling) changed(ctx context.Context, head int64) (all bool, err error) {
	var forgotten, everybody int64
	if _, err := store.One(ctx, s.store, []any{&forgotten, &everybody}, "SELECT f.forgotten, (SELECT count(*) FROM outbox_event e WHERE e.tenant_id = $1 AND e.position > $2 AND e.position <= $3 AND e.type = $4)"+
		" FROM outbox_feed f WHERE f.tenant_id = $1", s.tenantID, s.was.position, head, events.ReferenceDataChanged); err != nil || forgotten > s.was.position || everybody > 0 {
		return true, err
	}
	if s.codes, err = store.Collect(ctx, s.store, store.ScanOne[string], "SELECT DISTINCT e.agent_code FROM outbox_event e WHERE e.tenant_id = $1 AND e.position > $2 AND e.position <= $3 AND e.agent_code IS NOT NULL"+
		" AND e.type NOT IN ($4, $5) LIMIT $6", s.tenantID, s.was.position, head, events.SalesAuthorizationChanged, events.CertificationExpiring, s.Few+1); err != nil || len(s.codes) == 0 {
		return false, err
	}
	var below store.SQL
	below.Write("WITH RECURSIVE below(agent_id, depth) AS (SELECT a.id, 0 FROM agency_agent a WHERE a.tenant_id = " + below.Arg(s.tenantID) + " AND " + s.store.InTexts("a.code", below.Arg(s.store.Texts(s.codes))) +
		" UNION SELECT p.agent_id, below.depth + 1 FROM below CROSS JOIN agency_upline_period p WHERE p.tenant_id = " + below.Arg(s.tenantID) + " AND p.team_id = " + below.Arg(s.read.team) + " AND p.upline_agent_id = below.agent_id AND " +
		s.AsOf.Covers("p", below.Arg) + " AND below.depth < " + below.Arg(s.needs.Depth) + ") SELECT DISTINCT agent_id FROM below ORDER BY agent_id LIMIT " + below.Arg(s.Few+1))
	if s.ids, err = store.Collect(ctx, s.store, store.ScanOne[int64], below.Text(), below.Args()...); err != nil {
		return false, err
	}
	if all = len(s.ids) > s.Few || len(s.codes) > s.Few; all {
		s.ids, s.codes = []int64{}, nil
	}
	return all, nil
}

// judge finds out what the agents may sell.
func (s *telling) judge(ctx context.Context) (err error) {
	s.authorized, s.judged = map[cell]bool{}, map[string]int64{}
	if s.snapshot, err = s.load(ctx, s.ids); err != nil {
		return err
	}
	of := *s.asked
	of.counting = true
	for _, id := range s.ids {
		if a := s.snapshot.Agents[id]; a != nil {
			s.judged[a.Code] = id
			of.agent(s.snapshot, id, func(_ *Snapshot, r Row) bool {
				s.authorized[cell{r.AgentCode, r.Product, r.Jurisdiction}] = true
				return true
			})
		}
	}
	return nil
}

// write writes the events of what has changed, and what is told now. It does nothing if
// another process has told something meanwhile.
func (s *telling) write(ctx context.Context, tx *store.Tx) error {
	if s.isNew {
		n, err := tx.Exec(ctx, "INSERT INTO authorization_watch (tenant_id, position, day) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING", s.tenantID, s.Day)
		if err != nil || n == 0 {
			return err
		}
	} else if is, found, err := watchOf(ctx, tx, s.tenantID, tx.ForUpdate()); err != nil || !found || is.position != s.was.position || is.day != s.was.day || !isSame(is.swept, s.was.swept) {
		return err
	}
	told, err := s.told(ctx, tx)
	if err != nil {
		return err
	}
	var all []events.Event
	var begun, ended []cell
	for _, c := range slices.SortedFunc(maps.Keys(s.authorized), compareCells) {
		if !told[c] {
			begun, all = append(begun, c), append(all, s.event(ctx, c, Authorized))
		}
	}
	for _, c := range slices.SortedFunc(maps.Keys(told), compareCells) {
		if s.authorized[c] {
			continue
		}
		if ended = append(ended, c); slices.Contains(s.products, c.product) {
			all = append(all, s.event(ctx, c, NotAuthorized))
		}
	}
	if err := s.keep(ctx, tx, begun, ended); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "UPDATE authorization_watch SET position = $1, day = $2, swept_to = $3 WHERE tenant_id = $4", s.now.position, s.now.day, s.now.swept, s.tenantID); err != nil {
		return err
	}
	return events.WriteAll(ctx, tx, s.clock.Now(), all)
}

func isSame(a, b *int64) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func compareCells(a, b cell) int {
	return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.product, b.product), cmp.Compare(a.place, b.place))
}

// told returns what was last told of the agents that are looked at.
func (s *telling) told(ctx context.Context, tx *store.Tx) (map[cell]bool, error) {
	codes := slices.Concat(slices.Collect(maps.Keys(s.judged)), s.codes)
	told := map[cell]bool{}
	var q store.SQL
	q.Write("SELECT t.agent_code, t.product, t.jurisdiction FROM authorization_told t WHERE t.tenant_id = " + q.Arg(s.tenantID) + " AND " + tx.InTexts("t.agent_code", q.Arg(tx.Texts(codes))))
	return told, store.Each(ctx, tx, &q, func(row store.Scanner) error {
		var c cell
		err := row.Scan(&c.agent, &c.product, &c.place)
		told[c] = true
		return err
	})
}

// event is the event of a change, with the reasons of an agent that may not sell.
func (s *telling) event(ctx context.Context, c cell, is Status) events.Event {
	change := events.Authorization{AgentID: s.judged[c.agent], AgentCode: c.agent, Product: c.product, Jurisdiction: c.place, Status: string(is), Reasons: []string{}}
	switch {
	case is == Authorized:
	case change.AgentID == 0:
		change.Reasons = []string{string(AgentDeleted)}
	default:
		for _, why := range s.snapshot.Answer(change.AgentID, c.product, c.place, s.Day).Reasons {
			if !slices.Contains(change.Reasons, string(why.Code)) {
				change.Reasons = append(change.Reasons, string(why.Code))
			}
		}
	}
	return events.AuthorizationEvent(tenant.From(ctx), change)
}

// keep stores what is told now.
func (s *telling) keep(ctx context.Context, tx *store.Tx, begun, ended []cell) error {
	for _, c := range ended {
		if err := tx.Later(ctx, "DELETE FROM authorization_told WHERE tenant_id = $1 AND agent_code = $2 AND product = $3 AND jurisdiction = $4", s.tenantID, c.agent, c.product, c.place); err != nil {
			return err
		}
	}
	if len(begun) == 0 {
		return nil
	}
	return tx.CopyLater(ctx, "authorization_told", []string{"tenant_id", "agent_code", "product", "jurisdiction"}, func(yield func([]any) bool) {
		for _, c := range begun {
			if !yield([]any{s.tenantID, c.agent, c.product, c.place}) {
				return
			}
		}
	})
}
