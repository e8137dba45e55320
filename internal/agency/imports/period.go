package imports

import (
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// PeriodColumns returns the columns of a file of periods, with the column of their value.
func PeriodColumns(value bulk.Column) bulk.Columns {
	return bulk.NewColumns([]bulk.Column{
		bulk.Required("agentCode", "an existing agent").Of(bulk.Agent),
		value,
		bulk.Required("effectiveFrom", "first day, from 1900-01-01 to 2200-12-31").Of(bulk.Day),
		bulk.Optional("effectiveThrough", "last day; none for an open end").Of(bulk.Day),
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

// Periods is the import of a dated relation whose values are keys of reference data, by
// agent and first day.
type Periods[V comparable] struct {
	*record.DatedValue[V]
	writer  *record.Writer
	columns bulk.Columns
	// value reads the value of a row from a column.
	value func(r *Row, column string) V
}

// NewPeriods returns the import of a relation, with the column of its values.
func NewPeriods[V comparable](wr *record.Writer, d *record.DatedValue[V], value bulk.Column, read func(r *Row, column string) V) *Periods[V] {
	return &Periods[V]{d, wr, PeriodColumns(value), read}
}

// Columns returns the columns that a file may have.
func (p *Periods[V]) Columns() []bulk.Column { return p.columns.All }

// periodRow is the period that a row gives to an agent.
type periodRow[V comparable] struct {
	i    int
	code string
	history.Period[V]
}

// Apply applies the periods of rows in order, under the history rules.
func (p *Periods[V]) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := Begin(ctx, p.writer, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	var teamID int64
	if p.OfTeam {
		if teamID, err = record.TeamID(ctx, im, record.DefaultTeam); err != nil {
			return nil, err
		}
	}
	read := p.read(im, rows)
	codes := make([]string, len(read))
	for n, r := range read {
		codes[n] = r.code
	}
	agents, err := im.LockCodes(ctx, codes)
	if err != nil {
		return nil, err
	}
	known := map[V]bool{}
	if p.Refers != nil {
		if known, err = record.ReferenceKeys[V](ctx, im.Writing, p.Refers(teamID)); err != nil {
			return nil, err
		}
	}
	histories, err := p.Dated.Read(ctx, im.Writing, teamID, slices.Collect(maps.Values(agents))...)
	if err != nil {
		return nil, err
	}
	var changed []int64
	for _, r := range read {
		id := agents[r.code]
		switch {
		case id == 0:
			im.Refuse(r.i, problem.From(record.UnknownAgent("agentCode")))
			continue
		case p.Refers != nil && !known[r.Value]:
			im.Refuse(r.i, problem.List{p.Refers(teamID).Unknown(p.Input)})
			continue
		}
		plan, err := histories.Apply(im.Writing, id, r.Period)
		if err != nil {
			return nil, err
		}
		if plan.Changed() {
			changed = append(changed, id)
			im.NoteAgentAgain(r.code, id, r.From.Ptr(), p.Field)
			im.Done(r.i, bulk.Created)
		}
	}
	if err := record.FirstOf(histories.Write(ctx, im.Writing), im.TouchNoted(ctx, changed)); err != nil {
		return nil, err
	}
	return im.Finish(ctx)
}

func (p *Periods[V]) read(im *Import, rows []bulk.Row) (read []periodRow[V]) {
	for i, row := range rows {
		r := ReadRow(p.columns, row)
		one := periodRow[V]{i: i}
		one.code, one.From, one.Through = im.PeriodOf(i, r)
		one.Value = p.value(r, p.Input)
		if p.Check != nil {
			p.Check(&r.Check, &one.Value, p.Input)
		}
		if !im.Refuse(i, r.List) {
			read = append(read, one)
		}
	}
	return read
}
