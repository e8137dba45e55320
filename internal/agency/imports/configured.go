package imports

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

// listConfigured adds to each refusal of unknown reference data a list of what is
// configured.
func (im *Import) listConfigured(ctx context.Context) error {
	lists := map[string][]string{}
	for i := range im.Results {
		for n, p := range im.Results[i].Problems {
			t, ok := im.tableOf(p)
			if !ok {
				continue
			}
			keys, read := lists[t.Table]
			if !read {
				var err error
				if keys, err = im.configured(ctx, t); err != nil {
					return err
				}
				lists[t.Table] = keys
			}
			im.Results[i].Problems[n] = bulk.WithConfigured(p, keys)
		}
	}
	return nil
}

// tableOf returns the reference data that a problem is about.
func (im *Import) tableOf(p *problem.Error) (record.ReferenceTable, bool) {
	for _, t := range []record.ReferenceTable{record.PayStatusTable, record.JurisdictionTable, record.CertificationTypeTable, record.ProviderCompanyTable, record.LevelTable(0)} {
		if p.Code == t.Code && p.Message == t.Message {
			return t, true
		}
	}
	return record.ReferenceTable{}, false
}

// configured returns the keys of reference data that new records may use, in order.
func (im *Import) configured(ctx context.Context, t record.ReferenceTable) ([]string, error) {
	if t.Code != problem.UnknownLevel {
		keys, err := record.ReferenceKeys[string](ctx, im.Writing, t)
		return slices.Sorted(maps.Keys(keys)), err
	}
	team, err := record.TeamID(ctx, im, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	keys, err := record.ReferenceKeys[int](ctx, im.Writing, record.LevelTable(team))
	var texts []string
	for _, level := range slices.Sorted(maps.Keys(keys)) {
		texts = append(texts, strconv.Itoa(level))
	}
	return texts, err
}
