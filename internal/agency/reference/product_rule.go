package reference

import (
	"context"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// requirements are what the rules of products require, from a day to a day.
var requirements = &record.Dated[authorization.Requirement]{
	Relation: history.Requirements, Field: "rules", Values: authorization.Values, Dest: authorization.Dest,
}

// ProductRuleInput is what a rule of a product requires for a range of days; without
// anything required, the rule requires nothing there, as if there were none.
type ProductRuleInput struct {
	Product, Rule                     string
	Jurisdictions, CertificationTypes []string
	RequiresAll                       bool
	IsResident                        *bool
	ProviderCompany                   *string
	RequiresActiveStatus              bool
	MinimumLevel                      *int
	UplineDepth                       int
	EffectiveFrom                     date.Date
	EffectiveThrough                  *date.Date
	Initiator                         string
}

// ApplyProductRule applies what a rule requires to a range of days, under the history
// rules, and defines a rule that the product does not have yet. It returns the id of the
// product. changed is false, and nothing is written, if it was already so.
func (s *Service) ApplyProductRule(ctx context.Context, in ProductRuleInput) (id int64, changed bool, err error) {
	if err := in.check(); err != nil {
		return 0, false, err
	}
	err = s.writer.Write(ctx, in.Initiator, false, func(ctx context.Context, w *record.Writing) error {
		id, changed, err = in.apply(ctx, w)
		return err
	})
	return id, changed, err
}

// ApplyRule is ApplyProductRule as a part of a write.
func ApplyRule(ctx context.Context, w *record.Writing, in ProductRuleInput) error {
	err := in.check()
	if err == nil {
		_, _, err = in.apply(ctx, w)
	}
	return err
}

func (in *ProductRuleInput) check() error {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	in.Product = c.Required(in.Product, record.MaxName, "product")
	in.Rule = c.Required(in.Rule, record.MaxName, "rule")
	c.Range(in.UplineDepth, 0, authorization.MaxUplineDepth, "uplineDepth")
	if in.MinimumLevel != nil {
		c.Range(*in.MinimumLevel, 0, record.MaxLevel, "minimumLevel")
	}
	for field, codes := range map[string][]string{"jurisdictions": in.Jurisdictions, "certificationTypes": in.CertificationTypes} {
		if len(codes) > authorization.MaxNamed {
			c.Refuse(problem.OutOfRange, fmt.Sprintf("must not be more than %d", authorization.MaxNamed), field)
		}
	}
	c.Period(in.EffectiveFrom, in.EffectiveThrough)
	return c.Err()
}

func (in *ProductRuleInput) requirement() authorization.Requirement {
	r := authorization.Requirement{Jurisdictions: authorization.Joined(in.Jurisdictions), CertificationTypes: authorization.Joined(in.CertificationTypes),
		All: in.RequiresAll, ActiveStatus: in.RequiresActiveStatus, UplineDepth: in.UplineDepth}
	if in.IsResident != nil {
		if r.Residence = authorization.NonResident; *in.IsResident {
			r.Residence = authorization.Resident
		}
	}
	if in.ProviderCompany != nil {
		r.ProviderCompany = *in.ProviderCompany
	}
	if in.MinimumLevel != nil {
		r.HasLevel, r.MinimumLevel = true, *in.MinimumLevel
	}
	return r
}

func (in *ProductRuleInput) apply(ctx context.Context, w *record.Writing) (id int64, changed bool, err error) {
	if id, err = lockReference(ctx, w, record.ProductTable, in.Product, nil, nil); err != nil {
		return 0, false, err
	}
	if err := in.refer(ctx, w); err != nil {
		return 0, false, err
	}
	rule, err := in.rule(ctx, w)
	if err != nil {
		return 0, false, err
	}
	h, err := requirements.Read(ctx, w, 0, rule)
	if err != nil {
		return 0, false, err
	}
	change, err := h.Change(ctx, w, rule, history.Period[authorization.Requirement]{From: in.EffectiveFrom, Through: in.EffectiveThrough, Value: in.requirement()},
		func(authorization.Requirement) *string { return nil })
	if err != nil || !change.Changed {
		return id, false, err
	}
	w.ForgetPeriod() // it is of no agent
	w.Note(record.ProductEntity, in.Product, requirements.Field)
	_, err = w.Exec(ctx, record.UpdateSQL(record.ProductTable.Table, nil), w.Now, w.Initiator, w.Tenant.ID, id)
	return id, true, err
}

// refer refuses codes that are not configured.
func (in *ProductRuleInput) refer(ctx context.Context, w *record.Writing) error {
	var refused problem.List
	for _, of := range []struct {
		table record.ReferenceTable
		field string
		codes []string
	}{{record.JurisdictionTable, "jurisdictions", in.Jurisdictions}, {record.CertificationTypeTable, "certificationTypes", in.CertificationTypes}} {
		known, err := record.AskKeys(ctx, w, of.table, of.codes)
		if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
			return err
		}
		for i, code := range of.codes {
			if !known[code] {
				refused.Add(of.table.Unknown(of.field, fmt.Sprint(i)))
			}
		}
	}
	if in.ProviderCompany != nil {
		if err := w.MustRefer(ctx, &refused, record.ProviderCompanyTable, *in.ProviderCompany, "providerCompany"); err != nil {
			return err
		}
	}
	return refused.Err()
}

// rule finds the rule, or defines it.
func (in *ProductRuleInput) rule(ctx context.Context, w *record.Writing) (id int64, err error) {
	found, err := store.One(ctx, w, []any{&id}, "SELECT id FROM agency_product_rule WHERE tenant_id = $1 AND product = $2 AND name = $3", w.Tenant.ID, in.Product, in.Rule)
	if err != nil || found {
		return id, err
	}
	return w.Insert(ctx, "agency_product_rule", []string{"tenant_id", "product", "name", "created_at", "created_by"}, w.Tenant.ID, in.Product, in.Rule, w.Now, w.Initiator)
}

// ImportProductRules returns the import of the rules of products, by product, rule and
// first day, as ApplyProductRule applies them.
func (s *Service) ImportProductRules() *Import {
	return &Import{s: s, key: "product", columns: bulk.NewColumns([]bulk.Column{
		bulk.Required("product", "code of a product"),
		bulk.Required("rule", "name of the rule, one of the product's"),
		bulk.Optional("jurisdictions", "codes with semicolons between them; all without"),
		bulk.Optional("certificationTypes", "codes with semicolons between them, of which one must be active"),
		bulk.Optional("requiresAll", "true or false: all of the types must be active; false by default").Of(bulk.Flag),
		bulk.Optional("isResident", "true for resident certifications only, false for others only").Of(bulk.Flag),
		bulk.Optional("providerCompany", "code of the company whose appointment is required").In(bulk.ProviderCompanies),
		bulk.Optional("requiresActiveStatus", "true or false: the pay status must count as active; false by default").Of(bulk.Flag),
		bulk.Optional("minimumLevel", "lowest agent level"),
		bulk.Optional("uplineDepth", "how many uplines must meet the same; 0 by default"),
		bulk.Required("effectiveFrom", "first day, from 1900-01-01 to 2200-12-31").Of(bulk.Day),
		bulk.Optional("effectiveThrough", "last day; none for an open end").Of(bulk.Day),
	}), put: func(ctx context.Context, w *record.Writing, r *imports.Row) (bulk.Outcome, error) {
		list := func(column string) []string {
			return strings.FieldsFunc(r.Plain(column), func(c rune) bool { return strings.ContainsRune("; ,", c) })
		}
		in := ProductRuleInput{Product: r.Plain("product"), Rule: r.Plain("rule"), Jurisdictions: list("jurisdictions"), CertificationTypes: list("certificationTypes"),
			RequiresAll: isSet(r.Flag("requiresAll").Value), IsResident: r.Flag("isResident").Value, ProviderCompany: r.Text("providerCompany"),
			RequiresActiveStatus: isSet(r.Flag("requiresActiveStatus").Value), MinimumLevel: r.Number("minimumLevel").Value,
			EffectiveFrom: r.Day("effectiveFrom"), EffectiveThrough: r.Date("effectiveThrough").Value, Initiator: w.Initiator}
		if depth := r.Number("uplineDepth").Value; depth != nil {
			in.UplineDepth = *depth
		}
		if len(r.List) > 0 {
			return "", nil
		}
		if err := in.check(); err != nil {
			return "", err
		}
		_, changed, err := in.apply(ctx, w)
		if !changed {
			return bulk.Unchanged, err
		}
		return bulk.Created, err
	}}
}

func isSet(flag *bool) bool { return flag != nil && *flag }
