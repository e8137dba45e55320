package convert

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"
)

// TagsUpdate is the input of a change of an agent's tags, as the area takes it.
func TagsUpdate(in model.AgentTagsUpdateInput) label.TagsUpdate {
	operations := make([]label.TagOperation, len(in.Tags))
	for i, o := range in.Tags {
		operations[i] = label.TagOperation{Assign: o.Operation == model.TagOperationAssign, Tag: o.Tag}
	}
	return label.TagsUpdate{Operations: operations, Initiator: in.Initiator}
}
