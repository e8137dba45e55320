package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/date"
)

// W9 is what a W9 says. Its rows never change: another W9 is another row.
type W9 struct {
	ID, AgentID                                  int64
	Name                                         string
	BusinessName                                 *string
	TaxClassification                            string
	ExemptPayee                                  *string
	StreetAddress, City, State, ZipCode          *string
	SignatureDate                                *date.Date
	AccountNumber, TaxpayerIdentifier, Signature vault.Sealed
}

const w9Table = "agency_w9"

const w9Columns = `v.id, v.agent_id, v.name, v.business_name, v.tax_classification, v.exempt_payee, v.street_address, v.city, v.state, v.zip_code,
	v.signature_date, v.account_number, v.taxpayer_identifier, v.signature`

func (v *W9) dest() []any {
	return []any{&v.ID, &v.AgentID, &v.Name, &v.BusinessName, &v.TaxClassification, &v.ExemptPayee, &v.StreetAddress, &v.City, &v.State, &v.ZipCode,
		&v.SignatureDate, v.AccountNumber.From(w9Table, "account_number", &v.ID),
		v.TaxpayerIdentifier.From(w9Table, "taxpayer_identifier", &v.ID), v.Signature.From(w9Table, "signature", &v.ID)}
}

func scanW9(r store.Scanner) (*W9, error) {
	v := new(W9)
	return v, r.Scan(v.dest()...)
}

// W9sOn reads the W9 of agents in force on a day; agents without one are left
// out.
func (s *Service) W9sOn(ctx context.Context, agentIDs []int64, asOf history.AsOf) (map[int64]*W9, error) {
	return readMap(ctx, s.store, scanW9, func(v *W9) int64 { return v.AgentID }, func(q *store.SQL, tenant string) {
		q.Write("SELECT " + w9Columns + " FROM agency_w9_period p JOIN agency_w9 v ON v.tenant_id = p.tenant_id AND v.id = p.w9_id" +
			" WHERE p.tenant_id = " + tenant + " AND " + s.store.In("p.agent_id", q.Arg(s.store.List(agentIDs))) + " AND " + asOf.Covers("p", q.Arg))
	})
}

// W9Period is a row of the W9 history.
type W9Period struct {
	Period
	W9 *W9
}

// W9Periods is the W9 history across agents.
func (s *Service) W9Periods(ctx context.Context, f PeriodFilter, orders []listing.Order) (listing.List[*W9Period], error) {
	tenantID, err := checkFilter(ctx, f.texts()...)
	return listing.List[*W9Period]{
		Store: s.store,
		Name:  "w9Periods", Owner: "p.agent_id", Keys: periodOrder(orders), Columns: periodColumns + ", " + w9Columns,
		From: func(q *store.SQL) {
			q.Write("agency_w9_period p JOIN agency_agent a ON a.tenant_id = p.tenant_id AND a.id = p.agent_id"+
				" JOIN agency_w9 v ON v.tenant_id = p.tenant_id AND v.id = p.w9_id WHERE p.tenant_id = ?", tenantID)
			s.periodConditions(q, f)
		},
		Scan: func(r store.Scanner) (*W9Period, error) {
			p := &W9Period{W9: new(W9)}
			return p, r.Scan(append(p.dest(), p.W9.dest()...)...)
		},
		Place: func(p *W9Period, key string) any { return p.place(key) }, Kept: s.totals.Of(ctx),
	}, err
}
