package agency

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// lockAgent locks an agent's row, the parent of all that is dated about it, and
// returns its id. The agent is the record that the request names, whose version
// is checked.
func (w *writing) lockAgent(ctx context.Context, code string, field ...string) (int64, error) {
	return w.lockAgentFor(ctx, w.ForUpdate(), code, field...)
}

func (w *writing) lockAgentFor(ctx context.Context, lock, code string, field ...string) (int64, error) {
	l, err := w.askForAgent(ctx, lock, code)
	if err := firstOf(err, w.Flush(ctx)); err != nil {
		return 0, err
	}
	return w.locked(ctx, l, field...)
}

// agentLock is an agent's row that is asked for, to be locked.
type agentLock struct {
	code         string
	found        *bool
	id           int64
	lastModified time.Time
}

// askForAgent asks for an agent's row, in one round trip with whatever is asked for
// besides. That sees what was committed before the lock was got: it is read after it.
func (w *writing) askForAgent(ctx context.Context, lock, code string) (l *agentLock, err error) {
	l = &agentLock{code: code}
	l.found, err = w.Ask(ctx, []any{&l.id, &l.lastModified},
		"SELECT id, last_modified FROM agency_agent WHERE tenant_id = $1 AND code = $2"+lock, w.Tenant.ID, code)
	return l, err
}

// locked is called when the row that was asked for is locked.
func (w *writing) locked(ctx context.Context, l *agentLock, field ...string) (int64, error) {
	if !*l.found {
		w.Stamp()
		return 0, unknownAgent(field...)
	}
	if seen, err := w.sees(ctx, l.id); err != nil || !seen {
		w.Stamp()
		return 0, firstOf(err, unknownAgent(field...))
	}
	w.agentID, w.agentCode = l.id, l.code
	return l.id, w.Named(ctx, l.lastModified)
}

// sees reports whether the caller may see an agent; nobody but a limited caller
// is asked. Whom it does not see is refused as one that does not exist.
func (w *writing) sees(ctx context.Context, agentID int64) (bool, error) {
	ctx = tenant.AsCaller(ctx)
	if _, limited := tenant.LimitOf(ctx); !limited {
		return true, nil
	}
	var one int
	return store.One(ctx, w, []any{&one}, "SELECT 1 FROM agency_agent a WHERE a.tenant_id = $1 AND a.id = $2", w.Tenant.ID, agentID)
}

// lockHolder locks the agent that a row belongs to, and reports whether the
// caller may see it. It is the row that the request names, not the agent.
func (w *writing) lockHolder(ctx context.Context, table string, id int64) (seen bool, err error) {
	l, err := w.askForHolder(ctx, table, id)
	if err := firstOf(err, w.Flush(ctx)); err != nil {
		return false, err
	}
	return w.lockedHolder(ctx, l)
}

// askForHolder is askForAgent for the agent that a row belongs to.
func (w *writing) askForHolder(ctx context.Context, table string, id int64) (l *agentLock, err error) {
	l = new(agentLock)
	l.found, err = w.Ask(ctx, []any{&l.id, &l.code, &l.lastModified}, `SELECT id, code, last_modified FROM agency_agent WHERE tenant_id = $1
		AND id = (SELECT agent_id FROM `+table+` WHERE tenant_id = $1 AND id = $2)`+w.ForUpdate(), w.Tenant.ID, id)
	return l, err
}

// lockedHolder is called when the row of the agent is locked.
func (w *writing) lockedHolder(ctx context.Context, l *agentLock) (seen bool, err error) {
	w.agentID, w.agentCode = l.id, l.code
	w.StampAfter(l.lastModified)
	return w.sees(ctx, l.id)
}

func unknownAgent(field ...string) error {
	return problem.Missing(problem.UnknownAgent, "No agent has this agent code", field...)
}

// touchAgent moves an agent's lastModified, which tells of a change of anything
// that belongs to the agent, and notes the fields that change, by their paths
// from the agent.
func (w *writing) touchAgent(ctx context.Context, id int64, fields ...string) error {
	_, err := w.touch(ctx, id, fields...)
	return err
}

// touch is touchAgent; it returns what is noted of the agent.
func (w *writing) touch(ctx context.Context, id int64, fields ...string) (*notedObject, error) {
	const touch = "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4"
	args := []any{w.Now, w.Initiator, w.Tenant.ID, id}
	code, err := w.agentCode, error(nil)
	if id == w.agentID && code != "" {
		err = w.Later(ctx, touch, args...)
	} else {
		_, err = store.One(ctx, w, []any{&code}, touch+" RETURNING code", args...)
	}
	return w.changedAgent(id, code, revised, fields...), err
}

// touchChanged moves an agent's lastModified when a history changed.
func (w *writing) touchChanged(ctx context.Context, agentID int64, changes ...Change) error {
	var fields []string
	for _, c := range changes {
		if c.Changed {
			fields = append(fields, c.field)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return w.touchAgent(ctx, agentID, fields...)
}

// lockAgents locks the agents of a condition over $2 and returns their ids by
// code. They are locked by id, always, so that two changes of many agents never
// wait for each other.
func (w *writing) lockAgents(ctx context.Context, condition string, arg any) (map[string]int64, error) {
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

// touchAgents is touchAgent for several.
func (w *writing) touchAgents(ctx context.Context, ids []int64, fields ...string) error {
	_, err := store.Collect(ctx, w, func(row store.Scanner) (struct{}, error) {
		var (
			id   int64
			code string
		)
		err := row.Scan(&id, &code)
		w.changedAgent(id, code, revised, fields...)
		return struct{}{}, err
	}, "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND "+w.In("id", "$4")+" RETURNING id, code",
		w.Now, w.Initiator, w.Tenant.ID, w.List(ids))
	return err
}

// idsByCode returns the ids of agents; codes that no agent has are left out.
func (w *writing) idsByCode(ctx context.Context, codes []string) (map[string]int64, error) {
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

func teamID(ctx context.Context, q store.Querier, name string) (int64, error) {
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
