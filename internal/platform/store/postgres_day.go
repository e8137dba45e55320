package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/uplinehq/upline/internal/words/date"
)

// sendsDays makes a connection encode a date.Date directly as a number of days. pgx would
// format each argument as text and parse it again.
func sendsDays(_ context.Context, c *pgx.Conn) error {
	m := c.TypeMap()
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{dayPlan}, m.TryWrapEncodePlanFuncs...)
	return nil
}

func dayPlan(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	d, ok := value.(date.Date)
	if !ok {
		return nil, nil, false
	}
	return &encodeDay{}, pgDay(d), true
}

// encodeDay gives a date to the plan for the type of its column.
type encodeDay struct{ next pgtype.EncodePlan }

// SetNext implements pgtype.WrappedEncodePlanNextSetter.
func (p *encodeDay) SetNext(next pgtype.EncodePlan) { p.next = next }

// Encode implements pgtype.EncodePlan.
func (p *encodeDay) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(pgDay(value.(date.Date)), buf)
}

// pgDay is a date as pgx knows them.
type pgDay date.Date

// DateValue implements pgtype.DateValuer.
func (d pgDay) DateValue() (pgtype.Date, error) {
	return pgtype.Date{Time: date.Date(d).Time(), Valid: true}, nil
}
