package export

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	// longestQuery bounds the query document, in bytes.
	longestQuery = 64 << 10
	// mostWaiting bounds the unfinished exports of a caller.
	mostWaiting = 5
)

// Input is what a caller asks to export.
type Input struct {
	Query     string
	Variables map[string]any
	Path      string
	Format    string
	// OnDate is the day to read as of; today when nil.
	OnDate *date.Date
	Heads  []*Head
}

// Create checks what is asked for and queues the export, which is written in the
// background.
func (s *Service) Create(ctx context.Context, in Input) (*Export, error) {
	if _, err := sheet.Formats.Parse(in.Format, "format"); err != nil {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	q := s.query(ctx, in)
	plan, err := s.planFor(ctx, q, caller)
	if err != nil {
		return nil, err
	}
	variables, err := json.Marshal(in.Variables)
	if err != nil {
		return nil, err
	}
	e := &Export{UID: uuid.NewString(), Format: in.Format, ConnectionPath: in.Path, OnDate: q.OnDate, Status: Queued}
	sealed, err := s.seal(ctx, tenant.From(ctx).ID, e.UID, request{Query: in.Query, Variables: variables, TraceID: s.TraceID(ctx), Heads: in.Heads})
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, w *change.Writing) error {
		if err := lockFiles(ctx, w.Tx, w.Tenant.ID); err != nil {
			return err
		}
		if err := s.fewWaiting(ctx, w, caller); err != nil {
			return err
		}
		if err := s.hasRoom(ctx, w); err != nil {
			return err
		}
		e.CreatedAt = w.Now
		found, err := store.One(ctx, w, []any{&e.ID}, `INSERT INTO export
			(tenant_id, uid, user_id, subject, client_id, caller_scopes, scopes, request, connection_path, format, on_date, status, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id`,
			w.Tenant.ID, e.UID, caller.UserID, caller.Subject, caller.ClientID, strings.Join(caller.Scopes, " "), strings.Join(plan.Scopes(), " "),
			sealed, e.ConnectionPath, e.Format, e.OnDate, e.Status, e.CreatedAt)
		if err != nil || !found {
			return fmt.Errorf("export: insert: %w", err)
		}
		w.Changed("Export", e.UID, "connectionPath", "format")
		w.Signal(changed, w.Tenant.ID)
		return w.Enqueue(ctx, WorkArgs{})
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// query is an input with the day it is for.
func (s *Service) query(ctx context.Context, in Input) Query {
	q := Query{Document: in.Query, Variables: in.Variables, Path: in.Path, Heads: in.Heads}
	if q.OnDate = date.In(s.Clock.Now(), tenant.From(ctx).Zone); in.OnDate != nil {
		q.OnDate = *in.OnDate
	}
	return q
}

// planFor plans a query and checks that a caller holds all the scopes it takes.
func (s *Service) planFor(ctx context.Context, q Query, caller tenant.Caller) (Plan, error) {
	if len(q.Document) > longestQuery {
		return nil, problem.Invalid(problem.TooLong, fmt.Sprintf("must not be longer than %d bytes", longestQuery), "query")
	}
	plan, err := s.source.Plan(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := holds(caller, plan.Scopes()); err != nil {
		return nil, err
	}
	return headed(plan, q.Heads)
}

// holds refuses a caller who lacks a scope.
func holds(caller tenant.Caller, scopes []string) error {
	var refused problem.List
	for _, scope := range scopes {
		if !caller.HasScope(scope) {
			refused.Add(&problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Field: []string{"query"},
				Message: "The token does not hold the scope " + scope + ", which the query takes", Details: map[string]any{"requiredScope": scope}})
		}
	}
	return refused.Err()
}

// fewWaiting refuses a caller who has mostWaiting unfinished exports.
func (s *Service) fewWaiting(ctx context.Context, w *change.Writing, c tenant.Caller) error {
	var n int
	o := ownerOf(c)
	_, err := store.One(ctx, w, []any{&n}, `SELECT count(*) FROM export e WHERE e.tenant_id = $1 AND e.status IN ('QUEUED', 'RUNNING')
		AND e.user_id = $2 AND (e.user_id <> 0 OR (e.subject = $3 AND e.client_id = $4))`, w.Tenant.ID, o.userID, o.subject, o.clientID)
	if err == nil && n >= mostWaiting {
		return &problem.Error{Category: problem.Unavailable, Code: problem.UnavailableCode,
			Message: fmt.Sprintf("%d exports of the caller are not done yet, of %d at a time; wait for one of them, or delete one (exportDelete)", n, mostWaiting), Details: map[string]any{"max": mostWaiting}}
	}
	return err
}
