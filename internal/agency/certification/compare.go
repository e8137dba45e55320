package certification

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Comparison returns the comparison of a file with what is held.
func (c *Import) Comparison() bulk.Comparison {
	return &comparison{s: c.s, named: map[[5]string]bool{}, of: [4]map[string]bool{{}, {}, {}, {}}}
}

// keyColumns decide which certification a row is about.
var keyColumns = [5]string{"agentCode", "type", "providerCompany", "jurisdiction", "identifier"}

// comparison knows what the rows of a file are about.
type comparison struct {
	s *Service
	// named are the certifications of the rows, and of the values that they have in the first four
	// of keyColumns.
	named map[[5]string]bool
	of    [4]map[string]bool
}

// Note implements bulk.Comparison.
func (c *comparison) Note(row bulk.Row) {
	r := imports.ReadRow(certificationImportColumns, row)
	var key [5]string
	for i, name := range keyColumns {
		key[i] = strings.Clone(r.Plain(name))
		if i < len(c.of) {
			c.of[i][key[i]] = true
		}
	}
	c.named[key] = true
}

// Missing implements bulk.Comparison: a file that is about types, companies and jurisdictions
// does not have what is ACTIVE of these.
func (c *comparison) Missing(ctx context.Context, on date.Date, ofAll bool, f func(id int64, row bulk.Row)) error {
	id, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	good := new(store.SQL).Write(`SELECT c.id, a.code, c.type, coalesce(c.provider_company, ''), coalesce(c.jurisdiction, ''), coalesce(c.identifier, '') FROM agency_certification c
		JOIN agency_agent a ON a.tenant_id = c.tenant_id AND a.id = c.agent_id
		JOIN agency_certification_period p ON p.tenant_id = c.tenant_id AND p.certification_id = c.id AND p.superseded_at IS NULL AND p.status = 'ACTIVE' AND p.effective_from <= ? AND (p.effective_through IS NULL OR p.effective_through >= ?)
		WHERE c.tenant_id = ? ORDER BY c.id`, on, on, id)
	return store.Each(ctx, c.s.store, good, func(row store.Scanner) error {
		var id int64
		var key [5]string
		if err := row.Scan(&id, &key[0], &key[1], &key[2], &key[3], &key[4]); err != nil {
			return err
		}
		if !c.named[key] && (ofAll || c.of[0][key[0]]) && c.of[1][key[1]] && c.of[2][key[2]] && c.of[3][key[3]] {
			f(id, ending(key, on))
		}
		return nil
	})
}

// ending returns the row that ends a certification on a day.
func ending(key [5]string, on date.Date) bulk.Row {
	row := bulk.Row{Values: make([]string, len(certificationImportColumns.All)), Given: make([]bool, len(certificationImportColumns.All))}
	put := func(name, value string) {
		for i, c := range certificationImportColumns.All {
			if c.Name == name && value != "" {
				row.Values[i], row.Given[i] = value, true
			}
		}
	}
	for i, name := range keyColumns {
		put(name, key[i])
	}
	put("status", "TERMINATED")
	put("effectiveFrom", on.String())
	put("isVerified", "true")
	return row
}
