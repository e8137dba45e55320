package onboarding

import (
	"context"
	"encoding/json"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/currency"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
)

// ConfigurationInput is a partial update of the configuration.
type ConfigurationInput struct {
	CollectTaxID, CollectBirthDate, CollectMaritalInfo                             patch.Field[bool]
	CollectHomeAddress, CollectCorrespondenceAddress                               patch.Field[bool]
	CollectPrimaryPhone, CollectCellPhone, CollectLicenseInfo                      patch.Field[bool]
	CollectEmploymentInfo, CollectTaxInfo, CollectContract, CollectPersonalHistory patch.Field[bool]
	RequiresPayment                                                                patch.Field[bool]
	// DefaultPayStatus and DefaultAgentLevel are cleared by null.
	DefaultPayStatus  patch.Field[string]
	DefaultAgentLevel patch.Field[int]
	// Products replace all products; null leaves none.
	Products patch.Field[[]Product]
}

// flag is a boolean property of the configuration: its column, the value that was sent,
// and where it is kept.
type flag struct {
	name, column string
	sent         patch.Field[bool]
	to           *bool
}

// flags is the table of flags; checks, differences, columns and statements loop over it.
func (in *ConfigurationInput) flags(c *Configuration) []flag {
	return []flag{
		{"collectTaxId", "collect_tax_id", in.CollectTaxID, &c.CollectTaxID},
		{"collectBirthDate", "collect_birth_date", in.CollectBirthDate, &c.CollectBirthDate},
		{"collectMaritalInfo", "collect_marital_info", in.CollectMaritalInfo, &c.CollectMaritalInfo},
		{"collectHomeAddress", "collect_home_address", in.CollectHomeAddress, &c.CollectHomeAddress},
		{"collectCorrespondenceAddress", "collect_correspondence_address", in.CollectCorrespondenceAddress, &c.CollectCorrespondenceAddress},
		{"collectPrimaryPhone", "collect_primary_phone", in.CollectPrimaryPhone, &c.CollectPrimaryPhone},
		{"collectCellPhone", "collect_cell_phone", in.CollectCellPhone, &c.CollectCellPhone},
		{"collectLicenseInfo", "collect_license_info", in.CollectLicenseInfo, &c.CollectLicenseInfo},
		{"collectEmploymentInfo", "collect_employment_info", in.CollectEmploymentInfo, &c.CollectEmploymentInfo},
		{"collectTaxInfo", "collect_tax_info", in.CollectTaxInfo, &c.CollectTaxInfo},
		{"collectContract", "collect_contract", in.CollectContract, &c.CollectContract},
		{"collectPersonalHistory", "collect_personal_history", in.CollectPersonalHistory, &c.CollectPersonalHistory},
		{"requiresPayment", "requires_payment", in.RequiresPayment, &c.RequiresPayment},
	}
}

// PublishConfiguration publishes a new version of the configuration, with the properties
// that were sent. If nothing differs, published is false and there is no new version.
func (s *publishing) PublishConfiguration(ctx context.Context, in ConfigurationInput) (c *Configuration, published bool, err error) {
	if err := s.checkConfiguration(ctx, &in); err != nil {
		return nil, false, err
	}
	err = s.publish(ctx, func(ctx context.Context, w *change.Writing) error {
		if c, err = configuration(ctx, w); err != nil {
			return err
		}
		if err := named(ctx, w, c.PublishedAt); err != nil {
			return err
		}
		fields := in.apply(c)
		if published = len(fields) > 0; !published {
			return nil
		}
		c.Version++
		c.PublishedAt = &w.Now
		version := strconv.Itoa(c.Version)
		w.Changed(configurationEntity, version, fields...)
		raisePublication(ctx, w, events.ConfigurationPublished, version)
		return insertConfiguration(ctx, w, c)
	})
	if err != nil {
		return nil, false, err
	}
	return c, published, nil
}

// apply applies what was sent to a configuration and returns the names of the properties
// that differ.
func (in *ConfigurationInput) apply(c *Configuration) (fields []string) {
	for _, f := range in.flags(c) {
		if f.sent.Value != nil && *f.sent.Value != *f.to {
			*f.to = *f.sent.Value
			fields = append(fields, f.name)
		}
	}
	if to := in.DefaultPayStatus.Or(c.DefaultPayStatus); !equal(to, c.DefaultPayStatus) {
		c.DefaultPayStatus = to
		fields = append(fields, "defaultPayStatus")
	}
	if to := in.DefaultAgentLevel.Or(c.DefaultAgentLevel); !equal(to, c.DefaultAgentLevel) {
		c.DefaultAgentLevel = to
		fields = append(fields, "defaultAgentLevel")
	}
	if in.Products.Sent {
		to := []Product{}
		if in.Products.Value != nil {
			to = append(to, *in.Products.Value...)
		}
		if !slices.Equal(to, c.Products) {
			c.Products = to
			fields = append(fields, "products")
		}
	}
	return fields
}

func equal[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func insertConfiguration(ctx context.Context, w *change.Writing, c *Configuration) error {
	products, err := json.Marshal(c.Products)
	if err != nil {
		return err
	}
	columns, places := c.columns(new(string(products)))
	values := []any{w.Tenant.ID, w.Initiator}
	for _, place := range places {
		values = append(values, reflect.ValueOf(place).Elem().Interface())
	}
	var q store.SQL
	q.Write("INSERT INTO onboarding_app_configuration (tenant_id, published_by, "+strings.Join(columns, ", ")+") VALUES (?"+strings.Repeat(", ?", len(values)-1)+")", values...)
	_, err = w.Exec(ctx, q.Text(), q.Args()...)
	return err
}

// named is change.Writing.Named for what is published, and may not have been yet.
func named(ctx context.Context, w *change.Writing, publishedAt *time.Time) error {
	if publishedAt == nil {
		return version.CheckNew(ctx)
	}
	return w.CheckVersion(ctx, *publishedAt)
}

// checkConfiguration checks and normalises everything that was sent.
func (s *publishing) checkConfiguration(ctx context.Context, in *ConfigurationInput) error {
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
func (s *publishing) checkDefaults(ctx context.Context, c *contentCheck, in *ConfigurationInput) error {
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
