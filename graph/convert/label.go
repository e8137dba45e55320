package convert

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"
)

// AliasFilter is a filter of aliases, as the area takes it.
func AliasFilter(f *model.AliasFilter) label.AliasFilter {
	if f == nil {
		return label.AliasFilter{}
	}
	return label.AliasFilter{AgentCode: Value(f.AgentCode), Identifier: Value(f.Identifier), ProviderCompany: Value(f.ProviderCompany)}
}

// TagAssignmentFilter is a filter of assigned tags, as the area takes it.
func TagAssignmentFilter(f *model.TagAssignmentFilter) label.TagAssignmentFilter {
	if f == nil {
		return label.TagAssignmentFilter{}
	}
	return label.TagAssignmentFilter{AgentCode: Value(f.AgentCode), Tag: Value(f.Tag)}
}

// TagsUpdate is the input of a change of an agent's tags, as the area takes it.
func TagsUpdate(in model.AgentTagsUpdateInput) label.TagsUpdate {
	operations := make([]label.TagOperation, len(in.Tags))
	for i, o := range in.Tags {
		operations[i] = label.TagOperation{Assign: o.Operation == model.TagOperationAssign, Tag: o.Tag}
	}
	return label.TagsUpdate{Operations: operations, Initiator: in.Initiator}
}
