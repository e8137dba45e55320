package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/admission"
)

// replica is a streaming replica of the database. It answers statements of queries where
// it has every change of the tenant that was committed when the query began, in whichever
// process (decision 13); where it has not, is far behind or away, the primary does.
type replica struct {
	primary, pool *pgxpool.Pool
	// conns shares out the connections of pool.
	conns *admission.Connections
	// guarded is whether policies hold for the role, on both.
	guarded bool

	mu sync.Mutex
	// reached is the newest mark that each tenant was seen with on the replica.
	reached map[int64]int64
	// behind are positions of the primary that the replica has not replayed, the oldest
	// first.
	behind []position
	lag    time.Duration
	away   error
	// started is when the replica's server started; one that starts anew may show less
	// than it did.
	started time.Time
	// there ends when the replica is away, or was: whoever waits for it need not any more,
	// and what was read from it is read again from the primary.
	there context.Context
	leave context.CancelCauseFunc

	stop                     func()
	answered, refused, again atomic.Int64
}

// position is one of the write-ahead log, and when the primary was seen there.
type position struct {
	at  int64
	was time.Time
}

const (
	// maxLag is how far a replica may be behind that is asked at all.
	maxLag = 10 * time.Second
	// lookEvery is how often a replica is looked at, lookWithin how long that may take.
	lookEvery  = 500 * time.Millisecond
	lookWithin = time.Second
)

// errNoReplica and errPromoted say what a server is that was named as a replica,
// errRestarted what it did.
var (
	errRestarted = errors.New("the read replica has started anew")
	errNoReplica = errors.New("the read database is no replica of the database: it is of another cluster")
	errPromoted  = errors.New("the read database is no replica: it takes writes itself")
	// Without the same policies a second line between agencies would be missing, or rows.
	errOtherPolicies = errors.New("row-level security holds for the role of one of the databases only: name the same role for both")
)

// openReplica opens the replica of a primary. One that is away is asked when it is back.
func (o Options) openReplica(ctx context.Context, primary *pgxpool.Pool, of server) (*replica, error) {
	if of.sharded {
		return nil, errReplicaOfCitus
	}
	cfg, _, err := o.configure(o.ReadDatabase)
	if err != nil {
		return nil, fmt.Errorf("the read database: %w", err)
	}
	conns := share(int(cfg.MaxConns), int(cfg.MaxConns))
	cfg.MaxConns++ // one is for looking at it
	r := &replica{primary: primary, conns: conns, guarded: of.guarded, reached: map[int64]int64{}}
	r.there, r.leave = context.WithCancelCause(context.WithoutCancel(ctx))
	cfg.AfterConnect = r.greet
	if r.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, err
	}
	if err := r.sameCluster(ctx); err != nil {
		r.pool.Close()
		return nil, err
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watch sync.WaitGroup
	r.look(watching)
	watch.Go(func() { r.watch(watching) })
	r.stop = func() {
		stop()
		watch.Wait()
		r.pool.Close()
	}
	return r, nil
}

// sameCluster refuses a server that is no copy of the primary. What cannot be asked now
// is not known.
func (r *replica) sameCluster(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var primary, replica int64
	const identifier = "SELECT system_identifier FROM pg_control_system()"
	if r.primary.QueryRow(ctx, identifier).Scan(&primary) != nil || r.pool.QueryRow(ctx, identifier).Scan(&replica) != nil {
		return nil
	}
	if primary != replica {
		return errNoReplica
	}
	return nil
}

// greet looks at the server of a new connection.
func (r *replica) greet(ctx context.Context, conn *pgx.Conn) error {
	if err := sendsDays(ctx, conn); err != nil {
		return err
	}
	var started time.Time
	var guarded bool
	if err := conn.QueryRow(ctx, "SELECT pg_postmaster_start_time(), coalesce(row_security_active(to_regclass('agency_agent')), $1)", r.guarded).Scan(&started, &guarded); err != nil {
		return err
	}
	if guarded != r.guarded {
		return errOtherPolicies
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !started.Equal(r.started) { // perhaps before anybody saw that it was away
		r.started = started
		r.lost(errRestarted) // until it is looked at
	}
	return nil
}

// watch looks at the replica until ctx ends.
func (r *replica) watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.look(ctx)
		}
	}
}

// look finds out whether the replica is there, and how far it is behind.
func (r *replica) look(ctx context.Context) {
	now := position{was: clock.System{}.Now()}
	// A primary that is busy, or away, says nothing about its replica.
	asking, asked := context.WithTimeout(ctx, lookWithin)
	defer asked()
	known := r.primary.QueryRow(asking, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint").Scan(&now.at) == nil
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var copies bool
	var replayed int64
	err := r.pool.QueryRow(ctx, "SELECT pg_is_in_recovery(), coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint").Scan(&copies, &replayed)
	if err == nil && !copies {
		err = errPromoted
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known {
		r.behind = append(r.behind, now)
	}
	if err != nil {
		r.lost(err)
		r.behind = r.behind[max(0, len(r.behind)-1):]
		return
	}
	for len(r.behind) > 0 && r.behind[0].at <= replayed {
		r.behind = r.behind[1:]
	}
	if r.lag = 0; len(r.behind) > 0 {
		r.lag = clock.System{}.Now().Sub(r.behind[0].was)
	}
	if r.away != nil {
		r.away = nil
		r.pool.Reset() // connections of before are dead
		r.there, r.leave = context.WithCancelCause(context.WithoutCancel(ctx))
	}
}

// lost notes that the replica is away. Its lock is held.
func (r *replica) lost(err error) {
	r.away = err
	r.leave(err)
	clear(r.reached)
}

// MarkSlots is how many rows of audit_written a tenant has: a connection of PostgreSQL counts
// in that of its process, so that writers seldom wait for each other.
const MarkSlots = 32

// Mark is a query of one number that grows with each change of a tenant that its people
// made, and with each rebuild of its flattened hierarchy; tenant is the placeholder of its
// id. Whoever reads the mark with something else in one statement knows that it is the same
// as long as the mark is.
//
// Each row that is counted has a weight of its own: where two changes become visible in
// another order on a replica, their marks differ there in between. The newest linked change
// of the trail is what servers of the version before write.
func Mark(tenant string) string {
	return "SELECT coalesce((SELECT CAST(sum(w.changes * (2 * w.slot + 3)) AS bigint) FROM audit_written w WHERE w.tenant_id = " + tenant + "), 0)" +
		" + coalesce((SELECT CAST(sum(b.built_version * (2 * b.team_id + 67)) AS bigint) FROM hierarchy_build b WHERE b.tenant_id = " + tenant + "), 0)" +
		" + coalesce((SELECT h.changed_seq FROM audit_head h WHERE h.tenant_id = " + tenant + "), 0)"
}

// markOn reads the mark of a tenant. Policies hold for it, so it says whose it reads.
func markOn(ctx context.Context, pool *pgxpool.Pool, tenantID int64) (m int64, err error) {
	batch := new(pgx.Batch)
	batch.Queue("SELECT set_config('app.tenant', $1::bigint::text, true)", tenantID)
	batch.Queue(Mark("$1"), tenantID)
	results := pool.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	if _, err := results.Exec(); err != nil {
		return 0, err
	}
	return m, results.QueryRow().Scan(&m)
}

// has returns for how long the replica has every change of a tenant that is committed now;
// nil when it has not. It may show less when it was away.
func (r *replica) has(ctx context.Context, tenantID int64) context.Context {
	r.mu.Lock()
	asked := r.away == nil && r.lag <= maxLag
	there, reached := r.there, r.reached[tenantID]
	r.mu.Unlock()
	if !asked {
		return nil
	}
	wanted, err := markOn(ctx, r.primary, tenantID)
	if err != nil {
		return nil
	}
	if reached == wanted {
		return there
	}
	within, done := both(ctx, there)
	defer done()
	if reached, err = markOn(within, r.pool, tenantID); err != nil || reached != wanted {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if there.Err() == nil {
		r.reached[tenantID] = reached
	}
	return there
}

// both returns ctx, which also ends with another one, and what lets go of the two.
func both(ctx, other context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// Replica is how a read replica does.
type Replica struct {
	// Lag is how long the oldest commit waits that it has not replayed; Away is why it
	// cannot be asked, nil when it can.
	Lag  time.Duration
	Away error
	// Answered counts queries that it was asked, Behind those that the primary answered
	// since it was behind or away, Again those that failed on it and were read again.
	Answered, Behind, Again int64
}

// Replica returns how the read replica does; the zero value when there is none.
func (s *Store) Replica() Replica {
	r := s.replica
	if r == nil {
		return Replica{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return Replica{Lag: r.lag, Away: r.away, Answered: r.answered.Load(), Behind: r.refused.Load(), Again: r.again.Load()}
}
