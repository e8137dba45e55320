package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
)

// setBack adds the call that sets the field of a change to the value before.
func (u *undoing) setBack(i int) {
	c, l, was := u.changes[i], u.lenses[i], u.all.at(before(u.changes[i].At))
	path := strings.Split(c.Field, ".")
	switch {
	case u.isMade(c, l): // see remove
	case c.Field == roots[c.EntityType].label:
		u.refuse(c, "is what made another one, which is not there any more")
	case c.Field == "":
		u.makeAgain(c, l)
	case l.dated:
		u.setPeriodsBack(c, l, path, was)
	case c.EntityType == "Agent" && path[0] == "certifications":
		u.setCertificationBack(c, l, path, was)
	case c.EntityType == "Agent" && (c.Field == tagList || c.Field == aliasList):
		u.setListBack(c, l)
	case c.EntityType == "Agent" && path[0] == deposit:
		u.setDepositBack(c)
	case c.EntityType == "Agent" && len(path) == 2:
		if agent, _ := was.value(l).(map[string]any); agent[path[0]] == nil { // there was no address or number
			u.call("agentContactUpdate", "Agent "+c.Key, map[string]any{"agentCode": c.Key}).input[path[0]] = nil
			return
		}
		u.set(c, "agentContactUpdate", path, l.raw(was))
	default:
		u.set(c, roots[c.EntityType].update, path, l.raw(was))
	}
}

// deposit is the field of an agent that is set as a whole.
const deposit = "directDeposit"

// setDepositBack sets all bank details to those before.
func (u *undoing) setDepositBack(c *audit.Changed) {
	input := map[string]any{"agentCode": c.Key, deposit: nil}
	if details := u.partsBefore(c); len(details) > 0 {
		input[deposit] = details
	}
	u.call("agentPayeeUpdate", c.Key, input)
}

// set adds a value to the call of a mutation for an object.
func (u *undoing) set(c *audit.Changed, mutation string, path []string, value []string) {
	input := u.inputTypeOf(mutation)
	if input == nil {
		u.refuse(c, "cannot be set back")
		return
	}
	key := input.Fields.ForName(roots[c.EntityType].argument)
	into := u.call(mutation, c.EntityType+" "+c.Key, map[string]any{key.Name: typed(key.Type, []string{c.Key})}).input
	for _, name := range path[:len(path)-1] {
		f := input.Fields.ForName(name)
		if f == nil {
			u.refuse(c, "cannot be set back")
			return
		}
		if into[name] == nil {
			into[name] = map[string]any{}
		}
		into, input = into[name].(map[string]any), u.schema.Types[f.Type.Name()]
	}
	last := path[len(path)-1]
	f := input.Fields.ForName(last)
	if f == nil {
		u.refuse(c, "cannot be set back")
		return
	}
	into[last] = typed(f.Type, value)
}

// call returns the call of a mutation for an object, which is new if there is none.
func (u *undoing) call(mutation, key string, input map[string]any) *call {
	for _, c := range u.calls {
		if c.mutation == mutation && c.key == key {
			return c
		}
	}
	if u.inputTypeOf(mutation).Fields.ForName("initiator") != nil && u.initiator != "" {
		input["initiator"] = u.initiator
	}
	u.calls = append(u.calls, &call{mutation: mutation, key: key, input: input})
	return u.calls[len(u.calls)-1]
}

func (u *undoing) inputTypeOf(mutation string) *ast.Definition {
	if f := u.schema.Mutation.Fields.ForName(mutation); f != nil {
		return u.schema.Types[f.Arguments.ForName("input").Type.Name()]
	}
	return nil
}

// periodMutations apply a value of a history, by its list.
var periodMutations = map[string][2]string{
	"payStatusPeriods": {"payStatusPeriodApply", "status"}, "levelPeriods": {"levelPeriodApply", "level"},
	"uplinePeriods": {"uplinePeriodApply", "uplineAgentCode"}, "periods": {"certificationPeriodApply", "status"},
	"w9Periods": {"w9PeriodApply", "w9"},
}

// setPeriodsBack adds a call for each range of days whose value changed, or for the period
// before around it, where nothing else of that has changed since.
func (u *undoing) setPeriodsBack(c *audit.Changed, l lens, path []string, was *look) {
	m, ok := periodMutations[l.path[0]]
	if !ok {
		u.refuse(c, "cannot be set back")
		return
	}
	field := u.inputTypeOf(m[0]).Fields.ForName(m[1])
	old := l.periods(was.value(l))
	changed := history.Differences(old, l.periods(u.all.at(c.At).value(l)))
	isNow := history.Differences(old, l.periods(u.all.at(now).value(l)))
	for _, d := range changed {
		if filled(d.Old) == nil && field.Type.NonNull {
			u.refuse(c, "had no value on "+d.From.String()+", and a history cannot be emptied")
			return
		}
		apply := func(from date.Date, through *date.Date) *call {
			input := map[string]any{"effectiveFrom": from.String(), m[1]: nil}
			if through != nil {
				input["effectiveThrough"] = through.String()
			}
			if filled(d.Old) != nil {
				input[m[1]] = u.valueOn(d, l, old, was, field.Type)
			}
			if path[0] == "certifications" {
				input["certificationId"] = path[1]
			} else {
				input["agentCode"] = c.Key
			}
			return u.call(m[0], c.Key+" "+c.Field+" "+from.String(), input)
		}
		for _, p := range statedOn(old, d) {
			from, through := daysWithin(p, d)
			isWhole := !slices.ContainsFunc(isNow, func(n history.Difference[string]) bool {
				return p.Overlaps(n.From, n.Through) && !slices.Contains(ranges(changed), rangeOf(n))
			})
			// Uplines of several agents are set back for the same days first: from different days
			// on, one could come below another that is not yet above it again.
			switch isUpline := m[0] == "uplinePeriodApply"; {
			case isWhole && isUpline && p.From != from:
				apply(from, through)
				apply(p.From, p.Through).joins = true
			case isWhole:
				apply(p.From, p.Through)
			default:
				apply(from, through)
			}
		}
	}
}

// statedOn returns the periods that had the value before on the days of a difference: several, if
// neighbours had the same; if there was none, on these days or some of them, those days as one.
func statedOn(old []history.Period[string], d history.Difference[string]) (all []history.Period[string]) {
	next := d.From // the first day that no period is found for yet
	for _, p := range old {
		if !p.Overlaps(d.From, d.Through) {
			continue
		}
		if p.From > next {
			break
		}
		if all = append(all, p); p.Through == nil || d.Through != nil && *p.Through >= *d.Through {
			return all
		}
		next = p.Through.AddDays(1)
	}
	return []history.Period[string]{{From: d.From, Through: d.Through}}
}

// daysWithin returns the days of a period that lie in a difference.
func daysWithin(p history.Period[string], d history.Difference[string]) (from date.Date, through *date.Date) {
	through = p.Through
	if through == nil || d.Through != nil && *d.Through < *through {
		through = d.Through
	}
	return max(p.From, d.From), through
}

// valueOn returns the value before on the days of a difference, as a mutation takes it.
func (u *undoing) valueOn(d history.Difference[string], l lens, old []history.Period[string], was *look, t *ast.Type) any {
	def := u.schema.Types[t.Name()]
	if def.Kind != ast.InputObject {
		return typed(t, []string{*d.Old})
	}
	place := slices.IndexFunc(old, func(p history.Period[string]) bool { return p.Overlaps(d.From, &d.From) })
	period, _ := l.nodes(was.value(l))[place].(map[string]any)
	return u.inputOf(period[l.value[0][0]], def)
}

// inputOf returns an object that the graph has answered as an input takes it.
func (u *undoing) inputOf(answered any, def *ast.Definition) any {
	of, ok := answered.(map[string]any)
	if !ok {
		return answered
	}
	input := map[string]any{}
	for _, f := range def.Fields {
		input[f.Name] = u.inputOf(of[f.Name], u.schema.Types[f.Type.Name()])
	}
	return input
}

// ranges are the days of differences.
func ranges(all []history.Difference[string]) (days []string) {
	for _, d := range all {
		days = append(days, rangeOf(d))
	}
	return days
}

func rangeOf(d history.Difference[string]) string {
	if d.Through == nil {
		return d.From.String()
	}
	return d.From.String() + " " + d.Through.String()
}

func (u *undoing) setCertificationBack(c *audit.Changed, l lens, path []string, was *look) {
	switch {
	case len(path) == 1: // of an import before version 153 of the database
		u.refuse(c, "names no certification")
	case len(path) == 3:
		into := u.call("certificationUpdate", path[1], map[string]any{"id": path[1]}).input
		field := u.inputTypeOf("certificationUpdate").Fields.ForName(path[2])
		if field == nil {
			u.refuse(c, "cannot be set back")
			return
		}
		into[path[2]] = typed(field.Type, l.raw(was))
	case len(l.raw(u.all.at(c.At))) > 0:
		u.call("certificationDelete", path[1], map[string]any{"id": path[1]})
	default:
		u.refuse(c, "was deleted for good")
	}
}

// The fields of an agent that are lists of what it has.
const tagList, aliasList = "tags", "aliases"

// setListBack adds and takes away the tags or aliases that a change took away and added.
func (u *undoing) setListBack(c *audit.Changed, l lens) {
	old, set := l.raw(u.all.at(before(c.At))), l.raw(u.all.at(c.At))
	var operations []any
	for _, one := range slices.Concat(old, set) {
		switch had, has := slices.Contains(old, one), slices.Contains(set, one); {
		case had == has:
		case c.Field == tagList:
			operations = append(operations, map[string]any{"tag": one, "operation": map[bool]string{true: "ASSIGN", false: "UNASSIGN"}[had]})
		case had:
			alias := u.alias(before(c.At), c.Key, one)
			u.call("aliasCreate", c.Key+" "+one, map[string]any{"agentCode": c.Key, "identifier": one, "providerCompany": valueOrNil(alias, "providerCompany", "code")})
		default:
			u.call("aliasDelete", c.Key+" "+one, map[string]any{"id": valueOrNil(u.alias(now, c.Key, one), "id")})
		}
	}
	if operations != nil {
		u.call("agentTagsUpdate", c.Key, map[string]any{"agentCode": c.Key, "tags": operations})
	}
}

// aliasesOf asks for the aliases of an agent.
func aliasesOf(agentCode string) question {
	return question{fmt.Sprintf("agent(agentCode: %q)", agentCode), fmt.Sprintf(" { aliases(first: %d) { nodes { id identifier providerCompany { code } } } }", mostPeriods), agentCode}
}

// alias returns the alias of an agent with an identifier, as it was known at an instant.
func (u *undoing) alias(at time.Time, agentCode, identifier string) any {
	l := u.all.at(at)
	of, _ := l.data[l.place(aliasesOf(agentCode))].(map[string]any)
	connection, _ := of["aliases"].(map[string]any)
	nodes, _ := connection["nodes"].([]any)
	for _, node := range nodes {
		if id := valueAt(node, []string{"identifier"}); id != nil && *id == identifier {
			return node
		}
	}
	return nil
}

func valueOrNil(data any, path ...string) any {
	if v := valueAt(data, path); v != nil {
		return *v
	}
	return nil
}

// typed returns texts as a value of an input's type.
func typed(t *ast.Type, texts []string) any {
	if t.Elem != nil {
		list := make([]any, len(texts))
		for i := range texts {
			list[i] = typed(t.Elem, texts[i:i+1])
		}
		return list
	}
	if len(texts) == 0 {
		return nil
	}
	switch t.NamedType {
	case "Boolean":
		return texts[0] == "true"
	case "Int":
		n, err := strconv.Atoi(texts[0])
		if err == nil {
			return n
		}
	}
	return texts[0]
}
