package certification

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
)

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

// statuses are the statuses of certifications.
var statuses = &record.DatedValue[string]{
	Dated: record.DatedColumn[string](history.CertificationStatuses, "status"), Input: "status", Text: record.PlainText, IsEligibility: true,
}

// certificationOrder sorts periods by certification, in the default order.
var certificationOrder = page.Key{Name: "certification", SQL: "p.certification_id", Kind: page.Int}

// CertificationPeriodList returns the list of "all status periods, past and current"
// (specification, Certifications), by agent code, certification and first day unless
// orders say otherwise.
func (s *Service) CertificationPeriodList(ctx context.Context, f PeriodFilter, orders []listing.Order) (listing.Rows, error) {
	tenantID, err := record.CheckFilter(ctx, s.store, certificationTexts(f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier)...)
	last := []page.Key{{Name: "id", SQL: "p.id", Kind: page.Int}}
	if len(orders) == 0 {
		last = append([]page.Key{record.PeriodKeys["AGENT_CODE"], certificationOrder, record.PeriodKeys["EFFECTIVE_FROM"]}, last...)
	}
	keys := listing.SortKeys(orders, record.PeriodKeys, last...)
	list := listing.Rows{Store: s.store, Name: "certificationPeriods", Owner: "p.certification_id", Keys: keys, Kept: s.totals.Of(ctx), ByValue: f.byValue()}
	return list.Join(listing.Joined{
		TenantID: tenantID, Tables: certificationTables, Few: few(f.AgentCode, f.Identifier), Indexed: "p", InOrder: record.InOrder(history.AsOf{Known: f.Known}),
		Where: func(q *store.SQL) {
			record.PeriodFilter{From: f.From, Through: f.Through, ModifiedSince: f.ModifiedSince, Known: f.Known}.Conditions(q)
			s.whoseCertification(q, f.AgentCode, f.Type, f.ProviderCompany, f.Jurisdiction, f.Identifier, f.Status)
		},
	}), err
}
