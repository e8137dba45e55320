package demo

import "context"

// addTags defines the tags, as if the agency had begun with them. A tag of the
// same name that the tenant has already stays as it is.
func (l *loader) addTags(ctx context.Context, a *Agency) error {
	founded := l.now
	if len(a.Agents) > 0 {
		founded = a.Agents[0].StartDate.Time()
	}
	for _, t := range a.Tags {
		if _, err := l.tx.Exec(ctx, `INSERT INTO agency_tag (tenant_id, name, description, color, created_at, created_by, last_modified, last_modified_by)
			VALUES ($1, $2, $3, $4, $5, $6, $5, $6) ON CONFLICT (tenant_id, name) DO NOTHING`,
			l.tenant.ID, t.Name, t.Description, t.Color, founded, initiator); err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) aliases(yield func([]any) bool) {
	for i := range b.agents {
		for _, x := range b.agents[i].Aliases {
			created := b.recorded(i, x.Since)
			if !yield([]any{b.tenant.ID, b.id(i), x.Identifier, x.ProviderCompany, created, initiator, created, initiator}) {
				return
			}
		}
	}
}

func (b *batch) tagAssignments(yield func([]any) bool) {
	for i := range b.agents {
		for _, x := range b.agents[i].Tags {
			if !yield([]any{b.tenant.ID, b.id(i), x.Tag, b.recorded(i, x.Since), initiator}) {
				return
			}
		}
	}
}
