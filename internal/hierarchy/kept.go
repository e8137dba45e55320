package hierarchy

import (
	"cmp"
	"context"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Limits of what is kept: periods, of all teams together, and teams. A period takes 16
// bytes, an agent 12.
const (
	maxKept      = 2_000_000
	maxKeptTeams = 1_000
)

// kept keeps the live upline periods of teams. A reader of another day than today asks
// for the roots and for everybody below them, and then for the next day. From these
// periods, any day is computed in milliseconds.
type kept struct {
	mu    sync.Mutex
	teams *lru.Cache[teamKey, *teamHistory]
	size  int
	// walks counts the dated downlines that were walked since the team was last read.
	walks *lru.Cache[teamKey, int]
	// reading are the teams that are being read; a channel is closed at the end.
	reading map[teamKey]chan struct{}
}

type teamKey struct{ tenantID, teamID int64 }

func newKept() *kept {
	k := &kept{reading: map[teamKey]chan struct{}{}}
	teams, err := lru.NewWithEvict(maxKeptTeams, func(_ teamKey, h *teamHistory) { k.size -= len(h.spans) })
	if err != nil {
		panic(err) // only for a size below one
	}
	walks, err := lru.New[teamKey, int](maxKeptTeams)
	if err != nil {
		panic(err) // the same
	}
	k.teams, k.walks = teams, walks
	return k
}

func (k *kept) get(key teamKey) *teamHistory {
	k.mu.Lock()
	defer k.mu.Unlock()
	h, _ := k.teams.Get(key)
	return h
}

func (k *kept) put(key teamKey, h *teamHistory) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.teams.Remove(key)
	k.teams.Add(key, h)
	for k.size += len(h.spans); k.size > maxKept && k.teams.Len() > 0; {
		k.teams.RemoveOldest()
	}
}

// drop forgets the periods of a team that have changed since.
func (k *kept) drop(key teamKey, stale *teamHistory) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h, _ := k.teams.Peek(key); h == stale {
		k.teams.Remove(key)
	}
}

// turn waits until nobody else reads the team, and returns what ends the caller's turn.
func (k *kept) turn(ctx context.Context, key teamKey) (done func(), err error) {
	for {
		k.mu.Lock()
		other, taken := k.reading[key]
		if !taken {
			mine := make(chan struct{})
			k.reading[key] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				defer k.mu.Unlock()
				delete(k.reading, key)
				close(mine)
			}, nil
		}
		k.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// walked counts a dated downline that is about to be walked, and returns how many there
// were.
func (k *kept) walked(key teamKey) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, _ := k.walks.Get(key)
	k.walks.Add(key, n+1)
	return n + 1
}

// startOver counts walks from 0 again.
func (k *kept) startOver(key teamKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.walks.Remove(key)
}

// teamHistory has the live upline periods of a team.
type teamHistory struct {
	// version is the team's change counter before the periods were read; when the counter
	// is higher, they are read again.
	version int64
	// agents are all agents that periods name, by id.
	agents []int64
	// spans are in the order of uplines, those of each upline from first on. Those of
	// roots come last.
	spans []span
	first []int32
}

// span is a period. It has the indexes of its agents among all of the team.
type span struct {
	agent, upline int32 // upline is none without one
	from, through date.Date
}

const (
	none   = -1
	absent = -2
)

// keeps reports whether the view may be computed from kept periods.
func (v View) keeps(ctx context.Context) bool { return v.history != nil && v.isDated(ctx) }

// isDated reports whether the view is of another day than today, and may be read in another
// way than by walking: it is not of what was known earlier, and not for a limited user,
// who sees a part of it.
func (v View) isDated(ctx context.Context) bool {
	_, limited := tenant.LimitOf(ctx)
	return v.Known.At() == nil && !limited && !v.Flattened()
}

// wholeIfKept returns everybody on the day; nil unless the team's periods are kept and
// have not changed since.
func (v View) wholeIfKept(ctx context.Context, q store.Querier, tenantID int64) (*whole, error) {
	if !v.keeps(ctx) {
		return nil, nil
	}
	h, err := v.ifKept(ctx, q, tenantID)
	if err != nil || h == nil {
		return nil, err
	}
	return h.on(v.Day), nil
}

// whole is wholeIfKept for reads that need everybody anyway: it reads the periods if they
// are not kept. It returns nil for views that are read by walking.
func (v View) whole(ctx context.Context, q store.Querier, tenantID int64) (*whole, error) {
	if !v.keeps(ctx) {
		return nil, nil
	}
	h, err := v.all(ctx, q, tenantID)
	if err != nil {
		return nil, err
	}
	return h.on(v.Day), nil
}

// ifKept returns the team's periods; nil unless they are kept and have not changed since.
func (v View) ifKept(ctx context.Context, q store.Querier, tenantID int64) (*teamHistory, error) {
	h := v.history.get(teamKey{tenantID, v.TeamID})
	if h == nil {
		return nil, nil
	}
	version, err := v.version(ctx, q, tenantID)
	if err != nil || version != h.version {
		return nil, err
	}
	return h, nil
}

// all returns the team's periods, and reads them if they are not kept. Of many that need
// them at once, one reads.
func (v View) all(ctx context.Context, q store.Querier, tenantID int64) (*teamHistory, error) {
	if h, err := v.ifKept(ctx, q, tenantID); err != nil || h != nil {
		return h, err
	}
	done, err := v.history.turn(ctx, teamKey{tenantID, v.TeamID})
	if err != nil {
		return nil, err
	}
	defer done()
	if h, err := v.ifKept(ctx, q, tenantID); err != nil || h != nil {
		return h, err
	}
	return v.read(ctx, q, tenantID)
}

// read reads the team's periods, and keeps them.
func (v View) read(ctx context.Context, q store.Querier, tenantID int64) (h *teamHistory, err error) {
	h = &teamHistory{}
	if h.version, err = v.version(ctx, q, tenantID); err != nil {
		return nil, err
	}
	if err := h.read(ctx, q, tenantID, v.TeamID); err != nil {
		return nil, err
	}
	v.history.put(teamKey{tenantID, v.TeamID}, h)
	return h, nil
}

func (v View) version(ctx context.Context, q store.Querier, tenantID int64) (version int64, err error) {
	_, err = store.One(ctx, q, []any{&version}, "SELECT b.changed_version FROM hierarchy_build b WHERE b.tenant_id = $1 AND b.team_id = $2", tenantID, v.TeamID)
	return version, err
}

// read reads the live periods of the team.
func (h *teamHistory) read(ctx context.Context, q store.Querier, tenantID, teamID int64) error {
	type period struct {
		agent, upline int64
		from, through date.Date
	}
	periods, err := store.Collect(ctx, q, func(row store.Scanner) (p period, err error) {
		var through *date.Date
		err = row.Scan(&p.agent, &p.upline, &p.from, &through)
		p.through = date.OrMax(through)
		return p, err
	}, `SELECT p.agent_id, coalesce(p.upline_agent_id, 0), p.effective_from, p.effective_through FROM agency_upline_period p
		WHERE p.tenant_id = $1 AND p.team_id = $2 AND p.superseded_at IS NULL`, tenantID, teamID)
	if err != nil {
		return err
	}
	places := make(map[int64]int32, len(periods))
	for _, p := range periods {
		places[p.agent] = none
		if p.upline != 0 {
			places[p.upline] = none
		}
	}
	h.agents = make([]int64, 0, len(places))
	for id := range places {
		h.agents = append(h.agents, id)
	}
	slices.Sort(h.agents)
	for i, id := range h.agents {
		places[id] = int32(i)
	}
	places[0] = none
	h.spans = make([]span, len(periods))
	for i, p := range periods {
		h.spans[i] = span{places[p.agent], places[p.upline], p.from, p.through}
	}
	h.sort()
	return nil
}

// sort brings the spans into the order of uplines.
func (h *teamHistory) sort() {
	last := int32(len(h.agents))
	slices.SortFunc(h.spans, func(a, b span) int { return cmp.Compare(uint32(a.upline), uint32(b.upline)) }) // none is the greatest
	h.first = make([]int32, last+1)
	for agent, at := int32(0), 0; agent <= last; agent++ {
		for at < len(h.spans) && uint32(h.spans[at].upline) < uint32(agent) {
			at++
		}
		h.first[agent] = int32(at)
	}
}
