package agency_test

import (
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A write is few round trips: one to lock and read, one to write and to lock the end
// of the audit trail, one with the entry and the commit, so that the trail is locked
// for no longer than that.
func TestWriteIsFewTrips(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id := w.upsert(full()).ID
		clock := int64(2) // SQLite's triggers are told the time of a change of kept rows, and its end
		if s.Postgres() {
			clock = 0
		}
		for _, test := range []struct {
			name              string
			statements, trips int64
			write             func(ctx context.Context) error
		}{
			{"a new certification", 12, 2, func(ctx context.Context) error {
				in := full()
				in.Identifier = new("X-2")
				_, err := w.UpsertCertification(ctx, in, false)
				return err
			}},
			{"a certification with another status", 10 + clock, 3, func(ctx context.Context) error {
				_, err := w.UpdateCertification(ctx, id, certification.Update{Status: patch.Set("SUSPENDED"), Initiator: "desk"}, false)
				return err
			}},
			{"an agent with another name, which adds keys", 7 + clock, 3, func(ctx context.Context) error {
				_, err := w.UpdateAgent(ctx, "A1", agency.AgentUpdate{Details: agency.Details{FirstName: patch.Set("Zoe")}, Initiator: "desk"})
				return err
			}},
		} {
			w.clock.Move(time.Minute)
			ctx, statements := store.CountStatements(w.ctx)
			ctx, trips := store.CountTrips(ctx)
			w.must(nil, test.write(ctx))
			if s.Postgres() {
				equal(t, test.name+": statements, round trips", []int64{statements.Load(), trips.Load()}, []int64{test.statements, test.trips})
			} else {
				equal(t, test.name+": statements", statements.Load(), test.statements)
			}
		}
	})
}

// So is the registration of an agent: one to ask for all that it refers to, one to write.
// The others are the hierarchy's and the commit. A move has two more: its
// agents are locked first, and their places read.
func TestRegistrationIsFewTrips(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		in := under("A1", "A9")
		in.Teams[0].Level = new(10)
		in.Contact.Addresses = map[agency.AddressKind]*agency.Address{agency.HomeAddress: {Jurisdiction: patch.Set("US-TX")}}
		ctx, trips := store.CountTrips(w.ctx)
		_, err := w.Register(ctx, in, false)
		w.must(nil, err)
		if n := trips.Load(); w.store.Postgres() && n != 5 {
			t.Errorf("%d round trips of a registration", n)
		}
		ctx, trips = store.CountTrips(w.ctx)
		_, err = w.UpdateMembership(ctx, "default", "A9", agency.MembershipUpdate{DirectUpline: patch.Null[string](), Initiator: "desk"}, false)
		w.must(nil, err)
		if n := trips.Load(); w.store.Postgres() && n != 6 {
			t.Errorf("%d round trips of a move", n)
		}
	})
}

// What every write of something of an agent changes is in no index of the agent's row, so
// PostgreSQL writes one version of the row and none of its ten index entries.
func TestATouchedAgentWritesNoIndexEntry(t *testing.T) {
	w := newAgentWorld(t, dbtest.Postgres(t))
	w.register(newcomer("A1"))
	w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := tx.Exec(ctx, "UPDATE agency_agent SET last_modified = last_modified + interval '1 second', last_modified_by = 'desk' WHERE tenant_id = $1", w.tenantID()); err != nil {
			return err
		}
		var updated, hot int64
		_, err := store.One(ctx, tx, []any{&updated, &hot}, "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_xact_user_tables WHERE relid = 'agency_agent'::regclass")
		equal(t, "rows written, without index entries", []int64{updated, hot}, []int64{1, 1})
		return err
	}))
}
