package demo

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
)

// products are what the agency sells, with the lines of authority of the NAIC.
var products = []reference.ProductInput{
	{Code: patch.Set("TERM-LIFE"), Name: patch.Set("Term life"), LineOfAuthority: patch.Set("Life"), IsWatched: patch.Set(true)},
	{Code: patch.Set("MAJOR-MEDICAL"), Name: patch.Set("Major medical"), LineOfAuthority: patch.Set("Accident & Health or Sickness")},
	{Code: patch.Set("FIXED-ANNUITY"), Name: patch.Set("Fixed annuity"), LineOfAuthority: patch.Set("Life")},
}

// productRules are what it takes to sell them, since before anybody did.
var productRules = []reference.ProductRuleInput{
	{Product: "TERM-LIFE", Rule: "Licence", CertificationTypes: []string{"LIFE"}, RequiresActiveStatus: true},
	{Product: "TERM-LIFE", Rule: "Upline", CertificationTypes: []string{"LIFE"}, Jurisdictions: []string{"US-NY"}, UplineDepth: 1},
	{Product: "MAJOR-MEDICAL", Rule: "Licence", CertificationTypes: []string{"HEALTH"}, RequiresActiveStatus: true},
	{Product: "FIXED-ANNUITY", Rule: "Licence and training", CertificationTypes: []string{"ANNUITY", "LIFE"}, RequiresAll: true, RequiresActiveStatus: true},
}

// addProducts defines the products and their rules at an instant. Products that the tenant
// has already stay as they are.
func (l *loader) addProducts(ctx context.Context, at time.Time) error {
	w, err := l.writer.Begin(ctx, l.tx, initiator)
	if err != nil {
		return err
	}
	w.StampAt(at)
	there, err := record.ReferenceKeys[string](ctx, w, record.ProductTable)
	if err != nil {
		return err
	}
	for _, p := range products {
		if p.Initiator = initiator; there[*p.Code.Value] {
			continue
		}
		if err := reference.DefineProduct(ctx, w, p); err != nil {
			return err
		}
		for _, r := range productRules {
			if r.Initiator, r.EffectiveFrom = initiator, date.Of(2000, time.January, 1); r.Product != *p.Code.Value {
				continue
			}
			if err := reference.ApplyRule(ctx, w, r); err != nil {
				return err
			}
		}
	}
	return nil
}
