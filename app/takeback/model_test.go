package takeback

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// unit is the smallest thing that a write sets and its undo sets back: a field, all bank
// details, a member of a set (#GOLD), the statement that holds on a day (@17). Its key goes on
// with the id of its object: what is made under the key of something deleted is another one.
type unit struct {
	cell
	member string
}

// state is an agency in units. Its values are compared, and mean nothing more.
type state map[unit]string

// stated says which statement holds on each day of a dated cell, 0 for none. A statement is a
// period as somebody stated it, however much of it later ones left.
type stated map[cell]*[days]int

// span are the days for which a write states a value.
type span struct {
	cell          cell
	from, through int
}

// statements numbers statements, and knows their values.
type statements struct{ values []map[string]string }

func (all *statements) add(value map[string]string) int {
	all.values = append(all.values, value)
	return len(all.values)
}

// after returns the statements after a write that stated values for spans, from what was
// stated before and the periods that are read after it. Where the write did not say what it
// states, as when an agent's downline is taken over, a period that is not what was left of an
// earlier one with its value is new.
func (all *statements) after(before stated, was, is *snapshot, spans []span) stated {
	now := stated{}
	for c, periods := range is.dated {
		if slices.EqualFunc(was.dated[c], periods, samePeriod) {
			now[c] = before[c]
			continue
		}
		var of [days]int
		if before[c] != nil {
			of = *before[c]
		}
		said := slices.ContainsFunc(spans, func(s span) bool { return s.cell == c }) && before[c] != nil
		for _, s := range spans {
			if s.cell == c && said {
				n := 0 // none, as when a W9 ends
				if value := valueOn(periods, max(s.from, 0)); value != nil {
					n = all.add(value)
				}
				set(&of, s.from, s.through, n)
			}
		}
		if !said {
			of = all.guess(of, periods)
		}
		now[c] = &of
	}
	return now
}

func (all *statements) guess(before [days]int, periods []period) (now [days]int) {
	for _, p := range periods {
		n := before[max(p.from, 0)]
		for d := max(p.from, 0); d <= p.through; d++ {
			if before[d] != n {
				n = 0
			}
		}
		if n == 0 || !maps.Equal(all.values[n-1], p.parts) || p.from > 0 && now[p.from-1] == n {
			n = all.add(p.parts)
		}
		set(&now, max(p.from, 0), p.through, n)
	}
	return now
}

func set(of *[days]int, from, through, n int) {
	for d := max(from, 0); d <= through; d++ {
		of[d] = n
	}
}

func samePeriod(a, b period) bool {
	return a.from == b.from && a.through == b.through && maps.Equal(a.parts, b.parts)
}

func valueOn(periods []period, d int) map[string]string {
	for _, p := range periods {
		if p.from <= d && d <= p.through {
			return p.parts
		}
	}
	return nil
}

// periods returns what is read of a dated cell when statements hold on its days: equal ones on
// neighbouring days are one period.
func (all *statements) periods(of *[days]int) (list []period) {
	for d := 0; d < days; d++ {
		if of[d] == 0 {
			continue
		}
		p := period{from: d, through: d, parts: all.values[of[d]-1]}
		for ; d+1 < days && of[d+1] == of[p.from]; d++ {
			p.through = d + 1
		}
		list = append(list, p)
	}
	return list
}

// sets are fields whose values are members, each set by itself.
var sets = []string{"tags", "roles"}

// deposit is the field whose parts are set together.
const deposit = "directDeposit"

// idMark comes between the key of an object and its id.
const idMark = "·"

// withID is a cell of the object that a snapshot has by the key.
func (s *snapshot) withID(c cell) cell {
	if id, ok := s.ids[cell{c.entity, c.key, ""}]; ok {
		c.key += idMark + id
	}
	return c
}

// withoutID is a cell as snapshots have it.
func (c cell) withoutID() cell {
	c.key, _, _ = strings.Cut(c.key, idMark)
	return c
}

// newState takes an agency apart.
func newState(s *snapshot, of stated) state {
	all := state{}
	for c, v := range s.plain {
		if c.field == aliases {
			continue // they are there one by one
		}
		c = s.withID(c)
		if slices.Contains(sets, c.field) {
			for member := range strings.SplitSeq(v, ", ") {
				all[unit{c, "#" + member}] = member
			}
		} else {
			all[unit{c, ""}] = v
		}
	}
	for c, on := range of {
		c = s.withID(c)
		for d, n := range on {
			if n > 0 {
				all[onDay(c, d)] = strconv.Itoa(n)
			}
		}
	}
	return all
}

func onDay(c cell, d int) unit { return unit{c, "@" + strconv.Itoa(d)} }

// whole returns the unit that is set as one with this one.
func (u unit) whole() unit {
	if strings.HasPrefix(u.field, deposit+".") {
		u.field = deposit
	}
	return u
}

// changed are the units whose values differ.
func changed(a, b state) (all []unit) {
	for u, v := range a {
		if is, ok := b[u]; !ok || is != v {
			all = append(all, u)
		}
	}
	for u := range b {
		if _, ok := a[u]; !ok {
			all = append(all, u)
		}
	}
	return all
}

// owners are the objects that a unit belongs to: an agent, and perhaps a certification.
func (u unit) owners() []unit {
	all := []unit{{cell{u.entity, u.key, ""}, ""}}
	if path := strings.Split(strings.TrimPrefix(u.field, "~"), "."); path[0] == "certifications" {
		all = append(all, unit{cell{u.entity, u.key, "certifications." + path[1]}, ""})
	}
	return all
}

// merge takes writes back, the newest first: what one changed gets the value before, unless it
// has another one by now than the write gave it. A day that was stated anew since stays as it
// is, if the write did not change its value. It returns the agency as if they had never been,
// and what is in the way.
func (all *statements) merge(now state, writes []*write) (target state, inTheWay []unit) {
	target = maps.Clone(now)
	conflicts := map[unit]bool{}
	for _, w := range slices.Backward(writes) {
		units := map[unit][]unit{}
		for _, u := range changed(w.was, w.is) {
			units[u.whole()] = append(units[u.whole()], u)
		}
		for whole, parts := range units {
			switch {
			case same(target, w.is, parts):
				for _, u := range parts {
					put(target, u, w.was)
				}
			case same(target, w.was, parts), all.sameValue(whole, w.was, w.is), all.sameValue(whole, w.was, target):
			default:
				conflicts[whole] = true
			}
		}
	}
	for u := range target { // of what is not there any more
		for _, owner := range u.owners() {
			if _, has := target[owner]; !has {
				conflicts[u.whole()] = true
			}
		}
	}
	return target, slices.Collect(maps.Keys(conflicts))
}

func same(a, b state, units []unit) bool {
	return !slices.ContainsFunc(units, func(u unit) bool { return a[u] != b[u] })
}

// sameValue reports whether a day has the same value in two states, whoever stated it.
func (all *statements) sameValue(u unit, a, b state) bool {
	return strings.HasPrefix(u.member, "@") && maps.Equal(all.value(a[u]), all.value(b[u]))
}

// value is that of a statement by its number, nil for none.
func (all *statements) value(number string) map[string]string {
	if n, err := strconv.Atoi(number); err == nil {
		return all.values[n-1]
	}
	return nil
}

func put(into state, u unit, from state) {
	if v, ok := from[u]; ok {
		into[u] = v
	} else {
		delete(into, u)
	}
}

// snapshot puts an agency together again: what the doors must show of it, and what is stated.
func (all *statements) snapshot(of state) (s *snapshot, on stated) {
	s, on = newSnapshot(), stated{}
	members := map[cell][]any{}
	for u, v := range of {
		c := u.withoutID()
		switch {
		case u.member == "":
			s.plain[c] = v
		case u.member[0] == '#':
			members[c] = append(members[c], v)
		default:
			if on[c] == nil {
				on[c] = new([days]int)
			}
			d, _ := strconv.Atoi(u.member[1:])
			on[c][d], _ = strconv.Atoi(v)
		}
	}
	for c, list := range members {
		s.plain[c] = text(list)
	}
	for u := range of {
		if u.entity == "Agent" && u.field == "" {
			s.join(u.withoutID().key)
		}
	}
	for c, days := range on {
		s.dated[c] = all.periods(days)
	}
	return s, on
}
