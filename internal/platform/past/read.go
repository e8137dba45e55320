package past

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// reading reads objects of a kind.
type reading struct {
	q        store.Querier
	vault    *vault.Vault
	tenantID int64
	kind     *Kind
	// since is the first instant that matters: what ended before is not read.
	since time.Time
	byID  map[int64]*Object
	ids   []int64
}

// read adds what facts say of the objects.
func (r *reading) read(ctx context.Context, facts []*Fact) error {
	if len(r.byID) == 0 {
		return nil
	}
	for _, o := range r.byID {
		r.ids = append(r.ids, o.ID)
	}
	slices.Sort(r.ids)
	tables := make([]*table, 0, len(facts))
	for _, f := range facts {
		var err error
		if f.Dated != nil {
			err = r.periods(ctx, f)
		} else {
			tables = append(tables, &table{f, map[rowKey][]*version{}, map[rowKey][]time.Time{}})
			err = r.rows(ctx, tables[len(tables)-1])
		}
		if err != nil {
			return fmt.Errorf("past: read %s of %s: %w", f.Path, r.kind.Entity, err)
		}
	}
	if tx, ok := r.q.(asker); ok {
		if err := tx.Flush(ctx); err != nil {
			return fmt.Errorf("past: read %s: %w", r.kind.Entity, err)
		}
	}
	for _, of := range tables {
		r.add(of)
	}
	for _, o := range r.byID {
		o.arrange()
	}
	return nil
}

// version is a row as it stood until an instant; for good, if it is zero.
type version struct {
	owner     int64
	since     *time.Time
	until     time.Time
	kind      string
	members   []*string
	texts     []*string
	row, part int64
}

// rowKey is the key of a row in past_row.
type rowKey struct{ row, part int64 }

// asker is a transaction, which reads all facts in one round trip.
type asker interface {
	AskAll(ctx context.Context, read func(store.Scanner) error, query string, args ...any) error
	Flush(ctx context.Context) error
}

// each calls a function with each row that a statement reads, in a transaction when that is flushed.
func (r *reading) each(ctx context.Context, s *store.SQL, read func(store.Scanner) error) error {
	if tx, ok := r.q.(asker); ok {
		return tx.AskAll(ctx, read, s.Text(), s.Args()...)
	}
	return store.Each(ctx, r.q, s, read)
}

// table is what was read of a kept table: its rows as they were and are, and when they were absent.
type table struct {
	*Fact
	versions map[rowKey][]*version
	absent   map[rowKey][]time.Time
}

func (r *reading) rows(ctx context.Context, of *table) error {
	err := r.each(ctx, r.versionsOf(of.Fact), func(s store.Scanner) error {
		v, err := r.scan(ctx, of.Fact, s)
		key := rowKey{v.row, v.part}
		of.versions[key] = append(of.versions[key], v)
		return err
	})
	if err != nil {
		return err
	}
	return r.each(ctx, r.absencesOf(of.Fact), func(s store.Scanner) error {
		var (
			key rowKey
			at  time.Time
		)
		err := s.Scan(&key.row, &key.part, &at)
		of.absent[key] = append(of.absent[key], at)
		return err
	})
}

// add adds the cells of the rows of a table.
func (r *reading) add(of *table) {
	for key, all := range of.versions {
		slices.SortFunc(all, func(a, b *version) int { return untilOrNow(a.until).Compare(untilOrNow(b.until)) })
		var from time.Time
		for i, v := range all {
			if i == 0 {
				from = r.begin(of.Fact, v)
			}
			for _, at := range of.absent[key] { // it was not there until then
				if at.After(from) && at.Before(untilOrNow(v.until)) {
					from = at
				}
			}
			r.addCells(of.Fact, v, from)
			from = v.until
		}
	}
}

// begin is since when a row is there. Of one whose table does not say it, past_row does, unless it
// was there from the beginning of its object.
func (r *reading) begin(f *Fact, v *version) time.Time {
	o := r.byID[v.owner]
	switch {
	case o == nil:
		return time.Time{}
	case v.since == nil:
		return o.since
	case f == r.kind.Facts[0]:
		o.since = *v.since
	}
	return *v.since
}

func untilOrNow(t time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}

// versionsOf writes the statement for the rows of a table that ended since, and for those that
// are there. SQLite takes the types of the columns of a subquery from its last SELECT.
func (r *reading) versionsOf(f *Fact) *store.SQL {
	s := new(store.SQL)
	s.Write("SELECT * FROM (SELECT " + f.columns("x.past_until") + " FROM " + f.Table + "_past x WHERE x." + f.tenant() + " = " + s.Arg(r.tenantID))
	s.Write(" AND x.past_until >= ? AND ", r.since)
	s.Write(r.changed(s, f, "x."+f.row()))
	s.Write(" UNION ALL SELECT " + f.columns("CAST(NULL AS timestamptz)") + " FROM " + f.Table + " x WHERE x." + f.tenant() + " = " + s.Arg(r.tenantID))
	return s.Write(" AND " + r.q.In("x."+f.Owner, s.Arg(r.q.List(r.ids))) + ") v")
}

// absencesOf writes the statement for the instants before which rows of a table were not there.
func (r *reading) absencesOf(f *Fact) *store.SQL {
	s := new(store.SQL)
	s.Write("SELECT x.row_id, x.part, x.at FROM past_row x WHERE x.tenant_id = ? AND x.relation = ? AND x.at >= ? AND x.image IS NULL AND ", r.tenantID, f.Table, r.since)
	return s.Write(r.changed(s, f, "x.row_id"))
}

// changed returns the condition that a row of a table, with its id in a column, is of the objects, and
// changed since. Those of agents are found by their agents first: SQLite would read all that is kept
// of the table.
func (r *reading) changed(s *store.SQL, f *Fact, column string) string {
	if !r.kind.OfAgents {
		return r.q.In(column, s.Arg(r.q.List(r.ids)))
	}
	return store.InQuery(r.q, column, fmt.Sprintf("SELECT k.row_id FROM past_row k WHERE k.tenant_id = %s AND k.relation = '%s' AND k.at >= %s AND %s",
		s.Arg(r.tenantID), f.Table, s.Arg(r.since), r.q.In("k.agent_id", s.Arg(r.q.List(r.ids)))))
}

func (f *Fact) row() string {
	if f.Row == "" {
		return "id"
	}
	return f.Row
}

// tenant is the column of the tenant.
func (f *Fact) tenant() string {
	if f.Table == "tenant" {
		return "id"
	}
	return "tenant_id"
}

// columns are the columns of a version, whose row is x.
func (f *Fact) columns(until string) string {
	all := []string{"x." + f.row(), "x." + f.Owner, until}
	if f.Part != "" {
		all = append(all, "x."+f.Part)
	}
	if f.Since != "" {
		all = append(all, "x."+f.Since)
	}
	if f.Kinds != nil {
		all = append(all, "x.kind")
	}
	for _, m := range f.Members {
		all = append(all, ofRow(m))
	}
	for _, l := range f.Lines {
		all = append(all, ofRow(l.Column))
	}
	for i := range all { // so that all SELECTs, and SQL, have the same names
		all[i] += fmt.Sprint(" AS c", i)
	}
	return strings.Join(all, ", ")
}

// ofRow returns a column of the row x, or SQL as it is.
func ofRow(column string) string {
	if strings.Contains(column, "(") {
		return column
	}
	return "x." + column
}

// scan reads a row of versionsOf.
func (r *reading) scan(ctx context.Context, f *Fact, s store.Scanner) (*version, error) {
	v := &version{members: make([]*string, len(f.Members))}
	var until *time.Time
	dest := []any{&v.row, &v.owner, &until}
	if f.Part != "" {
		dest = append(dest, &v.part)
	}
	if f.Since != "" {
		dest = append(dest, &v.since)
	}
	if f.Kinds != nil {
		dest = append(dest, &v.kind)
	}
	for i := range v.members {
		dest = append(dest, &v.members[i])
	}
	texts, lines := r.destOf(f.Table, &v.row, f.Lines)
	if err := s.Scan(append(dest, lines...)...); err != nil {
		return v, err
	}
	if until != nil {
		v.until = *until
	}
	var err error
	v.texts, err = texts(ctx)
	return v, err
}

// destOf returns where lines are scanned to, and the function that returns their texts then.
func (r *reading) destOf(table string, id *int64, lines []fields.Line) (texts func(context.Context) ([]*string, error), dest []any) {
	read := make([]func(context.Context) (*string, error), len(lines))
	for i, l := range lines {
		if l.Sealed != "" {
			sealed := new(vault.Sealed)
			dest = append(dest, sealed.From(table, l.Column, id))
			read[i] = func(ctx context.Context) (*string, error) {
				secret, err := r.vault.Unseal(ctx, r.tenantID, sealed)
				if vault.Unreadable(err) {
					return new(fmt.Sprint(unreadable, *id)), nil
				}
				return (*string)(secret), err
			}
			continue
		}
		p := reflect.New(reflect.TypeOf(l.Holds).Elem()).Interface().(patch.Property)
		dest = append(dest, p.Dest())
		read[i] = func(context.Context) (*string, error) { return fields.Text(p), nil }
	}
	return func(ctx context.Context) ([]*string, error) {
		all := make([]*string, len(read))
		for i, text := range read {
			var err error
			if all[i], err = text(ctx); err != nil {
				return nil, err
			}
		}
		return all, nil
	}, dest
}

// unreadable begins the text of a sealed value whose key is lost. No value has a NUL.
const unreadable = "\x00"

// addCells adds the cells of a row as it stood from an instant on.
func (r *reading) addCells(f *Fact, v *version, from time.Time) {
	o := r.byID[v.owner]
	if o == nil {
		return
	}
	prefix := f.Path
	switch {
	case f.Kinds != nil:
		prefix = f.Kinds[v.kind]
	case f.EachRow:
		prefix = below(f.Path, fmt.Sprint(v.row))
		o.add(cell{path: prefix}, span{from, v.until, "", ""})
	case f == r.kind.Facts[0]:
		o.add(cell{}, span{from, v.until, "", ""})
	}
	if f.Members != nil {
		var all []string
		for _, m := range v.members {
			all = append(all, orEmpty(m))
		}
		o.add(cell{f.Path, strings.Join(all, between)}, span{from, v.until, "", all[0]})
	}
	for i, l := range f.Lines {
		if text := v.texts[i]; text != nil {
			o.add(cell{path: below(prefix, l.Path())}, span{from, v.until, *text, *text})
		}
	}
}

// between separates the columns of a member of a set.
const between = "\x1f"

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// periods reads all rows of a dated relation.
func (r *reading) periods(ctx context.Context, f *Fact) error {
	d := f.Dated
	object, part := "x."+d.Owner, "''"
	if d.Object != "" {
		object, part = d.Object, d.Part
	}
	s := new(store.SQL)
	s.Write("SELECT "+object+", "+part+", x.id, x.effective_from, x.effective_through, x.recorded_at, x.superseded_at, coalesce(x.stated, x.id), "+d.Value+", "+d.Shown+
		" FROM "+d.Table+" x "+d.Join+" WHERE x.tenant_id = ? AND ", r.tenantID)
	s.Write(r.q.In(object, s.Arg(r.q.List(r.ids))))
	if err := r.each(ctx, s, func(s store.Scanner) error {
		var (
			owner int64
			part  string
			p     row
		)
		if err := s.Scan(&owner, &part, &p.ID, &p.From, &p.Through, &p.recorded, &p.superseded, &p.Stated, &p.Value, &p.shown); err != nil {
			return err
		}
		if d.Say != nil && p.shown != nil {
			p.shown = new(d.Say(*p.shown, p.Value))
		}
		if o := r.byID[owner]; o != nil {
			if o.periods == nil {
				o.periods = map[string][]row{}
			}
			path := f.pathOf(part)
			o.periods[path] = append(o.periods[path], p)
		}
		return nil
	}); err != nil || d.Rows == nil {
		return err
	}
	return r.values(ctx, f)
}

// pathOf is the path of the dated relation of a part; the fact's own for none.
func (f *Fact) pathOf(part string) string {
	if part == "" {
		return f.Path
	}
	path := below(f.Path, part)
	if f.Dated.Below != "" {
		path = below(path, f.Dated.Below)
	}
	return path
}

// values reads what the values of a dated relation refer to.
func (r *reading) values(ctx context.Context, f *Fact) error {
	rows := f.Dated.Rows
	s := new(store.SQL)
	s.Write("SELECT x.id, x."+rows.Owner+", x."+strings.Join(columnsOf(rows.Lines), ", x.")+" FROM "+rows.Table+" x WHERE x.tenant_id = ? AND ", r.tenantID)
	s.Write(r.q.In("x."+rows.Owner, s.Arg(r.q.List(r.ids))))
	return r.each(ctx, s, func(s store.Scanner) error {
		var id, owner int64
		texts, dest := r.destOf(rows.Table, &id, rows.Lines)
		if err := s.Scan(append([]any{&id, &owner}, dest...)...); err != nil {
			return err
		}
		all, err := texts(ctx)
		o := r.byID[owner]
		if err != nil || o == nil {
			return err
		}
		if o.lines == nil {
			o.lines = map[string]map[string]map[string]string{}
		}
		if o.lines[f.Path] == nil {
			o.lines[f.Path] = map[string]map[string]string{}
		}
		values := map[string]string{}
		for i, l := range rows.Lines {
			if all[i] != nil {
				values[below(f.Path, l.Path())] = *all[i]
			}
		}
		o.lines[f.Path][fmt.Sprint(id)] = values
		return nil
	})
}

func columnsOf(lines []fields.Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.Column)
	}
	return all
}
