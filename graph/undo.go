package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/problem"
)

// undoing takes a change back.
type undoing struct {
	*Server
	initiator string
	changes   []*audit.Changed
	lenses    []lens
	all       looks
	calls     []*call
	// made are the objects that the changes made, each with the uplines that it has now.
	made    map[object][]string
	refused problem.List
}

// object is one of the audit trail.
type object struct{ entityType, key string }

func objectOf(c *audit.Changed) object { return object{c.EntityType, c.Key} }

// call is a mutation that sets values back.
type call struct {
	mutation string
	key      string // of what it changes
	input    map[string]any
	// joins is true for periods that only become one again, which no reorganisation does.
	joins bool
}

// undo takes a write of the audit trail back: it calls the mutations that set its fields to
// the values before, all in one transaction. It returns what these do to the values, and
// the later changes that stand in the way; then nothing is changed.
func (s *Server) undo(ctx context.Context, changes []*audit.Changed, initiator string) (undone []*model.ChangeUndone, conflicts []*audit.Changed, err error) {
	since, err := s.trail.KeptSince(ctx)
	if err != nil {
		return nil, nil, err
	}
	changes = withWholeW9s(changes)
	u := &undoing{Server: s, initiator: initiator, changes: changes, all: looks{}, made: map[object][]string{}}
	for _, c := range changes {
		l, ok := s.lensOf(c.EntityType, c.Key, c.Field)
		if !ok || !l.dated && c.At.Before(since) {
			u.refuse(c, "is nothing that can be taken back: the values before are not known")
			continue
		}
		u.lenses = append(u.lenses, l)
		for _, at := range []time.Time{before(c.At), c.At, now} {
			u.all.at(at).place(l.whole)
			u.all.at(at).place(l.masked)
		}
		u.placeParts(c)
	}
	if err := u.refused.Err(); err != nil {
		return nil, nil, err
	}
	if err := s.ask(ctx, u.all); err != nil {
		return nil, nil, err
	}
	u.findMade()
	if err := u.keepWriters(ctx); err != nil {
		return nil, nil, err
	}
	removed := map[object]bool{}
	for i, c := range changes {
		l, o := u.lenses[i], objectOf(c)
		if _, isMade := u.made[o]; isMade && (removed[o] || !u.isMade(c, l)) {
			continue // goes with the object
		} else if isMade {
			removed[o] = true
		}
		if !u.isRead(c, l) {
			u.refuse(c, "cannot be read with this token")
			continue
		}
		later, err := u.inTheWay(ctx, c, l)
		if err != nil {
			return nil, nil, err
		}
		if conflicts = append(conflicts, later...); len(later) > 0 {
			continue
		}
		u.setBack(i)
		undone = append(undone, u.undone(c, l))
	}
	if err := u.refused.Err(); err != nil || len(conflicts) > 0 {
		return undone, conflicts, err
	}
	u.remove()
	if len(u.calls) == 0 {
		u.refuse(changes[0], "has changed no value")
		return nil, nil, u.refused.Err()
	}
	return undone, nil, u.run(ctx)
}

// undone says what becomes of a field, or of an object that is deleted or made again.
func (u *undoing) undone(c *audit.Changed, l lens) *model.ChangeUndone {
	told := &model.ChangeUndone{EntityType: c.EntityType, EntityKey: c.Key, Field: c.Field, Values: l.compare(u.all.at(now), u.all.at(before(c.At)))}
	if u.isMade(c, l) {
		told.Field, told.Values = "", []*model.ChangedValue{{Old: &c.Key}}
	}
	return told
}

// isRead reports whether the values of a field could be read, before, with and after a change.
func (u *undoing) isRead(c *audit.Changed, l lens) bool {
	for _, at := range []time.Time{before(c.At), c.At, now} {
		in := u.all.at(at)
		if in.failed[in.place(l.whole)] || in.failed[in.place(l.masked)] {
			return false
		}
	}
	return true
}

// inTheWay returns the later changes of a field that a change has set, and of the whole
// object if the change made it. It refuses one that changed with what it is a part of.
func (u *undoing) inTheWay(ctx context.Context, c *audit.Changed, l lens) ([]*audit.Changed, error) {
	if u.isMade(c, l) {
		later, err := u.laterThan(ctx, c, nil, mostLater)
		if err != nil || len(later) == mostLater {
			return later, err
		}
		return u.lasting(ctx, c, later)
	}
	if u.isMadePart(c, l) { // goes whole, with all that others have made of it since
		later, err := u.laterThan(ctx, c, &c.Field, mostLater)
		if err != nil || len(later) == mostLater {
			return later, err
		}
		return u.lasting(ctx, c, later)
	}
	if !u.isChangedSince(c, l) {
		return nil, nil
	}
	later, err := u.laterThan(ctx, c, &c.Field, 5)
	if err == nil && len(later) == 0 {
		u.refuse(c, "has another value by now")
	}
	return later, err
}

// mostLater is how many later changes of an object are looked at.
const mostLater = 100

// laterThan returns the changes of an object after a change of it, the newest first, of one
// field or of all.
func (s *Server) laterThan(ctx context.Context, c *audit.Changed, field *string, most int) ([]*audit.Changed, error) {
	list, err := s.trail.Changes(ctx, audit.Filter{EntityType: &c.EntityType, EntityKey: &c.Key, Field: field, From: new(c.At.Add(time.Microsecond))})
	if err != nil {
		return nil, err
	}
	p, err := list.Page(ctx, page.Args{First: &most})
	return p.Items, err
}

// lasting returns those of the changes after one whose fields have another value now than
// with it: the others have been taken back.
func (u *undoing) lasting(ctx context.Context, c *audit.Changed, later []*audit.Changed) (lasting []*audit.Changed, err error) {
	all, lenses := looks{}, make([]lens, len(later))
	for i, of := range later {
		l, ok := u.lensOf(of.EntityType, of.Key, of.Field)
		if !ok {
			return later, nil
		}
		lenses[i] = l
		all.at(c.At).place(l.whole)
		all.at(now).place(l.whole)
	}
	if err := u.ask(ctx, all); err != nil {
		return nil, err
	}
	for i, l := range lenses {
		if !l.isSame(all.at(c.At), all.at(now)) {
			lasting = append(lasting, later[i])
		}
	}
	return lasting, nil
}

// isChangedSince reports whether a field, or a day of it, that a change has set has another
// value now.
func (u *undoing) isChangedSince(c *audit.Changed, l lens) bool {
	was, set, is := u.all.at(before(c.At)), u.all.at(c.At), u.all.at(now)
	switch {
	case l.dated:
		for _, d := range history.Differences(l.periods(was.value(l)), l.periods(set.value(l))) {
			for _, later := range history.Differences(l.periods(set.value(l)), l.periods(is.value(l))) {
				if (d.Through == nil || later.From <= *d.Through) && (later.Through == nil || *later.Through >= d.From) {
					return true
				}
			}
		}
		return false
	case c.Field == tagList || c.Field == aliasList:
		for _, one := range slices.Concat(l.raw(was), l.raw(set)) {
			if slices.Contains(l.raw(was), one) != slices.Contains(l.raw(set), one) && slices.Contains(l.raw(set), one) != slices.Contains(l.raw(is), one) {
				return true
			}
		}
		return false
	}
	return !l.isSame(set, is)
}

func (u *undoing) refuse(c *audit.Changed, message string) {
	u.refused.Add(problem.Invalid(problem.NotApplicable, strings.TrimSpace(c.EntityType+" "+c.Key+" "+c.Field)+" "+message, "sequence"))
}

// withWholeW9s makes one change of those of the fields of a W9, which has periods as a whole.
func withWholeW9s(changes []*audit.Changed) (all []*audit.Changed) {
	seen := map[string]bool{}
	for _, c := range changes {
		if c.EntityType == "Agent" && strings.HasPrefix(c.Field, "w9.") {
			if seen[c.Key+c.At.String()] {
				continue
			}
			seen[c.Key+c.At.String()] = true
			c = &audit.Changed{Row: c.Row, Key: c.Key, Field: "w9"}
		}
		all = append(all, c)
	}
	return all
}

// moved are the fields of a reorganisation's move that are what a period applies from a day on.
var moved = map[string][2]string{
	"uplinePeriodApply":    {"uplineAgentCode", "newUplineAgentCode"},
	"levelPeriodApply":     {"level", "newLevel"},
	"payStatusPeriodApply": {"status", "newPayStatus"},
}

// merged makes one reorganisation of the periods that are open-ended from the same day on,
// whose order then does not matter.
func merged(calls []*call) (all []*call) {
	byDay := map[any][]*call{}
	for _, c := range calls {
		day := c.input["effectiveFrom"]
		if _, ok := moved[c.mutation]; !ok || c.joins || c.input["effectiveThrough"] != nil {
			all = append(all, c)
			continue
		}
		if byDay[day] == nil {
			all = append(all, &call{mutation: "reorgApply", key: day.(string)})
		}
		byDay[day] = append(byDay[day], c)
	}
	for i, c := range all {
		switch same := byDay[c.key]; {
		case c.mutation != "reorgApply":
		case len(same) == 1:
			all[i] = same[0]
		default:
			c.input = reorganisation(same)
		}
	}
	return all
}

// reorganisation returns the input of reorgApply that applies periods from the same day on.
func reorganisation(periods []*call) map[string]any {
	byAgent, moves := map[any]map[string]any{}, []any{}
	for _, c := range periods {
		code := c.input["agentCode"]
		if byAgent[code] == nil {
			byAgent[code] = map[string]any{"agentCode": code}
			moves = append(moves, byAgent[code])
		}
		names := moved[c.mutation]
		byAgent[code][names[1]] = c.input[names[0]]
	}
	return map[string]any{"effectiveFrom": periods[0].input["effectiveFrom"], "initiator": periods[0].input["initiator"], "moves": moves}
}

// run makes the calls, in one transaction.
func (u *undoing) run(ctx context.Context) error {
	for _, c := range merged(u.calls) {
		input := u.inputTypeOf(c.mutation).Name
		document := fmt.Sprintf("mutation($input: %s!) { result: %s(input: $input) { userErrors { code message field } } }", input, c.mutation)
		response := u.runInside(ctx, document, map[string]any{"input": c.input})
		if len(response.Errors) > 0 {
			return response.Errors[0]
		}
		var data struct {
			Result struct {
				UserErrors []struct{ Code, Message string }
			}
		}
		if err := json.Unmarshal(response.Data, &data); err != nil {
			return err
		}
		for _, e := range data.Result.UserErrors {
			u.refused.Add(problem.Invalid(problem.Code(e.Code), c.mutation+": "+e.Message, "sequence"))
		}
		if err := u.refused.Err(); err != nil {
			return err
		}
	}
	return nil
}

// undoTogether is undo in one transaction, which is kept unless the mutation is a dry run or
// refused.
func (s *Server) undoTogether(ctx context.Context, changes []*audit.Changed, initiator string) (undone []*model.ChangeUndone, conflicts []*audit.Changed, err error) {
	if err := withinOwn(ctx, changes); err != nil {
		return nil, nil, err
	}
	ctx = change.WithDefaultReason(ctx, fmt.Sprintf("Takes back change %d", changes[0].Seq))
	// It reads values in full to set them back, and shows none of them.
	ctx, _ = sensitive.NewContext(ctx)
	err = s.identity.Together(ctx, func(ctx context.Context) (err error) {
		if undone, conflicts, err = s.undo(ctx, changes, initiator); err == nil && conflicts != nil {
			return errInTheWay
		}
		return err
	})
	if errors.Is(err, errInTheWay) {
		err = nil
	}
	return undone, conflicts, err
}

// errInTheWay ends the transaction of an undo that later changes stand in the way of.
var errInTheWay = errors.New("graph: later changes are in the way")
