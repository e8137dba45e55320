package agency

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// WrongKeys returns the ids of agents who are found by other keys than their details give:
// an older server has changed them. The ids of agents who are gone and still have keys are
// among them.
func (s *Service) WrongKeys(ctx context.Context) (wrong []int64, err error) {
	stored, err := s.storedKeys(ctx)
	if err != nil {
		return nil, err
	}
	err = s.eachKeyed(ctx, true, func(_ context.Context, _ *record.Writing, ids []int64, keys []record.Keyed) error {
		given := map[int64]uint64{}
		for _, of := range keys {
			for key := range of.Keys {
				given[of.AgentID] += digest(int64(key.Place), key.Text, of.Source)
			}
		}
		for _, id := range ids {
			if stored[id] != given[id] {
				wrong = append(wrong, id)
			}
			delete(stored, id)
		}
		return nil
	})
	wrong = slices.AppendSeq(wrong, maps.Keys(stored))
	slices.Sort(wrong)
	return wrong, err
}

// MendKeys makes the keys of all agents anew.
func (s *Service) MendKeys(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	if err := s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM "+record.KeyTable+" WHERE tenant_id = $1", tenantID)
		return err
	}); err != nil {
		return err
	}
	return s.FillKeys(ctx)
}

// storedKeys sums digests of the keys of each agent.
func (s *Service) storedKeys(ctx context.Context) (map[int64]uint64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	sums := map[int64]uint64{}
	_, err = store.Collect(ctx, s.store, func(row store.Scanner) (struct{}, error) {
		var (
			agentID, place, source int64
			text                   string
		)
		err := row.Scan(&agentID, &place, &text, &source)
		sums[agentID] += digest(place, text, source)
		return struct{}{}, err
	}, "SELECT agent_id, place, key, source FROM "+record.KeyTable+" WHERE tenant_id = $1", tenantID)
	return sums, err
}

func digest(place int64, text string, source int64) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(place)), uint64(source)))
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}
