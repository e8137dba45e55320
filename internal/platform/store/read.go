package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// Statement is a query with the kinds of its columns.
type Statement struct {
	*SQL
	Kinds []rowset.Kind
	// PlannedAnew has PostgreSQL plan the statement as PlannedAnew does.
	PlannedAnew bool
}

// Read runs several queries and returns what each found, for the caller to release. On
// PostgreSQL they go out together and take one round trip. Each sees a state of its own.
// The statements must not be used any more.
func (s *Store) Read(ctx context.Context, statements []Statement) ([]*rowset.Cells, error) {
	defer func() {
		for _, one := range statements {
			one.release()
		}
	}()
	found := make([]*rowset.Cells, 0, len(statements))
	err := againIfGone(ctx, s, func(gone visibility.Gone) error {
		return againIf(ctx, dberror.IsDeadlock, func() error {
			err := within(ctx, s.raw).read(ctx, statements, gone, func(c *rowset.Cells) { found = append(found, c) })
			if err != nil {
				for _, c := range found {
					c.Release()
				}
				found = found[:0]
			}
			return err
		})
	})
	return found, err
}

// narrowedOf returns the statements with the rows that the caller of the context may see.
func narrowedOf(ctx context.Context, q querier, statements []Statement, gone visibility.Gone) ([]narrowedText, error) {
	all := make([]narrowedText, len(statements))
	for i, one := range statements {
		query, args, err := visibility.Statement(ctx, q.schema(), one.kept(), one.Args(), gone)
		if err != nil {
			return nil, err
		}
		all[i] = narrowedText{query, args}
	}
	return all, nil
}

type narrowedText struct {
	query string
	args  []any
}

// read implements querier.
func (c sqlConn) read(ctx context.Context, statements []Statement, gone visibility.Gone, found func(*rowset.Cells)) error {
	texts, err := narrowedOf(ctx, c, statements, gone)
	if err != nil {
		return err
	}
	for i, t := range texts {
		rows, err := c.query(ctx, t.query, t.args)
		if err != nil {
			return err
		}
		cells := rowset.New(len(statements[i].Kinds))
		found(cells)
		if err := scanCells(rows, statements[i].Kinds, cells); err != nil {
			return err
		}
	}
	return nil
}

func scanCells(rows Rows, kinds []rowset.Kind, into *rowset.Cells) error {
	defer rows.Close()
	scan := rowset.NewScanner(kinds, into)
	for rows.Next() {
		if err := scan.Row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// read implements querier: several statements are a batch.
func (c pgConn) read(ctx context.Context, statements []Statement, gone visibility.Gone, found func(*rowset.Cells)) error {
	if slices.ContainsFunc(statements, func(s Statement) bool { return s.PlannedAnew }) {
		ctx = PlannedAnew(ctx)
	}
	texts, err := narrowedOf(ctx, c, statements, gone)
	if err != nil {
		return err
	}
	countTogether(ctx, len(texts))
	use, err := c.take(ctx, texts[len(texts)-1].query)
	if err != nil {
		return err
	}
	defer use.Done()
	settings := c.settings(ctx)
	if len(texts) == 1 && len(settings) == 0 {
		rows, err := c.pgExecutor.Query(ctx, texts[0].query, texts[0].args...)
		if err != nil {
			return err
		}
		return pgCells(rows, use, statements[0].Kinds, found)
	}
	batch := new(pgx.Batch)
	before := c.begin(batch, settings)
	for _, t := range texts {
		batch.Queue(t.query, t.args...)
	}
	c.end(batch, settings)
	results := c.pgExecutor.SendBatch(ctx, batch)
	defer results.Close()
	if err := begun(results, before); err != nil {
		return err
	}
	for i := range texts {
		rows, err := results.Query()
		if err != nil {
			return err
		}
		if err := pgCells(rows, use, statements[i].Kinds, found); err != nil {
			return err
		}
	}
	return nil
}

// pgCells keeps the rows of a statement as they were sent; if the connection sends texts,
// it parses their values.
func pgCells(rows pgx.Rows, use lent, kinds []rowset.Kind, found func(*rowset.Cells)) error {
	cells := rowset.New(len(kinds))
	found(cells)
	if !areBinary(rows, kinds) {
		return scanCells(&pgRows{Rows: rows, use: lent{rows: use.rows}}, kinds, cells)
	}
	defer rows.Close()
	for rows.Next() {
		use.read()
		for _, v := range rows.RawValues() {
			cells.Add(v)
		}
	}
	return rows.Err()
}

func areBinary(rows pgx.Rows, kinds []rowset.Kind) bool {
	for i, f := range rows.FieldDescriptions() {
		if kinds[i] != rowset.Text && f.Format != pgx.BinaryFormatCode {
			return false
		}
	}
	return true
}
