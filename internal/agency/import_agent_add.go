package agency

import (
	"context"

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
		agents = append(agents, &newAgent{agentRow: r, from: im.firstDay(r.in)})
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
		if a := r.in.Contact.Addresses[kind]; a != nil && a.Jurisdiction.Value != nil && !known.jurisdictions[*a.Jurisdiction.Value] {
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
			im.changedSecret("governmentIdentifier", a.in.GovernmentIdentifier)
		}
		im.done(a.i, bulk.Created)
	}
}
