package imports

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// PeriodColumns returns the columns of a file of periods, with the column of their value.
func PeriodColumns(value bulk.Column) bulk.Columns {
	return bulk.NewColumns([]bulk.Column{
		bulk.Required("agentCode", "an existing agent"),
		value,
		bulk.Required("effectiveFrom", "first day, from 1900-01-01 to 2200-12-31"),
		bulk.Optional("effectiveThrough", "last day; none for an open end"),
	})
}

// PeriodOf reads the agent and the days of a row's period, and names the row by its agent
// and first day.
func (im *Import) PeriodOf(i int, r *Row) (code string, from date.Date, through *date.Date) {
	im.Code(i, r)
	from, through = r.Day("effectiveFrom"), r.Date("effectiveThrough").Value
	if len(r.List) == 0 {
		r.Period(from, through)
		im.CalledBy(i, from.String())
	}
	return r.Required(r.Plain("agentCode"), record.MaxText, "agentCode"), from, through
}

// periodRow is the period that a row gives to an agent.
type periodRow[V comparable] struct {
	i    int
	code string
	history.Period[V]
}

// Periods says how the periods of one history are imported.
type Periods[V comparable] struct {
	Columns bulk.Columns
	// Field is the path of the history from its agent; Column is the column of the value.
	Field, Column string
	Table         record.ReferenceTable
	Histories     *Histories[V]
	// Value reads the value, and adds to r what is wrong with it.
	Value func(r *Row) V
}

// ApplyPeriods applies periods in order, under the history rules.
func ApplyPeriods[V comparable](ctx context.Context, im *Import, p Periods[V], rows []bulk.Row) ([]bulk.Result, error) {
	read := readPeriods(im, p, rows)
	codes := make([]string, len(read))
	for n, r := range read {
		codes[n] = r.code
	}
	agents, err := im.LockCodes(ctx, codes)
	if err != nil {
		return nil, err
	}
	known, err := record.ReferenceKeys[V](ctx, im.Writing, p.Table)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, id := range agents {
		ids = append(ids, id)
	}
	if err := p.Histories.Load(ctx, im.Writing, ids); err != nil {
		return nil, err
	}
	var changed []int64
	for _, r := range read {
		id := agents[r.code]
		switch {
		case id == 0:
			im.Refuse(r.i, problem.From(record.UnknownAgent("agentCode")))
			continue
		case !known[r.Value]:
			im.Refuse(r.i, problem.List{p.Table.Unknown(p.Column)})
			continue
		}
		differs, err := p.Histories.Apply(id, r.Period, im.Today)
		if err != nil {
			return nil, err
		}
		if differs {
			changed = append(changed, id)
			im.NoteAgentAgain(r.code, id, r.From.Ptr(), p.Field)
			im.Done(r.i, bulk.Created)
		}
	}
	if err := record.FirstOf(p.Histories.Write(ctx, im.Writing), im.TouchAll(ctx, changed)); err != nil {
		return nil, err
	}
	return im.Finish(ctx)
}

func readPeriods[V comparable](im *Import, p Periods[V], rows []bulk.Row) (read []periodRow[V]) {
	for i, row := range rows {
		r := ReadRow(p.Columns, row)
		one := periodRow[V]{i: i}
		one.code, one.From, one.Through = im.PeriodOf(i, r)
		one.Value = p.Value(r)
		if !im.Refuse(i, r.List) {
			read = append(read, one)
		}
	}
	return read
}
