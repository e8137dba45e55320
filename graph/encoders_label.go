package graph

import (
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/encode"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
)

// tagFields are those of a tag that its row holds.
func tagFields() map[string]encode.Compile[*agency.Tag] {
	type view = *agency.Tag
	return map[string]encode.Compile[view]{
		"id":             encode.Text(func(t view) string { return tagView(t).GlobalID() }),
		"name":           encode.Text(func(t view) string { return t.Name }),
		"description":    encode.OptionalText(func(t view) *string { return t.Description }),
		"color":          encode.OptionalText(func(t view) *string { return t.Color }),
		"createdAt":      encode.Instant(func(t view) time.Time { return t.CreatedAt }),
		"createdBy":      encode.Text(func(t view) string { return t.CreatedBy }),
		"lastModified":   encode.Instant(func(t view) time.Time { return t.LastModified }),
		"lastModifiedBy": encode.Text(func(t view) string { return t.LastModifiedBy }),
	}
}

// tags encodes the tags an agent wears.
func (e *encoders) tags(c *encode.Compiler, f *ast.Field) encode.Append[*model.Agent] {
	slot := c.Slot()
	tag := &encode.Type[*agency.Tag]{Names: []string{"Tag", "Node", "Audited"}, Fields: tagFields()}
	list := encode.List(tag, func(tags []*agency.Tag) []*agency.Tag { return tags })(c, f)
	if list == nil {
		return nil
	}
	return func(b []byte, a *model.Agent, r *encode.Run) []byte {
		batch := encode.Once(r, slot, func() *loader.Batch[[]*agency.Tag] { return e.r.tagsOf(r.Ctx) })
		return list(b, read(r, batch, a.ID), r)
	}
}
