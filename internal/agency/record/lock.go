package record

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// LockAgent locks an agent's row, the parent of all that is dated about it, and
// returns its id. The agent is the record that the request names, whose version
// is checked.
func (w *Writing) LockAgent(ctx context.Context, code string, field ...string) (int64, error) {
	return w.LockAgentFor(ctx, w.ForUpdate(), code, field...)
}

// LockAgentFor is LockAgent with another lock.
func (w *Writing) LockAgentFor(ctx context.Context, lock, code string, field ...string) (int64, error) {
	l, err := w.AskForAgent(ctx, lock, code)
	if err := FirstOf(err, w.Flush(ctx)); err != nil {
		return 0, err
	}
	return w.Locked(ctx, l, field...)
}

// AgentLock is an agent's row that is asked for, to be locked.
type AgentLock struct {
	code         string
	found        *bool
	id           int64
	lastModified time.Time
}

// AskForAgent asks for an agent's row, in one round trip with whatever is asked for
// besides. That sees what was committed before the lock was got: it is read after it.
func (w *Writing) AskForAgent(ctx context.Context, lock, code string) (l *AgentLock, err error) {
	l = &AgentLock{code: code}
	l.found, err = w.Ask(ctx, []any{&l.id, &l.lastModified},
		"SELECT id, last_modified FROM agency_agent WHERE tenant_id = $1 AND code = $2"+lock, w.Tenant.ID, code)
	return l, err
}

// Locked is called when the row that was asked for is locked.
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
	return l.id, w.Named(ctx, l.lastModified)
}

// sees reports whether the caller may see an agent; nobody but a limited caller
// is asked. Whom it does not see is refused as one that does not exist.
func (w *Writing) sees(ctx context.Context, agentID int64) (bool, error) {
	ctx = tenant.AsCaller(ctx)
	if _, limited := tenant.LimitOf(ctx); !limited {
		return true, nil
	}
	var one int
	return store.One(ctx, w, []any{&one}, "SELECT 1 FROM agency_agent a WHERE a.tenant_id = $1 AND a.id = $2", w.Tenant.ID, agentID)
}

// LockHolder locks the agent that a row belongs to, and reports whether the
// caller may see it. It is the row that the request names, not the agent.
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

// LockedHolder is called when the row of the agent is locked.
func (w *Writing) LockedHolder(ctx context.Context, l *AgentLock) (seen bool, err error) {
	w.AgentID, w.AgentCode = l.id, l.code
	w.StampAfter(l.lastModified)
	return w.sees(ctx, l.id)
}

// UnknownAgent is the problem of a code that no agent has.
func UnknownAgent(field ...string) error {
	return problem.Missing(problem.UnknownAgent, "No agent has this agent code", field...)
}

// TouchAgent moves an agent's lastModified, which tells of a change of anything
// that belongs to the agent, and notes the fields that change, by their paths
// from the agent.
func (w *Writing) TouchAgent(ctx context.Context, id int64, fields ...string) error {
	_, err := w.Touch(ctx, id, fields...)
	return err
}

// Touch is TouchAgent; it returns what is noted of the agent.
func (w *Writing) Touch(ctx context.Context, id int64, fields ...string) (*Noted, error) {
	const touch = "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4"
	args := []any{w.Now, w.Initiator, w.Tenant.ID, id}
	code, err := w.AgentCode, error(nil)
	if id == w.AgentID && code != "" {
		err = w.Later(ctx, touch, args...)
	} else {
		_, err = store.One(ctx, w, []any{&code}, touch+" RETURNING code", args...)
	}
	return w.NoteAgent(id, code, Revised, fields...), err
}

// TouchChanged moves an agent's lastModified when a history changed.
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
	return w.TouchAgent(ctx, agentID, fields...)
}

// LockAgents locks the agents of a condition over $2 and returns their ids by
// code. They are locked by id, always, so that two changes of many agents never
// wait for each other.
func (w *Writing) LockAgents(ctx context.Context, condition string, arg any) (map[string]int64, error) {
	ids := map[string]int64{}
	var latest time.Time
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
		return struct{}{}, err
	}, "SELECT id, code, last_modified FROM agency_agent WHERE tenant_id = $1 AND "+condition+" ORDER BY id"+w.ForUpdate(), w.Tenant.ID, arg)
	w.StampAfter(latest)
	return ids, err
}

// TouchAgents is TouchAgent for several.
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

// IDsByCode returns the ids of agents; codes that no agent has are left out.
func (w *Writing) IDsByCode(ctx context.Context, codes []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(codes))
	_, err := store.Collect(ctx, w, func(row store.Scanner) (struct{}, error) {
		var (
			id   int64
			code string
		)
		err := row.Scan(&id, &code)
		ids[code] = id
		return struct{}{}, err
	}, "SELECT id, code FROM agency_agent WHERE tenant_id = $1 AND "+w.InTexts("code", "$2"), w.Tenant.ID, w.Texts(codes))
	return ids, err
}

// DefaultTeam is the name of the only team.
const DefaultTeam = "default"

// TeamID returns the id of a team, or a problem when there is none of the name.
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
