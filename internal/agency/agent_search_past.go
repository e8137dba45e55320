package agency

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/tenant"
)

// past are the keys by which agents were found at an instant, of those who may be found by
// others now: of all others the stored keys are those of then.
type past struct {
	changed []int64
	keys    map[int64][]record.Key
}

// pastKeys returns the keys of an instant; nil for what is known now.
func (s *Service) pastKeys(ctx context.Context, tenantID int64, asOf history.AsOf) (*past, error) {
	at := asOf.Known.At()
	if at == nil {
		return nil, nil
	}
	changed, err := s.changedSince(ctx, tenantID, *at)
	if err != nil {
		return nil, err
	}
	p := &past{changed: append([]int64{}, changed...), keys: map[int64][]record.Key{}}
	for ids := range slices.Chunk(changed, fillBatch) {
		keyed, err := keysOf(visibility.KnownAt(ctx, *at), s.store, tenantID, ids)
		if err != nil {
			return nil, err
		}
		for _, k := range keyed {
			for key := range k.Keys {
				p.keys[k.AgentID] = append(p.keys[k.AgentID], key)
			}
		}
	}
	return p, nil
}

// changedSince returns the agents of whom something changed since an instant that keys are
// made of. An alias that was added says so itself; of what else was added, there are rows.
func (s *Service) changedSince(ctx context.Context, tenantID int64, at time.Time) ([]int64, error) {
	ctx = tenant.Whole(visibility.KnownNow(ctx), "whose keys are looked at anew; whom the caller does not see is not found by them")
	return store.Collect(ctx, s.store, store.ScanOne[int64], "SELECT q.agent_id FROM past_row q WHERE q.tenant_id = $1 AND q.agent_id IS NOT NULL AND q.at > $2"+
		" AND q.relation IN ('agency_agent', 'agency_phone', 'agency_alias') UNION SELECT l.agent_id FROM agency_alias l WHERE l.tenant_id = $1 AND l.created_at > $2", tenantID, at)
}

// ranked returns those in whom every word was found, each as one number, as dated downlines
// have them: the id, and above it the sum of the ranks.
func (p *past) ranked(words []string) []int64 {
	all := []int64{}
	for id, keys := range p.keys {
		if rank, found := rankOf(keys, words); found {
			all = append(all, int64(rank)<<pastIDBits|id)
		}
	}
	return all
}

// pastIDBits are the bits of an id in such a number.
const pastIDBits = 48

// rankOf returns the sum of the best ranks of words.
func rankOf(keys []record.Key, words []string) (sum int, found bool) {
	for _, word := range words {
		best := -1
		for _, l := range lookups(word) {
			if (best < 0 || l.rank < best) && slices.ContainsFunc(keys, l.has) {
				best = l.rank
			}
		}
		if best < 0 {
			return 0, false
		}
		sum += best
	}
	return sum, true
}
