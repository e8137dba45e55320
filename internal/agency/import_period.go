package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/problem"
)

// periodImportColumns are those of a file of periods, with that of their value.
func periodImportColumns(value bulk.Column) bulk.Columns {
	return bulk.NewColumns([]bulk.Column{
		bulk.Required("agentCode", "an existing agent"),
		value,
		bulk.Required("effectiveFrom", "first day"),
		bulk.Optional("effectiveThrough", "last day; none for an open end"),
	})
}

// periodOf reads whose period a row has, and its days, and names the row by its agent and
// first day.
func (im *importing) periodOf(i int, r *rowReader) (code string, from date.Date, through *date.Date) {
	im.code(i, r)
	from, through = r.Day("effectiveFrom"), r.Date("effectiveThrough").Value
	if len(r.List) == 0 {
		r.period(from, through)
		im.calledBy(i, from.String())
	}
	return r.Required(r.Plain("agentCode"), maxText, "agentCode"), from, through
}

// periodRow is a period that a row gives an agent.
type periodRow[V comparable] struct {
	i    int
	code string
	history.Period[V]
}

// periodImport is how the periods of a history are imported.
type periodImport[V comparable] struct {
	columns bulk.Columns
	// field is the path of the history from its agent, column that of the value.
	field, column string
	table         referenceTable
	histories     *histories[V]
	// value reads the value; what is wrong with it goes to r.
	value func(r *rowReader) V
}

// applyPeriods applies periods in their order under the history rules.
func applyPeriods[V comparable](ctx context.Context, im *importing, p periodImport[V], rows []bulk.Row) ([]bulk.Result, error) {
	read := readPeriods(im, p, rows)
	codes := make([]string, len(read))
	for n, r := range read {
		codes[n] = r.code
	}
	agents, err := im.lockCodes(ctx, codes)
	if err != nil {
		return nil, err
	}
	known, err := referenceKeys[V](ctx, im.writing, p.table)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, id := range agents {
		ids = append(ids, id)
	}
	if err := p.histories.load(ctx, im.writing, ids); err != nil {
		return nil, err
	}
	var changed []int64
	for _, r := range read {
		id := agents[r.code]
		switch {
		case id == 0:
			im.refuse(r.i, problem.From(unknownAgent("agentCode")))
			continue
		case !known[r.Value]:
			im.refuse(r.i, problem.List{p.table.unknown(p.column)})
			continue
		}
		differs, err := p.histories.apply(id, r.Period, im.Today)
		if err != nil {
			return nil, err
		}
		if differs {
			changed = append(changed, id)
			im.changedAgain(r.code, id, r.From.Ptr(), p.field)
			im.done(r.i, bulk.Created)
		}
	}
	if err := firstOf(p.histories.write(ctx, im.writing), im.touchAll(ctx, changed)); err != nil {
		return nil, err
	}
	return im.finish(ctx)
}

func readPeriods[V comparable](im *importing, p periodImport[V], rows []bulk.Row) (read []periodRow[V]) {
	for i, row := range rows {
		r := readRow(p.columns, row)
		one := periodRow[V]{i: i}
		one.code, one.From, one.Through = im.periodOf(i, r)
		one.Value = p.value(r)
		if !im.refuse(i, r.List) {
			read = append(read, one)
		}
	}
	return read
}
