package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/problem"
)

// lines are the fields of a scenario that are kept.
var lines = []fields.Line{
	{Name: "name", Column: "name", Holds: new(patch.Field[string])}, {Name: "description", Column: "description", Holds: new(patch.Field[string])},
	{Name: "effectiveFrom", Column: "effective_from", Holds: new(patch.Field[date.Date])}, {Name: "moves", Column: "moves", Holds: new(patch.Field[string])},
	{Name: "state", Column: "state", Holds: new(patch.Field[string])},
}

const (
	// sharedWithField are the roles whose users see a scenario, and reviewsField what colleagues
	// say of it.
	sharedWithField = "sharedWith"
	reviewsField    = "reviews"
)

// Kinds says how scenarios are stored, and takes changes of them back. One whose moves are taken
// back is a draft again.
func (s *Service) Kinds() []*past.Kind {
	return []*past.Kind{{Entity: scenarioEntity, Label: "id", Key: "CAST(x.uid AS text)", By: restorer{}, Say: map[string]func(string) string{"moves": sayMoves}, Facts: []*past.Fact{
		{Table: "agency_scenario", Owner: "id", Since: "created_at", Lines: lines, Takes: "scenarioUpdate"},
		{Path: sharedWithField, Table: "agency_scenario_role", Owner: "scenario_id", Row: "scenario_id", Part: "role_id", Members: []string{past.NameOf("identity_role", "x.role_id")}, Takes: "scenarioUpdate"},
		{Path: reviewsField, Table: "agency_scenario_review", Owner: "scenario_id", Row: "scenario_id", Part: "user_id", Members: []string{saidReview, "username", "verdict", "comment", "subject", "user_id"}, Takes: "scenarioReview"}}}}
}

// saidReview is SQL for what the trail shows of a review: "ann: APPROVED (fine)".
const saidReview = "(x.username || ': ' || x.verdict || CASE WHEN x.comment = '' THEN '' ELSE ' (' || x.comment || ')' END)"

// mostSaid is how many moves are written out.
const mostSaid = 20

// sayMoves writes moves for people: "A1: upline A2, level 20; A2: no upline".
func sayMoves(text string) string {
	var moves []agency.Move
	if json.Unmarshal([]byte(text), &moves) != nil {
		return text
	}
	var all []string
	for i, m := range moves {
		if i == mostSaid {
			all = append(all, fmt.Sprintf("and %d more", len(moves)-i))
			break
		}
		var said []string
		switch {
		case m.NewUpline.Value != nil:
			said = append(said, "upline "+*m.NewUpline.Value)
		case m.NewUpline.Sent:
			said = append(said, "no upline")
		}
		if m.NewLevel.Value != nil {
			said = append(said, fmt.Sprint("level ", *m.NewLevel.Value))
		}
		if m.NewPayStatus.Value != nil {
			said = append(said, "pay status "+*m.NewPayStatus.Value)
		}
		all = append(all, m.AgentCode+": "+strings.Join(said, ", "))
	}
	return strings.Join(all, "; ")
}

// restorer takes changes of scenarios back.
type restorer struct{}

// Lock locks the scenarios.
func (restorer) Lock(ctx context.Context, c *change.Writing, all []*past.Target) error {
	return past.LockRows(ctx, c, "agency_scenario", all)
}

// Restore sets the fields of scenarios.
func (restorer) Restore(ctx context.Context, c *change.Writing, all []*past.Target) error {
	for _, t := range all {
		sc, err := read(ctx, c, t.Key, "")
		if err != nil {
			return err
		}
		var differ []string
		for _, l := range lines {
			if t.Differs(l.Name) == nil {
				continue
			}
			differ = append(differ, l.Name)
			text, err := t.Text(l.Name)
			if err == nil {
				err = sc.set(l.Name, text)
			}
			if err != nil {
				return err
			}
		}
		if t.Differs(sharedWithField) != nil {
			differ = append(differ, sharedWithField)
			sc.SharedWith = nil
			for _, m := range t.AllMembers(sharedWithField) {
				sc.SharedWith = append(sc.SharedWith, m[0])
			}
		}
		if t.Differs(reviewsField) != nil {
			differ = append(differ, reviewsField)
			if sc.Reviews, err = reviewsOf(t.AllMembers(reviewsField)); err != nil {
				return err
			}
		}
		if _, err := sc.store(ctx, c, differ); err != nil {
			return err
		}
	}
	return nil
}

// set gives a field the value of a text.
func (s *Scenario) set(field string, text *string) (err error) {
	switch {
	case field == "description":
		s.Description = text
	case text == nil:
		return problem.Invalid(problem.NotApplicable, "Scenario "+s.UID+" "+field+" had no value", "sequence")
	case field == "name":
		s.Name = *text
	case field == "effectiveFrom":
		s.EffectiveFrom, err = date.Parse(*text)
	case field == "moves":
		s.Moves = []agency.Move{}
		err = json.Unmarshal([]byte(*text), &s.Moves)
	case slices.Contains([]State{Draft, Applied, Discarded}, State(*text)):
		s.State = State(*text)
	}
	return err
}

// Remove refuses: scenarios are discarded.
func (restorer) Remove(_ context.Context, _ *change.Writing, all []*past.Target) error {
	return problem.Invalid(problem.NotApplicable, "Scenario "+all[0].Key+" is not deleted: discard it", "sequence")
}

// Restored is called when the change is kept.
func (restorer) Restored(context.Context) {}
