package label

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// maxTagOperations limits the operations of one request.
const maxTagOperations = 100

// TagsUpdate holds changes of an agent's tags.
type TagsUpdate struct {
	// Operations are carried out in this order.
	Operations []TagOperation
	Initiator  string
}

// TagOperation assigns a tag or unassigns it.
type TagOperation struct {
	Assign bool
	Tag    string
}

// UpdateTags assigns and unassigns tags. changed is false, and nothing is written, if the
// agent has the same tags as before.
func (s *Service) UpdateTags(ctx context.Context, agentCode string, in TagsUpdate) (changed bool, err error) {
	var sent record.Check
	in.Initiator = sent.Initiator(in.Initiator)
	in.Operations = checkTagOperations(&sent, in.Operations)
	err = s.writer.Write(ctx, in.Initiator, false, func(ctx context.Context, w *record.Writing) error {
		lock, err := w.AskForAgent(ctx, w.ForUpdate(), agentCode)
		if err != nil {
			return err
		}
		known, err := record.AskKeys(ctx, w, record.TagTable, tagsOf(in.Operations))
		if err := record.FirstOf(err, w.Flush(ctx)); err != nil {
			return err
		}
		agentID, err := w.Locked(ctx, lock)
		if err != nil {
			return err
		}
		if err := checkTags(slices.Clone(sent.List), in.Operations, known); err != nil {
			return err
		}
		changed, err = updateTags(ctx, w, agentID, in.Operations)
		if err != nil || !changed {
			return err
		}
		return w.TouchAgent(ctx, agentID, "tags")
	})
	return changed, err
}

// checkTagOperations checks what was sent, and returns it without the blanks around the
// names.
func checkTagOperations(c *record.Check, sent []TagOperation) []TagOperation {
	if len(sent) == 0 {
		c.Refuse(problem.Required, "must not be empty", "tags")
	}
	if !c.AtMost(len(sent), maxTagOperations, "operations", "tags") {
		return nil
	}
	operations := slices.Clone(sent)
	for i := range operations {
		o := &operations[i]
		o.Tag = c.Required(o.Tag, record.MaxName, "tags", strconv.Itoa(i), "tag")
	}
	return operations
}

func tagsOf(operations []TagOperation) []string {
	names := make([]string, len(operations))
	for i, o := range operations {
		names[i] = o.Tag
	}
	return names
}

// checkTags adds the tags that are not configured to the refusals.
func checkTags(refused problem.List, operations []TagOperation, known map[string]bool) error {
	for i, o := range operations {
		if o.Tag != "" && !known[o.Tag] {
			refused.Add(record.TagTable.Unknown("tags", strconv.Itoa(i), "tag"))
		}
	}
	return refused.Err()
}

// updateTags writes the outcome of the operations. A tag that is assigned already keeps
// its stamp. If a tag is deleted at the same moment, the foreign key refuses either the
// assignment or the deletion.
func updateTags(ctx context.Context, w *record.Writing, agentID int64, operations []TagOperation) (changed bool, err error) {
	worn, err := store.Collect(ctx, w, store.ScanOne[string], "SELECT tag FROM agency_tag_assignment WHERE tenant_id = $1 AND agent_id = $2", w.Tenant.ID, agentID)
	if err != nil {
		return false, err
	}
	wears := map[string]bool{}
	for _, o := range operations {
		wears[o.Tag] = o.Assign
	}
	var removed []string
	var added []Assignment
	for _, name := range slices.Sorted(maps.Keys(wears)) {
		switch has := slices.Contains(worn, name); {
		case has && !wears[name]:
			removed = append(removed, name)
		case !has && wears[name]:
			added = append(added, Assignment{agentID, name})
		}
	}
	if len(removed) > 0 {
		if err := w.Later(ctx, "DELETE FROM agency_tag_assignment WHERE tenant_id = $1 AND agent_id = $2 AND "+w.InTexts("tag", "$3"),
			w.Tenant.ID, agentID, w.Texts(removed)); err != nil {
			return false, err
		}
	}
	return len(removed)+len(added) > 0, InsertAssignments(ctx, w, added)
}

// Assignment is a tag that an agent gets.
type Assignment struct {
	AgentID int64
	Tag     string
}

// InsertAssignments assigns tags to agents that do not have them.
func InsertAssignments(ctx context.Context, w *record.Writing, all []Assignment) error {
	columns := []string{"tenant_id", "agent_id", "tag", "assigned_at", "assigned_by"}
	return w.CopyLater(ctx, "agency_tag_assignment", columns, func(yield func([]any) bool) {
		row := make([]any, 0, len(columns))
		for _, a := range all {
			if row = append(row[:0], w.Tenant.ID, a.AgentID, a.Tag, w.Now, w.Initiator); !yield(row) {
				return
			}
		}
	})
}
