package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// TagInput is a new or changed tag: "a label defined by the agency, keyed by name" (Tag).
type TagInput struct {
	Name        patch.Field[string] `name:"name" column:"name" as:"tag" needed:"true" about:"the key"`
	Description patch.Field[string] `name:"description" column:"description" as:"note" about:"what it is for"`
	Color       patch.Field[string] `name:"color" column:"color" as:"color" about:"# and six hexadecimal digits"`
	Initiator   string
}

var tags = referenceKind[TagInput]{
	ReferenceTable: record.TagTable, fields: fields.Of[TagInput](),
	by: func(in *TagInput) *string { return &in.Initiator },
}

// CreateTag defines a tag, and returns its id.
func (s *Service) CreateTag(ctx context.Context, in TagInput) (id int64, err error) {
	return tags.add(ctx, s, in)
}

// DefineTag is CreateTag as a part of a write.
func DefineTag(ctx context.Context, w *record.Writing, in TagInput) error {
	err := tags.check(&in, true, nil)
	if err == nil {
		_, err = tags.insert(ctx, w, in)
	}
	return err
}

// UpdateTag changes the tag with a name, and returns its id. changed is false, and
// nothing is written, if everything sent was already so.
func (s *Service) UpdateTag(ctx context.Context, name string, in TagInput) (id int64, changed bool, err error) {
	return tags.change(ctx, s, name, in)
}

// DeleteTag removes the tag with a name unless an agent has it, and returns its id.
func (s *Service) DeleteTag(ctx context.Context, name, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.TagTable, name, initiator)
}
