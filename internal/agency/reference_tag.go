package agency

import (
	"context"
	"regexp"
	"strings"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/tag"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// Tag is "a label defined by the agency, keyed by name" (Tag).
type Tag = db.Tag

// TagInput is a new or changed tag.
type TagInput struct {
	Name, Description, Color patch.Field[string]
	Initiator                string
}

// assignedTags is the name that no tag can have: GET /tags/assigned lists the
// assignments.
const assignedTags = "assigned"

var colorPattern = regexp.MustCompile(`^#[0-9A-Fa-f]{6}$`)

// Tags reads all tags, by name.
func (s *Service) Tags(ctx context.Context) ([]*Tag, error) {
	return s.store.Ent().Tag.Query().Order(tag.ByName()).All(ctx)
}

// TagCounts counts the agents that wear tags, in one statement; tags that nobody
// wears are left out.
func (s *Service) TagCounts(ctx context.Context, ids []int64) (map[int64]int, error) {
	type count struct {
		id int64
		n  int
	}
	rows, err := readMap(ctx, s.store, func(r store.Scanner) (c count, err error) { return c, r.Scan(&c.id, &c.n) },
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

func (c *inputCheck) tag(in *TagInput) {
	in.Initiator = c.Initiator(in.Initiator)
	c.Clearable(&in.Description, maxNote, "description")
	c.Clearable(&in.Color, maxText, "color")
	if in.Color.Value != nil {
		c.Form(*in.Color.Value, colorPattern, "must be # and six hexadecimal digits", "color")
	}
}

// tagName checks the key of a new tag.
func (c *inputCheck) tagName(name *patch.Field[string]) {
	c.referenceName(name, "name")
	if name.Value != nil && strings.EqualFold(*name.Value, assignedTags) {
		c.Refuse(problem.ReservedName, "must not be "+assignedTags+", which is reserved", "name")
	}
}

// CreateTag defines a tag.
func (s *Service) CreateTag(ctx context.Context, in TagInput) (row *Tag, err error) {
	if err := checkNewTag(&in); err != nil {
		return nil, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, err = w.createTag(ctx, in)
		return err
	})
	return row, err
}

func checkNewTag(in *TagInput) error {
	var c inputCheck
	c.tagName(&in.Name)
	c.tag(in)
	return c.Err()
}

func (w *writing) createTag(ctx context.Context, in TagInput) (*Tag, error) {
	row, err := w.Tag.Create().SetName(*in.Name.Value).SetNillableDescription(in.Description.Value).SetNillableColor(in.Color.Value).
		SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
	return row, tagTable.added(w, *in.Name.Value, err)
}

// UpdateTag changes the tag of a name. changed is false when everything sent was
// already so; nothing is then written.
func (s *Service) UpdateTag(ctx context.Context, name string, in TagInput) (row *Tag, changed bool, err error) {
	if err := checkChangedTag(&in, name); err != nil {
		return nil, false, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, changed, err = w.updateTag(ctx, name, in)
		return err
	})
	return row, changed, err
}

func checkChangedTag(in *TagInput, name string) error {
	var c inputCheck
	fixed(&c, in.Name, name, "name")
	c.tag(in)
	return c.Err()
}

func (w *writing) updateTag(ctx context.Context, name string, in TagInput) (row *Tag, changed bool, err error) {
	id, err := w.lockReference(ctx, tagTable, name)
	if err != nil {
		return nil, false, err
	}
	row, err = w.Tag.Query().Where(tag.ID(id)).Only(ctx)
	if err != nil {
		return nil, false, err
	}
	r := &revision{table: tagTable, key: name, id: id, at: &row.LastModified, by: &row.LastModifiedBy}
	reviseOptional(r, "description", "description", &row.Description, in.Description)
	reviseOptional(r, "color", "color", &row.Color, in.Color)
	changed, err = r.save(ctx, w)
	return row, changed, err
}

// DeleteTag removes the tag of a name, unless an agent wears it, and returns its
// id.
func (s *Service) DeleteTag(ctx context.Context, name, initiator string) (int64, error) {
	return s.deleteReference(ctx, tagTable, name, initiator)
}
