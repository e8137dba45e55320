package agency

import (
	"context"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
)

// places are what the rows of agents may refer to.
type places struct {
	teamID        int64
	statuses      map[string]bool
	jurisdictions map[string]bool
	levels        map[int]bool
	// missing are the codes of uplines that will not come.
	missing map[string]bool
	// promised are the agents that an earlier row of the call is about to give their
	// places, on the second pass.
	promised map[int64]bool
}

func (w *writing) places(ctx context.Context, team int64) (*places, error) {
	p := &places{teamID: team, promised: map[int64]bool{}}
	var err1, err2, err3 error
	p.statuses, err1 = referenceKeys[string](ctx, w, payStatusTable)
	p.jurisdictions, err2 = referenceKeys[string](ctx, w, jurisdictionTable)
	p.levels, err3 = referenceKeys[int](ctx, w, levelTable(team))
	return p, firstOf(err1, err2, err3)
}

// uplinesThatWillNotCome are the codes of uplines that neither the file nor the
// agency has. Their rows are refused before anything is written of them.
func (im *importing) uplinesThatWillNotCome(ctx context.Context, rows []*agentRow) (map[string]bool, error) {
	missing := map[string]bool{}
	for _, r := range rows {
		if u := r.in.Teams[0].DirectUpline; u != nil && r.outside {
			missing[*u] = true
		}
	}
	there, err := im.idsByCode(ctx, slices.Collect(maps.Keys(missing)))
	for code := range there {
		delete(missing, code)
	}
	return missing, err
}

// referenceKeys are the keys that new records may use.
func referenceKeys[K comparable](ctx context.Context, w *writing, t referenceTable) (map[K]bool, error) {
	var s store.SQL
	s.Write("SELECT "+t.key+" FROM "+t.table+" WHERE tenant_id = ? AND "+t.enabled, w.Tenant.ID)
	for _, o := range t.owner {
		s.Write(" AND "+o.name+" = ?", o.value)
	}
	keys := map[K]bool{}
	_, err := store.Collect(ctx, w, func(r store.Scanner) (struct{}, error) {
		var key K
		err := r.Scan(&key)
		keys[key] = true
		return struct{}{}, err
	}, s.Text(), s.Args()...)
	return keys, err
}

// unknown is the problem of a key that is not configured.
func (t referenceTable) unknown(field ...string) *problem.Error {
	return problem.Invalid(t.code, t.message, field...)
}
