package resolve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) AuditLog(ctx context.Context, filter *model.AuditFilter, first *int, after *string, last *int, before *string, offset *int) (*model.AuditEntryConnection, error) {
	conditions := convert.AuditFilter(filter)
	conditions.Readable = convert.ReadableEntities(ctx)
	list, err := r.Audit.List(ctx, conditions)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, convert.AuditEntryView(ctx))
}

func (r queryResolver) AuditTrailCheck(ctx context.Context, head *string) (*model.AuditTrailCheck, error) {
	var expected audit.Head
	if head != nil {
		var err error
		if expected, err = audit.ParseHead(*head); err != nil {
			return nil, problem.Invalid(problem.InvalidFormat, "is the number of an entry, a colon, and its hash in hexadecimal digits, as a check tells it", "head")
		}
	}
	if err := r.Audit.Link(ctx); err != nil {
		return nil, err
	}
	report, err := r.Audit.Verify(ctx, expected)
	if err != nil {
		return nil, err
	}
	check := &model.AuditTrailCheck{IsIntact: !report.Broken(), EntryCount: report.Entries, Head: report.Head.String()}
	if report.Broken() {
		check.BrokenAt, check.Reason = &report.BrokenAt, &report.Reason
	}
	return check, nil
}

func (r agentResolver) AuditLog(ctx context.Context, obj *model.Object, first *int, after *string, last *int, before *string, offset *int) (*model.AuditEntryConnection, error) {
	n := nested[*audit.Row]{relation: "auditLog", args: paging(ctx), list: func(ctx context.Context, _ []int64) (listing.List[*audit.Row], error) { return r.Audit.ByAgents(ctx) }}
	return connection(ctx, n, obj.ID, convert.AuditEntryView(ctx))
}

func (r queryResolver) Changes(ctx context.Context, of *string, filter *model.ChangeFilter, first *int, after *string, last *int, before *string, offset *int) (*model.ChangeConnection, error) {
	conditions := convert.ChangeFilter(filter)
	conditions.Readable = convert.ReadableEntities(ctx)
	if of != nil {
		if err := r.about(ctx, *of, &conditions); err != nil {
			return nil, err
		}
	}
	list, err := r.Audit.Changes(ctx, conditions)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, r.changeView())
}

// about limits changes to those of an object, and of the field that the filter names in it.
func (r *Resolver) about(ctx context.Context, id string, conditions *audit.Filter) error {
	subject, err := r.subject(ctx, id, conditions.Readable)
	if err != nil {
		return err
	}
	conditions.EntityType, conditions.EntityKey = &subject.Entity, &subject.Key
	switch {
	case subject.Path == "":
	case conditions.Field == nil:
		conditions.Field = &subject.Path
	default:
		conditions.Field = new(subject.Path + "." + *conditions.Field)
	}
	return nil
}

// subject returns the object of the audit trail, or the part of one, that a global id names.
func (r *Resolver) subject(ctx context.Context, id string, readable []string) (*past.Subject, error) {
	parsed := model.ParseGlobalID(id)
	subject, err := r.Past.Subject(ctx, parsed.Type, parsed.Row)
	if err == nil && (subject == nil || readable != nil && !slices.Contains(readable, subject.Entity)) {
		err = problem.Invalid(problem.NotFoundCode, "names nothing that is there and has changes", "of")
	}
	return subject, err
}

// changeView returns a function that shows changes, whose effects are read together.
func (r *Resolver) changeView() func(*audit.Changed) *model.Change {
	shown := &effects{r: r}
	return func(c *audit.Changed) *model.Change {
		at := len(shown.changes)
		shown.changes = append(shown.changes, c)
		return convert.Change(c, func(ctx context.Context) (past.Effect, error) { return shown.of(ctx, at) })
	}
}

// effects are those of the changes of a page, which are read once one is asked for.
type effects struct {
	r       *Resolver
	changes []*audit.Changed
	once    sync.Once
	all     []past.Effect
	failed  error
}

func (e *effects) of(ctx context.Context, at int) (past.Effect, error) {
	if e.once.Do(func() { e.all, e.failed = e.r.Past.Effects(ctx, e.changes) }); e.failed != nil {
		return past.Effect{}, ofItsOwn(e.failed)
	}
	return e.all[at], nil
}

func (r changeResolver) ImportRows(ctx context.Context, obj *model.Change) ([]int, error) {
	if obj.Operation != audit.Import {
		return []int{}, nil
	}
	return r.Imports.RowsOf(ctx, obj.TraceID, obj.EntityKey)
}

// ofItsOwn returns an error that several fields have, for one of them: whoever tells it
// changes it.
func ofItsOwn(err error) error {
	if told, ok := errors.AsType[*gqlerror.Error](err); ok {
		return &gqlerror.Error{Message: told.Message, Extensions: maps.Clone(told.Extensions)}
	}
	return err
}

func (r queryResolver) Explain(ctx context.Context, of string, field string, onDate *date.Date, asKnownAt *time.Time) (*model.Change, error) {
	subject, err := r.subject(ctx, of, convert.ReadableEntities(ctx))
	if err != nil {
		return nil, err
	}
	c, err := r.Past.Explain(ctx, subject, field, r.Read.AsOf(ctx, onDate, nil).Day, asKnownAt)
	if err != nil || c == nil {
		return nil, err
	}
	return r.changeView()(c), nil
}

func (r mutationResolver) ChangeUndo(ctx context.Context, input model.ChangeUndoInput, dryRun bool) (*model.ChangeUndoPayload, error) {
	payload := &model.ChangeUndoPayload{}
	if input.Sequence < 1 {
		return payload, problem.Invalid(problem.OutOfRange, "is the number of a change, from 1", "sequence")
	}
	if len(input.Also) > past.MostUndone {
		return payload, problem.Invalid(problem.OutOfRange, fmt.Sprintf("has more than %d numbers", past.MostUndone), "also")
	}
	undone, err := r.Past.Undo(ctx, past.Request{
		Numbers: append([]int64{input.Sequence}, input.Also...), Initiator: input.Initiator, Readable: convert.ReadableEntities(ctx), DryRun: dryRun,
		May: func(mutation string) error { return r.may(ctx, mutation) }, Own: func(changes []*audit.Changed) error { return withinOwn(ctx, changes) },
	})
	if err != nil {
		return payload, err
	}
	payload.Applied = len(undone.Conflicts) == 0 && !dryRun
	for _, o := range undone.Outcomes {
		payload.Undone = append(payload.Undone, convert.ChangeUndone(ctx, o))
	}
	if len(undone.Conflicts) > 0 {
		payload.UserErrors = UserErrors(problem.List{problem.Invalid(problem.PreconditionFailed, "was followed by changes of the same fields or days: see conflicts", "sequence")}, r.Schema.Types["ChangeUndoInput"])
	}
	view := r.changeView()
	for _, c := range undone.Conflicts {
		payload.Conflicts = append(payload.Conflicts, view(c))
	}
	return payload, nil
}

// may refuses a mutation whose scope the caller does not have.
func (r *Resolver) may(ctx context.Context, mutation string) error {
	if err := WithinLimit(ctx, mutation); err != nil {
		return err
	}
	if scoped := r.Schema.Mutation.Fields.ForName(mutation).Directives.ForName("hasScope"); scoped != nil {
		return NeedsScope(ctx, scoped.Arguments.ForName("scope").Value.Raw)
	}
	return nil
}
