package agency

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
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

// Register creates an agent with its contact, pay status and team membership,
// all in force from its start date, and returns its agent code. "Not
// idempotent: each call creates a new agent."
func (s *Service) Register(ctx context.Context, in Registration, dryRun bool) (code string, err error) {
	if err := s.checkRegistration(&in, s.Today(ctx)); err != nil {
		return "", err
	}
	master, err := s.masterFor(ctx, in)
	if err != nil {
		return "", err
	}
	err = s.writer.Write(ctx, in.Initiator, dryRun, func(ctx context.Context, w *record.Writing) error {
		_, code, err = s.register(ctx, w, in, master)
		return err
	})
	return code, err
}

// register writes a registration that has passed every check that needs no database: the
// adding of one agent.
func (s *Service) register(ctx context.Context, w *record.Writing, in Registration, master masterAgency) (id int64, code string, err error) {
	code, reused, err := registrationCode(ctx, w, in.AgentCode, master)
	if err != nil {
		return 0, "", err
	}
	team, err := s.teamIn(ctx, w, record.DefaultTeam)
	if err != nil {
		return 0, "", err
	}
	n := &newAgent{code: code, in: Newcomer{Registration: in}}
	a, err := s.adding(ctx, w, team, []*newAgent{n})
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

func (s *Service) checkRegistration(in *Registration, today date.Date) error {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	in.AgentCode = c.Optional(in.AgentCode, check.MaxAgentCode, "agentCode")
	if in.AgentCode != nil {
		c.Code(*in.AgentCode, "agentCode")
	}
	checkNewDetails(&c, &in.Details, s.clock.Now(), today)
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

func checkStartDate(c *record.Check, start, now time.Time) {
	if start.After(now) {
		c.Refuse(problem.OutOfRange, "must not be in the future", "startDate")
	}
	if start.Before(check.FirstDay.Time()) {
		c.Refuse(problem.OutOfRange, "must not be before "+check.FirstDay.String(), "startDate")
	}
}

func checkGovernmentIdentifier(c *record.Check, s *string) *string {
	s = c.Optional(s, check.MaxIdentifier, "governmentIdentifier")
	c.Whole(s, "governmentIdentifier")
	return c.Identifier(s, "governmentIdentifier")
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

// storeGovernmentIdentifier stores an SSN or SIN encrypted; nil clears it. The ciphertext
// is bound to the row, so the row has to exist.
func (s *Service) storeGovernmentIdentifier(ctx context.Context, w *record.Writing, id int64, identifier *string) error {
	w.NoteSecret("governmentIdentifier", identifier)
	const update = "UPDATE agency_agent SET government_identifier = $1, government_identifier_index = $2 WHERE tenant_id = $3 AND id = $4"
	if identifier == nil {
		_, err := w.Exec(ctx, update, nil, nil, w.Tenant.ID, id)
		return err
	}
	sealed, index, err := sealGovernmentIdentifier(ctx, s.vault, w.Tenant.ID, id, *identifier)
	if err != nil {
		return err
	}
	_, err = w.Exec(ctx, update, sealed, index, w.Tenant.ID, id)
	return err
}
