package resolve

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
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
	entityType, key, field, err := r.SubjectOf(ctx, id)
	conditions.EntityType, conditions.EntityKey = &entityType, &key
	switch {
	case field == "":
	case conditions.Field == nil:
		conditions.Field = &field
	default:
		conditions.Field = new(field + "." + *conditions.Field)
	}
	return err
}

// changeView returns a function that shows changes, whose values are read together.
func (r *Resolver) changeView() func(*audit.Changed) *model.Change {
	var (
		shown          []*audit.Changed
		masked, inFull told
	)
	return func(c *audit.Changed) *model.Change {
		at := len(shown)
		shown = append(shown, c)
		return convert.Change(c, func(ctx context.Context, reveal bool) ([]*model.ChangedValue, error) {
			t := &masked
			if reveal {
				t = &inFull
			}
			if t.once.Do(func() { t.values, t.failed = r.ChangedValues(ctx, shown, reveal) }); t.failed != nil {
				return nil, ofItsOwn(t.failed)
			}
			return t.values[at], nil
		})
	}
}

// told are the values of the changes of a page, once they are asked for.
type told struct {
	once   sync.Once
	values [][]*model.ChangedValue
	failed error
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

// explained is how many changes of a field are looked at together for the one that set its
// value.
const explained = 20

func (r queryResolver) Explain(ctx context.Context, of string, field string, onDate *date.Date, asKnownAt *time.Time) (*model.Change, error) {
	conditions := audit.Filter{Field: &field, Readable: convert.ReadableEntities(ctx), Through: asKnownAt}
	if err := r.about(ctx, of, &conditions); err != nil {
		return nil, err
	}
	list, err := r.Audit.ChangesInTime(ctx, conditions)
	if err != nil {
		return nil, err
	}
	day := r.Read.AsOf(ctx, onDate, nil).Day
	for args := (page.Args{First: new(explained)}); ; {
		p, err := list.Page(ctx, args)
		if err != nil {
			return nil, err
		}
		view := r.changeView()
		changes := make([]*model.Change, len(p.Items))
		for i, c := range p.Items {
			changes[i] = view(c)
		}
		for i, c := range changes {
			values, err := c.Values(ctx, false)
			if err != nil {
				return nil, err
			}
			for _, v := range values {
				if v.EffectiveFrom == nil || *v.EffectiveFrom <= day && (v.EffectiveThrough == nil || *v.EffectiveThrough >= day) {
					return changes[i], nil
				}
			}
		}
		if !p.HasNext {
			return r.making(ctx, conditions, field)
		}
		args.After = new(p.Cursor(p.Items[len(p.Items)-1]))
	}
}

// making returns the change that made the object of conditions, which are about a field of
// it, or nil if that is not kept: what has not been changed since was set by it.
func (r *Resolver) making(ctx context.Context, conditions audit.Filter, field string) (*model.Change, error) {
	whole := strings.TrimSuffix(strings.TrimSuffix(*conditions.Field, field), ".")
	if whole == "" && *conditions.EntityType == "Agent" {
		whole = "agentCode"
	}
	conditions.Field = &whole
	list, err := r.Audit.ChangesInTime(ctx, conditions)
	if err != nil {
		return nil, err
	}
	p, err := list.Page(ctx, page.Args{Last: new(1)})
	if err != nil || len(p.Items) == 0 || p.Items[0].Field != whole {
		return nil, err
	}
	made := r.changeView()(p.Items[0])
	values, err := made.Values(ctx, false)
	if err != nil || len(values) != 1 || values[0].Old != nil || values[0].New == nil {
		return nil, err
	}
	return made, nil
}

// mostUndone limits the changed fields that are taken back at once.
const mostUndone = 5000

func (r mutationResolver) ChangeUndo(ctx context.Context, input model.ChangeUndoInput, dryRun bool) (*model.ChangeUndoPayload, error) {
	if input.Sequence < 1 {
		return &model.ChangeUndoPayload{}, problem.Invalid(problem.OutOfRange, "is the number of a change, from 1", "sequence")
	}
	if len(input.Also) > mostUndone {
		return &model.ChangeUndoPayload{}, problem.Invalid(problem.OutOfRange, fmt.Sprintf("has more than %d numbers", mostUndone), "also")
	}
	numbers := append([]int64{input.Sequence}, input.Also...)
	list, err := r.Audit.Changes(ctx, audit.Filter{WritesOf: numbers, Readable: convert.ReadableEntities(ctx)})
	if err != nil {
		return &model.ChangeUndoPayload{}, err
	}
	list.Max, list.Default = mostUndone+1, mostUndone+1
	p, err := list.Page(ctx, page.Args{})
	if err == nil && len(p.Items) > mostUndone {
		err = problem.Invalid(problem.OutOfRange, fmt.Sprintf("changed more than %d fields, which are not taken back at once", mostUndone), "sequence")
	}
	for i, n := range numbers {
		if err == nil && !slices.ContainsFunc(p.Items, func(c *audit.Changed) bool { return c.Seq == n }) {
			err = problem.Invalid(problem.NotFoundCode, "is the number of no change", []string{"sequence", "also"}[min(i, 1)])
		}
	}
	if err != nil {
		return &model.ChangeUndoPayload{}, err
	}
	undone, conflicts, err := r.Undo(ctx, p.Items, input.Initiator)
	payload := &model.ChangeUndoPayload{Undone: undone, Applied: err == nil && len(conflicts) == 0 && !dryRun}
	view := r.changeView()
	if len(conflicts) > 0 {
		payload.UserErrors = UserErrors(problem.List{problem.Invalid(problem.PreconditionFailed, "was followed by changes of the same fields or days: see conflicts", "sequence")}, r.Schema.Types["ChangeUndoInput"])
	}
	for _, c := range conflicts {
		payload.Conflicts = append(payload.Conflicts, view(c))
	}
	return payload, err
}
