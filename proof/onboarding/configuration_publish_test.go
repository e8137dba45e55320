package onboarding_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

func kit(change ...func(*onboarding.Product)) onboarding.Product {
	p := onboarding.Product{ID: "kit", Name: "Starter kit", Price: "49.90", Currency: "USD"}
	for _, f := range change {
		f(&p)
	}
	return p
}

// An update publishes a version of its own that differs in what was sent, and
// in nothing else.
func TestConfigurationUpdatePublishesAVersion(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		first, err := p.Configuration(p.ctx)
		must(t, err)
		p.clock.Move(time.Minute)
		var second *onboarding.Configuration
		p.leaves(func() {
			var published bool
			second, published, err = p.PublishConfiguration(p.ctx, onboarding.ConfigurationInput{
				CollectTaxInfo: patch.Set(false), CollectContract: patch.Set(true), RequiresPayment: patch.Set(true),
				DefaultPayStatus: patch.Set("Active"), DefaultAgentLevel: patch.Null[int](), Products: patch.Set([]onboarding.Product{kit()})})
			must(t, err)
			if !published {
				t.Error("not published")
			}
		}, "Platform.AgentOnboarding.Events.ConfigurationPublished 2 publication compliance",
			`compliance AppConfiguration ["2"] [{collectTaxInfo} {requiresPayment} {defaultPayStatus} {defaultAgentLevel} {products}]`)
		want, status, now := *first, "Active", p.clock.Now()
		want.Version, want.CollectTaxInfo, want.RequiresPayment = 2, false, true
		want.DefaultPayStatus, want.DefaultAgentLevel, want.Products, want.PublishedAt = &status, nil, []onboarding.Product{kit()}, &now
		read, err := p.Configuration(p.ctx)
		must(t, err)
		for what, got := range map[string]*onboarding.Configuration{"answered": second, "read": read} {
			if text(got) != text(&want) {
				t.Errorf("%s\n%s, want\n%s", what, text(got), text(&want))
			}
		}
	})
}

// text shows a configuration without pointers.
func text(c *onboarding.Configuration) string {
	status, level := "none", 0
	if c.DefaultPayStatus != nil {
		status = *c.DefaultPayStatus
	}
	if c.DefaultAgentLevel != nil {
		level = *c.DefaultAgentLevel
	}
	flat := *c
	flat.DefaultPayStatus, flat.DefaultAgentLevel, flat.PublishedAt = nil, nil, nil
	return fmt.Sprintf("%+v %s %d %s", flat, status, level, c.PublishedAt.UTC())
}

// What changes nothing publishes nothing.
func TestConfigurationUpdateThatChangesNothing(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		for name, in := range map[string]onboarding.ConfigurationInput{
			"nothing":         {},
			"what holds":      {CollectTaxID: patch.Set(true), CollectCorrespondenceAddress: patch.Set(false), DefaultPayStatus: patch.Field[string]{}},
			"no products":     {Products: patch.Null[[]onboarding.Product]()},
			"an empty list":   {Products: patch.Set([]onboarding.Product{})},
			"not to be paid ": {RequiresPayment: patch.Set(false)},
		} {
			p.leaves(func() {
				c, published, err := p.PublishConfiguration(p.ctx, in)
				must(t, err)
				if published || c.Version != 1 {
					t.Errorf("%s published version %d", name, c.Version)
				}
			})
		}
	})
}

// What is refused is named, all of it at once, and publishes nothing.
func TestConfigurationUpdateIsChecked(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		products := func(all ...onboarding.Product) onboarding.ConfigurationInput {
			return onboarding.ConfigurationInput{CollectTaxID: patch.Set(false), Products: patch.Set(all)}
		}
		for name, c := range map[string]struct {
			in   onboarding.ConfigurationInput
			want []string
		}{
			"flags that are null": {onboarding.ConfigurationInput{CollectTaxID: patch.Null[bool](), RequiresPayment: patch.Null[bool]()}, []string{"NULL_NOT_ALLOWED collectTaxId", "NULL_NOT_ALLOWED requiresPayment"}},
			"unknown defaults":    {onboarding.ConfigurationInput{DefaultPayStatus: patch.Set("Nowhere"), DefaultAgentLevel: patch.Set(21)}, []string{"UNKNOWN_STATUS defaultPayStatus", "UNKNOWN_LEVEL defaultAgentLevel"}},
			"blank texts": {products(kit(func(p *onboarding.Product) { p.ID, p.Name = " ", "" })),
				[]string{"REQUIRED products.0.id", "REQUIRED products.0.name"}},
			"long texts": {products(kit(func(p *onboarding.Product) { p.ID, p.Name = strings.Repeat("é", 65), strings.Repeat("n", 201) })),
				[]string{"TOO_LONG products.0.id", "TOO_LONG products.0.name"}},
			"control characters": {products(kit(func(p *onboarding.Product) { p.Name = "Kit\x07" })), []string{"INVALID_FORMAT products.0.name"}},
			"an id twice":        {products(kit(), kit(func(p *onboarding.Product) { p.ID = " KIT " })), []string{"INVALID_FORMAT products.1.id"}},
			"too many":           {products(make([]onboarding.Product, 51)...), []string{"OUT_OF_RANGE products"}},
		} {
			p.leaves(func() {
				_, published, err := p.PublishConfiguration(p.ctx, c.in)
				refused(t, name, err, c.want...)
				if published {
					t.Errorf("%s: published", name)
				}
			})
		}
		for _, price := range []string{"", " 1", "-1", "+1", "1.", ".5", "01", "1,5", "1e3", "0x1", "1.23456", "NaN", "１"} {
			_, _, err := p.PublishConfiguration(p.ctx, products(kit(func(p *onboarding.Product) { p.Price = price })))
			refused(t, "the price "+price, err, "INVALID_FORMAT products.0.price")
		}
		for _, currency := range []string{"", "usd", "US", "USDX", "ZZZ", "$"} {
			_, _, err := p.PublishConfiguration(p.ctx, products(kit(func(p *onboarding.Product) { p.Currency = currency })))
			refused(t, "the currency "+currency, err, "INVALID_FORMAT products.0.currency")
		}
		for _, c := range []onboarding.Product{{ID: "a", Name: "A", Price: "0", Currency: "USD"}, {ID: "b", Name: "B", Price: "1200", Currency: "JPY"}, {ID: "c", Name: "C", Price: "0.125", Currency: "KWD"}, {ID: "d", Name: "D", Price: "999999999999.99", Currency: "CAD"}} {
			_, _, err := p.PublishConfiguration(p.ctx, products(c))
			must(t, err)
		}
		if c, err := p.Configuration(p.ctx); err != nil || c.Version != 5 {
			t.Errorf("version %d, %v", c.Version, err)
		}
	})
}

// Updates at the same time are all published, each as a version of its own on
// top of the one before.
func TestConfigurationUpdatesAtOnce(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		inputs := []onboarding.ConfigurationInput{
			{CollectTaxID: patch.Set(false)}, {CollectBirthDate: patch.Set(false)}, {CollectMaritalInfo: patch.Set(false)}, {CollectHomeAddress: patch.Set(false)},
			{CollectPrimaryPhone: patch.Set(false)}, {CollectCellPhone: patch.Set(false)}, {CollectLicenseInfo: patch.Set(false)}, {RequiresPayment: patch.Set(true)},
		}
		atOnce(t, len(inputs), func(i int) error {
			_, published, err := p.PublishConfiguration(p.ctx, inputs[i])
			if err == nil && !published {
				err = problem.Invalid(problem.Required, "not published")
			}
			return err
		})
		c, err := p.Configuration(p.ctx)
		must(t, err)
		if c.Version != 9 || c.CollectTaxID || c.CollectBirthDate || c.CollectMaritalInfo || c.CollectHomeAddress || c.CollectPrimaryPhone || c.CollectCellPhone ||
			c.CollectLicenseInfo || !c.RequiresPayment || !c.CollectEmploymentInfo {
			t.Errorf("%+v", c)
		}
	})
}

// Each flag of an update is one of the configuration, is published when it differs, and
// is read as it was published.
func TestEveryFlagIsPublished(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		for i := range reflect.TypeFor[onboarding.ConfigurationInput]().NumField() {
			name := reflect.TypeFor[onboarding.ConfigurationInput]().Field(i).Name
			var in onboarding.ConfigurationInput
			sent, isFlag := reflect.ValueOf(&in).Elem().Field(i).Addr().Interface().(*patch.Field[bool])
			if !isFlag {
				continue
			}
			flag := func() bool {
				c, err := p.Configuration(p.ctx)
				must(t, err)
				return reflect.ValueOf(c).Elem().FieldByName(name).Bool()
			}
			before := flag()
			*sent = patch.Set(!before)
			if _, published, err := p.PublishConfiguration(p.ctx, in); err != nil || !published || flag() == before {
				t.Errorf("%s: published %t, %v, and is %t", name, published, err, flag())
			}
			if _, published, err := p.PublishConfiguration(p.ctx, in); err != nil || published {
				t.Errorf("%s once more: published %t, %v", name, published, err)
			}
		}
	})
}
