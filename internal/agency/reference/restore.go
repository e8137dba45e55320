package reference

import (
	"context"
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// Kinds says how reference data is stored, and takes changes of it back.
func (s *Service) Kinds() []*past.Kind {
	product := kindOf(products, nil, "productUpdate")
	product.Facts = append(product.Facts, rulesFact)
	return []*past.Kind{
		kindOf(certificationTypes, nil, "certificationTypeUpdate"), kindOf(jurisdictions, nil, "jurisdictionUpdate"), kindOf(payStatuses, nil, "payStatusUpdate"),
		kindOf(levelsOf(0), levelsOfDefaultTeam, "agentLevelUpdate"), kindOf(providerCompanies, nil, "providerCompanyUpsert"), product, kindOf(tags, nil, "tagUpdate"),
	}
}

// kindOf is a kind of reference data; of returns it if it depends on the agency, and is nil
// otherwise.
func kindOf[In any](k referenceKind[In], of func(context.Context, *record.Writing) (referenceKind[In], error), takes string) *past.Kind {
	if of == nil {
		of = func(context.Context, *record.Writing) (referenceKind[In], error) { return k, nil }
	}
	key := "x." + k.Key
	if k.Key == "value" {
		key = "CAST(x.value AS text)"
	}
	return &past.Kind{
		Entity: k.Entity, Label: k.Key, Key: key, IsRemade: true, By: restorer[In]{of},
		Facts: []*past.Fact{{Table: k.Table, Owner: "id", Since: "created_at", Lines: k.fields, Takes: takes}},
	}
}

// rulesFact has what the rules of a product require, by their names.
var rulesFact = &past.Fact{Path: requirements.Field, Table: history.Requirements.Table, Owner: "id", Takes: "productRuleApply", Dated: &past.Dated{
	Relation: history.Requirements, Value: authorization.TextSQL, Shown: "r.name", Say: sayRule,
	Join:   "JOIN agency_product_rule r ON r.tenant_id = x.tenant_id AND r.id = x.rule_id JOIN agency_product p ON p.tenant_id = r.tenant_id AND p.code = r.product",
	Object: "p.id", Part: "r.name",
}}

// sayRule shows a rule by its name and what it requires.
func sayRule(name, text string) string {
	r, err := authorization.FromText(text)
	if err != nil {
		return name
	}
	return name + ": " + r.String()
}

// restorer takes changes of a kind of reference data back.
type restorer[In any] struct {
	of func(context.Context, *record.Writing) (referenceKind[In], error)
}

// Lock locks the rows that are there.
func (r restorer[In]) Lock(ctx context.Context, c *change.Writing, all []*past.Target) error {
	k, err := r.of(ctx, &record.Writing{Writing: c})
	if err != nil {
		return err
	}
	return past.LockRows(ctx, c, k.Table, all)
}

// Restored is called when the change is kept.
func (r restorer[In]) Restored(context.Context) {}

// each runs f for each row, and adds what it notes.
func (r restorer[In]) each(ctx context.Context, c *change.Writing, all []*past.Target, f func(w *record.Writing, k referenceKind[In], t *past.Target, key any) error) error {
	for _, t := range all {
		w := &record.Writing{Writing: c}
		k, err := r.of(ctx, w)
		if err != nil {
			return err
		}
		var in In
		line := k.fields[slices.IndexFunc(k.fields, func(l fields.Line) bool { return l.Column == k.Key })]
		if err := line.Parse(&in, &t.Key); err != nil {
			return err
		}
		if err := f(w, k, t, k.keyOf(&in)); err != nil {
			return err
		}
		if err := w.AddNotesTo(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Restore sets the fields of rows, and adds those again that were deleted.
func (r restorer[In]) Restore(ctx context.Context, c *change.Writing, all []*past.Target) error {
	return r.each(ctx, c, all, func(w *record.Writing, k referenceKind[In], t *past.Target, key any) error {
		var in In
		for _, l := range k.fields {
			if !t.IsMade() && t.Differs(l.Name) == nil {
				continue
			}
			text, err := t.Text(l.Name)
			if err := record.FirstOf(err, l.Parse(&in, text)); err != nil {
				return err
			}
		}
		*k.by(&in) = w.Initiator
		if t.IsMade() {
			return k.addAgain(ctx, w, t, in)
		}
		if err := k.check(&in, false, key); err != nil {
			return err
		}
		if _, _, err := k.update(ctx, w, key, in); err != nil {
			return err
		}
		return restoreRules(ctx, w, t)
	})
}

// addAgain adds a row that was deleted, with its id.
func (k referenceKind[In]) addAgain(ctx context.Context, w *record.Writing, t *past.Target, in In) error {
	if err := k.check(&in, true, nil); err != nil {
		return err
	}
	made := row{id: t.ID, at: t.Since(), by: w.Initiator}
	if _, err := store.One(ctx, w, []any{&made.by}, "SELECT created_by FROM "+k.Table+"_past WHERE tenant_id = $1 AND id = $2 ORDER BY past_until DESC LIMIT 1", w.Tenant.ID, t.ID); err != nil {
		return err
	}
	_, err := k.write(ctx, w, in, made)
	return record.FirstOf(err, w.WasAbsent(ctx, k.Table, w.Tenant.ID, t.ID))
}

// restoreRules makes the rules of a product what they were.
func restoreRules(ctx context.Context, w *record.Writing, t *past.Target) error {
	var all []*record.Restoring[authorization.Requirement]
	for _, path := range t.Differs(requirements.Field) {
		of := &record.Restoring[authorization.Requirement]{Writing: w}
		found, err := store.One(ctx, w, []any{&of.Owner}, "SELECT id FROM agency_product_rule WHERE tenant_id = $1 AND product = $2 AND name = $3", w.Tenant.ID, t.Key, strings.TrimPrefix(path, requirements.Field+"."))
		if err != nil || !found {
			return err
		}
		want, _ := t.Periods(path)
		for _, p := range want {
			value, err := authorization.FromText(p.Value)
			if err != nil {
				return err
			}
			of.Periods = append(of.Periods, history.Period[authorization.Requirement]{From: p.From, Through: p.Through, Value: value, Stated: p.Stated})
		}
		all = append(all, of)
	}
	if all == nil {
		return nil
	}
	if err := requirements.Restore(ctx, w, 0, all); err != nil {
		return err
	}
	w.ForgetPeriod() // it is of no agent
	w.Note(record.ProductEntity, t.Key, requirements.Field)
	_, err := w.Exec(ctx, record.UpdateSQL(record.ProductTable.Table, nil), w.Now, w.Initiator, w.Tenant.ID, t.ID)
	return err
}

// Remove deletes rows that were added, unless they are in use.
func (r restorer[In]) Remove(ctx context.Context, c *change.Writing, all []*past.Target) error {
	return r.each(ctx, c, all, func(w *record.Writing, k referenceKind[In], t *past.Target, key any) error {
		if k.Entity == record.ProviderCompanyEntity { // what refers to it is not known
			return problem.Invalid(problem.NotApplicable, "ProviderCompany "+t.Key+" cannot be deleted", "sequence")
		}
		return remove(ctx, w, k.ReferenceTable, key, t.ID)
	})
}
