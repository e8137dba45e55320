package model

import "github.com/uplinehq/upline/internal/tenant"

// TenantSettings shows a tenant to its users.
type TenantSettings struct{ *tenant.Tenant }

// TimeZone is the name of the zone.
func (t *TenantSettings) TimeZone() string { return t.Zone.String() }
