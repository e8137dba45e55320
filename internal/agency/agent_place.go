package agency

import (
	"context"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// place is the position of a new agent in a team.
type place struct {
	teamID int64
	upline uplineRef
	level  *int
}

// checkPlaces checks everything that a registration refers to, and returns the agent's
// places in its teams.
func checkPlaces(ctx context.Context, w *record.Writing, code string, in Registration) ([]place, error) {
	var (
		refused problem.List
		places  []place
	)
	if err := w.MustRefer(ctx, &refused, record.PayStatusTable, in.Status, "status"); err != nil {
		return nil, err
	}
	for i, t := range in.Teams {
		team, err := record.TeamID(ctx, w, t.Team)
		if err != nil {
			return nil, err
		}
		upline, err := checkMembership(ctx, w, team, code, t, []string{"teams", strconv.Itoa(i), "membership"})
		problems, fault := record.AsProblems(err)
		if fault != nil {
			return nil, fault
		}
		refused = append(refused, problems...)
		places = append(places, place{team, upline, t.Level})
	}
	if err := contactProblems(ctx, w, in.Contact, &refused); err != nil {
		return nil, err
	}
	return places, refused.Err()
}

// placeAgent writes the first period of each history of a new agent.
func placeAgent(ctx context.Context, w *record.Writing, id int64, from date.Date, status string, places []place) error {
	for _, p := range places {
		if err := insertMembership(ctx, w, p.teamID, id, from, p.upline, p.level); err != nil {
			return err
		}
	}
	return begin(ctx, w, payee.Statuses.None(0), id, from, status)
}

// begin writes the first period of a new agent.
func begin[V comparable](ctx context.Context, w *record.Writing, h *record.Histories[V], id int64, from date.Date, value V) error {
	h.Begin(id, from, value)
	return h.Write(ctx, w)
}

// firstDayOf returns the day on which the first periods of a new agent begin: the date of
// its start as it was written. A start is an "ISO 8601 UTC timestamp" (Resources,
// "Agent"), and a client that has only a date writes it as midnight UTC, whatever the
// zone of the tenant. No first period begins later than today.
func firstDayOf(w *record.Writing, in Registration) date.Date {
	switch {
	case in.StartDate.Value == nil:
		return w.Today
	case in.StartDay != nil:
		return min(*in.StartDay, w.Today)
	}
	return min(date.In(*in.StartDate.Value, time.UTC), w.Today)
}

// checkMembership checks the upline and level of a new agent. A new agent is
// nobody's upline, so no cycle is possible.
func checkMembership(ctx context.Context, w *record.Writing, team int64, code string, t TeamAssignment, path []string) (uplineRef, error) {
	var (
		refused problem.List
		upline  uplineRef
	)
	if t.DirectUpline != nil {
		id, err := uplineAgent(ctx, w, *t.DirectUpline, append(path, "directUpline")...)
		if problem.From(err) == nil && err != nil {
			return upline, err
		}
		refused = append(refused, problem.From(err)...)
		if *t.DirectUpline == code {
			refused = problem.List{problem.Invalid(problem.CircularHierarchy, "An agent cannot be its own upline", append(path, "directUpline")...)}
		}
		upline.id = id
	}
	if t.Level != nil {
		if err := w.MustRefer(ctx, &refused, record.LevelTable(team), *t.Level, append(path, "level")...); err != nil {
			return upline, err
		}
	}
	return upline, refused.Err()
}

func insertMembership(ctx context.Context, w *record.Writing, team, id int64, from date.Date, upline uplineRef, level *int) error {
	if err := begin(ctx, w, uplines.None(team), id, from, upline); err != nil {
		return err
	}
	if level != nil {
		if err := begin(ctx, w, levels.None(team), id, from, *level); err != nil {
			return err
		}
	}
	return hierarchy.Changed(ctx, w.Tx, team, []int64{id}, w.Now)
}
