package past

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Unrecorded are rows of a table that were changed without an entry of their objects.
type Unrecorded struct {
	// Table has the rows, and Entity is the type of their objects.
	Table, Entity string
	// Changes is how many (object, instant) have no entry, First the first that was found.
	Changes int
	First   time.Time
}

// objectsAtOnce are the objects whose rows are compared with the trail at once.
const objectsAtOnce = 1000

// Unrecorded compares rows with the trail: whenever a row of an object was changed, an entry of that
// instant names the object. It answers by table what does not. What an object began with may have been
// loaded around the doors, as demonstration data is: its first second is not asked for entries.
func (p *Past) Unrecorded(ctx context.Context) (all []Unrecorded, err error) {
	tenantID, err := tenant.ID(ctx)
	ctx = tenant.Whole(ctx, "rows are compared with the trail")
	for _, k := range p.kinds {
		c := comparing{Past: p, kind: k, tenantID: tenantID, unrecorded: map[string]*Unrecorded{}}
		for last := int64(0); last < math.MaxInt64 && err == nil; {
			last, err = c.some(ctx, last)
		}
		if err != nil {
			return nil, fmt.Errorf("past: compare %s with the trail: %w", k.Entity, err)
		}
		for _, f := range k.Facts {
			if u := c.unrecorded[f.Table]; u != nil {
				all = append(all, *u)
				delete(c.unrecorded, f.Table)
			}
		}
	}
	return all, nil
}

// comparing compares the rows of the objects of a kind with the trail.
type comparing struct {
	*Past
	kind       *Kind
	tenantID   int64
	unrecorded map[string]*Unrecorded
}

// some compares the objects that follow an id, and returns the last one's; the highest number if
// there are no more.
func (c *comparing) some(ctx context.Context, after int64) (last int64, err error) {
	root := c.kind.Facts[0]
	ids, err := store.Collect(ctx, c.store, store.ScanOne[int64], "SELECT id FROM "+root.Table+" WHERE "+root.tenant()+" = $1 AND id > $2 ORDER BY id LIMIT $3", c.tenantID, after, objectsAtOnce)
	if err != nil {
		return 0, err
	}
	if last = math.MaxInt64; len(ids) == objectsAtOnce {
		last = ids[len(ids)-1]
	}
	keys, err := c.keys(ctx, after, last)
	if err != nil || len(keys) == 0 {
		return last, err
	}
	var objects []int64
	var names []string
	for id, all := range keys {
		objects, names = append(objects, id), append(names, all...)
	}
	changes, err := c.changes(ctx, objects)
	if err != nil {
		return 0, err
	}
	entries, err := c.trail.InstantsOf(ctx, c.kind.Entity, names) // after the rows: their entries are committed with them
	if err != nil {
		return 0, err
	}
	first := map[int64]time.Time{}
	for _, of := range changes {
		for id, all := range of {
			if at := slices.MinFunc(all, time.Time.Compare); first[id].IsZero() || at.Before(first[id]) {
				first[id] = at
			}
		}
	}
	for table, of := range changes {
		for id, all := range of {
			c.found(table, slices.DeleteFunc(all, func(at time.Time) bool { return at.Sub(first[id]) < time.Second || entries.Have(keys[id], at) }))
		}
	}
	return last, nil
}

// changes are when rows of some objects were changed, by table and object.
func (c *comparing) changes(ctx context.Context, ids []int64) (map[string]map[int64][]time.Time, error) {
	changes := map[string]map[int64][]time.Time{}
	for _, f := range c.kind.Facts {
		of := changes[f.Table]
		if of == nil {
			of = map[int64][]time.Time{}
			changes[f.Table] = of
		}
		if err := store.Each(ctx, c.store, c.changesOf(f, ids), func(s store.Scanner) error {
			var (
				id int64
				at time.Time
			)
			err := s.Scan(&id, &at)
			of[id] = append(of[id], at)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// keys are all keys that the objects with some ids have had, those too that were removed.
func (c *comparing) keys(ctx context.Context, after, last int64) (map[int64][]string, error) {
	root := c.kind.Facts[0]
	tables := []string{root.Table, root.Table + "_past"}
	if c.kind.OfAgents { // a deleted agent leaves nothing, and a code stays
		tables = tables[:1]
	}
	s := new(store.SQL)
	for i, table := range tables {
		s.Write(strings.Repeat(" UNION ", i)+"SELECT x.id, "+c.kind.Key+" AS key FROM "+table+" x WHERE x."+root.tenant()+" = ? AND x.id > ? AND x.id <= ?", c.tenantID, after, last)
	}
	keys := map[int64][]string{}
	return keys, store.Each(ctx, c.store, s, func(s store.Scanner) error {
		var (
			id  int64
			key string
		)
		err := s.Scan(&id, &key)
		keys[id] = append(keys[id], key)
		return err
	})
}

// changesOf writes the statement for the objects and the instants at which rows of a fact were
// changed.
func (c *comparing) changesOf(f *Fact, ids []int64) *store.SQL {
	s := new(store.SQL)
	if f.Dated == nil {
		of := "row_id"
		if c.kind.OfAgents {
			of = "agent_id"
		}
		s.Write("SELECT DISTINCT "+of+", at FROM past_row WHERE tenant_id = ? AND relation = ? AND ", c.tenantID, f.Table)
		return s.Write(c.store.In(of, s.Arg(c.store.List(ids))))
	}
	d := f.Dated
	object := "x." + d.Owner
	if d.Object != "" {
		object = d.Object
	}
	list := s.Arg(c.store.List(ids))
	for i, at := range []string{"recorded_at", "superseded_at"} {
		s.Write(strings.Repeat(" UNION ", i)+"SELECT "+object+", x."+at+" FROM "+d.Table+" x "+d.Join+" WHERE x.tenant_id = ? AND x."+at+" IS NOT NULL AND ", c.tenantID)
		s.Write(c.store.In(object, list))
	}
	return s
}

func (c *comparing) found(table string, all []time.Time) {
	if len(all) == 0 {
		return
	}
	u := c.unrecorded[table]
	if u == nil {
		u = &Unrecorded{Table: table, Entity: c.kind.Entity, First: all[0]}
		c.unrecorded[table] = u
	}
	u.Changes += len(all)
	if first := slices.MinFunc(all, time.Time.Compare); first.Before(u.First) {
		u.First = first
	}
}
