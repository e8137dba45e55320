package hierarchy

import (
	"context"
	"math"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
)

// Limits of what is kept: periods, of all teams together, and teams. A period takes 16
// bytes, an agent 12. A team of more agents than maxKept/2 is walked.
const (
	maxKept      = 2_000_000
	maxKeptTeams = 1_000
)

// kept keeps the live upline periods of teams, from which any day is computed in
// milliseconds.
type kept struct {
	mu    sync.Mutex
	teams *lru.Cache[teamKey, *teamHistory]
	size  int
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
	k.teams = teams
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

// keeps reports whether the view may be computed from kept periods: it is of another day
// than today, not of what was known earlier, and not for a limited user, who sees a part
// of the team.
func (v View) keeps(ctx context.Context) bool {
	return v.history != nil && v.Known.At() == nil && store.ReadsLikeOthers(ctx) && !v.Flattened()
}

// periodsIfKept returns the team's live periods; nil for a view that is to be walked.
func (v View) periodsIfKept(ctx context.Context, q store.Querier, tenantID int64) (*teamHistory, error) {
	if !v.keeps(ctx) {
		return nil, nil
	}
	return v.current(ctx, q, tenantID)
}

// current returns the team's live periods, and reads what is not kept, or has changed.
// Of many that need them at once, one reads. It returns nil for a team that is too large.
func (v View) current(ctx context.Context, q store.Querier, tenantID int64) (*teamHistory, error) {
	var version int64
	if _, err := store.One(ctx, q, []any{&version}, "SELECT b.changed_version FROM hierarchy_build b WHERE b.tenant_id = $1 AND b.team_id = $2", tenantID, v.TeamID); err != nil {
		return nil, err
	}
	return v.asOf(ctx, q, tenantID, version)
}

// asOf is current, given the change counter.
func (v View) asOf(ctx context.Context, q store.Querier, tenantID, version int64) (*teamHistory, error) {
	key := teamKey{tenantID, v.TeamID}
	if h := v.history.get(key); h != nil && h.version == version {
		return h, nil
	}
	done, err := v.history.turn(ctx, key)
	if err != nil {
		return nil, err
	}
	defer done()
	was := v.history.get(key)
	h, err := was.renewed(ctx, q, tenantID, v.TeamID)
	if err == nil && h != nil && h != was {
		v.history.put(key, h)
	}
	return h, err
}

// renewed returns the periods as they are now: these, with those of the agents that
// changed since. All are read if there are none yet, or if it is no longer known who
// changed. It returns nil for a team that is too large.
func (h *teamHistory) renewed(ctx context.Context, q store.Querier, tenantID, teamID int64) (*teamHistory, error) {
	since := int64(math.MaxInt64)
	if h != nil {
		since = h.version
	}
	c, err := changesSince(ctx, q, tenantID, teamID, since)
	switch {
	case err != nil || c.agents > maxKept/2:
		return nil, err
	case h != nil && c.version == h.version:
		return h, nil
	case h != nil && c.isComplete(h.version):
		return h.with(c.version, c.changed, c.periods), nil
	}
	// The counter was read before the periods: a change in between is read twice.
	return readHistory(ctx, q, tenantID, teamID, c.version)
}

// changes are the changes of a team since a version.
type changes struct {
	// version is the change counter, agents how many the team had at the last rebuild.
	version, agents int64
	// versions and rows are how many versions and rows of hierarchy_change were found.
	versions, rows int64
	changed        map[int64]bool
	// periods are the live periods of the agents that changed.
	periods []period
}

// maxChanges is how many changed agents are looked at.
const maxChanges = 1000

// isComplete reports whether all changes since a version are known.
func (c changes) isComplete(since int64) bool {
	return c.versions == c.version-since && c.rows <= maxChanges && !c.changed[everyAgent]
}

// changesSince reads the changes in one statement, so that counter, agents and periods are
// of one state.
func changesSince(ctx context.Context, q store.Querier, tenantID, teamID, since int64) (c changes, err error) {
	c.changed = map[int64]bool{}
	_, err = store.Collect(ctx, q, func(row store.Scanner) (none struct{}, err error) {
		var id, upline *int64
		var from, through *date.Date
		err = row.Scan(&c.version, &c.agents, &c.versions, &c.rows, &id, &upline, &from, &through)
		if id != nil {
			c.changed[*id] = true
		}
		if from != nil {
			p := period{agent: *id, from: *from, through: date.OrMax(through)}
			if upline != nil {
				p.upline = *upline
			}
			c.periods = append(c.periods, p)
		}
		return none, err
	}, `
		WITH changed AS MATERIALIZED (
			SELECT h.version, h.agent_id FROM hierarchy_change h WHERE h.tenant_id = $1 AND h.team_id = $2 AND h.version > $3 ORDER BY h.version LIMIT $4
		)
		SELECT b.changed_version, coalesce(b.agent_count, 0), n.versions, n.agents, c.agent_id, p.upline_agent_id, p.effective_from, p.effective_through
		FROM hierarchy_build b CROSS JOIN (SELECT count(DISTINCT d.version) AS versions, count(*) AS agents FROM changed d) n
		LEFT JOIN (SELECT DISTINCT d.agent_id FROM changed d) c ON true
		LEFT JOIN agency_upline_period p ON p.tenant_id = $1 AND p.team_id = $2 AND p.agent_id = c.agent_id AND p.superseded_at IS NULL
		WHERE b.tenant_id = $1 AND b.team_id = $2`, tenantID, teamID, since, maxChanges+1)
	return c, err
}
