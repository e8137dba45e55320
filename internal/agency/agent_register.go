package agency

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Registration is a new agent.
type Registration struct {
	AgentCode            *string // nil: generated
	Details                      // without StartDate: now
	Status               string
	Teams                []TeamAssignment
	StartDay             *date.Date // the day that StartDate was written as, where that had no time
	GovernmentIdentifier *string
	Contact              Contact
	W9                   *payee.W9Details
	DirectDeposit        *payee.BankDetails
	Initiator            string
}

// TeamAssignment places a new agent in a team.
type TeamAssignment struct {
	Team         string
	DirectUpline *string // nil: a root
	Level        *int
}

// given returns the names of the fields that have a value in a registration, for the
// audit entry. Sensitive fields, the W9 and bank details are noted where they are stored.
func (in Registration) given() []string {
	fields := append([]string{"agentCode", "status"}, in.Details.given()...)
	for _, t := range in.Teams {
		if t.DirectUpline != nil {
			fields = append(fields, record.DirectUplineField)
		}
		if t.Level != nil {
			fields = append(fields, record.LevelField)
		}
	}
	return append(fields, in.Contact.given()...)
}

// registry registers agents. It is safe for concurrent use.
type registry struct {
	*teams
	clock  clock.Clock
	vault  *vault.Vault
	writer *record.Writer
}

// Register creates an agent with its contact, pay status and team membership,
// all in force from its start date, and returns its agent code. "Not
// idempotent: each call creates a new agent."
func (r *registry) Register(ctx context.Context, in Registration, dryRun bool) (code string, err error) {
	if err := r.checkRegistration(&in, r.writer.Today(ctx)); err != nil {
		return "", err
	}
	master, err := r.masterFor(ctx, in)
	if err != nil {
		return "", err
	}
	err = r.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		_, code, err = r.register(ctx, w, in, master)
		return err
	})
	return code, err
}

// register writes a registration that has passed every check that needs no database: the
// adding of one agent.
func (r *registry) register(ctx context.Context, w *record.Writing, in Registration, master masterAgency) (id int64, code string, err error) {
	code, reused, err := registrationCode(ctx, w, in.AgentCode, master)
	if err != nil {
		return 0, "", err
	}
	team, err := r.teamIn(ctx, w, record.DefaultTeam)
	if err != nil {
		return 0, "", err
	}
	n := &newAgent{code: code, in: Newcomer{Registration: in}}
	a, err := r.adding(ctx, w, team, []*newAgent{n})
	if err != nil {
		return 0, "", err
	}
	if err := a.refused(n).Err(); err != nil {
		return 0, "", err
	}
	switch err := a.write(ctx); {
	case isCodeInUse(err) && reused:
		return 0, "", problem.Clash(problem.AgentCodeInUse, "The agent code that the person has in the master agency is already in use", "agentCode")
	case isCodeInUse(err):
		return 0, "", problem.Clash(problem.AgentCodeInUse, "The agent code is already in use", "agentCode")
	case err != nil:
		return 0, "", err
	}
	w.AgentID, w.AgentCode = n.id, code
	return n.id, code, uplinesChanged(ctx, w, team, n.id)
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

func (r *registry) checkRegistration(in *Registration, today date.Date) error {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Optional(in.AgentCode, check.MaxAgentCode, "agentCode")
	if in.AgentCode != nil {
		c.Code(*in.AgentCode, "agentCode")
	}
	checkNewDetails(&c, &in.Details, r.clock.Now(), today)
	in.GovernmentIdentifier = checkGovernmentIdentifier(&c, in.GovernmentIdentifier)
	in.Status = c.Required(in.Status, record.MaxText, "status")
	checkContact(&c, &in.Contact)
	in.Teams = checkTeams(&c, in.Teams)
	if in.W9 != nil {
		sent := *in.W9
		payee.CheckW9(&c, in.W9, &sent, today)
	}
	if in.DirectDeposit != nil {
		payee.CheckBankDetails(&c, in.DirectDeposit)
	}
	return c.Err()
}

// checkTeams checks the dictionary of teams ("only team: default") and returns it without
// the blanks around the codes of uplines.
func checkTeams(c *record.Check, sent []TeamAssignment) []TeamAssignment {
	teams := slices.Clone(sent)
	if len(teams) == 0 {
		c.Refuse(problem.Required, "must hold the team default", "teams")
	}
	seen := map[string]bool{}
	for i, t := range teams {
		path := []string{"teams", strconv.Itoa(i)}
		switch {
		case t.Team != record.DefaultTeam:
			c.Refuse(problem.UnknownTeam, "There is no such team; the only one is default", append(path, "team")...)
		case seen[t.Team]:
			c.Refuse(problem.DuplicateKey, "The team is named twice", append(path, "team")...)
		}
		seen[t.Team] = true
		teams[i].DirectUpline = c.Optional(t.DirectUpline, record.MaxText, append(path, "membership", "directUpline")...)
	}
	return teams
}

// registrationCode returns the agent code of a registration: the given one, else the one
// that the person has in the master agency, else the tenant's next free one: A100001,
// A100002, … A code in use in the master agency is not free, since it belongs to somebody
// who may bring it here.
func registrationCode(ctx context.Context, w *record.Writing, given *string, master masterAgency) (code string, reused bool, err error) {
	if given != nil {
		return *given, false, nil
	}
	if code, reused, err = master.code(ctx, w); reused || err != nil {
		return code, reused, err
	}
	code, err = generatedCode(ctx, w, master)
	return code, false, err
}

// generatedCode advances the tenant's number to the next one that is free. Its first step
// locks the row of the number, so no two registrations get the same code. It takes the
// same few statements however many numbers in a row are taken, by the codes of another
// system or of a large master agency. Row-level security shows each agency's codes only
// to that agency, so the two are asked in turns until neither has the number.
func generatedCode(ctx context.Context, w *record.Writing, master masterAgency) (string, error) {
	var next int64
	if _, err := store.One(ctx, w, []any{&next}, `INSERT INTO tenant_agent_code (tenant_id, last_number) VALUES ($1, 100001)
		ON CONFLICT (tenant_id) DO UPDATE SET last_number = tenant_agent_code.last_number + 1 RETURNING last_number`, w.Tenant.ID); err != nil {
		return "", err
	}
	free, err := freeNumber(ctx, w, next)
	for before := int64(0); err == nil && master.tenantID != 0 && free != before; {
		before = free
		if free, err = freeNumber(tenant.With(ctx, &tenant.Tenant{ID: master.tenantID}), w, free); err == nil && free != before {
			free, err = freeNumber(ctx, w, free)
		}
	}
	if err != nil {
		return "", err
	}
	if free != next {
		if _, err := w.Exec(ctx, "UPDATE tenant_agent_code SET last_number = $1 WHERE tenant_id = $2", free, w.Tenant.ID); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("A%d", free), nil
}

// freeNumber returns the first number, beginning with from, that is in no agent code of
// the context's tenant.
func freeNumber(ctx context.Context, w *record.Writing, from int64) (free int64, err error) {
	_, err = store.One(ctx, w, []any{&free}, `WITH RECURSIVE tried (n) AS (SELECT CAST($1 AS bigint)
			UNION ALL SELECT t.n + 1 FROM tried t WHERE EXISTS
				(SELECT 1 FROM agency_agent a WHERE a.tenant_id = $2 AND a.code = 'A' || CAST(t.n AS text)))
		SELECT max(n) FROM tried`, from, tenant.From(ctx).ID)
	return free, err
}

func isCodeInUse(err error) bool {
	return dberror.IsUniqueViolation(err, "agency_agent_tenant_id_code_key", "agency_agent.tenant_id, agency_agent.code")
}

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
func (r *registry) AddAgents(ctx context.Context, w *record.Writing, all []Newcomer) ([]int64, error) {
	team, err := r.teamIn(ctx, w, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	agents := make([]*newAgent, len(all))
	for i, in := range all {
		if err := r.checkRegistration(&in.Registration, w.Today); err != nil {
			return nil, err
		}
		agents[i] = &newAgent{code: *in.AgentCode, in: in, later: true}
	}
	a, err := r.adding(ctx, w, team, agents)
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
	vault  *vault.Vault
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
func (r *registry) adding(ctx context.Context, w *record.Writing, team int64, agents []*newAgent) (*adding, error) {
	a := &adding{Writing: w, vault: r.vault, team: team, agents: agents}
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
	return payee.Insert(ctx, a.vault, a.Writing, payees)
}

func (a *adding) seal(ctx context.Context, n *newAgent) (err error) {
	if identifier := n.in.GovernmentIdentifier; identifier != nil {
		n.sealed, n.blindIndex, err = sealGovernmentIdentifier(ctx, a.vault, a.Tenant.ID, n.id, *identifier)
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

// masterAgency is the agency whose agent codes a registration reuses: the government
// identifier is "also used to find an existing code in the master agency" (Resources,
// "Agent").
type masterAgency struct {
	// tenantID is 0 when the agency has no master.
	tenantID int64
	// person is the blind index of the identifier under the master's keys; nil if the
	// registration gives a code, or no identifier.
	person []byte
}

// masterFor prepares the look-up for a registration. It needs the master's keys, which
// are made in a transaction of their own, so it is called before that of the
// registration.
func (r *registry) masterFor(ctx context.Context, in Registration) (masterAgency, error) {
	t := tenant.From(ctx)
	if t == nil {
		return masterAgency{}, tenant.ErrNone
	}
	m := masterAgency{tenantID: t.MasterID}
	if m.tenantID == 0 || in.AgentCode != nil || in.GovernmentIdentifier == nil {
		return m, nil
	}
	var err error
	m.person, err = governmentIdentifierIndex(ctx, r.vault, m.tenantID, *in.GovernmentIdentifier)
	return m, err
}

// code returns the agent code that the person has in the master agency, the oldest one of
// several.
func (m masterAgency) code(ctx context.Context, q store.Querier) (code string, found bool, err error) {
	if m.person == nil {
		return "", false, nil
	}
	found, err = store.One(tenant.With(ctx, &tenant.Tenant{ID: m.tenantID}), q, []any{&code}, "SELECT code FROM agency_agent WHERE tenant_id = $1 AND government_identifier_index = $2 ORDER BY id LIMIT 1",
		m.tenantID, m.person)
	return code, found, err
}
