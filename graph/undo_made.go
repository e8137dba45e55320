package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/problem"
)

// mutationOf returns the mutation that does something to an object, such as tagDelete, and
// the name of its input's key; false if there is none.
func (u *undoing) mutationOf(o object, verb string) (mutation, key string, ok bool) {
	r := roots[o.entityType]
	mutation = strings.TrimSuffix(r.update, "Update") + verb
	return mutation, r.argument, r.update != "" && u.inputTypeOf(mutation) != nil
}

// isMade reports whether a change made its object. Reference data tells by the empty field:
// as it was known, it was always there.
func (u *undoing) isMade(c *audit.Changed, l lens) bool {
	if made, _, _ := u.mutationOf(objectOf(c), "Create"); c.Field != "" && c.Field != roots[c.EntityType].label && c.Operation != made {
		return false
	}
	return len(l.raw(u.all.at(c.At))) > 0 && (c.Field == "" || len(l.raw(u.all.at(before(c.At)))) == 0)
}

// isMadePart reports whether a change made a certification, which is a part of its agent.
func (u *undoing) isMadePart(c *audit.Changed, l lens) bool {
	isPart := c.EntityType == "Agent" && strings.HasPrefix(c.Field, "certifications.") && strings.Count(c.Field, ".") == 1
	return isPart && len(l.raw(u.all.at(before(c.At)))) == 0 && len(l.raw(u.all.at(c.At))) > 0
}

// findMade fills made.
func (u *undoing) findMade() {
	for i, c := range u.changes {
		if o := objectOf(c); u.isMade(c, u.lenses[i]) {
			u.made[o] = nil
			if o.entityType == "Agent" {
				is := u.all.at(now)
				u.made[o] = valuesAt(is.data[is.place(uplinesOf(o.key))], []string{"uplinePeriods", "nodes", "uplineAgentCode"})
			}
		}
	}
}

// keepWriters refuses to delete agents who have written policies since, which would go with
// them. (Who has been paid is not deleted by agentDelete either.)
func (u *undoing) keepWriters(ctx context.Context) error {
	var codes []string
	for o := range u.made {
		if o.entityType == "Agent" {
			codes = append(codes, o.key)
		}
	}
	if codes == nil {
		return nil
	}
	writers, err := u.writers(ctx, codes)
	for _, code := range writers {
		u.refused.Add(problem.Invalid(problem.NotApplicable, "Agent "+code+" has written policies since, which would be deleted as well", "sequence"))
	}
	return err
}

// uplinesOf asks for all uplines of an agent.
func uplinesOf(agentCode string) question {
	return question{fmt.Sprintf("agent(agentCode: %q)", agentCode), fmt.Sprintf(" { uplinePeriods(first: %d) { nodes { uplineAgentCode } } }", mostPeriods), agentCode}
}

// remove adds the calls that delete what was made: an agent before its uplines, which stay
// while somebody reports to them.
func (u *undoing) remove() {
	var order []object
	seen := map[object]bool{}
	var visit func(o object)
	visit = func(o object) {
		uplines, isMade := u.made[o]
		if !isMade || seen[o] {
			return
		}
		seen[o] = true
		for _, upline := range uplines {
			visit(object{o.entityType, upline})
		}
		order = append(order, o)
	}
	for _, c := range u.changes {
		visit(objectOf(c))
	}
	for _, o := range slices.Backward(order) {
		mutation, key, ok := u.mutationOf(o, "Delete")
		if !ok {
			u.refused.Add(problem.Invalid(problem.NotApplicable, o.entityType+" "+o.key+" cannot be deleted", "sequence"))
			continue
		}
		u.call(mutation, o.key, map[string]any{key: typed(u.inputTypeOf(mutation).Fields.ForName(key).Type, []string{o.key})})
	}
}

// makeAgain adds the call that makes an object that was deleted. A client would have another
// secret than its program.
func (u *undoing) makeAgain(c *audit.Changed, l lens) {
	mutation, _, ok := u.mutationOf(objectOf(c), "Create")
	if !ok || c.EntityType == "Client" || len(l.raw(u.all.at(before(c.At)))) == 0 {
		u.refuse(c, "was deleted for good")
		return
	}
	u.call(mutation, c.Key, u.partsBefore(c))
}

// partsOf returns the lenses of what makes an object that was deleted, or that is set as a
// whole, by the fields of the input that takes them.
func (u *undoing) partsOf(c *audit.Changed) (all map[*ast.FieldDefinition]lens) {
	var (
		input *ast.Definition
		field string
	)
	if strings.HasPrefix(c.Field, deposit+".") {
		input, field = u.schema.Types["DirectDepositInput"], deposit+"."
	} else if mutation, _, ok := u.mutationOf(objectOf(c), "Create"); ok && c.Field == "" {
		input = u.inputTypeOf(mutation)
	} else {
		return nil
	}
	all = map[*ast.FieldDefinition]lens{}
	for _, f := range input.Fields {
		if l, ok := u.lensOf(c.EntityType, c.Key, field+f.Name); ok {
			all[f] = l
		}
	}
	return all
}

// placeParts asks for what else a change is set back with.
func (u *undoing) placeParts(c *audit.Changed) {
	was, is := u.all.at(before(c.At)), u.all.at(now)
	for _, l := range u.partsOf(c) {
		was.place(l.whole)
	}
	if c.Field == roots["Agent"].label {
		is.place(uplinesOf(c.Key))
	}
	if c.Field == aliasList {
		was.place(aliasesOf(c.Key))
		is.place(aliasesOf(c.Key))
	}
}

// partsBefore returns the values of partsOf before a change, but those without one.
func (u *undoing) partsBefore(c *audit.Changed) map[string]any {
	values := map[string]any{}
	for f, l := range u.partsOf(c) {
		if value := l.raw(u.all.at(before(c.At))); len(value) > 0 {
			values[f.Name] = typed(f.Type, value)
		}
	}
	return values
}
