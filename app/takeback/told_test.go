package takeback

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// told is what the trail, or an undo, says of a field.
type told struct {
	cell
	values []any
	number string
}

const values = ` { effectiveFrom effectiveThrough old new }`

// changesOf reads what is told of a write, in pages.
func (l *ledger) changesOf(w *write) (all []told) {
	l.Helper()
	for after := any(nil); ; {
		data, errs := l.c.GraphQL(l.T, `query($from: DateTime, $through: DateTime, $after: String) { changes(first: 50, after: $after, filter: {from: $from, through: $through}) {
			pageInfo { hasNextPage endCursor } nodes { sequence entityType entityKey field values(reveal: true)`+values+` } } }`,
			object{"from": w.at.Format(time.RFC3339Nano), "through": w.at.Add(time.Second - 1).Format(time.RFC3339Nano), "after": after})
		if errs != nil {
			l.fault("changes", "%v", errs)
			return nil
		}
		p := apptest.At(data, "changes")
		all = append(all, toldIn(apptest.At(p, "nodes"))...)
		if apptest.At(p, "pageInfo.hasNextPage") != true {
			return all
		}
		after = apptest.At(p, "pageInfo.endCursor")
	}
}

func toldIn(list any) (all []told) {
	for _, node := range list.([]any) {
		values, _ := apptest.At(node, "values").([]any)
		all = append(all, told{cell{text(apptest.At(node, "entityType")), text(apptest.At(node, "entityKey")), text(apptest.At(node, "field"))}, values, text(apptest.At(node, "sequence"))})
	}
	return all
}

// kept are the types of objects whose values are kept; what else the trail names is not read
// here.
var kept = []string{"Agent", "CertificationType", "Jurisdiction", "PayStatus", "AgentLevel", "ProviderCompany", "Tag", "Product", "User", "Role", "Tenant", "Scenario"}

// unkept are fields that are noted, and whose values nobody is told.
var unkept = []string{"password"}

// sealed are the last parts of paths whose values are masked.
var sealed = []string{"governmentIdentifier", "routingNumber", "institutionNumber", "transitNumber", "accountNumber", "taxpayerIdentifier", "signature"}

// label is the field that stands for a new agent.
const label = "agentCode"

// compare compares what is told with what differs between two snapshots: all of it, and
// nothing else. What becomes of the parts of an object that comes or goes need not be told.
// masked is true if sealed values are told masked.
func compare(all []told, before, after *snapshot, masked bool) (wrong []string) {
	said := map[cell]bool{}
	for _, one := range all {
		if !slices.Contains(kept, one.entity) {
			continue
		}
		if said[one.cell] {
			wrong = append(wrong, fmt.Sprintf("%s is told twice", one.cell))
		}
		said[one.cell] = true
		if slices.Contains(unkept, one.field) {
			continue
		}
		if of, part, ok := firstDated(one.cell, before, after); ok {
			masked := masked
			if part == "" && (one.field == "w9" || strings.HasPrefix(one.field, "rules.")) { // told as a whole, in a form of its own
				part, masked = whole, true
			}
			wrong = append(wrong, compareDays(one, before.on(of, part), after.on(of, part), masked && (part == whole || isSealed(one.field)))...)
			continue
		}
		c := one.cell
		if c.field == label && c.entity == "Agent" {
			c.field = ""
		}
		if c.field == "rules" { // of a product, told together, in a form of its own
			if len(one.values) == 0 {
				wrong = append(wrong, fmt.Sprintf("%s: nothing is told", c))
			}
			continue
		}
		was, is := before.plain[c], after.plain[c]
		if was == is {
			wrong = append(wrong, fmt.Sprintf("%s is told, and is %q as before", c, is))
			continue
		}
		if len(one.values) == 0 && isErased(c, after) {
			continue
		}
		if len(one.values) != 1 {
			wrong = append(wrong, fmt.Sprintf("%s: %d values, want %q → %q", c, len(one.values), was, is))
			continue
		}
		for name, want := range map[string]string{"old": was, "new": is} {
			got := text(apptest.At(one.values[0], name))
			if masked && isSealed(one.field) || one.entity == "Scenario" && one.field == "moves" { // which are told in a form of their own
				got, want = present(got), present(want)
			}
			if ordered(got) != ordered(want) {
				wrong = append(wrong, fmt.Sprintf("%s: %s is %q, want %q", c, name, got, want))
			}
		}
	}
	return append(wrong, untold(said, before, after)...)
}

// untold names what differs and is not told.
func untold(said map[cell]bool, before, after *snapshot) (wrong []string) {
	for _, c := range cells(before, after) {
		if strings.HasPrefix(c.field, "~") || !slices.Contains(kept, c.entity) || before.show(c) == after.show(c) || said[c] || c.field == "" && toldOf(said, c) {
			continue
		}
		if isPart(c, before, after) || c.field == "isDedicated" && after.plain[c] == "false" || strings.HasPrefix(c.field, "rules.") && said[cell{c.entity, c.key, "rules"}] || c.entity == "Scenario" && c.field == "lastModified" {
			continue
		}
		if of, _, ok := firstDated(c, before, after); ok {
			for part := range partsOf(of, before, after) {
				d := c
				if part != "" && c.field == "w9" {
					d.field += "." + part
				}
				if !equalDays(before.on(of, part), after.on(of, part)) && !said[d] && !said[c] {
					wrong = append(wrong, fmt.Sprintf("%s differs and is not told: %s, was %s", d, after.show(c), before.show(c)))
				}
			}
			continue
		}
		wrong = append(wrong, fmt.Sprintf("%s differs and is not told: %q, was %q", c, after.show(c), before.show(c)))
	}
	return wrong
}

// toldOf reports whether anything is told of an object.
func toldOf(said map[cell]bool, of cell) bool {
	for c := range said {
		if c.entity == of.entity && c.key == of.key {
			return true
		}
	}
	return false
}

// isPart reports whether a cell comes or goes with its object, or its certification; new agents
// are told with what is said of them.
func isPart(c cell, before, after *snapshot) bool {
	for _, owner := range (unit{c, ""}).owners() {
		_, had := before.plain[owner.cell]
		if _, has := after.plain[owner.cell]; owner.cell != c && (!has || !had && (c.entity != "Agent" || owner.field != "")) {
			return true
		}
	}
	return false
}

// isErased reports whether a cell is of an agent, or a certification, that was deleted with its
// past.
func isErased(c cell, after *snapshot) bool {
	return c.entity == "Agent" && slices.ContainsFunc((unit{c, ""}).owners(), func(owner unit) bool { return after.plain[owner.cell] == "" })
}

func firstDated(c cell, before, after *snapshot) (of cell, part string, ok bool) {
	if of, part, ok = before.datedOf(c); ok {
		return of, part, ok
	}
	return after.datedOf(c)
}

func partsOf(c cell, all ...*snapshot) map[string]bool {
	parts := map[string]bool{}
	for _, s := range all {
		for _, p := range s.dated[c] {
			for part := range p.parts {
				parts[part] = true
			}
		}
	}
	return parts
}

func equalDays(a, b [days]*string) bool {
	for d := range a {
		if text1(a[d]) != text1(b[d]) {
			return false
		}
	}
	return true
}

func text1(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// compareDays compares the ranges that are told with the days that differ.
func compareDays(one told, was, is [days]*string, masked bool) (wrong []string) {
	var covered [days]bool
	for _, v := range one.values {
		if apptest.At(v, "effectiveFrom") == nil {
			return append(wrong, fmt.Sprintf("%s: no days are told", one.cell))
		}
		from, through := dayOf(text(apptest.At(v, "effectiveFrom"))), days-1
		if of, ok := apptest.At(v, "effectiveThrough").(string); ok {
			through = dayOf(of)
		}
		for d := max(from, 0); d <= min(through, days-1); d++ {
			old, new := text(apptest.At(v, "old")), text(apptest.At(v, "new"))
			wantOld, wantNew := text1(was[d]), text1(is[d])
			covered[d] = true
			switch {
			case wantOld == wantNew:
				return append(wrong, fmt.Sprintf("%s: %q → %q on %s, which is %q as before", one.cell, old, new, day(d), wantNew))
			case masked && present(old) == present(wantOld) && present(new) == present(wantNew):
			case old != wantOld || new != wantNew:
				return append(wrong, fmt.Sprintf("%s: %q → %q on %s, want %q → %q", one.cell, old, new, day(d), wantOld, wantNew))
			}
		}
	}
	for d := range covered {
		if text1(was[d]) != text1(is[d]) && !covered[d] {
			return append(wrong, fmt.Sprintf("%s: nothing is told of %s, want %q → %q", one.cell, day(d), text1(was[d]), text1(is[d])))
		}
	}
	return wrong
}

func isSealed(field string) bool {
	return slices.Contains(sealed, field[strings.LastIndex(field, ".")+1:])
}

// present stands for a value that is masked.
func present(value string) string {
	if value == "" {
		return ""
	}
	return "*"
}

// ordered writes the members of a list in order.
func ordered(value string) string {
	all := strings.Split(value, ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}
