package scenario

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Input is a new scenario, or a change of one: what is omitted stays.
type Input struct {
	Name          patch.Field[string]
	Description   patch.Field[string]
	EffectiveFrom patch.Field[date.Date]
	Moves         patch.Field[[]agency.Move]
	SharedWith    patch.Field[[]string]
	// Reviewers are the names of the users who are asked for a review.
	Reviewers   patch.Field[[]string]
	IsDiscarded patch.Field[bool]
}

const (
	scenarioEntity = "Scenario"
	// maxDescription limits a description and a comment, in characters, and maxShared the roles
	// that a scenario is shared with, and those who are asked for a review.
	maxDescription = 1000
	maxShared      = 50
)

// check normalises an input. Everything wrong is reported together.
func (in *Input) check() error {
	var c record.Check
	c.NotNull(in.Name, "name")
	if in.Name.Value != nil {
		in.Name = patch.Set(c.Problems.Name(*in.Name.Value, record.MaxName, "name"))
	}
	in.Description.Value = c.Optional(in.Description.Value, maxDescription, "description")
	c.NotNull(in.EffectiveFrom, "effectiveFrom")
	if in.EffectiveFrom.Value != nil {
		c.Day(in.EffectiveFrom.Value, check.LastDay, "effectiveFrom")
	}
	c.NotNull(in.Moves, "moves")
	if in.Moves.Value != nil {
		in.Moves = patch.Set(agency.CheckMoves(&c, *in.Moves.Value))
	}
	shared := func(in *patch.Field[[]string], what, field string) {
		c.NotNull(*in, field)
		if in.Value != nil {
			c.AtMost(len(*in.Value), maxShared, what, field)
			*in = patch.Set(slices.Compact(append([]string{}, slices.Sorted(slices.Values(*in.Value))...)))
		}
	}
	shared(&in.SharedWith, "roles", sharedWithField)
	shared(&in.Reviewers, "users", reviewersField)
	c.NotNull(in.IsDiscarded, "isDiscarded")
	return c.Err()
}

// differs writes an input into a scenario, and returns the fields that it changes.
func (s *Scenario) differs(in Input) (fields []string) {
	was := *s
	for _, f := range []struct {
		name    string
		sent    bool
		write   func()
		was, is any
	}{
		{"description", in.Description.Sent, func() { s.Description = in.Description.Value }, &was.Description, &s.Description},
		{"effectiveFrom", in.EffectiveFrom.Sent, func() { s.EffectiveFrom = *in.EffectiveFrom.Value }, &was.EffectiveFrom, &s.EffectiveFrom},
		{"moves", in.Moves.Sent, func() { s.Moves = *in.Moves.Value }, &was.Moves, &s.Moves},
		{"name", in.Name.Sent, func() { s.Name = *in.Name.Value }, &was.Name, &s.Name},
		{reviewsField, in.Reviewers.Sent, func() { s.Reviews = asked(s.Reviews, *in.Reviewers.Value) }, &was.Reviews, &s.Reviews},
		{sharedWithField, in.SharedWith.Sent, func() { s.SharedWith = *in.SharedWith.Value }, &was.SharedWith, &s.SharedWith},
		{"state", in.IsDiscarded.Sent, func() {
			if s.State = Draft; *in.IsDiscarded.Value {
				s.State = Discarded
			}
		}, &was.State, &s.State},
	} {
		if f.sent {
			if f.write(); !reflect.DeepEqual(f.was, f.is) {
				fields = append(fields, f.name)
			}
		}
	}
	return fields
}

// Create adds a scenario, which is a draft.
func (s *Service) Create(ctx context.Context, in Input) (made *Scenario, err error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	err = s.writer.Write(ctx, caller.Subject, func(ctx context.Context, w *change.Writing) error {
		made = &Scenario{UID: uuid.Must(uuid.NewV7()).String(), State: Draft, Moves: []agency.Move{}, SharedWith: []string{}, Reviews: []Review{}}
		fields := made.differs(in)
		var owner *int64
		if caller.UserID != 0 {
			owner = &caller.UserID
		}
		id, err := w.Insert(ctx, "agency_scenario", []string{"tenant_id", "uid", "owner_id", "name", "effective_from", "moves", "state", "created_at", "created_by", "last_modified", "last_modified_by"},
			w.Tenant.ID, made.UID, owner, made.Name, made.EffectiveFrom, "[]", Draft, w.Now, w.Initiator, w.Now, w.Initiator)
		if err != nil {
			return err
		}
		made.ID = id
		made, err = made.store(ctx, w, fields)
		return err
	})
	return made, err
}

// Update changes a scenario that was last modified at an instant. If somebody else has
// changed it since, it is refused. changed is false if nothing differs; then nothing is
// written.
func (s *Service) Update(ctx context.Context, uid string, lastModified time.Time, in Input) (sc *Scenario, changed bool, err error) {
	if err := in.check(); err != nil {
		return nil, false, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	err = s.writer.Write(version.Expect(ctx, []string{version.Of(lastModified)}), caller.Subject, func(ctx context.Context, w *change.Writing) error {
		if sc, err = lock(ctx, w.Tx, uid); err != nil {
			return err
		}
		w.StampAfter(sc.LastModified)
		fields := sc.differs(in)
		if changed = len(fields) > 0; !changed {
			return nil
		}
		sc, err = sc.store(ctx, w, fields)
		return err
	})
	return sc, changed, err
}

// lock reads a scenario that is about to change.
func lock(ctx context.Context, tx *store.Tx, uid string) (*Scenario, error) {
	sc, err := read(ctx, tx, uid, tx.ForUpdate())
	if err == nil && sc == nil {
		err = problem.Missing(problem.NotFoundCode, "No scenario has this id", "id")
	}
	if err != nil {
		return nil, err
	}
	if err = version.Check(ctx, sc.LastModified); err == nil && sc.State == Applied {
		err = problem.Invalid(problem.NotApplicable, "was applied, and does not change any more", "id")
	}
	return sc, err
}

// store writes a scenario with its changed fields, and returns what is stored.
func (s *Scenario) store(ctx context.Context, w *change.Writing, fields []string) (*Scenario, error) {
	moves, err := json.Marshal(s.Moves)
	if err != nil {
		return nil, err
	}
	if _, err := w.Exec(ctx, "UPDATE agency_scenario SET name = $1, description = $2, effective_from = $3, moves = $4, state = $5, last_modified = $6, last_modified_by = $7 WHERE tenant_id = $8 AND id = $9",
		s.Name, s.Description, s.EffectiveFrom, string(moves), s.State, w.Now, w.Initiator, w.Tenant.ID, s.ID); err != nil {
		return nil, err
	}
	if slices.Contains(fields, sharedWithField) {
		if err := s.share(ctx, w); err != nil {
			return nil, err
		}
	}
	if slices.Contains(fields, reviewsField) {
		if err := s.storeReviews(ctx, w); err != nil {
			return nil, err
		}
	}
	w.Record(change.EntryOf(scenarioEntity, []string{s.UID}, fields...))
	return read(ctx, w, s.UID, "")
}

// share writes the roles that a scenario is shared with.
func (s *Scenario) share(ctx context.Context, w *change.Writing) error {
	roles := map[string]int64{}
	_, err := store.Collect(ctx, w, func(row store.Scanner) (struct{}, error) {
		var (
			name string
			id   int64
		)
		err := row.Scan(&name, &id)
		roles[name] = id
		return struct{}{}, err
	}, "SELECT name, id FROM identity_role WHERE tenant_id = $1", w.Tenant.ID)
	if err == nil {
		_, err = w.Exec(ctx, "DELETE FROM agency_scenario_role WHERE tenant_id = $1 AND scenario_id = $2", w.Tenant.ID, s.ID)
	}
	if err != nil {
		return err
	}
	var refused problem.List
	for i, name := range s.SharedWith {
		if roles[name] == 0 {
			refused.Add(problem.Invalid(problem.NotFoundCode, "No role has this name", sharedWithField, strconv.Itoa(i)))
		} else if _, err := w.Exec(ctx, "INSERT INTO agency_scenario_role (tenant_id, scenario_id, role_id) VALUES ($1, $2, $3)", w.Tenant.ID, s.ID, roles[name]); err != nil {
			return err
		}
	}
	return refused.Err()
}
