package agency

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/problem"
)

// restorer takes changes of agents back, by what is below the mutations.
type restorer struct{ s *Service }

// Lock locks the hierarchy, if uplines may change, and then the agents.
func (r restorer) Lock(ctx context.Context, c *change.Writing, all []*past.Target) error {
	w := &record.Writing{Writing: c}
	if slices.ContainsFunc(all, func(t *past.Target) bool { return t.Touches(record.DirectUplineField) }) {
		teamID, err := record.TeamID(ctx, w, record.DefaultTeam)
		if err := record.FirstOf(err, hierarchy.Lock(ctx, c.Tx, teamID)); err != nil {
			return err
		}
	}
	_, err := w.LockAgents(ctx, w.In("id", "$2"), w.List(idsOf(all)))
	return err
}

func idsOf(all []*past.Target) (ids []int64) {
	for _, t := range all {
		ids = append(ids, t.ID)
	}
	return ids
}

// Restored is called when the change is kept.
func (r restorer) Restored(context.Context) {}

// restored is an agent while it becomes what it was.
type restored struct {
	*past.Target
	// w notes what happens to the agent.
	w *record.Writing
	// fields are what changes and is not noted yet; hasWritten says that its row was written, and noted.
	fields     []string
	hasWritten bool
}

// restoring makes agents what they were.
type restoring struct {
	*record.Writing
	s      *Service
	agents []*restored
}

// Restore sets the values of agents.
func (r restorer) Restore(ctx context.Context, c *change.Writing, all []*past.Target) error {
	of := &restoring{Writing: &record.Writing{Writing: c}, s: r.s}
	for _, t := range all {
		of.agents = append(of.agents, &restored{Target: t, w: &record.Writing{Writing: c, AgentID: t.ID, AgentCode: t.Key}})
	}
	for _, step := range []func(context.Context) error{of.details, of.contacts, of.deposits, of.labels, of.statuses, of.levels, of.w9s, of.certifications, of.uplines} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for _, a := range of.agents {
		var err error
		if !a.hasWritten || a.fields != nil {
			err = a.w.TouchAgent(ctx, a.ID, a.fields...)
		}
		if err := record.FirstOf(err, a.w.AddNotesTo(ctx, c)); err != nil {
			return err
		}
	}
	return nil
}

// that are the agents of which something at or below a path is to change.
func (r *restoring) that(paths ...string) (some []*restored) {
	for _, a := range r.agents {
		if slices.ContainsFunc(paths, func(p string) bool { return a.Differs(p) != nil }) {
			some = append(some, a)
		}
	}
	return some
}

// fill sets those lines of a record that differ below a path to what they are to be.
func (a *restored) fill(into any, path string, lines []fields.Line) error {
	for _, l := range lines {
		at := l.Path()
		if path != "" {
			at = path + "." + at
		}
		if !slices.Contains(a.Differs(path), at) {
			continue
		}
		text, err := a.Text(at)
		if err := record.FirstOf(err, l.Parse(into, text)); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoring) details(ctx context.Context) error {
	var names []string
	for _, l := range AgentDetails {
		names = append(names, l.Name)
	}
	some := r.that(append(names, identifierLine.Name)...)
	if some == nil {
		return nil
	}
	rows, err := readAgents(ctx, r, r.Tenant.ID, idsOfRestored(some))
	if err != nil {
		return err
	}
	for _, a := range some {
		in := AgentUpdate{Initiator: r.Initiator}
		if err := a.fill(&in.Details, "", AgentDetails); err != nil {
			return err
		}
		if a.Differs(identifierLine.Name) != nil {
			text, err := a.Text(identifierLine.Name)
			if in.GovernmentIdentifier = patch.Of(text); err != nil {
				return err
			}
		}
		err := r.s.checkAgentUpdate(&in, r.Today)
		if err == nil {
			a.hasWritten, err = r.s.writeAgentUpdate(ctx, a.w, rows[a.ID], in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func idsOfRestored(all []*restored) (ids []int64) {
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	return ids
}

func (r *restoring) contacts(ctx context.Context) error {
	var paths []string
	for _, name := range fieldOfAddress {
		paths = append(paths, name)
	}
	for _, name := range fieldOfPhone {
		paths = append(paths, name)
	}
	some := r.that(paths...)
	if some == nil {
		return nil
	}
	addresses, err1 := readAddresses(ctx, r, r.Tenant.ID, idsOfRestored(some))
	phones, err2 := readPhones(ctx, r, r.Tenant.ID, idsOfRestored(some))
	if err := record.FirstOf(err1, err2); err != nil {
		return err
	}
	for _, a := range some {
		in, err := a.contact()
		if err != nil {
			return err
		}
		u := contactWriting{w: a.w, agentID: a.ID}
		u.addresses, u.phones = checkContactUpdate(&u.refused, in)
		names, err := u.mergeWith(ctx, addresses[a.ID], phones[a.ID])
		if err := record.FirstOf(err, u.write(ctx)); err != nil {
			return err
		}
		a.fields = append(a.fields, names...)
	}
	return nil
}

// contact returns what changes in the addresses and telephone numbers of an agent.
func (a *restored) contact() (in ContactUpdate, err error) {
	in = ContactUpdate{Addresses: map[AddressKind]patch.Field[Address]{}, Phones: map[PhoneKind]patch.Field[Phone]{}}
	for kind, path := range fieldOfAddress {
		if in.Addresses[kind], err = restoredPart(a, path, AddressFields); err != nil {
			return in, err
		}
	}
	for kind, path := range fieldOfPhone {
		if in.Phones[kind], err = restoredPart(a, path, PhoneFields); err != nil {
			return in, err
		}
	}
	return in, nil
}

// restoredPart returns what changes in an object at a path: all of it goes, if nothing of it is
// to be there.
func restoredPart[T any](a *restored, path string, lines fields.Table[T]) (f patch.Field[T], err error) {
	switch {
	case a.Differs(path) == nil:
		return f, nil
	case !a.Has(path):
		return patch.Null[T](), nil
	}
	part := new(T)
	return patch.Of(part), a.fill(part, path, lines)
}

func (r *restoring) deposits(ctx context.Context) error {
	for _, a := range r.that(payee.Deposits.Field) {
		var in *payee.BankDetails
		if a.Has(payee.Deposits.Field) {
			in = new(payee.BankDetails)
			for _, l := range payee.BankFields {
				text, err := a.Text(payee.Deposits.Field + "." + l.Path())
				if err := record.FirstOf(err, l.Parse(in, text)); err != nil {
					return err
				}
			}
		}
		if err := r.s.RestoreDirectDeposit(ctx, a.w, in); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoring) labels(ctx context.Context) error {
	for _, a := range r.that(tagsField) {
		added, removed := a.Members(tagsField)
		if err := label.RestoreTags(ctx, a.w, a.ID, firstOfEach(added), firstOfEach(removed)); err != nil {
			return err
		}
		a.fields = append(a.fields, tagsField)
	}
	for _, a := range r.that(aliasesField) {
		added, removed := a.Members(aliasesField)
		if err := label.RestoreAliases(ctx, a.w, a.ID, aliasesFrom(added), aliasesFrom(removed)); err != nil {
			return err
		}
		a.fields = append(a.fields, aliasesField)
	}
	return nil
}

func firstOfEach(members [][]string) (all []string) {
	for _, m := range members {
		all = append(all, m[0])
	}
	return all
}

func aliasesFrom(members [][]string) (all []label.NewAlias) {
	for _, m := range members {
		a := label.NewAlias{Identifier: m[0]}
		if m[1] != "" {
			a.ProviderCompany = &m[1]
		}
		all = append(all, a)
	}
	return all
}

// periods returns the histories at a path that are to change, with values of their type.
func periods[V comparable](r *restoring, path string, value func(string) V) (all []*record.Restoring[V]) {
	for _, a := range r.that(path) {
		if want, differs := a.Periods(path); differs {
			all = append(all, &record.Restoring[V]{Writing: a.w, Owner: a.ID, Periods: withValues(want, value)})
			a.fields = append(a.fields, path)
		}
	}
	return all
}

func withValues[V comparable](texts []history.Period[string], value func(string) V) (all []history.Period[V]) {
	for _, p := range texts {
		all = append(all, history.Period[V]{From: p.From, Through: p.Through, Value: value(p.Value), Stated: p.Stated})
	}
	return all
}

func (r *restoring) statuses(ctx context.Context) error {
	all := periods(r, payee.Statuses.Field, func(s string) string { return s })
	for _, of := range all {
		if len(of.Periods) == 0 {
			return problem.Invalid(problem.NotApplicable, "Agent "+of.AgentCode+" would have no pay status at all", "sequence")
		}
	}
	return payee.Statuses.Restore(ctx, r.Writing, 0, all)
}

func (r *restoring) levels(ctx context.Context) error {
	all := periods(r, record.LevelField, func(s string) int {
		n, _ := strconv.Atoi(s) // it comes from a column of numbers
		return n
	})
	if all == nil {
		return nil
	}
	teamID, err := record.TeamID(ctx, r, record.DefaultTeam)
	if err != nil {
		return err
	}
	return levels.Restore(ctx, r.Writing, teamID, all)
}

func idFrom(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64) // it comes from a column of ids
	return n
}

// w9s notes the lines in which W9s differ, as a change of them does.
func (r *restoring) w9s(ctx context.Context) error {
	for _, a := range r.that(record.W9Field) {
		var differ []record.Difference
		for _, d := range a.Lines(record.W9Field) {
			if d.Sealed {
				differ = append(differ, record.SecretDifference(d.Path, d.Text))
			} else {
				a.fields = append(a.fields, d.Path)
			}
		}
		a.w.NoteDifferences(a.Key, differ)
	}
	all := periods(r, record.W9Field, idFrom)
	return payee.RestoreW9s(ctx, r.Writing, all)
}

func (r *restoring) certifications(ctx context.Context) error {
	byPath := map[string]*certification.Restoring{}
	for _, a := range r.that(certificationsField) {
		gone := a.RemovedParts()
		for _, path := range a.Differs(certificationsField) {
			parts := strings.Split(path, ".")
			whole := strings.Join(parts[:2], ".")
			of := byPath[whole]
			if of == nil {
				of = &certification.Restoring{Writing: a.w, ID: idFrom(parts[1]), IsRemoved: slices.Contains(gone, whole)}
				byPath[whole] = of
				if err := a.fill(&of.Details, whole, certification.Fields); err != nil {
					return err
				}
			}
			if len(parts) == 3 && parts[2] == "status" {
				want, _ := a.Periods(path)
				of.Periods, of.HasPeriods = withValues(want, func(s string) string { return s }), !of.IsRemoved
			}
		}
	}
	all := make([]*certification.Restoring, 0, len(byPath))
	for _, of := range byPath {
		all = append(all, of)
	}
	slices.SortFunc(all, func(a, b *certification.Restoring) int { return cmp.Compare(a.ID, b.ID) })
	return certification.Restore(ctx, r.Writing, all)
}

// uplines writes all uplines before it looks for circles, from the first day on that changes.
func (r *restoring) uplines(ctx context.Context) error {
	all := periods(r, record.DirectUplineField, uplineFrom)
	if all == nil {
		return nil
	}
	teamID, err := record.TeamID(ctx, r, record.DefaultTeam)
	if err == nil {
		err = uplines.Restore(ctx, r.Writing, teamID, all)
	}
	if err != nil {
		return err
	}
	ids, from := make([]int64, 0, len(all)), date.Max
	for _, of := range all {
		for _, op := range of.Plan.Operations {
			from = min(from, op.From())
			if op.Kind == history.Added && op.Results[0].Value.deletedCode != "" && date.OrMax(op.Results[0].Through) >= r.Today {
				return unknownUpline("sequence")
			}
		}
		ids = append(ids, of.Owner)
	}
	circular, err := hierarchy.CheckCycles(ctx, r.Tx, teamID, ids, from)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if p := circular[id]; p != nil {
			return record.Renamed(p, []string{"sequence"})
		}
	}
	return uplinesChanged(ctx, r.Writing, teamID, ids...)
}

// uplineFrom returns an upline from its text in package past.
func uplineFrom(s string) uplineRef {
	if id, ok := strings.CutPrefix(s, uplineByID); ok {
		return uplineRef{id: idFrom(id)}
	}
	return uplineRef{deletedCode: strings.TrimPrefix(s, uplineByCode)}
}

// Remove deletes agents, each before its upline.
func (r restorer) Remove(ctx context.Context, c *change.Writing, all []*past.Target) error {
	w := &record.Writing{Writing: c}
	var told []int64
	var teamID int64
	for _, t := range belowFirst(all) {
		d := deletion{Writing: &record.Writing{Writing: c}, code: t.Key}
		if err := d.run(ctx, nil); err != nil {
			return err
		}
		if err := d.AddNotesTo(ctx, c); err != nil {
			return err
		}
		c.KeepPast()
		teamID, told = d.teamID, append(told, d.agentID)
	}
	return uplinesChanged(ctx, w, teamID, told...)
}

// belowFirst orders agents so that each comes before its uplines.
func belowFirst(all []*past.Target) (order []*past.Target) {
	byID, seen := map[int64]*past.Target{}, map[int64]bool{}
	for _, t := range all {
		byID[t.ID] = t
	}
	var visit func(t *past.Target)
	visit = func(t *past.Target) {
		if t == nil || seen[t.ID] {
			return
		}
		seen[t.ID] = true
		for _, p := range t.PeriodsNow(record.DirectUplineField) {
			visit(byID[uplineFrom(p.Value).id])
		}
		order = append(order, t)
	}
	for _, t := range all {
		visit(t)
	}
	slices.Reverse(order)
	return order
}
