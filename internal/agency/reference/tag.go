package reference

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/tag"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Tag is "a label defined by the agency, keyed by name" (Tag).
type Tag = db.Tag

// TagInput is a new or changed tag.
type TagInput struct {
	Name        patch.Field[string] `name:"name" column:"name" as:"tag" needed:"true" about:"the key"`
	Description patch.Field[string] `name:"description" column:"description" as:"note" about:"what it is for"`
	Color       patch.Field[string] `name:"color" column:"color" as:"color" about:"# and six hexadecimal digits"`
	Initiator   string
}

var tags = referenceKind[TagInput, Tag]{
	ReferenceTable: record.TagTable, fields: fields.Of[TagInput](),
	by:   func(in *TagInput) *string { return &in.Initiator },
	read: func(ctx context.Context, w *record.Writing, id int64) (*Tag, error) { return w.Tag.Get(ctx, id) },
}

// Tags reads all tags, by name.
func (s *Service) Tags(ctx context.Context) ([]*Tag, error) {
	return s.store.Ent().Tag.Query().Order(tag.ByName()).All(ctx)
}

// TagCounts counts the agents that have tags, in one statement. It leaves out tags that
// no agent has.
func (s *Service) TagCounts(ctx context.Context, ids []int64) (map[int64]int, error) {
	type count struct {
		id int64
		n  int
	}
	rows, err := record.ReadMap(ctx, s.store, func(r store.Scanner) (c count, err error) { return c, r.Scan(&c.id, &c.n) },
		func(c count) int64 { return c.id }, func(q *store.SQL, tenant string) {
			q.Write("SELECT t.id, count(*) FROM agency_tag t JOIN agency_tag_assignment x ON x.tenant_id = t.tenant_id AND x.tag = t.name" +
				" WHERE t.tenant_id = " + tenant + " AND " + s.store.In("t.id", q.Arg(s.store.List(ids))) + " GROUP BY t.id")
		})
	counts := make(map[int64]int, len(rows))
	for id, c := range rows {
		counts[id] = c.n
	}
	return counts, err
}

// CreateTag defines a tag.
func (s *Service) CreateTag(ctx context.Context, in TagInput) (*Tag, error) {
	return tags.add(ctx, s, in)
}

// UpdateTag changes the tag with a name. changed is false, and nothing is written, if
// everything sent was already so.
func (s *Service) UpdateTag(ctx context.Context, name string, in TagInput) (row *Tag, changed bool, err error) {
	return tags.change(ctx, s, name, in)
}

// DeleteTag removes the tag with a name unless an agent has it, and returns its id.
func (s *Service) DeleteTag(ctx context.Context, name, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.TagTable, name, initiator)
}
