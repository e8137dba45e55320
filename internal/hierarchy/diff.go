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
}

// Diff lists the differences between two days, by agent code. It has only agents with a
// place in the hierarchy on one of the days.
type Diff struct {
	// Added have a place only on the later day, Removed only on the earlier one.
	Added, Removed []int64
	Moved          []Transfer
	LevelChanged   []LevelChange
	// More is true if a list was cut.
	More bool
}

// Transfer is an agent with a place on both days and another direct upline.
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
	if d.LevelChanged, err = store.Collect(ctx, q, scanLevelChange, s.Text(), s.Args()...); err != nil {
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
		t     Transfer
		ended date.Date
	)
	err = row.Scan(&kind, &t.AgentID, &t.FromUplineID, &t.ToUplineID, &t.Since, &ended, &t.RecordedBy)
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
	}
	return none, err
}

func scanLevelChange(row store.Scanner) (l LevelChange, err error) {
	err = row.Scan(&l.AgentID, &l.From, &l.To, &l.Since)
	return l, err
}
