package agency_test

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// read returns a list of the area whose columns are read into values of a type, together
// with the values of the sort keys, which cursors need.
func read[T any](rows listing.Rows, columns string, dest func(*T) []any) listing.List[*T] {
	places := map[*T]map[string]any{}
	for _, k := range rows.Keys {
		columns += ", " + k.Value()
	}
	return listing.List[*T]{Rows: rows, Columns: columns,
		Scan: func(r store.Scanner) (*T, error) {
			row, keys := new(T), make([]any, len(rows.Keys))
			for i, k := range rows.Keys {
				keys[i] = map[page.Kind]any{page.Text: new(string), page.Int: new(int64), page.Time: new(time.Time), page.Day: new(date.Date)}[k.Kind]
			}
			err := r.Scan(append(dest(row), keys...)...)
			places[row] = map[string]any{}
			for i, k := range rows.Keys {
				places[row][k.Name] = pointed(keys[i])
			}
			return row, err
		},
		Place: func(row *T, key string) any { return places[row][key] },
	}
}

func pointed(v any) any {
	switch v := v.(type) {
	case *string:
		return *v
	case *int64:
		return *v
	case *time.Time:
		return *v
	}
	return *v.(*date.Date)
}

// texts is a list of which a test reads one column.
func texts(rows listing.Rows, column string) listing.List[*string] {
	return read(rows, column, func(s *string) []any { return []any{s} })
}

// periodRow is a period of any history.
type periodRow struct {
	AgentID          int64
	AgentCode        string
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	RecordedAt       time.Time
	RecordedBy       string
	Value            *string
}

// The columns of the values of histories.
const (
	uplineOfPeriod = "coalesce((SELECT u.code FROM agency_agent u WHERE u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id), p.deleted_upline_code)"
	levelOfPeriod  = "CAST(p.level AS TEXT)"
	statusOfPeriod = "p.status"
	nameOnW9       = "(SELECT v.name FROM agency_w9 v WHERE v.tenant_id = p.tenant_id AND v.id = p.w9_id)"
)

func periodsOf(rows listing.Rows, value string) listing.List[*periodRow] {
	return read(rows, "a.id, a.code, p.effective_from, p.effective_through, p.recorded_at, p.recorded_by, "+value, func(p *periodRow) []any {
		return []any{&p.AgentID, &p.AgentCode, &p.EffectiveFrom, &p.EffectiveThrough, &p.RecordedAt, &p.RecordedBy, &p.Value}
	})
}

func (p *periodRow) text() string {
	value := "-"
	if p.Value != nil {
		value = *p.Value
	}
	return span(value, p.EffectiveFrom, p.EffectiveThrough)
}

// licence is a certification with its status on a day.
type licence struct {
	ID, AgentID                               int64
	Type                                      string
	ProviderCompany, Jurisdiction, Identifier *string
	certification.Details
	CreatedAt                       time.Time
	CreatedBy                       string
	LastModified                    time.Time
	LastModifiedBy                  string
	Status                          *string
	EffectiveFrom, EffectiveThrough *date.Date
}

var licenceColumns = record.Prefixed("c", append([]string{"id", "agent_id", "type", "provider_company", "jurisdiction", "identifier", "created_at", "created_by", "last_modified", "last_modified_by"},
	certification.Fields.Columns()...)) + ", p.status, p.effective_from, p.effective_through"

func (c *licence) dest() []any {
	return append(append([]any{&c.ID, &c.AgentID, &c.Type, &c.ProviderCompany, &c.Jurisdiction, &c.Identifier, &c.CreatedAt, &c.CreatedBy, &c.LastModified, &c.LastModifiedBy},
		certification.Fields.Dest(&c.Details)...), &c.Status, &c.EffectiveFrom, &c.EffectiveThrough)
}

func scanLicence(r store.Scanner) (*licence, error) {
	c := new(licence)
	return c, r.Scan(c.dest()...)
}

// licenceByID reads a certification as it is on a day, whether it has a status then or not.
func licenceByID(ctx context.Context, q store.Querier, id int64, at history.AsOf) (*licence, error) {
	var s store.SQL
	s.Write("SELECT " + licenceColumns + " FROM agency_certification c LEFT JOIN agency_certification_period p ON p.tenant_id = c.tenant_id AND p.certification_id = c.id AND " + at.Covers("p", s.Arg))
	s.Write(" WHERE c.tenant_id = ? AND c.id = ?", tenant.From(ctx).ID, id)
	found, err := store.Collect(ctx, q, scanLicence, s.Text(), s.Args()...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}

// licencePeriod is a row of the status history of a certification.
type licencePeriod struct {
	periodRow
	CertificationID int64
}

func licencePeriods(rows listing.Rows) listing.List[*licencePeriod] {
	return read(rows, "a.id, a.code, p.effective_from, p.effective_through, p.recorded_at, p.recorded_by, p.status, p.certification_id", func(p *licencePeriod) []any {
		return []any{&p.AgentID, &p.AgentCode, &p.EffectiveFrom, &p.EffectiveThrough, &p.RecordedAt, &p.RecordedBy, &p.Value, &p.CertificationID}
	})
}

// agentRow is an agent as it is stored.
type agentRow struct {
	ID        int64
	AgentCode string
	agency.Details
	CreatedAt            time.Time
	CreatedBy            string
	LastModified         time.Time
	LastModifiedBy       string
	GovernmentIdentifier vault.Sealed
}

// agentByCode reads an agent; nil if there is none.
func agentByCode(ctx context.Context, q store.Querier, code string) (*agentRow, error) {
	found, err := store.Collect(ctx, q, func(r store.Scanner) (*agentRow, error) {
		a := new(agentRow)
		return a, r.Scan(append(agency.AgentDetails.Dest(&a.Details), &a.ID, &a.AgentCode, &a.CreatedAt, &a.CreatedBy, &a.LastModified, &a.LastModifiedBy,
			a.GovernmentIdentifier.From("agency_agent", "government_identifier", &a.ID))...)
	}, "SELECT "+record.Prefixed("a", agency.AgentDetails.Columns())+", a.id, a.code, a.created_at, a.created_by, a.last_modified, a.last_modified_by, a.government_identifier"+
		" FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $2", tenant.From(ctx).ID, code)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0], nil
}
