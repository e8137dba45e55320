package agency_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/problem"
)

// assign are the operations that assign tags.
func assign(names ...string) label.TagsUpdate {
	in := label.TagsUpdate{Initiator: "desk"}
	for _, name := range names {
		in.Operations = append(in.Operations, label.TagOperation{Assign: true, Tag: name})
	}
	return in
}

// unassign are the operations that unassign tags.
func unassign(names ...string) label.TagsUpdate {
	in := assign(names...)
	for i := range in.Operations {
		in.Operations[i].Assign = false
	}
	return in
}

// newTags defines tags.
func (w *agentWorld) newTags(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.must(w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set(name), Initiator: "hr"}))
	}
}

// tagsOf returns the names of the tags that an agent wears.
func (w *agentWorld) tagsOf(code string) []string {
	w.t.Helper()
	list, err := w.TagAssignmentList(w.ctx, label.TagAssignmentFilter{AgentCode: &code}, nil)
	w.must(nil, err)
	p, err := texts(list, "x.tag").Page(w.ctx, page.Args{First: new(100)})
	w.must(nil, err)
	names := []string{}
	for _, tag := range p.Items {
		names = append(names, *tag)
	}
	return names
}

// "{ operation: Assign or Unassign, tag: tag name }" (Agents), one after the
// other; what is already so changes nothing.
func TestTagsAreAssignedInOrder(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.newTags("Gold", "Silver", "Veteran")
		at := w.later()
		for _, test := range []struct {
			name    string
			in      label.TagsUpdate
			changed bool
			want    []string
		}{
			{"assigned, blanks around the name", assign("Veteran", " Gold "), true, []string{"Gold", "Veteran"}},
			{"assigned again", assign("Gold", "Gold"), false, []string{"Gold", "Veteran"}},
			{"unassigned, though absent", unassign("Silver"), false, []string{"Gold", "Veteran"}},
			{"one of each", label.TagsUpdate{Operations: append(unassign("Gold").Operations, assign("Silver").Operations...), Initiator: "desk"}, true, []string{"Silver", "Veteran"}},
			{"assigned, then unassigned", label.TagsUpdate{Operations: append(assign("Gold").Operations, unassign("Gold").Operations...), Initiator: "desk"}, false, []string{"Silver", "Veteran"}},
			{"unassigned, then assigned", label.TagsUpdate{Operations: append(unassign("Silver").Operations, assign("Silver").Operations...), Initiator: "desk"}, false, []string{"Silver", "Veteran"}},
			{"all gone", unassign("Silver", "Veteran"), true, []string{}},
		} {
			changed, err := w.UpdateTags(w.ctx, "A1", test.in)
			w.must(changed, err)
			equal(t, test.name+": changed", changed, test.changed)
			equal(t, test.name, w.tagsOf("A1"), test.want)
			a := w.agent("A1")
			equal(t, test.name+": the agent's stamp moved", a.LastModified.After(at) || a.LastModified.Equal(at), test.changed)
			if test.changed {
				equal(t, test.name+": by", a.LastModifiedBy, "desk")
			}
			at = w.later()
		}
	})
}

func TestTagsRefusals(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.newTags("Gold", "Silver")
		w.must(w.UpdateTags(w.ctx, "A1", assign("Gold")))
		w.must(w.CreateTag(w.other, reference.TagInput{Name: patch.Set("Theirs"), Initiator: "them"}))
		w.unchanged(func() {
			for _, test := range []struct {
				name, code string
				in         label.TagsUpdate
				want       []string
			}{
				{"no operation", "A1", assign(), []string{"REQUIRED tags"}},
				{"more than 100", "A1", assign(make([]string, 101)...), []string{"OUT_OF_RANGE tags"}},
				{"unknown tags", "A1", assign("Silver", "Bronze", "gold"), []string{"UNKNOWN_TAG tags.1.tag", "UNKNOWN_TAG tags.2.tag"}},
				{"an unknown tag, unassigned", "A1", unassign("Bronze"), []string{"UNKNOWN_TAG tags.0.tag"}},
				{"another tenant's tag", "A1", assign("Theirs"), []string{"UNKNOWN_TAG tags.0.tag"}},
				{"all together", "A1", label.TagsUpdate{Operations: assign(" ", "Bronze").Operations},
					[]string{"REQUIRED initiator", "REQUIRED tags.0.tag", "UNKNOWN_TAG tags.1.tag"}},
				{"an unknown agent", "NOBODY", assign("Gold"), []string{"UNKNOWN_AGENT"}},
			} {
				_, err := w.UpdateTags(w.ctx, test.code, test.in)
				equal(t, test.name, problems(err), test.want)
			}
			_, err := w.UpdateTags(w.other, "A1", assign("Theirs"))
			equal(t, "another tenant's agent", problems(err), []string{"UNKNOWN_AGENT"})
		})
	})
}

// A hundred operations are not too many, and are one change.
func TestTagsUpToAHundred(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		var names []string
		for i := range 100 {
			names = append(names, fmt.Sprintf("T%02d", i))
		}
		w.newTags(names...)
		w.must(w.UpdateTags(w.ctx, "A1", assign(names...)))
		equal(t, "worn", w.tagsOf("A1"), names)
		w.must(w.DeleteAgent(w.ctx, "A1", nil, "x"))
		w.must(w.DeleteTag(w.ctx, "T00", "x")) // nobody wears it any more
	})
}

type assignmentRow struct {
	AgentID         int64
	Tag, AssignedBy string
	AssignedAt      time.Time
}

func (r *assignmentRow) dest() []any { return []any{&r.AgentID, &r.Tag, &r.AssignedAt, &r.AssignedBy} }

// GET /tags/assigned: "tag assignments across all agents, paged" (Agents), with
// the filters agentCode and tag.
func TestTagAssignmentList(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"A2", "A1", "A3"} {
			w.register(newcomer(code))
		}
		w.newTags("Gold", "Silver", "Unused")
		first := w.later()
		w.must(w.UpdateTags(w.ctx, "A2", assign("Silver", "Gold")))
		second := w.later()
		w.must(w.UpdateTags(w.ctx, "A1", assign("Silver")))
		w.must(w.Register(w.other, newcomer("A1"), false))
		w.must(w.CreateTag(w.other, reference.TagInput{Name: patch.Set("Gold"), Initiator: "them"}))
		w.must(w.UpdateTags(w.other, "A1", assign("Gold")))

		find := func(f label.TagAssignmentFilter, orders ...listing.Order) []string {
			t.Helper()
			list, err := w.TagAssignmentList(w.ctx, f, orders)
			w.must(nil, err)
			rows := lines(w, read(list, "x.agent_id, x.tag, x.assigned_at, x.assigned_by", (*assignmentRow).dest), func(r *assignmentRow) string {
				at := map[time.Time]string{first: "first", second: "second"}[r.AssignedAt.UTC()]
				return fmt.Sprintf("%d %s %s %s", r.AgentID, r.Tag, at, r.AssignedBy)
			})
			n, err := list.Count(w.ctx)
			w.must(n, err)
			equal(t, "count", n, len(rows))
			return rows
		}
		one, two := w.agent("A1").ID, w.agent("A2").ID
		a1Silver, a2Gold, a2Silver := fmt.Sprintf("%d Silver second desk", one), fmt.Sprintf("%d Gold first desk", two), fmt.Sprintf("%d Silver first desk", two)
		equal(t, "by agent code and tag", find(label.TagAssignmentFilter{}), []string{a1Silver, a2Gold, a2Silver})
		equal(t, "of an agent", find(label.TagAssignmentFilter{AgentCode: new("A2")}), []string{a2Gold, a2Silver})
		equal(t, "of a tag", find(label.TagAssignmentFilter{Tag: new("Silver")}), []string{a1Silver, a2Silver})
		equal(t, "of neither", find(label.TagAssignmentFilter{AgentCode: new("A1"), Tag: new("Gold")}), []string{})
		equal(t, "by tag, downwards", find(label.TagAssignmentFilter{}, listing.Order{Field: "TAG", Desc: true}), []string{a2Silver, a1Silver, a2Gold})
		equal(t, "by time", find(label.TagAssignmentFilter{}, listing.Order{Field: "ASSIGNED_AT"}), []string{a2Gold, a2Silver, a1Silver})
		equal(t, "by agent code, downwards", find(label.TagAssignmentFilter{}, listing.Order{Field: "AGENT_CODE", Desc: true}), []string{a2Silver, a2Gold, a1Silver})
	})
}

func TestTagsInUseStay(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.newTags("Gold")
		w.register(newcomer("A1"))
		w.must(w.UpdateTags(w.ctx, "A1", assign("Gold")))
		if _, err := w.DeleteTag(w.ctx, "Gold", "x"); !problem.Has(err, problem.ReferenceInUse) {
			t.Errorf("a tag that is worn was deleted: %v", err)
		}
	})
}
