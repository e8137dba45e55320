package convert

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/reference"

	"github.com/uplinehq/upline/internal/history"
)

// AliasView shows aliases as of a day.
func AliasView(at history.AsOf) func(*label.Alias) *model.Alias {
	return func(l *label.Alias) *model.Alias { return &model.Alias{Alias: l, At: at} }
}

// AliasFilter is a filter of aliases, as the area takes it.
func AliasFilter(f *model.AliasFilter) label.AliasFilter {
	if f == nil {
		return label.AliasFilter{}
	}
	return label.AliasFilter{AgentCode: Value(f.AgentCode), Identifier: Value(f.Identifier), ProviderCompany: Value(f.ProviderCompany)}
}

// TagView shows a tag.
func TagView(t *reference.Tag) *model.Tag { return &model.Tag{Tag: t} }

// TagAssignmentView shows assigned tags as of a day.
func TagAssignmentView(at history.AsOf) func(*label.TagAssignment) *model.TagAssignment {
	return func(t *label.TagAssignment) *model.TagAssignment {
		return &model.TagAssignment{TagAssignment: t, At: at}
	}
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
