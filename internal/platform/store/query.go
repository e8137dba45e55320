package store

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/tenant"
)

// Rows is the result of a query written by hand.
type Rows interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
	Close() error
}

// Scanner reads the columns of the current row.
type Scanner interface{ Scan(dest ...any) error }

type querier interface {
	query(ctx context.Context, query string, args []any) (Rows, error)
	exec(ctx context.Context, query string, args []any) (int64, error)
	// read runs queries and calls found with the cells of each, whether or not they are
	// filled.
	read(ctx context.Context, statements []Statement, last visibility.Endings, found func(*rowset.Cells)) error
	// schema is the schema that the tables belong to.
	schema() string
}

// Querier runs queries written by hand: a Store (reads only) or a Tx. The SQL
// uses PostgreSQL's placeholders ($1, $2 …, in any order and more than once)
// and names the tenant in every table it touches.
type Querier interface {
	// querier returns what runs a query, which is told of it first.
	querier(ctx context.Context, query string, args []any) (querier, error)
	// In returns the condition that a column is among the integers of a list
	// argument: In("a.id", "$2"), with the argument made by List.
	In(column, placeholder string) string
	// InTexts is In for texts, with the argument made by Texts.
	InTexts(column, placeholder string) string
	// InUUIDs is In for a column of UUIDs, with the argument made by Texts.
	InUUIDs(column, placeholder string) string
	List(ids []int64) any
	Texts(texts []string) any
	// Postgres reports whether the database is PostgreSQL.
	Postgres() bool
}

func (s *Store) querier(context.Context, string, []any) (querier, error) { return s.raw, nil }

// read runs a query with the rows that the caller of the context may see.
func read(ctx context.Context, from Querier, query string, args []any) (rows Rows, err error) {
	q, err := from.querier(ctx, query, args)
	if err != nil {
		return nil, err
	}
	s, _ := from.(*Store)
	err = againIfOld(ctx, s, func(last visibility.Endings) error {
		text, all, err := visibility.Statement(ctx, q.schema(), query, args, last)
		if err == nil {
			rows, err = within(ctx, q).query(ctx, text, all)
		}
		return err
	})
	return rows, err
}

// Collect runs a query and reads each row with scan.
func Collect[T any](ctx context.Context, q Querier, scan func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := read(ctx, q, query, args)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// Each runs a query and calls scan for every row.
func Each(ctx context.Context, q Querier, s *SQL, scan func(Scanner) error) error {
	_, err := Collect(ctx, q, func(row Scanner) (struct{}, error) { return struct{}{}, scan(row) }, s.Text(), s.Args()...)
	return err
}

// One runs a query of at most one row and reads it into dest; found is false
// when there is none.
func One(ctx context.Context, q Querier, dest []any, query string, args ...any) (found bool, err error) {
	rows, err := read(ctx, q, query, args)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if rows.Next() {
		found = true
		if err := rows.Scan(dest...); err != nil {
			return false, err
		}
	}
	return found, rows.Err()
}

// After returns a scanner of rows that begin with more columns than their reader knows;
// those are scanned into first.
func After(row Scanner, first ...any) Scanner { return after{row, first} }

type after struct {
	Scanner
	first []any
}

func (a after) Scan(dest ...any) error {
	all := make([]any, 0, len(a.first)+len(dest))
	return a.Scanner.Scan(append(append(all, a.first...), dest...)...)
}

// ScanOne reads a row of a single column.
func ScanOne[T any](row Scanner) (v T, err error) {
	err = row.Scan(&v)
	return v, err
}

// ByID is a condition for statements that ask agents for nothing but ids and codes, by their
// ids. SQLite would read the index of all codes of the tenant, which has both, rather than
// look up some agents; created_at, which is never null, is not in it.
const ByID = " AND created_at IS NOT NULL"

// In implements Querier. As a list argument, the statement is the same for every length
// and is prepared once.
func (s *Store) In(column, placeholder string) string {
	return s.in(column, placeholder, "bigint")
}

// InQuery returns the condition that a column is among the few values that a query reads first.
// PostgreSQL would rather read the whole table of the column than trust that they are few.
func InQuery(q Querier, column, query string) string {
	if q.Postgres() {
		return column + " = ANY (ARRAY(" + query + "))"
	}
	return column + " IN (" + query + ")"
}

// InTexts implements Querier.
func (s *Store) InTexts(column, placeholder string) string {
	return s.in(column, placeholder, "text")
}

// InUUIDs implements Querier.
func (s *Store) InUUIDs(column, placeholder string) string {
	return s.in(column, placeholder, "uuid")
}

func (s *Store) in(column, placeholder, kind string) string {
	if s.Postgres() {
		return column + " = ANY(" + placeholder + "::" + kind + "[])"
	}
	return column + " IN (SELECT value FROM json_each(" + placeholder + "))"
}

// Each returns the table of the integers of a list argument, which has the column value.
func (s *Store) Each(alias, placeholder string) string {
	if s.Postgres() {
		return "unnest(" + placeholder + "::bigint[]) AS " + alias + "(value)"
	}
	return "json_each(" + placeholder + ") AS " + alias
}

// EachKey returns the table of an argument made by Keys: its column value is one key, whose
// first part is value->>0. It looks up keys of several columns: with a list for each
// column, PostgreSQL looks up each combination, a million for the keys of a thousand rows.
func (s *Store) EachKey(alias, placeholder string) string {
	if s.Postgres() {
		return "jsonb_array_elements(" + placeholder + "::jsonb) AS " + alias + "(value)"
	}
	return "json_each(" + placeholder + ") AS " + alias
}

// List implements Querier.
func (s *Store) List(ids []int64) any { return s.list(ids) }

// Texts implements Querier.
func (s *Store) Texts(texts []string) any { return s.list(texts) }

func (s *Store) list(values any) any {
	if s.Postgres() {
		return values
	}
	return encode(values)
}

// Keys returns the argument for EachKey.
func Keys[T any](keys [][]T) string { return encode(append([][]T{}, keys...)) }

func encode(values any) string {
	encoded, err := json.Marshal(values)
	if err != nil {
		panic(err) // integers and texts can always be encoded
	}
	return string(encoded)
}

type rewritten struct {
	query string
	order []int // the argument of each "?"
}

// positionalCache remembers the statements used last: order, filters and pages of lists
// make many variants of one.
var positionalCache = newCache[string, rewritten]()

// positional turns $1 … into SQLite's "?"; it repeats arguments that are used twice.
func positional(query string, args []any) (string, []any) {
	r, ok := positionalCache.Get(query)
	if !ok {
		r = rewrite(query)
		positionalCache.Add(query, r)
	}
	ordered := make([]any, len(r.order))
	for i, n := range r.order {
		ordered[i] = args[n]
	}
	return r.query, ordered
}

func rewrite(query string) rewritten {
	var (
		b strings.Builder
		r rewritten
	)
	for i := 0; i < len(query); i++ {
		if query[i] != '$' {
			b.WriteByte(query[i])
			continue
		}
		n := 0
		for i+1 < len(query) && query[i+1] >= '0' && query[i+1] <= '9' {
			n = n*10 + int(query[i+1]-'0')
			i++
		}
		r.order = append(r.order, n-1)
		b.WriteByte('?')
	}
	r.query = b.String()
	return r
}

type countKey struct{}

// Count is how many statements ran, and how often a request waited for the database.
type Count struct{ Statements, Trips atomic.Int64 }

// CountStatements returns a context whose statements are counted, and the
// count.
func CountStatements(ctx context.Context) (context.Context, *atomic.Int64) {
	ctx, n := Counted(ctx)
	return ctx, &n.Statements
}

// Counted returns a context whose statements and round trips are counted, and the count.
func Counted(ctx context.Context) (context.Context, *Count) {
	n := new(Count)
	return context.WithValue(ctx, countKey{}, n), n
}

func count(ctx context.Context) { countTogether(ctx, 1) }

// countTogether counts statements that are sent together.
func countTogether(ctx context.Context, statements int) {
	if n, ok := ctx.Value(countKey{}).(*Count); ok {
		n.Statements.Add(int64(statements))
		n.Trips.Add(1)
	}
}

func hasParam(rawURL, name string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && u.Query().Has(name)
}

// cached is how many statements a cache remembers.
const cached = 1024

func newCache[K comparable, V any]() *lru.Cache[K, V] {
	cache, err := lru.New[K, V](cached)
	if err != nil {
		panic(err) // only for a size below one
	}
	return cache
}

// endings are what is known of rows that ended, by tenant. It may be old: rows are changed at any
// time, by other servers, too. A statement that reads as if none were fails then, and is sent again.
type endings struct{ of sync.Map }

// endingsRead is what was known at an instant. It is read anew after endingsLast, so that few
// statements fail: PostgreSQL's log has a line of each.
type endingsRead struct {
	all visibility.Endings
	at  time.Time
}

const endingsLast = time.Second

// againIfOld calls f with what is known of rows that ended, and again with what is known by then if f
// failed since that was too little. A transaction cannot read on after a failure: within one, any row
// may have ended.
func againIfOld(ctx context.Context, s *Store, f func(visibility.Endings) error) error {
	t := tenant.From(ctx)
	if s == nil || t == nil || !visibility.IsPast(ctx) || IsInside(ctx) {
		return f(nil)
	}
	for attempt := range 4 { // rows of one table after the other end
		kept, _ := s.endings.of.Load(t.ID)
		known, ok := kept.(endingsRead)
		if now := (clock.System{}).Now(); !ok || attempt > 0 || now.Sub(known.at) > endingsLast {
			all, err := readEndings(ctx, s, t.ID)
			if err != nil {
				return err
			}
			known = endingsRead{all, now}
			s.endings.of.Store(t.ID, known)
		}
		if err := f(known.all); !visibility.IsOld(err) {
			return err
		}
	}
	return f(nil)
}

func readEndings(ctx context.Context, s *Store, tenantID int64) (visibility.Endings, error) {
	all := visibility.Endings{}
	ctx = visibility.KnownNow(tenant.Whole(ctx, "which tables changed decides how others are found"))
	_, err := Collect(ctx, s, func(row Scanner) (none struct{}, err error) {
		var (
			table string
			last  visibility.Ending
		)
		err = row.Scan(&table, &last.Changed, &last.Gone)
		all[table] = last
		return none, err
	}, visibility.EndingsQuery, tenantID)
	return all, err
}
