package model

import "github.com/uplinehq/upline/internal/words/tenant"

// TenantSettings shows a tenant to its users.
type TenantSettings struct{ *tenant.Tenant }

// TimeZone is the name of the zone.
func (t *TenantSettings) TimeZone() string { return t.Zone.String() }

// DefaultUserStatus is an enum value; the executor refuses what is none.
func (t *TenantSettings) DefaultUserStatus() UserStatus {
	return UserStatus(t.Tenant.DefaultUserStatus)
}
