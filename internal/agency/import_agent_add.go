package agency

import (
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// newAgent is an agent that a row adds.
type newAgent struct {
	*agentRow
	id     int64
	from   date.Date
	upline uplineRef
	// waits is true if the upline does not exist yet.
	waits              bool
	sealed, blindIndex []byte
}

// addAgents adds the agents of rows. As in register, the contact, pay status and team
// membership of each begin with its start.
func (im *agentImporting) addAgents(ctx context.Context, known *places, rows []*agentRow) error {
	var agents []*newAgent
	for _, r := range rows {
		refused := im.s.refusedRegistration(r, known, im.Today)
		if u := r.in.Teams[0].DirectUpline; u != nil && known.missing[*u] {
			refused.Add(unknownUpline("teams", "0", "membership", "directUpline"))
		}
		if im.Refuse(r.i, refused) {
			continue
		}
		agents = append(agents, &newAgent{agentRow: r, from: firstDayOf(im.Import.Writing, r.in)})
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
		if err := im.s.sealNew(ctx, im.Tenant.ID, a); err != nil {
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

// refusedRegistration returns what is wrong with a new agent as far as no other agent
// matters: first in the row itself, and only if that is good in what it refers to.
func (s *Service) refusedRegistration(r *agentRow, known *places, today date.Date) problem.List {
	refused := r.unread
	if r.code == "" {
		refused.Add(problem.Invalid(problem.Required, "is required", "agentCode"))
	}
	if refused = append(refused, problem.From(s.checkRegistration(&r.in, today))...); len(refused) > 0 {
		return refused
	}
	if !known.statuses[r.in.Status] {
		refused.Add(record.PayStatusTable.Unknown("status"))
	}
	if u := r.in.Teams[0].DirectUpline; u != nil && *u == r.code {
		refused.Add(problem.Invalid(problem.CircularHierarchy, "An agent cannot be its own upline", "teams", "0", "membership", "directUpline"))
	}
	if l := r.in.Teams[0].Level; l != nil && !known.levels[*l] {
		refused.Add(record.LevelTable(known.teamID).Unknown("teams", "0", "membership", "level"))
	}
	for _, kind := range addressKinds {
		if a := r.in.Contact.Addresses[kind]; a != nil && a.Jurisdiction.Value != nil && !known.jurisdictions[*a.Jurisdiction.Value] {
			refused.Add(record.JurisdictionTable.Unknown(fieldOfAddress[kind], "jurisdiction"))
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

// placeNew finds the uplines of new agents, among the existing agents and among the new
// ones. An agent whose upline is neither has to wait. So do agents that would be above
// themselves, of which only some are wrong (see Second).
func (im *agentImporting) placeNew(ctx context.Context, agents []*newAgent) error {
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
	there, err := record.AgentIDs(ctx, im, asked)
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

// inCircle reports whether a new agent would be above itself.
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
	return false // above is in a circle that a is not part of
}

// noteNew notes the agents that were added, without uplines that do not exist yet.
func (im *agentImporting) noteNew(agents []*newAgent) {
	for _, a := range agents {
		if a.waits {
			a.in.Teams[0].DirectUpline = nil
		}
		im.NoteAgent(a.id, a.code, record.Added, a.in.given()...)
		if a.in.GovernmentIdentifier != nil {
			im.NoteSecret("governmentIdentifier", a.in.GovernmentIdentifier)
		}
		im.Done(a.i, bulk.Created)
	}
}

// places holds what rows of agents may refer to.
type places struct {
	teamID        int64
	statuses      map[string]bool
	jurisdictions map[string]bool
	levels        map[int]bool
	// missing has the codes of uplines that neither the file nor the agency has.
	missing map[string]bool
	// promised has the agents that an earlier row of the call places on the second pass.
	promised map[int64]bool
}

// uplinesThatWillNotCome returns the codes of uplines that neither the file nor the
// agency has. Rows that name one are refused before any of them is written.
func (im *agentImporting) uplinesThatWillNotCome(ctx context.Context, rows []*agentRow) (map[string]bool, error) {
	missing := map[string]bool{}
	for _, r := range rows {
		if u := r.in.Teams[0].DirectUpline; u != nil && r.outside {
			missing[*u] = true
		}
	}
	there, err := record.AgentIDs(ctx, im, slices.Collect(maps.Keys(missing)))
	for code := range there {
		delete(missing, code)
	}
	return missing, err
}

func readPlaces(ctx context.Context, w *record.Writing, team int64) (*places, error) {
	p := &places{teamID: team, promised: map[int64]bool{}}
	var err1, err2, err3 error
	p.statuses, err1 = record.ReferenceKeys[string](ctx, w, record.PayStatusTable)
	p.jurisdictions, err2 = record.ReferenceKeys[string](ctx, w, record.JurisdictionTable)
	p.levels, err3 = record.ReferenceKeys[int](ctx, w, record.LevelTable(team))
	return p, record.FirstOf(err1, err2, err3)
}
