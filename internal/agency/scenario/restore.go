package scenario

import (
	"context"
	"encoding/json"
	"slices"

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
	{Name: "effectiveFrom", Column: "effective_from", Holds: new(patch.Field[date.Date])}, {Name: "moves", Column: "moves", As: past.Elements, Holds: new(patch.Field[string])},
	{Name: "state", Column: "state", Holds: new(patch.Field[string])},
}

// sharedWithField are the roles whose users see a scenario.
const sharedWithField = "sharedWith"

// Kinds says how scenarios are stored, and takes changes of them back. One whose moves are taken
// back is a draft again.
func (s *Service) Kinds() []*past.Kind {
	return []*past.Kind{{Entity: scenarioEntity, Label: "id", Key: "CAST(x.uid AS text)", By: restorer{}, Facts: []*past.Fact{
		{Table: "agency_scenario", Owner: "id", Since: "created_at", Lines: lines, Takes: "scenarioUpdate"},
		{Path: sharedWithField, Table: "agency_scenario_role", Owner: "scenario_id", Row: "scenario_id", Part: "role_id", Members: []string{past.NameOf("identity_role", "x.role_id")}, Takes: "scenarioUpdate"}}}}
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
