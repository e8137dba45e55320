package hierarchy

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/tenant"
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

// Compare returns the differences, with two statements. It looks at periods that hold on
// only one of the two days, so it reads no more than what has changed; below a root, it
// looks at the agents below it on either day.
func Compare(ctx context.Context, q store.Querier, c Comparison) (Diff, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return Diff{}, err
	}
	var d Diff
	var s store.SQL
	c.places(&s, tenantID)
	if _, err := store.Collect(ctx, q, d.scanPlace, s.Text(), s.Args()...); err != nil {
		return Diff{}, err
	}
	s = store.SQL{}
	c.levels(&s, tenantID)
	if _, err = store.Collect(ctx, q, d.scanLevel, s.Text(), s.Args()...); err != nil {
		return Diff{}, err
	}
	for _, cut := range []bool{shorten(&d.Added, c.Most), shorten(&d.Removed, c.Most), shorten(&d.Moved, c.Most), shorten(&d.LevelChanged, c.Most)} {
		d.More = d.More || cut
	}
	return d, nil
}

// shorten cuts a list, and reports whether it did.
func shorten[T any](list *[]T, most int) bool {
	if len(*list) <= most {
		return false
	}
	*list = (*list)[:most]
	return true
}

func (d *Diff) scanPlace(row store.Scanner) (none struct{}, err error) {
	var (
		kind  string
		code  string
		t     Transfer
		ended date.Date
	)
	err = row.Scan(&kind, &code, &t.AgentID, &t.FromUplineID, &t.ToUplineID, &t.Since, &ended, &t.RecordedBy)
	switch kind {
	case "ADDED":
		d.Added = append(d.Added, t.AgentID)
	case "REMOVED":
		d.Removed = append(d.Removed, t.AgentID)
	case "MOVED":
		if t.Since == date.Max { // no period covers the later day: the agent has a place because others report to it
			t.Since = ended.AddDays(1)
		}
		d.Moved = append(d.Moved, t)
	default:
		*d.Totals.of(kind) = int(t.AgentID)
	}
	return none, err
}

// of returns the total that a row of the statement holds.
func (t *Totals) of(kind string) *int {
	switch kind {
	case "TOTAL ADDED":
		return &t.Added
	case "TOTAL REMOVED":
		return &t.Removed
	}
	return &t.Moved
}

// scanLevel scans a change of level, behind the number of all. The row of id 0 has only
// that number.
func (d *Diff) scanLevel(row store.Scanner) (none struct{}, err error) {
	var l LevelChange
	if err = row.Scan(&d.Totals.LevelChanged, &l.AgentID, &l.From, &l.To, &l.Since); err == nil && l.AgentID != 0 {
		d.LevelChanged = append(d.LevelChanged, l)
	}
	return none, err
}
