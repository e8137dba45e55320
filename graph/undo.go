package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// undoing takes a change back.
type undoing struct {
	*Server
	initiator string
	changes   []*audit.Changed
	lenses    []lens
	all       looks
	calls     []*call
	refused   problem.List
}

// call is a mutation that sets values back.
type call struct {
	mutation string
	key      string // of what it changes
	input    map[string]any
}

// undo takes a write of the audit trail back: it calls the mutations that set its fields to
// the values before, all in one transaction. It returns what these do to the values, and
// the later changes that stand in the way; then nothing is changed.
func (s *Server) undo(ctx context.Context, changes []*audit.Changed, initiator string) (undone []*model.ChangeUndone, conflicts []*audit.Changed, err error) {
	since, err := s.trail.KeptSince(ctx)
	if err != nil {
		return nil, nil, err
	}
	u := &undoing{Server: s, initiator: initiator, changes: changes, all: looks{}}
	for _, c := range changes {
		l, ok := s.lensOf(c.EntityType, c.Key, c.Field)
		if !ok || c.Field == "" || !l.dated && c.At.Before(since) {
			u.refuse(c, "is nothing that can be taken back: the values before are not known, or it was deleted")
			continue
		}
		u.lenses = append(u.lenses, l)
		for _, at := range []time.Time{before(c.At), c.At, now} {
			u.all.at(at).field(l.whole)
			u.all.at(at).field(l.text)
		}
		if strings.HasPrefix(c.Field, deposit+".") {
			for _, l := range u.depositLenses(c.Key) {
				u.all.at(before(c.At)).field(l.whole)
			}
		}
		if c.Field == aliasList {
			u.all.at(before(c.At)).field(aliasesOf(c.Key))
			u.all.at(now).field(aliasesOf(c.Key))
		}
	}
	if err := u.refused.Err(); err != nil {
		return nil, nil, err
	}
	if err := s.ask(ctx, u.all); err != nil {
		return nil, nil, err
	}
	for i, c := range changes {
		l := u.lenses[i]
		if !u.isRead(c, l) {
			u.refuse(c, "cannot be read with this token")
			continue
		}
		if u.isChangedSince(c, l) {
			later, err := s.laterThan(ctx, c)
			if err != nil {
				return nil, nil, err
			}
			conflicts = append(conflicts, later...)
			continue
		}
		u.setBack(i)
		undone = append(undone, &model.ChangeUndone{EntityType: c.EntityType, EntityKey: c.Key, Field: c.Field, Values: l.compare(u.all.at(now), u.all.at(before(c.At)))})
	}
	if err := u.refused.Err(); err != nil || len(conflicts) > 0 {
		return undone, conflicts, err
	}
	return undone, nil, u.run(ctx)
}

// isRead reports whether the values of a field could be read, before, with and after a change.
func (u *undoing) isRead(c *audit.Changed, l lens) bool {
	for _, at := range []time.Time{before(c.At), c.At, now} {
		in := u.all.at(at)
		if in.failed[in.field(l.whole)] || in.failed[in.field(l.text)] {
			return false
		}
	}
	return true
}

// isChangedSince reports whether a field, or a day of it, that a change has set has another
// value now.
func (u *undoing) isChangedSince(c *audit.Changed, l lens) bool {
	was, set, is := u.all.at(before(c.At)), u.all.at(c.At), u.all.at(now)
	switch {
	case l.dated:
		for _, d := range history.Differences(l.periods(was.value(l)), l.periods(set.value(l))) {
			for _, later := range history.Differences(l.periods(set.value(l)), l.periods(is.value(l))) {
				if (d.Through == nil || later.From <= *d.Through) && (later.Through == nil || *later.Through >= d.From) {
					return true
				}
			}
		}
		return false
	case c.Field == tagList || c.Field == aliasList:
		for _, one := range slices.Concat(l.raw(was), l.raw(set)) {
			if slices.Contains(l.raw(was), one) != slices.Contains(l.raw(set), one) && slices.Contains(l.raw(set), one) != slices.Contains(l.raw(is), one) {
				return true
			}
		}
		return false
	}
	return !slices.Equal(l.raw(set), l.raw(is))
}

func (u *undoing) refuse(c *audit.Changed, message string) {
	u.refused.Add(problem.Invalid(problem.NotApplicable, strings.TrimSpace(c.EntityType+" "+c.Key+" "+c.Field)+" "+message, "sequence"))
}

// laterThan returns the changes of a field after a change of it.
func (s *Server) laterThan(ctx context.Context, c *audit.Changed) ([]*audit.Changed, error) {
	list, err := s.trail.Changes(ctx, audit.Filter{EntityType: &c.EntityType, EntityKey: &c.Key, Field: &c.Field, From: new(c.At.Add(time.Microsecond))})
	if err != nil {
		return nil, err
	}
	p, err := list.Page(ctx, page.Args{First: new(5)})
	return p.Items, err
}

// setBack adds the call that sets the field of a change to the value before.
func (u *undoing) setBack(i int) {
	c, l, was := u.changes[i], u.lenses[i], u.all.at(before(u.changes[i].At))
	path := strings.Split(c.Field, ".")
	switch {
	case l.dated:
		u.setPeriodsBack(c, l, path, was)
	case c.EntityType == "Agent" && path[0] == "certifications":
		u.setCertificationBack(c, l, path, was)
	case c.EntityType == "Agent" && (c.Field == tagList || c.Field == aliasList):
		u.setListBack(c, l)
	case c.Field == roots[c.EntityType].label:
		u.refuse(c, "is what made it: delete it instead")
	case c.EntityType == "Agent" && path[0] == deposit:
		u.setDepositBack(c, was)
	case c.EntityType == "Agent" && len(path) == 2 && path[0] != "w9":
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

// depositLenses are those of all fields of bank details.
func (s *Server) depositLenses(agentCode string) map[string]lens {
	all := map[string]lens{}
	for _, f := range s.schema.Types["DirectDepositInput"].Fields {
		all[f.Name], _ = s.lensOf("Agent", agentCode, deposit+"."+f.Name)
	}
	return all
}

// setDepositBack sets all bank details to those before.
func (u *undoing) setDepositBack(c *audit.Changed, was *look) {
	details := map[string]any{}
	for name, l := range u.depositLenses(c.Key) {
		if value := l.raw(was); len(value) > 0 {
			details[name] = value[0]
		}
	}
	input := map[string]any{"agentCode": c.Key, deposit: details}
	if len(details) == 0 {
		input[deposit] = nil
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
	u.calls = append(u.calls, &call{mutation, key, input})
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
		from, through := d.From, d.Through
		if p, ok := history.At(old, d.From); ok && !slices.ContainsFunc(isNow, func(n history.Difference[string]) bool {
			return p.Overlaps(n.From, n.Through) && !slices.Contains(ranges(changed), rangeOf(n))
		}) {
			from, through = p.From, p.Through
		}
		input := map[string]any{"effectiveFrom": from.String(), m[1]: nil}
		if through != nil {
			input["effectiveThrough"] = through.String()
		}
		if filled(d.Old) != nil {
			input[m[1]] = typed(field.Type, []string{*d.Old})
		}
		if path[0] == "certifications" {
			input["certificationId"] = path[1]
		} else {
			input["agentCode"] = c.Key
		}
		u.call(m[0], c.Key+" "+c.Field+" "+from.String(), input)
	}
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
	case len(path) == 3:
		into := u.call("certificationUpdate", path[1], map[string]any{"id": path[1]}).input
		field := u.inputTypeOf("certificationUpdate").Fields.ForName(path[2])
		if field == nil {
			u.refuse(c, "cannot be set back")
			return
		}
		into[path[2]] = typed(field.Type, l.raw(was))
	case len(path) == 2 && len(l.raw(was)) == 0:
		u.call("certificationDelete", path[1], map[string]any{"id": path[1]})
	default:
		u.refuse(c, "was deleted: add it again instead")
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
func aliasesOf(agentCode string) string {
	return fmt.Sprintf("agent(agentCode: %q) { aliases(first: %d) { nodes { id identifier providerCompany { code } } } }", agentCode, mostPeriods)
}

// alias returns the alias of an agent with an identifier, as it was known at an instant.
func (u *undoing) alias(at time.Time, agentCode, identifier string) any {
	l := u.all.at(at)
	of, _ := l.data[l.field(aliasesOf(agentCode))].(map[string]any)
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

// together makes one reorganisation of the moves from the same day on, whose order then does
// not matter.
func together(calls []*call) (all []*call) {
	moves := map[any]*call{}
	for _, c := range calls {
		if c.mutation != "uplinePeriodApply" || c.input["effectiveThrough"] != nil {
			all = append(all, c)
			continue
		}
		from := c.input["effectiveFrom"]
		if moves[from] == nil {
			moves[from] = &call{mutation: "reorgApply", input: map[string]any{"effectiveFrom": from, "initiator": c.input["initiator"], "moves": []any{}}}
			all = append(all, moves[from])
		}
		moves[from].input["moves"] = append(moves[from].input["moves"].([]any), map[string]any{"agentCode": c.input["agentCode"], "newUplineAgentCode": c.input["uplineAgentCode"]})
	}
	return all
}

// run makes the calls, in one transaction.
func (u *undoing) run(ctx context.Context) error {
	for _, c := range together(u.calls) {
		input := u.inputTypeOf(c.mutation).Name
		document := fmt.Sprintf("mutation($input: %s!) { result: %s(input: $input) { userErrors { code message field } } }", input, c.mutation)
		response := u.runInside(ctx, document, map[string]any{"input": c.input})
		if len(response.Errors) > 0 {
			return response.Errors[0]
		}
		var data struct {
			Result struct {
				UserErrors []struct{ Code, Message string }
			}
		}
		if err := json.Unmarshal(response.Data, &data); err != nil {
			return err
		}
		for _, e := range data.Result.UserErrors {
			u.refused.Add(problem.Invalid(problem.Code(e.Code), c.mutation+": "+e.Message, "sequence"))
		}
		if err := u.refused.Err(); err != nil {
			return err
		}
	}
	return nil
}

// undoTogether is undo in one transaction, which is kept unless the mutation is a dry run or
// refused.
func (s *Server) undoTogether(ctx context.Context, changes []*audit.Changed, initiator string) (undone []*model.ChangeUndone, conflicts []*audit.Changed, err error) {
	ctx = change.WithDefaultReason(ctx, fmt.Sprintf("Takes back change %d", changes[0].Seq))
	if store.IsJoint(ctx) { // a dry run, which ends with its answer
		return s.undo(ctx, changes, initiator)
	}
	ctx, joint := store.WithJoint(ctx)
	if err := joint.Open(ctx, s.store); err != nil {
		return nil, nil, err
	}
	undone, conflicts, err = s.undo(ctx, changes, initiator)
	if closed := joint.Close(ctx, err == nil && conflicts == nil); err == nil {
		err = closed
	}
	return undone, conflicts, err
}
