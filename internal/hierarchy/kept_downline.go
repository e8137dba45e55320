package hierarchy

import (
	"context"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// keptDownline are the team's kept periods as the source of a dated downline. They say the
// same as the stored ones while the team's change counter is that of the periods.
type keptDownline struct {
	dated
	store   *store.Store
	version int64
	rootID  int64
	below   []int64 // see levelBits
}

// levelBits is how many of the lower bits of a number say the level of an agent; the
// others are its id. One list of numbers is the least that a statement can be given.
const levelBits = 7 // maxLevel is 64

// kept returns the source; nil if the team's periods are not kept, or have changed since
// they were read.
func (d dated) kept(ctx context.Context, q *store.Store) (source, error) {
	if d.history == nil {
		return nil, nil
	}
	key := teamKey{d.tenantID, d.TeamID}
	h := d.history.get(key)
	if h == nil {
		pays, err := d.readingPays(ctx, q, key)
		if err != nil || !pays {
			return nil, err
		}
		if h, err = d.read(ctx, q, d.tenantID); err != nil {
			return nil, err
		}
	}
	return d.current(ctx, q, h)
}

// current returns the source if nothing has changed since the periods were read.
func (d dated) current(ctx context.Context, q *store.Store, h *teamHistory) (source, error) {
	var s store.SQL
	root, _ := d.root.Single(&s)
	var version int64
	var id *int64
	s.Write("SELECT b.changed_version, CAST(" + root + " AS bigint) FROM hierarchy_build b WHERE " + d.ofTeam(&s, "b"))
	_, err := store.One(ctx, q, []any{&version, &id}, s.Text(), s.Args()...)
	switch {
	case err != nil:
		return nil, err
	case version != h.version:
		d.history.drop(teamKey{d.tenantID, d.TeamID}, h)
		return nil, nil
	case id == nil: // nobody has the agent code
		return nil, nil
	}
	lowest, highest := d.levels.bounds()
	return keptDownline{d, q, version, *id, h.below(*id, d.Day, lowest, highest)}, nil
}

// Reading the periods of all agents costs as much as walking so many downlines: one for
// each walkPerAgents agents, and a few more.
const (
	fewWalks      = 16
	walkPerAgents = 500
)

// readingPays reports whether as many downlines were asked for, since the team's periods
// were last read for one, as reading them all costs. A downline of two agents counts as
// much as one of thousands.
func (d dated) readingPays(ctx context.Context, q *store.Store, key teamKey) (bool, error) {
	walks := d.history.walked(key)
	if walks%fewWalks != 0 {
		return false, nil
	}
	var s store.SQL
	var agents int
	s.Write("SELECT coalesce(b.agent_count, 0) FROM hierarchy_build b WHERE " + d.ofTeam(&s, "b"))
	if _, err := store.One(ctx, q, []any{&agents}, s.Text(), s.Args()...); err != nil || agents > maxKept/2 || walks < fewWalks+agents/walkPerAgents {
		return false, err
	}
	d.history.startOver(key) // so that nobody else reads them, too
	return true, nil
}

// below returns the agents below a root on a day, from one level to another.
func (h *teamHistory) below(root int64, day date.Date, lowest, highest int) []int64 {
	all := []int64{}
	at, found := slices.BinarySearch(h.agents, root)
	if !found {
		return all
	}
	here := []int32{int32(at)}
	for level := 1; level <= highest && len(here) > 0; level++ {
		var under []int32
		for _, upline := range here {
			for _, s := range h.spans[h.first[upline]:h.first[upline+1]] {
				if s.from <= day && day <= s.through {
					under = append(under, s.agent)
				}
			}
		}
		if here = under; level < lowest {
			continue
		}
		for _, agent := range here {
			all = append(all, h.agents[agent]<<levelBits|int64(level))
		}
	}
	return all
}

// holds writes the row that is there while nothing has changed.
func (k keptDownline) holds(s *store.SQL) {
	s.Write("source AS MATERIALIZED (SELECT 1 FROM hierarchy_build b WHERE " + k.ofTeam(s, "b") + " AND b.changed_version = " + s.Arg(k.version) + ")")
}

// relations writes the kept relations.
func (k keptDownline) relations(s *store.SQL) {
	s.Write(fmt.Sprintf("SELECT CAST(%s AS bigint) AS ancestor_id, e.value >> %d AS descendant_id, CAST(e.value & %d AS integer) AS level FROM %s WHERE true",
		s.Arg(k.rootID), levelBits, 1<<levelBits-1, k.store.Each("e", s.Arg(k.store.List(k.below)))))
}

// count writes the number of them.
func (k keptDownline) count(s *store.SQL) {
	s.Write("SELECT CAST(" + s.Arg(len(k.below)) + " AS bigint)")
}
