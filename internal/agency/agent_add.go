package agency

import (
	"context"
	"iter"
	"slices"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

// Newcomer is a new agent that comes with more of its past than the first period of each
// history. Those that follow are applied in their order.
type Newcomer struct {
	Registration
	Statuses []history.Period[string]
	Uplines  []history.Period[string] // agent codes
	Levels   []history.Period[int]
}

// newAgent is an agent that is added. Its registration has passed every check that needs
// no database.
type newAgent struct {
	code string
	in   Newcomer
	// later is true if the upline may be added after the agent, and waits if it will be.
	later, waits bool

	id                 int64
	from               date.Date
	upline             uplineRef
	sealed, blindIndex []byte
}

// AddAgents registers agents in the transaction of the caller, which tells the hierarchy,
// and returns their ids. An upline comes before the agents below it.
func (s *Service) AddAgents(ctx context.Context, w *record.Writing, all []Newcomer) ([]int64, error) {
	team, err := s.teamIn(ctx, w, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	agents := make([]*newAgent, len(all))
	for i, in := range all {
		if err := s.checkRegistration(&in.Registration, w.Today); err != nil {
			return nil, err
		}
		agents[i] = &newAgent{code: *in.AgentCode, in: in, later: true}
	}
	a, err := s.adding(ctx, w, team, agents)
	if err != nil {
		return nil, err
	}
	for _, n := range agents {
		if err := a.refused(n).Err(); err != nil {
			return nil, err
		}
	}
	if err := a.write(ctx); err != nil {
		return nil, err
	}
	for _, n := range agents {
		if n.waits {
			return nil, unknownUpline("teams", "0", "membership", "directUpline")
		}
	}
	return a.ids, nil
}

// adding is the adding of agents under way: one that is registered, or those of a file.
type adding struct {
	*record.Writing
	s      *Service
	team   int64
	agents []*newAgent

	ids                     []int64
	statuses, jurisdictions map[string]bool
	levels                  map[int]bool
	// there has the ids of the existing agents that are named as uplines, and byCode the
	// agents that are added.
	there  map[string]int64
	byCode map[string]*newAgent
}

// adding reads, in one round trip, what agents refer to, and takes ids for them.
func (s *Service) adding(ctx context.Context, w *record.Writing, team int64, agents []*newAgent) (*adding, error) {
	a := &adding{Writing: w, s: s, team: team, agents: agents}
	var statuses, jurisdictions, uplines []string
	var levels []int
	for _, n := range agents {
		statuses = append(statuses, n.in.Status)
		for _, address := range n.in.Contact.Addresses {
			jurisdictions = appendGiven(jurisdictions, address.Jurisdiction.Value)
		}
		uplines, levels = appendGiven(uplines, n.place().DirectUpline), appendGiven(levels, n.place().Level)
		for _, p := range n.in.Uplines {
			uplines = append(uplines, p.Value)
		}
	}
	var err [5]error
	a.statuses, err[0] = record.AskKeys(ctx, w, record.PayStatusTable, statuses)
	a.there, err[1] = w.AskAgentIDs(ctx, uplines)
	a.levels, err[2] = record.AskKeys(ctx, w, record.LevelTable(team), levels)
	a.jurisdictions, err[3] = record.AskKeys(ctx, w, record.JurisdictionTable, jurisdictions)
	a.ids, err[4] = w.AskNewIDs(ctx, "agency_agent", len(agents))
	return a, record.FirstOf(append(err[:], w.Flush(ctx))...)
}

func appendGiven[T any](list []T, v *T) []T {
	if v == nil {
		return list
	}
	return append(list, *v)
}

// place returns the agent's membership in the only team.
func (n *newAgent) place() *TeamAssignment { return &n.in.Teams[0] }

// refused returns what is wrong in what an agent refers to. A new agent is nobody's
// upline, so no circle is possible but that of an agent which is its own.
func (a *adding) refused(n *newAgent) (refused problem.List) {
	if !a.statuses[n.in.Status] {
		refused.Add(record.PayStatusTable.Unknown("status"))
	}
	path := []string{"teams", "0", "membership"}
	switch u := n.place().DirectUpline; {
	case u == nil:
	case *u == n.code:
		refused.Add(problem.Invalid(problem.CircularHierarchy, "An agent cannot be its own upline", append(path, "directUpline")...))
	case a.there[*u] == 0 && !n.later:
		refused.Add(unknownUpline(append(path, "directUpline")...))
	}
	if l := n.place().Level; l != nil && !a.levels[*l] {
		refused.Add(record.LevelTable(a.team).Unknown(append(path, "level")...))
	}
	for _, kind := range addressKinds {
		if address := n.in.Contact.Addresses[kind]; address != nil && address.Jurisdiction.Value != nil && !a.jurisdictions[*address.Jurisdiction.Value] {
			refused.Add(record.JurisdictionTable.Unknown(fieldOfAddress[kind], "jurisdiction"))
		}
	}
	return refused
}

// write adds the agents. The contact, pay status, team membership, W9 and bank details of
// each are in force from its start. The caller tells the hierarchy.
func (a *adding) write(ctx context.Context) error {
	if len(a.agents) == 0 {
		return nil
	}
	payees := make([]payee.Papers, 0, len(a.agents))
	for i, n := range a.agents {
		n.id, n.from = a.ids[i], firstDayOf(a.Writing, n.in.Registration)
		if err := a.seal(ctx, n); err != nil {
			return err
		}
		if n.in.W9 != nil || n.in.DirectDeposit != nil {
			payees = append(payees, payee.Papers{AgentID: n.id, Code: n.code, From: n.from, W9: n.in.W9, DirectDeposit: n.in.DirectDeposit})
		}
	}
	a.findUplines()
	if err := a.insert(ctx); err != nil {
		return err
	}
	for _, n := range a.agents {
		if n.waits {
			n.place().DirectUpline = nil
		}
		a.NoteAgent(n.id, n.code, record.Added, n.in.given()...)
		if n.in.GovernmentIdentifier != nil {
			a.NoteSecret("governmentIdentifier", n.in.GovernmentIdentifier)
		}
	}
	return payee.Insert(ctx, a.s.vault, a.Writing, payees)
}

func (a *adding) seal(ctx context.Context, n *newAgent) (err error) {
	if identifier := n.in.GovernmentIdentifier; identifier != nil {
		n.sealed, n.blindIndex, err = sealGovernmentIdentifier(ctx, a.s.vault, a.Tenant.ID, n.id, *identifier)
	}
	return err
}

// findUplines finds the uplines of new agents, among the existing agents and among the
// new ones. An agent whose upline is neither has to wait. So do agents that would be
// above themselves, of which only some are wrong (see AgentImport.Second).
func (a *adding) findUplines() {
	a.byCode = make(map[string]*newAgent, len(a.agents))
	for _, n := range a.agents {
		a.byCode[n.code] = n
	}
	for _, n := range a.agents {
		if u := n.place().DirectUpline; u != nil {
			n.upline = a.uplineOf(*u)
			n.waits = n.upline.id == 0 || a.inCircle(n)
		}
	}
}

func (a *adding) uplineOf(code string) uplineRef {
	if n := a.byCode[code]; n != nil {
		return uplineRef{id: n.id}
	}
	return uplineRef{id: a.there[code]}
}

// inCircle reports whether a new agent would be above itself.
func (a *adding) inCircle(n *newAgent) bool {
	above := n
	for range a.byCode {
		u := above.place().DirectUpline
		if u == nil || a.byCode[*u] == nil {
			return false
		}
		if above = a.byCode[*u]; above == n {
			return true
		}
	}
	return false // above is in a circle that n is not part of
}

// insert adds the rows of the agents, in one round trip if there are few.
func (a *adding) insert(ctx context.Context) error {
	statuses, uplines, levels := payee.Statuses.None(0), uplines.None(a.team), levels.None(a.team)
	contacts := make([]contactOf, len(a.agents))
	for i, n := range a.agents {
		contacts[i] = contactOf{n.id, n.in.Contact}
		statuses.Begin(n.id, n.from, n.in.Status)
		if !n.waits {
			uplines.Begin(n.id, n.from, n.upline)
		}
		if l := n.place().Level; l != nil {
			levels.Begin(n.id, n.from, *l)
		}
		later := make([]history.Period[uplineRef], len(n.in.Uplines))
		for i, p := range n.in.Uplines {
			later[i] = history.Period[uplineRef]{From: p.From, Through: p.Through, Value: a.uplineOf(p.Value)}
		}
		err := record.FirstOf(follow(a, statuses, n.id, n.in.Statuses), follow(a, uplines, n.id, later), follow(a, levels, n.id, n.in.Levels))
		if err != nil {
			return err
		}
	}
	for _, add := range []func() error{
		func() error { return a.CopyLater(ctx, "agency_agent", newAgentColumns, a.rows()) },
		func() error { return insertContacts(ctx, a.Writing, contacts) },
		func() error { return a.AddKeys(ctx, a.keys()...) },
		func() error { return statuses.Write(ctx, a.Writing) },
		func() error { return uplines.Write(ctx, a.Writing) },
		func() error { return levels.Write(ctx, a.Writing) },
		func() error { return a.Flush(ctx) },
	} {
		if err := add(); err != nil {
			return err
		}
	}
	return nil
}

// follow applies the periods of an agent that follow its first one.
func follow[V comparable](a *adding, h *record.Histories[V], id int64, periods []history.Period[V]) error {
	for _, p := range periods {
		if _, err := h.Apply(a.Writing, id, p); err != nil {
			return err
		}
	}
	return nil
}

// newAgentColumns are the columns of a new agent.
var newAgentColumns = slices.Concat([]string{"tenant_id", "id", "code", "government_identifier", "government_identifier_index"}, writtenDetails,
	[]string{"created_at", "created_by", "last_modified", "last_modified_by"})

// keys are the texts by which the new agents are found, but for their contacts'.
func (a *adding) keys() []record.Keyed {
	keys := make([]record.Keyed, len(a.agents))
	for i, n := range a.agents {
		keys[i] = record.Keyed{AgentID: n.id, Keys: keysOfAgent(n.code, &n.in.Details)}
	}
	return keys
}

func (a *adding) rows() iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(newAgentColumns))
		for _, n := range a.agents {
			details := n.in.Details
			if details.StartDate.Value == nil {
				details.StartDate = patch.Set(a.Now)
			}
			row = details.written(append(row[:0], a.Tenant.ID, n.id, n.code, n.sealed, n.blindIndex))
			if row = append(row, a.Now, a.Initiator, a.Now, a.Initiator); !yield(row) {
				return
			}
		}
	}
}
