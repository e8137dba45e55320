package tenant_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/tenant"
)

var (
	acme = &tenant.Tenant{ID: 7}
	noon = time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)
)

// Work without a tenant has no id, so nothing is read by accident; work for every tenant
// is that only until a tenant is set.
func TestTenantOfAContext(t *testing.T) {
	none, of := t.Context(), tenant.With(t.Context(), acme)
	if id, err := tenant.ID(none); id != 0 || !errors.Is(err, tenant.ErrNone) || tenant.From(none) != nil {
		t.Errorf("without a tenant: %d, %v", id, err)
	}
	if id, err := tenant.ID(of); id != acme.ID || err != nil || tenant.From(of) != acme {
		t.Errorf("with a tenant: %d, %v", id, err)
	}
	system := tenant.System(none, "a test")
	for what, c := range map[string]struct {
		ctx  context.Context
		want bool
	}{
		"nothing":                     {none, false},
		"a tenant":                    {of, false},
		"every tenant":                {system, true},
		"one of every tenant":         {tenant.With(system, acme), false},
		"every tenant, of a tenant's": {tenant.System(of, "a test"), false},
	} {
		if got := tenant.IsSystem(c.ctx); got != c.want {
			t.Errorf("%s: IsSystem is %v", what, got)
		}
	}
}

// A masked caller sees no sensitive value in full; in a tenant that masks them, others need
// a scope.
func TestMayReveal(t *testing.T) {
	reveal := tenant.Caller{Scopes: []string{"read:agents", "read:agents:sensitive"}}
	masking := &tenant.Tenant{ID: 7, MaskSensitive: true}
	for what, c := range map[string]struct {
		of     *tenant.Tenant
		caller tenant.Caller
		want   bool
	}{
		"no tenant":                        {nil, reveal, false},
		"no scope is needed":               {acme, tenant.Caller{}, true},
		"a masked caller":                  {acme, tenant.Caller{Masked: true, Scopes: reveal.Scopes}, false},
		"a masking tenant":                 {masking, tenant.Caller{Scopes: []string{"read:agents"}}, false},
		"a masking tenant, and its scope":  {masking, reveal, true},
		"a masked caller of such a tenant": {masking, tenant.Caller{Masked: true, Scopes: reveal.Scopes}, false},
	} {
		ctx := tenant.WithCaller(t.Context(), c.caller)
		if c.of != nil {
			ctx = tenant.With(ctx, c.of)
		}
		if got := tenant.MayReveal(ctx); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
	masked := tenant.Masked(tenant.WithCaller(tenant.With(t.Context(), masking), reveal))
	if caller, ok := tenant.CallerFrom(masked); !ok || !caller.Masked || !caller.HasScope("read:agents") || tenant.MayReveal(masked) {
		t.Errorf("masked: %+v, %v", caller, ok)
	}
}

// A limit counts until Whole, and again after AsCaller.
func TestLimitOf(t *testing.T) {
	agent := int64(3)
	limited := tenant.WithCaller(t.Context(), tenant.Caller{Within: &agent, Clock: clock.At(noon)})
	whole := tenant.Whole(limited, "a test")
	for what, c := range map[string]struct {
		ctx  context.Context
		want bool
	}{
		"no caller":                    {t.Context(), false},
		"a caller without a limit":     {tenant.WithCaller(t.Context(), tenant.Caller{}), false},
		"a limited caller":             {limited, true},
		"the whole agency":             {whole, false},
		"a limited caller again":       {tenant.AsCaller(whole), true},
		"a limited caller who was one": {tenant.AsCaller(limited), true},
	} {
		l, ok := tenant.LimitOf(c.ctx)
		if ok != c.want || ok && (l.AgentID != agent || !l.Now.Equal(noon)) {
			t.Errorf("%s: %+v, %v", what, l, ok)
		}
		if caller, _ := tenant.CallerFrom(c.ctx); caller.IsLimited() != (caller.Within != nil) {
			t.Errorf("%s: IsLimited is %v", what, caller.IsLimited())
		}
	}
}

// Leaving out the tenant or the limit needs a reason.
func TestReasons(t *testing.T) {
	for what, f := range map[string]func(ctx context.Context, reason string) context.Context{"System": tenant.System, "Whole": tenant.Whole} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes no reason", what)
				}
			}()
			f(t.Context(), "")
		}()
	}
}
