package certification

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/date"
)

// Period is a row of the status history of a certification.
type Period struct {
	record.Period
	CertificationID int64
	Status          string
}

const certificationPeriodColumns = "p.id, c.agent_id, p.effective_from, p.effective_through, p.recorded_at, p.recorded_by, p.superseded_at, a.code, p.certification_id, p.status"

func scanCertificationPeriod(r store.Scanner) (*Period, error) {
	p := new(Period)
	return p, r.Scan(append(p.Dest(), &p.CertificationID, &p.Status)...)
}

// PeriodFilter holds the conditions of a list of status periods. A nil field is no
// condition.
type PeriodFilter struct {
	AgentCode, Type, ProviderCompany, Jurisdiction *string
	Status                                         []string
	Identifier                                     *string
	// From and Through bound the days that a period overlaps.
	From, Through *date.Date
	ModifiedSince *time.Time
	// Known is the instant as of which the history is read.
	Known history.Known
}

func (f PeriodFilter) byValue() bool {
	isNarrow := f.AgentCode != nil || f.Identifier != nil
	f.Known = history.Known{}
	return listing.ByValue(f, isNarrow)
}

// certificationOrder sorts periods by certification, in the default order.
var certificationOrder = page.Key{Name: "certification", SQL: "p.certification_id", Kind: page.Int}

func certificationPeriodPlace(p *Period, key string) any {
	if key == certificationOrder.Name {
		return p.CertificationID
	}
	return p.Place(key)
}

// CertificationPeriodList returns the list of "all status periods, past and current"
// (specification, Certifications), by agent code, certification and first day unless
// orders say otherwise.
func (s *Service) CertificationPeriodList(ctx context.Context, f PeriodFilter, orders []listing.Order) (listing.List[*Period], error) {
	tenantID, err := record.CheckFilter(ctx, s.store, certificationTexts(f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier)...)
	last := []page.Key{{Name: "id", SQL: "p.id", Kind: page.Int}}
	if len(orders) == 0 {
		last = append([]page.Key{record.PeriodKeys["AGENT_CODE"], certificationOrder, record.PeriodKeys["EFFECTIVE_FROM"]}, last...)
	}
	conditions := func(q *store.SQL) {
		record.PeriodFilter{From: f.From, Through: f.Through, ModifiedSince: f.ModifiedSince, Known: f.Known}.Conditions(s.store, q)
		s.whoseCertification(q, f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier, f.Status)
	}
	keys := listing.SortKeys(orders, record.PeriodKeys, last...)
	from, whole := record.PeriodFilter{AgentCode: f.AgentCode, Known: f.Known}.Reads(s.store, keys, func(q *store.SQL, j record.Join) {
		q.Write(certificationsOfPeriods(j), tenantID)
		conditions(q)
	})
	list := listing.List[*Period]{
		Store: s.store, Name: "certificationPeriods", Owner: "p.certification_id", Columns: certificationPeriodColumns,
		Keys: keys, From: from,
		Counted: countedPeriods(tenantID, conditions),
		Scan:    scanCertificationPeriod, Place: certificationPeriodPlace, Kept: s.totals.Of(ctx), ByValue: f.byValue(),
	}
	if record.IsOfPeriods(keys) {
		list.Whole = whole
	}
	if keys[0].Name == record.ByAgentCode.Name && f.Identifier == nil {
		list.Whole = func(q *store.SQL) {
			// All periods begin later. The condition makes SQLite read agent by agent in
			// this order too.
			q.Write(certificationsOfAgents+" AND p.effective_from >= '0001-01-01'", tenantID)
			conditions(q)
		}
	}
	return list, err
}

// CertificationPeriods reads status periods by id, including superseded ones. It leaves
// out ids of other tenants.
func (s *Service) CertificationPeriods(ctx context.Context, ids []int64) (map[int64]*Period, error) {
	return record.ReadMap(ctx, s.store, scanCertificationPeriod, func(p *Period) int64 { return p.ID }, func(q *store.SQL, tenant string) {
		q.Write("SELECT " + certificationPeriodColumns + " FROM agency_certification_period p" +
			" JOIN agency_certification c ON c.tenant_id = p.tenant_id AND c.id = p.certification_id" +
			" JOIN agency_agent a ON a.tenant_id = c.tenant_id AND a.id = c.agent_id" +
			" WHERE p.tenant_id = " + tenant + " AND " + s.store.In("p.id", q.Arg(s.store.List(ids))))
	})
}
