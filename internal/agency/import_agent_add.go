package agency

import (
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/bulk"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/store"
)

// places are what the rows of agents may refer to.
type places struct {
	teamID        int64
	statuses      map[string]bool
	jurisdictions map[string]bool
	levels        map[int]bool
	// missing are the codes of uplines that will not come.
	missing map[string]bool
	// promised are the agents that an earlier row of the call is about to give their
	// places, on the second pass.
	promised map[int64]bool
}

func (w *writing) places(ctx context.Context, team int64) (*places, error) {
	p := &places{teamID: team, promised: map[int64]bool{}}
	var err1, err2, err3 error
	p.statuses, err1 = referenceKeys[string](ctx, w, payStatusTable)
	p.jurisdictions, err2 = referenceKeys[string](ctx, w, jurisdictionTable)
	p.levels, err3 = referenceKeys[int](ctx, w, levelTable(team))
	return p, firstOf(err1, err2, err3)
}

// referenceKeys are the keys that new records may use.
func referenceKeys[K comparable](ctx context.Context, w *writing, t referenceTable) (map[K]bool, error) {
	var s store.SQL
	s.Write("SELECT "+t.key+" FROM "+t.table+" WHERE tenant_id = ? AND "+t.enabled, w.tenantID)
	for _, o := range t.owner {
		s.Write(" AND "+o.name+" = ?", o.value)
	}
	keys := map[K]bool{}
	_, err := store.Collect(ctx, w, func(r store.Scanner) (struct{}, error) {
		var key K
		err := r.Scan(&key)
		keys[key] = true
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return keys, err
}

// unknown is the problem of a key that is not configured.
func (t referenceTable) unknown(field ...string) *problem.Error {
	return problem.Invalid(t.code, t.message, field...)
}

// newAgent is an agent that a row adds.
type newAgent struct {
	*agentRow
	id     int64
	start  time.Time
	from   date.Date
	upline uplineRef
	// waits is true for one whose upline is not there yet.
	waits              bool
	sealed, blindIndex []byte
}

// addAgents adds the agents of rows, each with its contact, pay status and team
// membership from its start on, as register does.
func (im *importing) addAgents(ctx context.Context, known *places, rows []*agentRow) error {
	var agents []*newAgent
	for _, r := range rows {
		refused := im.s.refusedRegistration(r, known)
		if u := r.in.Teams[0].DirectUpline; u != nil && known.missing[*u] {
			refused.Add(unknownUpline("teams", "0", "membership", "directUpline"))
		}
		if im.refuse(r.i, refused) {
			continue
		}
		a := &newAgent{agentRow: r, start: im.now}
		if r.in.StartDate != nil {
			a.start = *r.in.StartDate
		}
		a.from = date.In(a.start, im.tenant.Zone)
		agents = append(agents, a)
	}
	if len(agents) == 0 {
		return nil
	}
	ids, err := im.NewIDs(ctx, "agency_agent", len(agents))
	if err != nil {
		return err
	}
	for n, a := range agents {
		a.id = ids[n]
		if err := im.s.sealNew(ctx, im.tenantID, a); err != nil {
			return err
		}
	}
	if err := im.placeNew(ctx, agents); err != nil {
		return err
	}
	if err := im.copyAgents(ctx, known.teamID, agents); err != nil {
		return err
	}
	for _, a := range agents {
		known.promised[a.id] = a.waits
	}
	im.noteNew(agents)
	return nil
}

// uplinesThatWillNotCome are the codes of uplines that neither the file nor the
// agency has. Their rows are refused before anything is written of them.
func (im *importing) uplinesThatWillNotCome(ctx context.Context, rows []*agentRow) (map[string]bool, error) {
	missing := map[string]bool{}
	for _, r := range rows {
		if u := r.in.Teams[0].DirectUpline; u != nil && r.outside {
			missing[*u] = true
		}
	}
	there, err := im.idsByCode(ctx, slices.Collect(maps.Keys(missing)))
	for code := range there {
		delete(missing, code)
	}
	return missing, err
}

// refusedRegistration is what is wrong with a new agent, as far as that is no
// question of other agents: first in itself, and then in what it refers to.
func (s *Service) refusedRegistration(r *agentRow, known *places) problem.List {
	refused := r.unread
	if r.code == "" {
		refused.Add(problem.Invalid(problem.Required, "is required", "agentCode"))
	}
	if refused = append(refused, problem.From(s.checkRegistration(&r.in))...); len(refused) > 0 {
		return refused
	}
	if !known.statuses[r.in.Status] {
		refused.Add(payStatusTable.unknown("status"))
	}
	if u := r.in.Teams[0].DirectUpline; u != nil && *u == r.code {
		refused.Add(problem.Invalid(problem.CircularHierarchy, "An agent cannot be its own upline", "teams", "0", "membership", "directUpline"))
	}
	if l := r.in.Teams[0].Level; l != nil && !known.levels[*l] {
		refused.Add(levelTable(known.teamID).unknown("teams", "0", "membership", "level"))
	}
	for _, kind := range addressKinds {
		if a := r.in.Contact.Addresses[kind]; a != nil && a.Jurisdiction != nil && !known.jurisdictions[*a.Jurisdiction] {
			refused.Add(jurisdictionTable.unknown(fieldOfAddress[kind], "jurisdiction"))
		}
	}
	return refused
}

func (s *Service) sealNew(ctx context.Context, tenantID int64, a *newAgent) (err error) {
	if identifier := a.in.GovernmentIdentifier; identifier != nil {
		a.sealed, a.blindIndex, err = SealGovernmentIdentifier(ctx, s.vault, tenantID, a.id, *identifier)
	}
	return err
}

// placeNew finds the uplines: among the agents that are there, and among the new
// ones. An agent whose upline is neither waits; so do those that would be above
// themselves, of whom only some are in the wrong (see Second).
func (im *importing) placeNew(ctx context.Context, agents []*newAgent) error {
	byCode := make(map[string]*newAgent, len(agents))
	for _, a := range agents {
		byCode[a.code] = a
	}
	var asked []string
	for _, a := range agents {
		if u := a.in.Teams[0].DirectUpline; u != nil && byCode[*u] == nil {
			asked = append(asked, *u)
		}
	}
	there, err := im.idsByCode(ctx, asked)
	if err != nil {
		return err
	}
	for _, a := range agents {
		u := a.in.Teams[0].DirectUpline
		switch {
		case u == nil:
		case byCode[*u] != nil:
			a.upline.id = byCode[*u].id
			a.waits = inCircle(a, byCode)
		case there[*u] != 0:
			a.upline.id = there[*u]
		default:
			a.waits = true
		}
	}
	return nil
}

// inCircle reports whether a new agent is above itself.
func inCircle(a *newAgent, byCode map[string]*newAgent) bool {
	above := a
	for range byCode {
		u := above.in.Teams[0].DirectUpline
		if u == nil || byCode[*u] == nil {
			return false
		}
		if above = byCode[*u]; above == a {
			return true
		}
	}
	return false // above is a circle of others
}

// noteNew notes what was added. It says nothing of an upline that is not there
// yet.
func (im *importing) noteNew(agents []*newAgent) {
	for _, a := range agents {
		if a.waits {
			a.in.Teams[0].DirectUpline = nil
		}
		noted := im.changed(agentEntity, a.code, a.in.given()...)
		noted.id, noted.fate = a.id, added
		if a.in.GovernmentIdentifier != nil {
			im.noteFields(noted, "governmentIdentifier")
		}
		im.done(a.i, bulk.Created)
	}
}

var (
	newAgentColumns = []string{
		"tenant_id", "id", "code", "first_name", "middle_name", "last_name", "common_name", "email",
		"first_name_key", "last_name_key", "common_name_key", "email_key",
		"government_identifier", "government_identifier_index", "birth_date", "gender", "npn", "customer_id", "is_dedicated",
		"start_date", "created_at", "created_by", "last_modified", "last_modified_by",
	}
	newAddressColumns = []string{"tenant_id", "agent_id", "kind", "line1", "line2", "city", "jurisdiction", "postal_code", "country"}
	newPhoneColumns   = []string{"tenant_id", "agent_id", "kind", "country_code", "area_code", "phone_number"}
)

func (im *importing) copyAgents(ctx context.Context, team int64, agents []*newAgent) error {
	statuses, uplines, levels := payStatusHistories(), uplineHistories(team), levelHistories(team)
	for _, a := range agents {
		statuses.begin(a.id, a.from, a.in.Status)
		if !a.waits {
			uplines.begin(a.id, a.from, a.upline)
		}
		if l := a.in.Teams[0].Level; l != nil {
			levels.begin(a.id, a.from, *l)
		}
	}
	for _, copied := range []func() error{
		func() error { return im.copyRows(ctx, agents) },
		func() error { return im.CopyFrom(ctx, "agency_address", newAddressColumns, im.addressRows(agents)) },
		func() error { return im.CopyFrom(ctx, "agency_phone", newPhoneColumns, im.phoneRows(agents)) },
		func() error { return statuses.insert(ctx, im.writing) },
		func() error { return uplines.insert(ctx, im.writing) },
		func() error { return levels.insert(ctx, im.writing) },
	} {
		if err := copied(); err != nil {
			return err
		}
	}
	return nil
}

// copyRows adds the rows of the agents. A code that somebody registered since it was
// looked for is that of an agent that is there, when the rows are applied again.
func (im *importing) copyRows(ctx context.Context, agents []*newAgent) error {
	err := im.CopyFrom(ctx, "agency_agent", newAgentColumns, im.agentRows(agents))
	if isCodeInUse(err) {
		return store.Again(err)
	}
	return err
}

func (im *importing) agentRows(agents []*newAgent) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(newAgentColumns))
		for _, a := range agents {
			in := &a.in
			row = append(row[:0], im.tenantID, a.id, a.code, in.FirstName, in.MiddleName, in.LastName, in.CommonName, in.Email,
				SearchKey(&in.FirstName), SearchKey(&in.LastName), SearchKey(in.CommonName), SearchKey(in.Email),
				a.sealed, a.blindIndex, nullable(in.BirthDate), in.Gender, in.NPN, in.CustomerID, in.IsDedicated,
				a.start, im.now, im.initiator, im.now, im.initiator)
			if !yield(row) {
				return
			}
		}
	}
}

func (im *importing) addressRows(agents []*newAgent) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(newAddressColumns))
		for _, n := range agents {
			for _, kind := range addressKinds {
				a := n.in.Contact.Addresses[kind]
				if a == nil {
					continue
				}
				row = append(row[:0], im.tenantID, n.id, string(kind), a.Line1, a.Line2, a.City, a.Jurisdiction, a.PostalCode, a.Country)
				if !yield(row) {
					return
				}
			}
		}
	}
}

func (im *importing) phoneRows(agents []*newAgent) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(newPhoneColumns))
		for _, n := range agents {
			for _, kind := range phoneKinds {
				p := n.in.Contact.Phones[kind]
				if p == nil {
					continue
				}
				row = append(row[:0], im.tenantID, n.id, string(kind), p.CountryCode, p.AreaCode, p.PhoneNumber)
				if !yield(row) {
					return
				}
			}
		}
	}
}
