package record

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// LockAgent locks the row of an agent and returns its id. Whoever writes what belongs to
// an agent locks this row first. The agent is the record that the request names, so its
// version is checked.
func (w *Writing) LockAgent(ctx context.Context, code string, field ...string) (int64, error) {
	return w.LockAgentFor(ctx, w.ForUpdate(), code, field...)
}

// LockAgentFor is LockAgent with another kind of lock.
func (w *Writing) LockAgentFor(ctx context.Context, lock, code string, field ...string) (int64, error) {
	l, err := w.AskForAgent(ctx, lock, code)
	if err := FirstOf(err, w.Flush(ctx)); err != nil {
		return 0, err
	}
	return w.Locked(ctx, l, field...)
}

// AgentLock is a request for the lock of an agent's row.
type AgentLock struct {
	code         string
	found        *bool
	id           int64
	lastModified time.Time
}

// AskForAgent asks for the lock of an agent's row, in one round trip with everything else
// that is asked for. What is asked for after it is read under the lock, and so sees what
// was committed while the lock was waited for.
func (w *Writing) AskForAgent(ctx context.Context, lock, code string) (l *AgentLock, err error) {
	l = &AgentLock{code: code}
	l.found, err = w.Ask(ctx, []any{&l.id, &l.lastModified},
		"SELECT id, last_modified FROM agency_agent WHERE tenant_id = $1 AND code = $2"+lock, w.Tenant.ID, code)
	return l, err
}

// Locked completes AskForAgent once its statement has run. It returns the id of the
// agent.
func (w *Writing) Locked(ctx context.Context, l *AgentLock, field ...string) (int64, error) {
	if !*l.found {
		w.Stamp()
		return 0, UnknownAgent(field...)
	}
	if seen, err := w.sees(ctx, l.id); err != nil || !seen {
		w.Stamp()
		return 0, FirstOf(err, UnknownAgent(field...))
	}
	w.AgentID, w.AgentCode = l.id, l.code
	return l.id, w.CheckVersion(ctx, l.lastModified)
}

// sees reports whether the caller may see an agent. The database is asked only for a
// limited caller. An agent that the caller does not see is refused like one that does not
// exist.
func (w *Writing) sees(ctx context.Context, agentID int64) (bool, error) {
	ctx = tenant.AsCaller(ctx)
	if _, limited := tenant.LimitOf(ctx); !limited {
		return true, nil
	}
	var one int
	return store.One(ctx, w, []any{&one}, "SELECT 1 FROM agency_agent a WHERE a.tenant_id = $1 AND a.id = $2", w.Tenant.ID, agentID)
}

// LockHolder locks the agent that a row belongs to, and reports whether the caller may
// see it. The request names the row, not the agent, so the agent's version is not
// checked.
func (w *Writing) LockHolder(ctx context.Context, table string, id int64) (seen bool, err error) {
	l, err := w.AskForHolder(ctx, table, id)
	if err := FirstOf(err, w.Flush(ctx)); err != nil {
		return false, err
	}
	return w.LockedHolder(ctx, l)
}

// AskForHolder is AskForAgent for the agent that a row belongs to.
func (w *Writing) AskForHolder(ctx context.Context, table string, id int64) (l *AgentLock, err error) {
	l = new(AgentLock)
	l.found, err = w.Ask(ctx, []any{&l.id, &l.code, &l.lastModified}, `SELECT id, code, last_modified FROM agency_agent WHERE tenant_id = $1
		AND id = (SELECT agent_id FROM `+table+` WHERE tenant_id = $1 AND id = $2)`+w.ForUpdate(), w.Tenant.ID, id)
	return l, err
}

// LockedHolder completes AskForHolder once its statement has run.
func (w *Writing) LockedHolder(ctx context.Context, l *AgentLock) (seen bool, err error) {
	w.AgentID, w.AgentCode = l.id, l.code
	w.StampAfter(l.lastModified)
	return w.sees(ctx, l.id)
}

// UnknownAgent returns the problem of a code that no agent has.
func UnknownAgent(field ...string) error {
	return problem.Missing(problem.UnknownAgent, "No agent has this agent code", field...)
}

// TouchAgent moves the lastModified of an agent, which covers everything that belongs to
// the agent. It notes the fields that change, by their paths from the agent.
func (w *Writing) TouchAgent(ctx context.Context, id int64, fields ...string) error {
	const touch = "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4"
	args := []any{w.Now, w.Initiator, w.Tenant.ID, id}
	code, err := w.AgentCode, error(nil)
	if id == w.AgentID && code != "" {
		err = w.Later(ctx, touch, args...)
	} else {
		_, err = store.One(ctx, w, []any{&code}, touch+" RETURNING code", args...)
	}
	w.NoteAgent(id, code, Revised, fields...)
	return err
}

// TouchChanged moves the lastModified of an agent if one of its histories changed. It
// notes their fields, without those of changes that have none.
func (w *Writing) TouchChanged(ctx context.Context, agentID int64, changes ...Change) error {
	var fields []string
	for _, c := range changes {
		if c.Changed {
			fields = append(fields, c.Field)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return w.TouchAgent(ctx, agentID, slices.DeleteFunc(fields, func(f string) bool { return f == "" })...)
}

// LockAgents locks the agents that meet a condition, in which $2 is arg, and returns
// their ids by code. It locks in ascending order of the ids, so that two changes of many
// agents cannot wait for each other.
func (w *Writing) LockAgents(ctx context.Context, condition string, arg any) (map[string]int64, error) {
	return w.lockAgents(ctx, condition, arg, func(time.Time) error { return nil })
}

// LockNamed is LockAgents for the agents that a request names: it checks their versions.
func (w *Writing) LockNamed(ctx context.Context, codes []string) (map[string]int64, error) {
	return w.lockAgents(ctx, w.InTexts("code", "$2"), w.Texts(codes), func(lastModified time.Time) error { return w.CheckVersion(ctx, lastModified) })
}

func (w *Writing) lockAgents(ctx context.Context, condition string, arg any, check func(lastModified time.Time) error) (map[string]int64, error) {
	ids := map[string]int64{}
	var latest time.Time
	var refused error
	_, err := store.Collect(ctx, w, func(row store.Scanner) (struct{}, error) {
		var (
			id           int64
			code         string
			lastModified time.Time
		)
		err := row.Scan(&id, &code, &lastModified)
		ids[code] = id
		if lastModified.After(latest) {
			latest = lastModified
		}
		refused = FirstOf(refused, check(lastModified))
		return struct{}{}, err
	}, "SELECT id, code, last_modified FROM agency_agent WHERE tenant_id = $1 AND "+condition+" ORDER BY id"+w.ForUpdate(), w.Tenant.ID, arg)
	w.StampAfter(latest)
	return ids, FirstOf(err, refused)
}

// TouchAgents is TouchAgent for several agents.
func (w *Writing) TouchAgents(ctx context.Context, ids []int64, fields ...string) error {
	_, err := store.Collect(ctx, w, func(row store.Scanner) (struct{}, error) {
		var (
			id   int64
			code string
		)
		err := row.Scan(&id, &code)
		w.NoteAgent(id, code, Revised, fields...)
		return struct{}{}, err
	}, "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND "+w.In("id", "$4")+" RETURNING id, code",
		w.Now, w.Initiator, w.Tenant.ID, w.List(ids))
	return err
}

// TouchNoted moves the lastModified of agents whose changes are noted already.
func (w *Writing) TouchNoted(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	return w.Later(ctx, "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND "+w.In("id", "$4"),
		w.Now, w.Initiator, w.Tenant.ID, w.List(slices.Compact(ids)))
}

const agentIDsSQL = "SELECT id, code FROM agency_agent WHERE tenant_id = $1 AND "

// AgentIDs returns the ids of agents by code. It leaves out codes of no agent.
func AgentIDs(ctx context.Context, q store.Querier, codes []string) (map[string]int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	ids := make(map[string]int64, len(codes))
	read := intoIDs(ids)
	_, err = store.Collect(ctx, q, func(row store.Scanner) (struct{}, error) { return struct{}{}, read(row) },
		agentIDsSQL+q.InTexts("code", "$2"), tenantID, q.Texts(codes))
	return ids, err
}

// AskAgentIDs is AgentIDs, but the ids are there only after Flush.
func (w *Writing) AskAgentIDs(ctx context.Context, codes []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(codes))
	if len(codes) == 0 {
		return ids, nil
	}
	return ids, w.AskAll(ctx, intoIDs(ids), agentIDsSQL+w.InTexts("code", "$2"), w.Tenant.ID, w.Texts(codes))
}

// intoIDs returns a function that adds the agent of a row.
func intoIDs(ids map[string]int64) func(store.Scanner) error {
	return func(row store.Scanner) error {
		var (
			id   int64
			code string
		)
		err := row.Scan(&id, &code)
		ids[code] = id
		return err
	}
}

// DefaultTeam is the name of the only team.
const DefaultTeam = "default"

// TeamID returns the id of the team with a name, or a problem if there is none.
func TeamID(ctx context.Context, q store.Querier, name string) (int64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return 0, err
	}
	var id int64
	found, err := store.One(ctx, q, []any{&id}, "SELECT id FROM agency_team WHERE tenant_id = $1 AND name = $2", tenantID, name)
	if err == nil && !found {
		err = problem.Missing(problem.UnknownTeam, "There is no such team; the only one is default", "team")
	}
	return id, err
}
