package past

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Past answers what changes did, and takes them back. It is safe for concurrent use.
type Past struct {
	store   *store.Store
	vault   *vault.Vault
	trail   *audit.Trail
	changes *change.Writer
	kinds   []*Kind
}

// New returns the past of the objects of some kinds, in the order in which they are restored:
// what others refer to comes first.
func New(s *store.Store, c clock.Clock, v *vault.Vault, kinds ...*Kind) *Past {
	return &Past{store: s, vault: v, trail: audit.New(s, c, v), changes: change.New(s, c, v), kinds: kinds}
}

// Kind returns the kind of a type of the trail; nil for one whose objects keep no values.
func (p *Past) Kind(entity string) *Kind {
	i := slices.IndexFunc(p.kinds, func(k *Kind) bool { return k.Entity == entity })
	if i < 0 {
		return nil
	}
	return p.kinds[i]
}

// instant is what a change is: a key of an object, and when it was changed.
type instant struct {
	key string
	at  time.Time
}

// changed are the changes of the objects of one kind.
type changed struct {
	*Kind
	// instants are those of each key; paths are all that the changes name.
	instants map[string][]time.Time
	paths    []string
	// since is before the first change.
	since time.Time
	// whole are the objects of which all was read, as a change made or removed them.
	whole map[int64]*Object
}

// named are the facts that the changes name: those of a part with what else belongs to it.
func (of *changed) named() []*Fact {
	named := []*Fact{of.Facts[0]}
	add := func(f *Fact) {
		if !slices.Contains(named, f) {
			named = append(named, f)
		}
	}
	for _, path := range of.paths {
		if to, ok := of.find(path); ok {
			add(to.Fact)
		}
	}
	for _, f := range of.Facts {
		if f.isOfParts() && slices.ContainsFunc(named, func(n *Fact) bool { return n.isOfParts() && n.Path == f.Path }) {
			add(f)
		}
	}
	return named
}

// factsOf are those that were read of an object.
func (of *changed) factsOf(o *Object) []*Fact {
	if of.whole[o.ID] != nil {
		return of.Facts
	}
	return of.named()
}

// byKind sorts changes by the kinds of their objects, and leaves out those of no kind.
func (p *Past) byKind(all []*audit.Changed) (kinds []*changed) {
	byEntity := map[string]*changed{}
	for _, c := range all {
		k := p.Kind(c.EntityType)
		if k == nil {
			continue
		}
		of := byEntity[k.Entity]
		if of == nil {
			of = &changed{Kind: k, instants: map[string][]time.Time{}, since: c.At}
			byEntity[k.Entity], kinds = of, append(kinds, of)
		}
		if at := of.instants[c.Key]; !slices.ContainsFunc(at, c.At.Equal) {
			of.instants[c.Key] = append(at, c.At)
		}
		if c.At.Before(of.since) {
			of.since = c.At
		}
		if !slices.Contains(of.paths, c.Field) {
			of.paths = append(of.paths, c.Field)
		}
	}
	return kinds
}

// read reads the objects that changes are of, with the facts that these name; with all of
// what a change has made or removed. Objects that are not there any more, and left nothing,
// are missing.
func (p *Past) read(ctx context.Context, q store.Querier, of *changed) (map[instant]*Object, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	ctx = tenant.Whole(ctx, "which entries of the trail the caller may see is decided already")
	objects, err := p.resolve(ctx, q, tenantID, of)
	if err != nil {
		return nil, err
	}
	byID := map[int64]*Object{}
	for _, o := range objects {
		byID[o.ID] = o
	}
	if len(byID) == 0 {
		return objects, nil
	}
	return objects, (&reading{q: q, vault: p.vault, tenantID: tenantID, kind: of.Kind, since: of.since, byID: byID}).readSome(ctx, of, objects)
}

// readSome reads the facts that changes name, and all of objects that they made or removed.
func (r *reading) readSome(ctx context.Context, of *changed, objects map[instant]*Object) error {
	named := of.named()
	if err := r.read(ctx, named); err != nil {
		return err
	}
	of.whole = map[int64]*Object{}
	for i, o := range objects {
		if o.isMadeOrRemoved(i.at) {
			of.whole[o.ID] = o
		}
	}
	if len(of.whole) == 0 {
		return nil
	}
	rest := slices.DeleteFunc(slices.Clone(of.Facts), func(f *Fact) bool { return slices.Contains(named, f) })
	return (&reading{q: r.q, vault: r.vault, tenantID: r.tenantID, kind: r.kind, since: r.since, byID: of.whole}).read(ctx, rest)
}

// isMadeOrRemoved reports whether a change made the object, or removed it.
func (o *Object) isMadeOrRemoved(at time.Time) bool {
	_, was := o.textAt(cell{}, before(at))
	_, is := o.textAt(cell{}, at)
	return was != is
}

// resolve finds the rows that the trail knew by some keys at some instants. A key may have been
// that of several, one after the other.
func (p *Past) resolve(ctx context.Context, q store.Querier, tenantID int64, of *changed) (map[instant]*Object, error) {
	root := of.Facts[0]
	keys := q.Texts(slices.Sorted(maps.Keys(of.instants)))
	s := new(store.SQL).Write("SELECT * FROM (")
	for _, past := range []bool{true, false} {
		table, until := root.Table, "CAST(NULL AS timestamptz)"
		if past {
			if of.OfAgents { // a deleted agent leaves nothing, and a code stays
				continue
			}
			table, until = root.Table+"_past", "x.past_until"
		}
		since := "CAST(NULL AS timestamptz)"
		if root.Since != "" {
			since = "x." + root.Since
		}
		s.Write("SELECT x.id, " + of.Key + " AS key, " + until + " AS until, " + since + " AS since FROM " + table + " x WHERE x." + root.tenant() + " = " + s.Arg(tenantID) + " AND " + q.InTexts(of.Key, s.Arg(keys)))
		if past {
			s.Write(" AND x.past_until >= ? UNION ALL ", of.since)
		}
	}
	s.Write(") v")
	byKey := map[string][]found{}
	byID := map[int64]*Object{}
	err := store.Each(ctx, q, s, func(s store.Scanner) error {
		var (
			f     found
			key   string
			until *time.Time
		)
		err := s.Scan(&f.id, &key, &until, &f.since)
		if until != nil {
			f.until = *until
		}
		byKey[key] = append(byKey[key], f)
		return err
	})
	objects := map[instant]*Object{}
	for key, all := range of.instants {
		for _, at := range all {
			id := idAt(byKey[key], at)
			if id == 0 {
				continue
			}
			if byID[id] == nil {
				byID[id] = &Object{Kind: of.Kind, ID: id, Key: key}
			}
			if slices.ContainsFunc(byKey[key], func(f found) bool { return f.id == id && f.since != nil && f.since.Equal(at) }) {
				byID[id].isMade = true
			}
			objects[instant{key, at}] = byID[id]
		}
	}
	return objects, err
}

// found is a row that had a key until an instant, or has it.
type found struct {
	id    int64
	until time.Time // zero for one that has it
	since *time.Time
}

// idAt returns the row that had a key with a change, or just before it.
func idAt(all []found, at time.Time) int64 {
	for _, t := range []time.Time{at, before(at)} {
		for _, f := range all {
			if (f.since == nil || !f.since.After(t)) && untilOrNow(f.until).After(t) {
				return f.id
			}
		}
	}
	return 0
}

// Effect is what a change did to the value of its field.
type Effect struct {
	Differences []Difference
	// WhyNot says why the change of the field cannot be taken back; nil if it can.
	WhyNot *problem.Error
}

// Effects returns what each change did to the value of its field.
func (p *Past) Effects(ctx context.Context, changes []*audit.Changed) ([]Effect, error) {
	since, err := p.trail.KeptSince(ctx)
	if err != nil {
		return nil, err
	}
	objects, err := p.objectsOf(ctx, p.store.Within(ctx), changes)
	if err != nil {
		return nil, err
	}
	effects := make([]Effect, len(changes))
	for i, c := range changes {
		o := objects[c.EntityType][instant{c.Key, c.At}]
		if effects[i].WhyNot = p.whyNot(c, o, since); o != nil && o.isKept(c, since) {
			effects[i].Differences = o.difference(c.Field, before(c.At), c.At)
		}
	}
	return effects, nil
}

// Differences returns what each change did to the value of its field, as a transaction sees it
// that has made these changes.
func (p *Past) Differences(ctx context.Context, tx *store.Tx, changes []*audit.Changed) ([][]Difference, error) {
	objects, err := p.objectsOf(ctx, tx, changes)
	if err != nil {
		return nil, err
	}
	all := make([][]Difference, len(changes))
	for i, c := range changes {
		if o := objects[c.EntityType][instant{c.Key, c.At}]; o != nil {
			all[i] = o.difference(c.Field, before(c.At), c.At)
		}
	}
	return all, nil
}

// objectsOf reads the objects of changes, by their types.
func (p *Past) objectsOf(ctx context.Context, q store.Querier, changes []*audit.Changed) (objects map[string]map[instant]*Object, err error) {
	objects = map[string]map[instant]*Object{}
	for _, of := range p.byKind(changes) {
		if objects[of.Entity], err = p.read(ctx, q, of); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// isKept reports whether it is known what the value of a change was before: of a dated relation
// always.
func (o *Object) isKept(c *audit.Changed, since time.Time) bool {
	to, ok := o.find(c.Field)
	return ok && (to.Dated != nil || !c.At.Before(since))
}
