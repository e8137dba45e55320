package agency

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// keyColumns are the columns of an agent that keysOfAgent makes keys of; a code never changes.
var keyColumns = []string{"first_name", "middle_name", "last_name", "common_name", "suffix", "npn", "email"}

// keysOf returns the keys that agents are to have.
func keysOf(ctx context.Context, q store.Querier, tenantID int64, ids []int64) ([]record.Keyed, error) {
	agents, err := readAgents(ctx, q, tenantID, ids)
	if err != nil {
		return nil, err
	}
	phones, err := readPhones(ctx, q, tenantID, ids)
	if err != nil {
		return nil, err
	}
	keys, err := label.KeysOfAliases(ctx, q, tenantID, ids)
	for _, id := range ids {
		if a := agents[id]; a != nil {
			keys = append(keys, record.Keyed{AgentID: id, Keys: keysOfAgent(a.code, &a.Details)})
		}
		keys = append(keys, keysOfContacts([]contactOf{{id, Contact{Phones: phones[id]}}})...)
	}
	return keys, err
}

// fillBatch is the number of agents that get their keys in one transaction.
const fillBatch = 500

// searchKeys keeps the keys by which agents are found. It is safe for concurrent use.
type searchKeys struct {
	store  *store.Store
	writer *record.Writer
}

// FillKeys adds the keys of agents that have none: of those that were there before there
// were keys, and of those that an older server has added since.
func (k *searchKeys) FillKeys(ctx context.Context) error {
	return k.eachKeyed(ctx, false, func(ctx context.Context, w *record.Writing, _ []int64, keys []record.Keyed) error {
		return record.FirstOf(w.RemoveKeys(ctx, keys...), w.AddKeys(ctx, keys...))
	})
}

// eachKeyed calls f with the keys that agents are to have, a batch in each transaction: of
// all agents, in transactions that change nothing, or of those without keys, who are locked.
func (k *searchKeys) eachKeyed(ctx context.Context, all bool, f func(ctx context.Context, w *record.Writing, ids []int64, keys []record.Keyed) error) error {
	tenantID, err := tenant.ID(ctx)
	var last int64 // the agents up to it are done
	for done := fillBatch; err == nil && done == fillBatch; {
		err = k.writer.Write(ctx, "upline", all, func(ctx context.Context, w *record.Writing) error {
			q := new(store.SQL).Write("SELECT a.id FROM agency_agent a WHERE a.tenant_id = ? AND a.id > ?", tenantID, last)
			if !all {
				q.Write(" AND a.id NOT IN (SELECT k.agent_id FROM "+record.KeyTable+" k WHERE k.tenant_id = ? AND k.place = ? AND k.agent_id > ?)", tenantID, record.NaturalKey, last)
			}
			ids, err := store.Collect(ctx, w, store.ScanOne[int64], q.Write(" ORDER BY a.id LIMIT ?", fillBatch).Text(), q.Args()...)
			if done = len(ids); err != nil || done == 0 {
				return err
			}
			last = ids[done-1]
			if !all {
				locked, err := w.LockAgents(ctx, w.In("id", "$2"), w.List(ids))
				if err != nil {
					return err
				}
				ids = slices.Collect(maps.Values(locked))
			}
			keys, err := keysOf(ctx, w, w.Tenant.ID, ids)
			if err != nil {
				return err
			}
			return f(ctx, w, ids, keys)
		})
	}
	return err
}

// WrongKeys returns the ids of agents who are found by other keys than their details give:
// an older server has changed them. The ids of agents who are gone and still have keys are
// among them; agents without any are not, since FillKeys gives them theirs when a server
// starts, and every hour.
func (k *searchKeys) WrongKeys(ctx context.Context) (wrong []int64, err error) {
	stored, err := k.storedKeys(ctx)
	if err != nil {
		return nil, err
	}
	err = k.eachKeyed(ctx, true, func(_ context.Context, _ *record.Writing, ids []int64, keys []record.Keyed) error {
		given := map[int64]uint64{}
		for _, of := range keys {
			for key := range of.Keys {
				given[of.AgentID] += digest(int64(key.Place), key.Text, of.Source)
			}
		}
		for _, id := range ids {
			if is, has := stored[id]; has && is != given[id] {
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
func (k *searchKeys) MendKeys(ctx context.Context) error {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	if err := k.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "DELETE FROM "+record.KeyTable+" WHERE tenant_id = $1", tenantID)
		return err
	}); err != nil {
		return err
	}
	return k.FillKeys(ctx)
}

// storedKeys sums digests of the keys of each agent.
func (k *searchKeys) storedKeys(ctx context.Context) (map[int64]uint64, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	sums := map[int64]uint64{}
	_, err = store.Collect(ctx, k.store, func(row store.Scanner) (struct{}, error) {
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
