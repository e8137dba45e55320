package agency_test

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
)

// CertificationPage reads a page of the certifications that have a status on a
// day, in the order of their creation unless told otherwise.
func (w *licenceWorld) CertificationPage(ctx context.Context, f certification.Filter, orders []listing.Order, on date.Date, args page.Args) (page.Page[*licence], error) {
	list, err := w.CertificationList(ctx, f, orders, history.AsOf{Day: on})
	if err != nil {
		return page.Page[*licence]{}, err
	}
	return read(list, licenceColumns, (*licence).dest).Page(ctx, args)
}

// CertificationCount counts the certifications that have a status on a day.
func (w *licenceWorld) CertificationCount(ctx context.Context, f certification.Filter, on date.Date) (int, error) {
	list, err := w.CertificationList(ctx, f, nil, history.AsOf{Day: on})
	if err != nil {
		return 0, err
	}
	return list.Count(ctx)
}

// CertificationsOf reads the same page of the certifications of each agent, in
// one statement.
func (w *licenceWorld) CertificationsOf(ctx context.Context, agentIDs []int64, f certification.Filter, orders []listing.Order, on date.Date, args page.Args) (map[int64]page.Page[*licence], error) {
	list, err := w.CertificationList(ctx, f, orders, history.AsOf{Day: on})
	if err != nil {
		return nil, err
	}
	return read(list, licenceColumns, (*licence).dest).Pages(ctx, agentIDs, args)
}

// CertificationCountsOf counts the certifications of each agent, in one
// statement. Agents without one are left out.
func (w *licenceWorld) CertificationCountsOf(ctx context.Context, agentIDs []int64, f certification.Filter, on date.Date) (map[int64]int, error) {
	list, err := w.CertificationList(ctx, f, nil, history.AsOf{Day: on})
	if err != nil {
		return nil, err
	}
	return list.Counts(ctx, agentIDs)
}

// CertificationPeriodPage reads a page of the status periods.
func (w *licenceWorld) CertificationPeriodPage(ctx context.Context, f certification.PeriodFilter, orders []listing.Order, args page.Args) (page.Page[*licencePeriod], error) {
	list, err := w.CertificationPeriodList(ctx, f, orders)
	if err != nil {
		return page.Page[*licencePeriod]{}, err
	}
	return licencePeriods(list).Page(ctx, args)
}

// CertificationPeriodCount counts the status periods.
func (w *licenceWorld) CertificationPeriodCount(ctx context.Context, f certification.PeriodFilter) (int, error) {
	list, err := w.CertificationPeriodList(ctx, f, nil)
	if err != nil {
		return 0, err
	}
	return list.Count(ctx)
}

// CertificationPeriodsOf reads the same page of the status periods of each
// certification, by first day, in one statement.
func (w *licenceWorld) CertificationPeriodsOf(ctx context.Context, certificationIDs []int64, args page.Args) (map[int64]page.Page[*licencePeriod], error) {
	list, err := w.CertificationPeriodList(ctx, certification.PeriodFilter{}, []listing.Order{{Field: "EFFECTIVE_FROM"}})
	if err != nil {
		return nil, err
	}
	return licencePeriods(list).Pages(ctx, certificationIDs, args)
}

// CertificationPeriodCountsOf counts the status periods of each certification,
// in one statement. Certifications without one are left out.
func (w *licenceWorld) CertificationPeriodCountsOf(ctx context.Context, certificationIDs []int64) (map[int64]int, error) {
	list, err := w.CertificationPeriodList(ctx, certification.PeriodFilter{}, nil)
	if err != nil {
		return nil, err
	}
	return list.Counts(ctx, certificationIDs)
}
