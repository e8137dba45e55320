package label

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/tag"
	"github.com/uplinehq/upline/ent/db/tagassignment"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/problem"
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
		agentID, err := w.LockAgent(ctx, agentCode)
		if err != nil {
			return err
		}
		if err := checkTags(ctx, w, slices.Clone(sent.List), in.Operations); err != nil {
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

// checkTags adds the tags that are not configured to the refusals.
func checkTags(ctx context.Context, w *record.Writing, refused problem.List, operations []TagOperation) error {
	names := make([]string, len(operations))
	for i, o := range operations {
		names[i] = o.Tag
	}
	known, err := w.Tag.Query().Where(tag.NameIn(names...)).Select(tag.FieldName).Strings(ctx)
	if err != nil {
		return err
	}
	for i, name := range names {
		if name != "" && !slices.Contains(known, name) {
			refused.Add(problem.Invalid(record.TagTable.Code, record.TagTable.Message, "tags", strconv.Itoa(i), "tag"))
		}
	}
	return refused.Err()
}

// updateTags writes the outcome of the operations. A tag that is assigned already keeps
// its stamp. If a tag is deleted at the same moment, the foreign key refuses either the
// assignment or the deletion.
func updateTags(ctx context.Context, w *record.Writing, agentID int64, operations []TagOperation) (changed bool, err error) {
	worn, err := w.TagAssignment.Query().Where(tagassignment.AgentID(agentID)).Select(tagassignment.FieldTag).Strings(ctx)
	if err != nil {
		return false, err
	}
	wears := map[string]bool{}
	for _, o := range operations {
		wears[o.Tag] = o.Assign
	}
	var removed []string
	var added []*db.TagAssignmentCreate
	for _, name := range slices.Sorted(maps.Keys(wears)) {
		switch has := slices.Contains(worn, name); {
		case has && !wears[name]:
			removed = append(removed, name)
		case !has && wears[name]:
			added = append(added, w.TagAssignment.Create().SetAgentID(agentID).SetTag(name).SetAssignedAt(w.Now).SetAssignedBy(w.Initiator))
		}
	}
	if len(removed) > 0 {
		if _, err := w.TagAssignment.Delete().Where(tagassignment.AgentID(agentID), tagassignment.TagIn(removed...)).Exec(ctx); err != nil {
			return false, err
		}
	}
	if len(added) > 0 {
		err = w.TagAssignment.CreateBulk(added...).Exec(ctx)
	}
	return len(removed)+len(added) > 0, err
}
