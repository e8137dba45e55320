package certification

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/agency/imports"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// matchRows finds the certification of each row, or makes a new one. It refuses the rows
// with which something is wrong.
func matchRows(ctx context.Context, im *imports.Import, rows []*certificationRow, agents map[string]int64, known *references) (matched, fresh []*importedCertification, err error) {
	byKey, err := storedCertifications(ctx, im, agents)
	if err != nil {
		return nil, nil, err
	}
	taken := map[*importedCertification]bool{}
	for _, r := range rows {
		agentID := agents[r.AgentCode]
		if agentID == 0 && r.AgentCode != "" {
			r.refused.List = append(problem.From(record.UnknownAgent("agentCode")), r.refused.List...)
		}
		added := r.added(0, agentID)
		key := added.key()
		there := byKey[key]
		if there == nil {
			known.check(&r.Upsert, &r.refused)
		}
		if im.Refuse(r.i, r.refused.List) {
			continue
		}
		switch {
		case there == nil:
			there = &importedCertification{stored: *added, agentCode: r.AgentCode, fate: record.Added}
			byKey[key] = there
			fresh = append(fresh, there)
		case there.fate != record.Added && !taken[there]:
			taken[there] = true
			there.agentCode = r.AgentCode
			matched = append(matched, there)
		}
		r.of = there
	}
	return matched, fresh, nil
}

func storedCertifications(ctx context.Context, im *imports.Import, agents map[string]int64) (map[certificationKey]*importedCertification, error) {
	ids := make([]int64, 0, len(agents))
	for _, id := range agents {
		ids = append(ids, id)
	}
	byKey := map[certificationKey]*importedCertification{}
	_, err := store.Collect(ctx, im, func(row store.Scanner) (struct{}, error) {
		c := new(importedCertification)
		err := row.Scan(c.dest()...)
		byKey[c.key()] = c
		return struct{}{}, err
	}, "SELECT "+strings.Join(storedColumns, ", ")+" FROM agency_certification WHERE tenant_id = $1 AND "+im.In("agent_id", "$2"), im.Tenant.ID, im.List(ids))
	return byKey, err
}
