package agency

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/text"
)

// beginning is how the names begin that a filter asks for. Accents do not count, as in a
// search: garcia finds García, and García finds Garcia.
type beginning struct {
	column string
	// keys are what the keys of names begin with: the text as it was given, and without accents.
	keys []string
	// others are the keys of names that differ from these in their accents.
	others []string
}

// accented is the SQL for whether a key of a name has letters beyond a to z. An index has the
// keys of such names (migration 158).
func accented(s *store.Store, column string) string {
	if s.Postgres() {
		return "octet_length(" + column + ") <> char_length(" + column + ")"
	}
	return "length(CAST(" + column + " AS blob)) <> length(" + column + ")"
}

// beginningOf returns how names begin that begin with a text, as of a day; nil for none or a
// blank one.
func (t *filterTree) beginningOf(ctx context.Context, column string, begin *string) (*beginning, error) {
	key := SearchKey(begin)
	if key == "" {
		return nil, nil
	}
	b := &beginning{column: column, keys: []string{key}}
	folded := text.Fold(key)
	if folded != key {
		b.keys = append(b.keys, folded)
	}
	ctx = visibility.AsKnown(ctx, t.asOf)
	names, err := store.Collect(ctx, t.s.store, store.ScanOne[string], "SELECT DISTINCT a."+column+" FROM agency_agent a WHERE a.tenant_id = $1 AND "+accented(t.s.store, "a."+column), t.tenantID)
	for _, name := range names {
		if strings.HasPrefix(text.Fold(name), folded) && !strings.HasPrefix(name, key) {
			b.others = append(b.others, name)
		}
	}
	return b, err
}

// write writes the condition, with AND before it.
func (b *beginning) write(q *store.SQL, s *store.Store) {
	if b == nil {
		return
	}
	column, next := "a."+b.column, " AND ("
	for _, key := range b.keys {
		q.Write(next+column+" >= ? AND "+column+" < ?", key, key+last)
		next = " OR "
	}
	if b.others != nil {
		q.Write(" OR " + s.InTexts(column, q.Arg(s.Texts(b.others))))
	}
	q.Write(")")
}
