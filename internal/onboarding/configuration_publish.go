package onboarding

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
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
func (s *Service) PublishConfiguration(ctx context.Context, in ConfigurationInput) (c *Configuration, published bool, err error) {
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
