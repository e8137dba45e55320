package facts

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// Batch says how facts are recorded.
type Batch struct {
	// Initiator is recorded with each row, and for auditing.
	Initiator string
	// DryRun checks and compares everything, but writes nothing.
	DryRun bool
}

// Fate says what recording a fact did, or would do.
type Fate int

// The fates of a row.
const (
	Refused Fate = iota
	Unchanged
	Created
	Updated
)

// Outcome is the result for one row of a batch.
type Outcome struct {
	Fate Fate
	// Problems say why the row is refused; their fields are names of columns.
	Problems problem.List
	// AgentID is the agent of a row that is not refused.
	AgentID int64
}

// record runs write in a transaction, as batch says. If one row is refused, no row is
// recorded.
func (s *Service) record(ctx context.Context, b Batch, write func(ctx context.Context, w *change.Writing) ([]Outcome, error)) (outcomes []Outcome, err error) {
	var c check.Problems
	b.Initiator = c.Initiator(b.Initiator)
	if err := c.Err(); err != nil {
		return nil, err
	}
	run := s.writer.Write
	if b.DryRun {
		run = s.writer.Rehearse
	}
	err = run(ctx, b.Initiator, func(ctx context.Context, w *change.Writing) error {
		if outcomes, err = write(ctx, w); err != nil {
			return err
		}
		if slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.Fate == Refused }) {
			return change.ErrUndo
		}
		return nil
	})
	return outcomes, err
}

// one is the result of a batch of one row.
func one(outcomes []Outcome, err error) (Outcome, error) {
	if err != nil {
		return Outcome{}, err
	}
	return outcomes[0], outcomes[0].Problems.Err()
}

// lockAgents finds agents by their codes and locks them until the transaction ends, so
// that nobody else writes facts about them, or deletes them. It locks them in the order
// of their ids, so that two batches never wait for each other.
func lockAgents(ctx context.Context, w *change.Writing, codes []string) (map[string]int64, error) {
	ids := make(map[string]int64, len(codes))
	var s store.SQL
	var latest time.Time
	s.Write("SELECT id, code, last_modified FROM agency_agent WHERE tenant_id = ? AND "+w.InTexts("code", s.Arg(w.Texts(codes))), w.Tenant.ID)
	s.Write(" ORDER BY id" + w.ForUpdate())
	err := store.Each(ctx, w, &s, func(row store.Scanner) error {
		var (
			id           int64
			code         string
			lastModified time.Time
		)
		err := row.Scan(&id, &code, &lastModified)
		ids[code], latest = id, later(latest, lastModified)
		return err
	})
	w.StampAfter(latest)
	return ids, err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// place finds the agent of each row that is not refused. It refuses rows whose agent does
// not exist, and rows whose key already occurred, now that the agent is known.
func place[K comparable](ctx context.Context, w *change.Writing, outcomes []Outcome, code func(i int) string, key func(i int) K, again *problem.Error) error {
	var codes []string
	for i := range outcomes {
		if len(outcomes[i].Problems) == 0 {
			codes = append(codes, code(i))
		}
	}
	ids, err := lockAgents(ctx, w, codes)
	if err != nil {
		return err
	}
	seen := make(map[K]bool, len(outcomes))
	for i := range outcomes {
		o := &outcomes[i]
		if len(o.Problems) > 0 {
			continue
		}
		if o.AgentID = ids[code(i)]; o.AgentID == 0 {
			o.Problems.Add(problem.Missing(problem.UnknownAgent, "No agent has this agent code", "agentCode"))
			continue
		}
		if k := key(i); seen[k] {
			o.Problems.Add(again)
		} else {
			seen[k] = true
		}
	}
	return nil
}

// notes are the content of a batch's audit entry: each object once, and all fields that
// change in any of them.
type notes struct {
	keys   []string
	fields []string
}

func (n *notes) add(key string, fields ...string) {
	n.keys = append(n.keys, key)
	n.fields = append(n.fields, fields...)
}

// write notes the changes of the batch, if there are any.
func (n *notes) write(w *change.Writing, entity string) {
	slices.Sort(n.fields)
	fields := slices.Compact(n.fields)
	slices.Sort(n.keys)
	for _, key := range slices.Compact(n.keys) {
		w.Changed(entity, key, fields...)
		fields = nil
	}
}

// agents returns the agents of the rows that are not refused.
func agents(outcomes []Outcome) (ids []int64) {
	for _, o := range outcomes {
		if len(o.Problems) == 0 {
			ids = append(ids, o.AgentID)
		}
	}
	return ids
}

// Lengths, in characters.
const (
	maxText   = 255
	maxPolicy = 64
)

// factCheck collects the problems of a row, so that all are reported together. Texts of
// facts have one line, since they are keys and headings of reports.
type factCheck struct{ check.Problems }

func (c *factCheck) optionalLine(s *string, limit int, field ...string) *string {
	if s = check.Trimmed(s); s != nil {
		c.Line(*s, limit, field...)
	}
	return s
}

// money parses an amount; ok is false if it is refused.
func (c *factCheck) money(given string, field string) (m money.Amount, ok bool) {
	given = text.Trim(given)
	m, err := money.Parse(given)
	switch {
	case given == "":
		c.Refuse(problem.Required, "is required", field)
	case err != nil:
		c.Refuse(problem.InvalidFormat, err.Error(), field)
	}
	return m, err == nil
}
