package past

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
)

// Subject is an object that somebody asks about, or a part of it.
type Subject struct {
	*Kind
	ID  int64
	Key string
	// Path is the path of the part; empty for the object itself.
	Path string
}

// Subject returns the object, or the part of one, of a type with an id, if the caller sees it;
// nil if not.
func (p *Past) Subject(ctx context.Context, entity string, id int64) (*Subject, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil || entity == "" {
		return nil, err
	}
	for _, k := range p.kinds {
		root, s, from := k.Facts[0], &Subject{Kind: k}, ""
		for _, f := range k.Facts {
			switch {
			case k.Entity == entity:
				from = " WHERE x." + root.tenant() + " = $1 AND x.id = $2"
			case f.Type == entity:
				s.Path = below(f.Path, fmt.Sprint(id))
				from = " WHERE x.tenant_id = $1 AND x.id = (SELECT o." + f.Owner + " FROM " + f.Table + " o WHERE o.tenant_id = $1 AND o.id = $2)"
			}
		}
		if from == "" {
			continue
		}
		found, err := store.One(ctx, p.store, []any{&s.ID, &s.Key}, "SELECT x.id, "+k.Key+" FROM "+root.Table+" x"+from, tenantID, id)
		if !found {
			return nil, err
		}
		return s, err
	}
	return nil, nil
}

// Explain returns the changes that gave a field the value that it has on a day, as it was known
// at an instant: all entries of the write, of which one is about the field, or made the object
// if the field has not changed since. There are none if that is not kept. It refuses the path
// of no field.
func (p *Past) Explain(ctx context.Context, s *Subject, field string, day date.Date, known *time.Time) (*audit.Changed, error) {
	path := below(s.Path, field)
	to, ok := s.find(path)
	if !ok {
		return nil, s.unknown(field)
	}
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	since, err := p.trail.KeptSince(ctx)
	if err != nil {
		return nil, err
	}
	o := &Object{Kind: s.Kind, ID: s.ID, Key: s.Key}
	r := reading{q: p.store, vault: p.vault, tenantID: tenantID, kind: s.Kind, byID: map[int64]*Object{s.ID: o}}
	facts := []*Fact{s.Facts[0], to.Fact}
	for _, f := range s.Facts {
		if f.EachRow && f.Path == to.Path && f != to.Fact {
			facts = append(facts, f)
		}
	}
	slices.SortFunc(facts, func(a, b *Fact) int { return slices.Index(s.Facts, a) - slices.Index(s.Facts, b) })
	if err := r.read(tenant.Whole(ctx, "the caller sees the object"), slices.Compact(facts)); err != nil {
		return nil, err
	}
	until := now
	if known != nil {
		until = *known
	}
	if part := o.partOf(to, path); part != "" {
		if _, is := o.textAt(cell{path: part}, until); !is {
			return nil, s.unknown(field)
		}
	}
	at := o.setAt(to, path, day, until)
	if at.IsZero() { // never, so it is as it was made
		at = o.madeAt(s.Path, until)
		if to.Dated == nil && at.Before(since) {
			return nil, nil
		}
	} else if to.Dated == nil && at.Before(since) {
		return nil, nil
	}
	return p.entryOf(ctx, s, path, at)
}

// part is the fact that the subject is a part of; nil for a whole object.
func (s *Subject) part() *Fact {
	if to, ok := s.find(s.Path); ok && s.Path != "" {
		return to.Fact
	}
	return nil
}

// isGone reports whether a path leads to a part that left nothing.
func (o *Object) isGone(path string) bool {
	to, ok := o.find(path)
	if !ok {
		return false
	}
	part := o.partOf(to, path)
	return part != "" && o.cells[cell{path: part}] == nil
}

// partOf is the path of the part that a path leads to, or below; empty for none.
func (o *Object) partOf(to at, path string) string {
	if !to.isOfParts() {
		return ""
	}
	part, _, _ := strings.Cut(strings.TrimPrefix(path, to.Path+"."), ".")
	return below(to.Path, part)
}

// setAt is the last instant, until one, at which the value at a path changed on a day; zero for
// never.
func (o *Object) setAt(to at, path string, day date.Date, until time.Time) time.Time {
	for _, t := range o.changesOf(to, path) {
		if !t.After(until) && o.textOn(to, path, day, t) != o.textOn(to, path, day, before(t)) {
			return t
		}
	}
	return time.Time{}
}

// changesOf are the instants at which something changed at a path, the newest first.
func (o *Object) changesOf(to at, path string) (all []time.Time) {
	switch {
	case to.Members != nil:
		for c := range o.cells {
			if c.path == path {
				all = append(all, o.instants(c.path, c.member)...)
			}
		}
	case to.Dated != nil:
		for at := range o.periods {
			if isUnder(path, at) || isUnder(at, path) {
				all = append(all, o.instants(at, "")...)
			}
		}
	case to.Fact == o.Facts[0] && to.line == nil:
		all = o.instants("", "")
	default:
		all = o.instants(path, "")
	}
	slices.SortFunc(all, func(a, b time.Time) int { return b.Compare(a) })
	return all
}

// textOn returns what tells the value at a path on a day, as it was known at an instant, from
// others.
func (o *Object) textOn(to at, path string, day date.Date, known time.Time) string {
	switch {
	case to.Members != nil:
		return strings.Join(o.members(path, known), between)
	case to.Dated != nil:
		var all []string
		for _, at := range o.paths() {
			if o.periods[at] == nil || !isUnder(path, at) && !isUnder(at, path) {
				continue
			}
			p, ok := history.At(o.known(at, known), day)
			value := p.Value
			if to.line != nil {
				value, ok = o.lines[at][p.Value][path]
			}
			if ok {
				all = append(all, at+between+value)
			}
		}
		return strings.Join(all, between)
	case to.Fact == o.Facts[0] && to.line == nil:
		path = ""
	}
	value, ok := o.textAt(cell{path: path}, known)
	if !ok {
		return ""
	}
	return between + value
}

// madeAt is the instant at which the object, or the part at a path, was made.
func (o *Object) madeAt(path string, until time.Time) time.Time {
	spans := o.cells[cell{path: path}]
	for _, s := range slices.Backward(spans) {
		if !s.from.After(until) {
			return s.from
		}
	}
	return time.Time{}
}

// entryOf returns the entry of the change of an object at an instant: about a field, if it has
// one.
func (p *Past) entryOf(ctx context.Context, s *Subject, path string, at time.Time) (*audit.Changed, error) {
	if at.IsZero() {
		return nil, nil
	}
	all, err := p.changesAt(ctx, s.Entity, s.Key, at)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	for _, is := range []func(field string) bool{
		func(field string) bool { return field == path },
		func(field string) bool { return field != "" && (isUnder(path, field) || isUnder(field, path)) },
		func(field string) bool { return field == s.Path },
		func(field string) bool { return field == s.Label || field == "" },
	} {
		if i := slices.IndexFunc(all, func(c *audit.Changed) bool { return is(c.Field) }); i >= 0 {
			return all[i], nil
		}
	}
	return all[0], nil
}

// changesAt are the changes of an object at an instant.
func (p *Past) changesAt(ctx context.Context, entity, key string, at time.Time) ([]*audit.Changed, error) {
	list, err := p.trail.Changes(ctx, audit.Filter{EntityType: &entity, EntityKey: &key, At: &at})
	if err != nil {
		return nil, err
	}
	list.Max, list.Default = mostFields, mostFields
	page, err := list.Page(ctx, page.Args{})
	return page.Items, err
}

// mostFields is more than an object has.
const mostFields = 1000

// unknown refuses the path of no field, and names the nearest.
func (s *Subject) unknown(field string) error {
	var known []string
	for _, path := range s.Paths() {
		if s.Path == "" {
			known = append(known, path)
		} else if rest, ok := strings.CutPrefix(path, s.Path[:strings.LastIndex(s.Path, ".")+1]+"ID."); ok {
			known = append(known, rest)
		}
	}
	name := s.Entity
	if part := s.part(); part != nil {
		name = part.Type
	}
	message := name + " has no field " + field
	if near := nearest(field, known); near != nil {
		message += "; it has " + strings.Join(near, ", ")
	}
	return problem.Invalid(problem.NotFoundCode, message, "field").With("near", nearest(field, known))
}

// mostNear is how many names are offered for an unknown one.
const mostNear = 5

// nearest returns the names that an unknown one may stand for: a misspelling first, then those
// that share its last part.
func nearest(field string, known []string) (near []string) {
	if one := text.Nearest(field, known); one != "" {
		near = append(near, one)
	}
	last := strings.ToLower(field[strings.LastIndex(field, ".")+1:])
	first, _, _ := strings.Cut(strings.ToLower(field), ".")
	for _, name := range known {
		low := strings.ToLower(name)
		if !slices.Contains(near, name) && len(near) < mostNear && (strings.HasPrefix(low, first+".") || strings.Contains(low, last) || strings.Contains(last, low)) {
			near = append(near, name)
		}
	}
	if near == nil {
		near = known[:min(len(known), mostNear)]
	}
	return near
}
