package agency

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/words/problem"
)

// listConfigured says in the refusals of unknown reference data which there is.
func (im *importing) listConfigured(ctx context.Context) error {
	lists := map[string][]string{}
	for i := range im.results {
		for n, p := range im.results[i].Problems {
			t, ok := im.tableOf(p)
			if !ok {
				continue
			}
			keys, read := lists[t.table]
			if !read {
				var err error
				if keys, err = im.configured(ctx, t); err != nil {
					return err
				}
				lists[t.table] = keys
			}
			im.results[i].Problems[n] = bulk.WithConfigured(p, keys)
		}
	}
	return nil
}

// tableOf is the reference data that a problem says it does not know.
func (im *importing) tableOf(p *problem.Error) (referenceTable, bool) {
	for _, t := range []referenceTable{payStatusTable, jurisdictionTable, certificationTypeTable, providerCompanyTable, levelTable(0)} {
		if p.Code == t.code && p.Message == t.message {
			return t, true
		}
	}
	return referenceTable{}, false
}

// configured are the keys of reference data that new records may use, in order.
func (im *importing) configured(ctx context.Context, t referenceTable) ([]string, error) {
	if t.code != problem.UnknownLevel {
		keys, err := referenceKeys[string](ctx, im.writing, t)
		return slices.Sorted(maps.Keys(keys)), err
	}
	team, err := teamID(ctx, im, DefaultTeam)
	if err != nil {
		return nil, err
	}
	keys, err := referenceKeys[int](ctx, im.writing, levelTable(team))
	var texts []string
	for _, level := range slices.Sorted(maps.Keys(keys)) {
		texts = append(texts, strconv.Itoa(level))
	}
	return texts, err
}
