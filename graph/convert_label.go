package graph

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/history"
)

func aliasView(at history.AsOf) func(*agency.Alias) *model.Alias {
	return func(l *agency.Alias) *model.Alias { return &model.Alias{Alias: l, At: at} }
}

func aliasFilter(f *model.AliasFilter) agency.AliasFilter {
	if f == nil {
		return agency.AliasFilter{}
	}
	return agency.AliasFilter{AgentCode: value(f.AgentCode), Identifier: value(f.Identifier), ProviderCompany: value(f.ProviderCompany)}
}

func tagView(t *agency.Tag) *model.Tag { return &model.Tag{Tag: t} }

func tagAssignmentView(at history.AsOf) func(*agency.TagAssignment) *model.TagAssignment {
	return func(t *agency.TagAssignment) *model.TagAssignment {
		return &model.TagAssignment{TagAssignment: t, At: at}
	}
}

func tagAssignmentFilter(f *model.TagAssignmentFilter) agency.TagAssignmentFilter {
	if f == nil {
		return agency.TagAssignmentFilter{}
	}
	return agency.TagAssignmentFilter{AgentCode: value(f.AgentCode), Tag: value(f.Tag)}
}

func tagsUpdate(in model.AgentTagsUpdateInput) agency.TagsUpdate {
	operations := make([]agency.TagOperation, len(in.Tags))
	for i, o := range in.Tags {
		operations[i] = agency.TagOperation{Assign: o.Operation == model.TagOperationAssign, Tag: o.Tag}
	}
	return agency.TagsUpdate{Operations: operations, Initiator: in.Initiator}
}
