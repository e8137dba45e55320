package hierarchy

import (
	"context"
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/tenant"
)

// Comparison are the arguments of Compare: the hierarchy of a team on two days.
type Comparison struct {
	TeamID int64
	// RootID limits it to an agent and everyone below it, on either day; 0 for the whole
	// team.
	RootID int64
	// From is the earlier day, or the same day.
	From, To date.Date
	// Most limits each list.
	Most int
	// After is an agent code: each list begins behind it. Empty: at its first agent.
	After string
	// Known is the knowledge that counts.
	Known history.Known
	// Was is how the team stood, instead of as it stands on From; nil for that.
	Was *Standing
}

// Standing is where the agents of a team are on a day, and their levels.
type Standing struct {
	places *teamHistory
	levels map[int64]held
}

// held is a level since a day.
type held struct {
	level int
	since date.Date
}

// Stand reads how a team stands on a day, for a Comparison with how it stands otherwise, as
// in a transaction (store.Joint) that moves agents.
func (s *Service) Stand(ctx context.Context, q store.Querier, teamID int64, on date.Date) (st *Standing, err error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	st = new(Standing)
	if st.places, err = s.periods(ctx, q, tenantID, teamID); err == nil {
		st.levels, err = levelsOn(ctx, q, tenantID, teamID, on)
	}
	return st, err
}

// Diff lists the differences between two days, by agent code. It has only agents that are
// in what is compared, the team or the part below a root, on one of the days.
type Diff struct {
	// Added are in what is compared only on the later day, Removed only on the earlier one.
	Added, Removed []int64
	Moved          []Transfer
	LevelChanged   []LevelChange
	// Totals are the sizes of the whole lists.
	Totals Totals
	// More is true if a list was cut.
	More bool
}

// Totals are how many agents differ, for each list of a Diff.
type Totals struct{ Added, Removed, Moved, LevelChanged int }

// Transfer is an agent with a place in the team on both days and another direct upline.
// Below a root, it may have come from elsewhere in the team, or left for it.
type Transfer struct {
	AgentID int64
	// FromUplineID and ToUplineID are 0 for a root.
	FromUplineID, ToUplineID int64
	// Since is the first day of the later upline, RecordedBy the initiator that recorded
	// it.
	Since      date.Date
	RecordedBy string
}

// LevelChange is an agent with another agent level; nil for none.
type LevelChange struct {
	AgentID  int64
	From, To *int
	Since    *date.Date
}

// Compare returns the differences. Who is where on the two days is computed from the
// team's periods, which are kept in memory as for any other look at all of a day; only
// what a list shows beyond them is read.
func (s *Service) Compare(ctx context.Context, q store.Querier, c Comparison) (Diff, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return Diff{}, err
	}
	ctx = visibility.AsKnown(ctx, history.AsOf{Known: c.Known})
	h, err := s.periods(ctx, q, tenantID, c.TeamID)
	if err != nil {
		return Diff{}, err
	}
	was := h
	if c.Was != nil {
		was = c.Was.places
	}
	days := c.between(was, h)
	levels, err := c.levels(ctx, q, tenantID, days)
	if err != nil {
		return Diff{}, err
	}
	added, removed, moved := days.differ()
	d := Diff{Totals: Totals{Added: len(added), Removed: len(removed), Moved: len(moved), LevelChanged: len(levels)}}
	lists := [][]int64{added, removed, moved, keysOf(levels)}
	if err := c.cut(ctx, q, tenantID, lists); err != nil {
		return Diff{}, err
	}
	for i := range lists {
		if len(lists[i]) > c.Most {
			lists[i], d.More = lists[i][:c.Most], true
		}
	}
	d.Added, d.Removed = lists[0], lists[1]
	for _, id := range lists[3] {
		d.LevelChanged = append(d.LevelChanged, levels[id])
	}
	d.Moved, err = c.transfers(ctx, q, tenantID, days, lists[2])
	return d, err
}

// periods returns the team's periods as the caller may see them. Those of a limited caller
// are a part, which is not kept; nor are those of a team that is too large.
func (s *Service) periods(ctx context.Context, q store.Querier, tenantID, teamID int64) (*teamHistory, error) {
	if store.ReadsLikeOthers(ctx) {
		if h, err := (View{TeamID: teamID, history: s.kept}).current(ctx, q, tenantID); err != nil || h != nil {
			return h, err
		}
	}
	return readHistory(ctx, q, tenantID, teamID, 0)
}

// days has the places of a team's agents on the two days of a comparison. Agents are
// indexes into those of the history.
type days struct {
	agents []int64
	// before and after are the uplines; none for a root, absent without a place.
	before, after []int32
	// was and is say who is in what is compared.
	was, is []bool
}

func (c Comparison) between(was, is *teamHistory) (d days) {
	d.agents = slices.Concat(was.agents, is.agents)
	slices.Sort(d.agents)
	d.agents = slices.Compact(d.agents)
	d.before, d.was = was.placed(c.RootID, c.From, d.agents)
	d.after, d.is = is.placed(c.RootID, c.To, d.agents)
	return d
}

// placed returns the uplines on a day, and who is in a part, by the indexes of more agents.
func (h *teamHistory) placed(root int64, day date.Date, among []int64) (uplines []int32, in []bool) {
	at, own := h.indexesIn(&teamHistory{agents: among}), h.uplines(day)
	uplines, in = slices.Repeat([]int32{absent}, len(among)), make([]bool, len(among))
	for i, is := range h.part(root, day, own) {
		if in[at[i]], uplines[at[i]] = is, own[i]; own[i] >= 0 {
			uplines[at[i]] = at[own[i]]
		}
	}
	return uplines, in
}

// part returns who has a place on a day at or below a root, or anywhere in the team for 0.
func (h *teamHistory) part(root int64, day date.Date, upline []int32) []bool {
	in := make([]bool, len(h.agents))
	if root == 0 {
		for i := range in {
			in[i] = upline[i] != absent
		}
		return in
	}
	at, found := h.index(root)
	if !found || upline[at] == absent {
		return in
	}
	in[at] = true
	for _, here := range h.below(root, day, maxLevel) {
		for _, s := range here {
			in[s.agent] = true
		}
	}
	return in
}

// differ lists the agents that came, left, and have another upline.
func (d days) differ() (added, removed, moved []int64) {
	for i, id := range d.agents {
		switch {
		case d.was[i] && !d.is[i]:
			removed = append(removed, id)
		case d.is[i] && !d.was[i]:
			added = append(added, id)
		case !d.was[i]:
			continue
		}
		if d.before[i] != d.after[i] && d.before[i] != absent && d.after[i] != absent {
			moved = append(moved, id)
		}
	}
	return added, removed, moved
}

// has reports whether an agent is in what is compared on one of the days.
func (d days) has(id int64) bool {
	at, found := slices.BinarySearch(d.agents, id)
	return found && (d.was[at] || d.is[at])
}

// uplinesOf returns the uplines of an agent on the two days; 0 for a root.
func (d days) uplinesOf(id int64) (before, after int64) {
	at, _ := slices.BinarySearch(d.agents, id)
	if d.before[at] >= 0 {
		before = d.agents[d.before[at]]
	}
	if d.after[at] >= 0 {
		after = d.agents[d.after[at]]
	}
	return before, after
}
