package model

import (
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/history"
)

// Alias is another identifier of an agent, who is read as of a day.
type Alias struct {
	*label.Alias
	At history.AsOf
}

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Alias) IsNode()    {}
func (Alias) IsAudited() {}

// GlobalID is the field id.
func (a *Alias) GlobalID() string { return ViewID(AliasNode, a.ID, a.At) }

// Tag is a tag that the agency defined.
type Tag struct{ *reference.Tag }

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Tag) IsNode()    {}
func (Tag) IsAudited() {}

// GlobalID is the field id.
func (t *Tag) GlobalID() string { return RowID(TagNode, t.ID) }

// TagAssignment is an agent, read as of a day, with a tag that it has.
type TagAssignment struct {
	*label.TagAssignment
	At history.AsOf
}
