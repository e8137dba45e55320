package store

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/internal/date"
)

// fewRows is how many rows one plain statement inserts. Starting a COPY costs as much as
// some ten rows, and so does parsing a statement for a hundred on SQLite.
const fewRows = 10

// CopyFrom inserts rows into a table: a few rows with one statement; many with COPY on
// PostgreSQL; many on SQLite, or under row-level security, with statements of many rows
// each. The slices that rows yields may share their memory; each is read before the next
// one is taken.
func (t *Tx) CopyFrom(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) error {
	if err := t.CopyLater(ctx, table, columns, rows); err != nil {
		return err
	}
	return t.Flush(ctx)
}

// CopyLater is CopyFrom, but puts a few rows off as Later does.
func (t *Tx) CopyLater(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) error {
	next, stop := iter.Pull(rows)
	defer stop()
	few := make([]any, 0, fewRows*len(columns))
	for {
		row, more := next()
		if !more {
			if len(few) == 0 {
				return nil
			}
			q := inserting(table, columns, few)
			return t.Later(ctx, q.Text(), q.Args()...)
		}
		if len(few) == cap(few) {
			return t.copyMany(ctx, table, columns, few, func(yield func([]any) bool) {
				for first := range slices.Chunk(few, len(columns)) {
					if !yield(first) {
						return
					}
				}
				for ; more && yield(row); row, more = next() {
				}
			})
		}
		few = append(few, row...)
	}
}

// manyNumbers is how many rows of numbers one statement inserts: from some thousand on,
// COPY is quicker.
const manyNumbers = 1000

// InsertNumbers is CopyLater for rows of whole numbers, nil for null. On PostgreSQL it puts
// off up to a thousand rows, as one statement whose text is always the same: it is
// prepared once, and needs no round trip of its own as COPY does. On Citus it is CopyLater:
// whether such a statement goes to one shard was not tried.
func (t *Tx) InsertNumbers(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) error {
	if !t.Postgres() || t.Sharded() {
		return t.CopyLater(ctx, table, columns, rows)
	}
	lists := make([][]*int64, len(columns))
	n := 0
	for row := range rows {
		if n++; n > manyNumbers {
			return t.copyMany(ctx, table, columns, nil, rows)
		}
		appendNumbers(lists, row)
	}
	if n == 0 {
		return nil
	}
	q := insertingNumbers(table, columns, lists)
	return t.Later(ctx, q.Text(), q.Args()...)
}

// PutNumbers puts off rows of whole numbers, nil for null. A row whose first columns, so
// many as there are keys, equal those of a stored row takes its place; PostgreSQL then writes
// no index entry unless an indexed column differs.
func (t *Tx) PutNumbers(ctx context.Context, table string, columns []string, keys int, rows iter.Seq[[]any]) error {
	var replaced []string
	for _, c := range columns[keys:] {
		replaced = append(replaced, c+" = excluded."+c)
	}
	replacing := " ON CONFLICT (" + strings.Join(columns[:keys], ", ") + ") DO UPDATE SET " + strings.Join(replaced, ", ")
	asLists := t.Postgres() && !t.Sharded()
	atOnce := fewRows
	if asLists {
		atOnce = manyNumbers
	}
	for some := range slices.Chunk(slices.Collect(copied(rows)), atOnce) {
		var q *SQL
		if asLists {
			lists := make([][]*int64, len(columns))
			for _, row := range some {
				appendNumbers(lists, row)
			}
			q = insertingNumbers(table, columns, lists)
		} else {
			q = inserting(table, columns, slices.Concat(some...))
		}
		if err := t.Later(ctx, q.Write(replacing).Text(), q.Args()...); err != nil {
			return err
		}
	}
	return nil
}

// copied yields rows that share no memory.
func copied(rows iter.Seq[[]any]) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for row := range rows {
			if !yield(slices.Clone(row)) {
				return
			}
		}
	}
}

// appendNumbers appends each value of a row to the list of its column.
func appendNumbers(lists [][]*int64, row []any) {
	for i, v := range row {
		lists[i] = append(lists[i], wholeNumber(v))
	}
}

// insertingNumbers returns the statement that inserts rows of numbers, given as a list for
// each column.
func insertingNumbers(table string, columns []string, lists [][]*int64) *SQL {
	q := new(SQL).Write("INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") SELECT * FROM unnest(")
	for i, list := range lists {
		if i > 0 {
			q.Write(", ")
		}
		q.Write("?::bigint[]", list)
	}
	return q.Write(")")
}

// wholeNumber returns a value of InsertNumbers; nil for null.
func wholeNumber(v any) *int64 {
	switch n := v.(type) {
	case int64:
		return &n
	case int:
		return new(int64(n))
	case nil:
		return nil
	}
	panic(fmt.Sprintf("store: %T is no whole number", v))
}

// inserting returns the statement that inserts rows, whose values are given one row after
// the other.
func inserting(table string, columns []string, values []any) *SQL {
	return new(SQL).Write(insertStatement(table, columns, len(values)/len(columns)), values...)
}

func (t *Tx) copyMany(ctx context.Context, table string, columns []string, first []any, rows iter.Seq[[]any]) error {
	if err := t.startClock(ctx, "INSERT INTO "+table+" ", first); err != nil {
		return err
	}
	// PostgreSQL has no COPY into a table with row-level security.
	if raw, postgres := t.raw.(pgConn); postgres && raw.guarded == nil {
		count(ctx)
		return copyPostgres(ctx, raw.pgExecutor.(pgx.Tx), table, columns, rows)
	}
	return insertMany(ctx, t.raw, table, columns, rows)
}

func copyPostgres(ctx context.Context, tx pgx.Tx, table string, columns []string, rows iter.Seq[[]any]) error {
	next, stop := iter.Pull(rows)
	defer stop()
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, _ := next() // nil ends the copy
		for i, v := range row {
			if d, ok := v.(date.Date); ok { // pgx takes ten times as long for text
				row[i] = d.Time()
			}
		}
		return row, nil
	}))
	return err
}

// NewIDs takes n ids of a table, for rows that other rows of a CopyFrom refer to; no
// other writer uses them then. On PostgreSQL they may have gaps. On SQLite the
// transaction is the only writer, and inserting an id moves the sequence past it.
func (t *Tx) NewIDs(ctx context.Context, table string, n int) ([]int64, error) {
	ids, err := t.AskNewIDs(ctx, table, n)
	if err != nil {
		return nil, err
	}
	return ids, t.Flush(ctx)
}

// AskNewIDs is NewIDs, but the ids are there only after Flush.
func (t *Tx) AskNewIDs(ctx context.Context, table string, n int) ([]int64, error) {
	ids := make([]int64, n)
	if n == 0 {
		return nil, nil
	}
	if t.Postgres() {
		return ids, t.later(ctx, func(rows scanned) error {
			for i := 0; rows.Next(); i++ {
				if err := rows.Scan(&ids[i]); err != nil {
					return err
				}
			}
			return nil
			// OFFSET 0 makes PostgreSQL look the sequence up once, and not for each id.
		}, "SELECT nextval(s.name) FROM (SELECT pg_get_serial_sequence($1, 'id')::regclass AS name OFFSET 0) s CROSS JOIN generate_series(1, $2::bigint)", []any{table, n})
	}
	var last int64
	if _, err := One(ctx, t, []any{&last}, "SELECT seq FROM sqlite_sequence WHERE name = $1", table); err != nil {
		return nil, err
	}
	for i := range ids {
		ids[i] = last + 1 + int64(i)
	}
	return ids, nil
}

// insertedRows is the number of rows of one INSERT of many.
const insertedRows = 100

func insertMany(ctx context.Context, to querier, table string, columns []string, rows iter.Seq[[]any]) error {
	full := inserting(table, columns, make([]any, insertedRows*len(columns)))
	args := make([]any, 0, insertedRows*len(columns))
	for row := range rows {
		if args = append(args, row...); len(args) < cap(args) {
			continue
		}
		if _, err := to.exec(ctx, full.Text(), args); err != nil {
			return err
		}
		args = args[:0]
	}
	if len(args) == 0 {
		return nil
	}
	q := inserting(table, columns, args)
	_, err := to.exec(ctx, q.Text(), q.Args())
	return err
}

func insertStatement(table string, columns []string, rows int) string {
	row := "(?" + strings.Repeat(", ?", len(columns)-1) + ")"
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES " + row + strings.Repeat(", "+row, rows-1)
}
