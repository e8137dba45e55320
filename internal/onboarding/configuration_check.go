package onboarding

import (
	"context"
	"regexp"

	"golang.org/x/text/currency"

	"github.com/uplinehq/upline/internal/problem"
)

// checkConfiguration checks and normalises everything that was sent.
func (s *Service) checkConfiguration(ctx context.Context, in *ConfigurationInput) error {
	var c contentCheck
	for _, f := range in.flags(new(Configuration)) {
		c.NotNull(f.sent, f.name)
	}
	if products := in.Products.Value; products != nil && c.AtMost(len(*products), maxProducts, "products", "products") {
		in.Products.Value = c.products(*products)
	}
	if err := s.checkDefaults(ctx, &c, in); err != nil {
		return err
	}
	return c.Err()
}

// checkDefaults checks the defaults for a new agent. They may be gone when an agent is
// registered, so they are checked again then.
func (s *Service) checkDefaults(ctx context.Context, c *contentCheck, in *ConfigurationInput) error {
	if name := in.DefaultPayStatus.Value; name != nil {
		known, err := s.agency.IsPayStatus(ctx, *name)
		if err != nil {
			return err
		}
		if !known {
			c.Refuse(problem.UnknownStatus, "The specified pay status is not recognized.", "defaultPayStatus")
		}
	}
	if level := in.DefaultAgentLevel.Value; level != nil {
		known, err := s.agency.IsAgentLevel(ctx, *level)
		if err != nil {
			return err
		}
		if !known {
			c.Refuse(problem.UnknownLevel, "The specified agent level is not recognized.", "defaultAgentLevel")
		}
	}
	return nil
}

// priceForm is the decimal notation of prices: no sign, no exponent, at most four
// decimals; no currency has more.
var priceForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$`)

var currencyForm = regexp.MustCompile(`^[A-Z]{3}$`)

// products returns the products without the blanks around their texts.
func (c *contentCheck) products(given []Product) *[]Product {
	products, ids := make([]Product, len(given)), make([]string, len(given))
	for i, p := range given {
		p.ID = c.Required(p.ID, maxProductID, element("products", i, "id")...)
		p.Name = c.Required(p.Name, maxContentTitle, element("products", i, "name")...)
		if !priceForm.MatchString(p.Price) {
			c.Refuse(problem.InvalidFormat, "must be a decimal number such as 49.90", element("products", i, "price")...)
		}
		if _, err := currency.ParseISO(p.Currency); err != nil || !currencyForm.MatchString(p.Currency) {
			c.Refuse(problem.InvalidFormat, "must be a currency code of ISO 4217 such as USD", element("products", i, "currency")...)
		}
		products[i], ids[i] = p, p.ID
	}
	c.unique(ids, func(i int) []string { return element("products", i, "id") })
	return &products
}
