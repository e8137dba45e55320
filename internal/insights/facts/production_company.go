package facts

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/store"
)

// companies are the provider companies that the rows of a batch may name: the enabled
// ones, and for a known policy its own company, since a disabled company is refused only
// for new policies.
type companies struct {
	// enabled is by code; a company that is not configured is not in it.
	enabled map[string]bool
	// known are the recorded policies of disabled companies.
	known map[policyKey]bool
}

// policyKey identifies a policy, by the code of its agent.
type policyKey struct{ agentCode, providerCompany, policyNumber string }

// takes reports whether a row may name its company.
func (c companies) takes(row ProductionInput) bool {
	return c.enabled[row.ProviderCompany] || c.known[policyKey{row.AgentCode, row.ProviderCompany, row.PolicyNumber}]
}

func (b *productionBatch) companies(ctx context.Context) (c companies, err error) {
	var s store.SQL
	s.Write("SELECT code, is_enabled FROM agency_provider_company WHERE tenant_id = ?", b.Tenant.ID)
	c.enabled = map[string]bool{}
	err = store.Each(ctx, b, &s, func(row store.Scanner) error {
		var (
			code    string
			enabled bool
		)
		err := row.Scan(&code, &enabled)
		c.enabled[code] = enabled
		return err
	})
	if err != nil {
		return c, err
	}
	c.known, err = b.known(ctx, c.enabled)
	return c, err
}

// known reads which of the batch's policies of disabled companies are already recorded.
func (b *productionBatch) known(ctx context.Context, enabled map[string]bool) (map[policyKey]bool, error) {
	var keys [][]string
	for _, r := range b.rows {
		if takes, configured := enabled[r.ProviderCompany]; configured && !takes {
			keys = append(keys, []string{r.AgentCode, r.ProviderCompany, r.PolicyNumber})
		}
	}
	if keys == nil {
		return nil, nil
	}
	var s store.SQL
	s.Write("SELECT a.code, f.provider_company, f.policy_number FROM agency_agent a JOIN insights_production_record f ON f.tenant_id = a.tenant_id AND f.agent_id = a.id WHERE a.tenant_id = ?", b.Tenant.ID)
	s.Write(" AND (a.code, f.provider_company, f.policy_number) IN (SELECT k.value->>0, k.value->>1, k.value->>2 FROM " + b.EachKey("k", s.Arg(store.Keys(keys))) + ")")
	found := map[policyKey]bool{}
	return found, store.Each(ctx, b, &s, func(row store.Scanner) error {
		var k policyKey
		err := row.Scan(&k.agentCode, &k.providerCompany, &k.policyNumber)
		found[k] = true
		return err
	})
}
