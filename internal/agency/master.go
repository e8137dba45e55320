package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// masterAgency is the agency whose agent codes a registration reuses: the government
// identifier is "also used to find an existing code in the master agency" (Resources,
// "Agent").
type masterAgency struct {
	// tenantID is 0 when the agency has no master.
	tenantID int64
	// person is the blind index of the identifier under the master's keys; nil if the
	// registration gives a code, or no identifier.
	person []byte
}

// masterFor prepares the look-up for a registration. It needs the master's keys, which
// are made in a transaction of their own, so it is called before that of the
// registration.
func (s *Service) masterFor(ctx context.Context, in Registration) (masterAgency, error) {
	t := tenant.From(ctx)
	if t == nil {
		return masterAgency{}, tenant.ErrNone
	}
	m := masterAgency{tenantID: t.MasterID}
	if m.tenantID == 0 || in.AgentCode != nil || in.GovernmentIdentifier == nil {
		return m, nil
	}
	var err error
	m.person, err = governmentIdentifierIndex(ctx, s.vault, m.tenantID, *in.GovernmentIdentifier)
	return m, err
}

// code returns the agent code that the person has in the master agency, the oldest one of
// several.
func (m masterAgency) code(ctx context.Context, q store.Querier) (code string, found bool, err error) {
	if m.person == nil {
		return "", false, nil
	}
	found, err = store.One(tenant.With(ctx, &tenant.Tenant{ID: m.tenantID}), q, []any{&code}, "SELECT code FROM agency_agent WHERE tenant_id = $1 AND government_identifier_index = $2 ORDER BY id LIMIT 1",
		m.tenantID, m.person)
	return code, found, err
}
