package ledger_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// verify restarts the server in this process, at once, and compares what there is
// with what was acknowledged. The hierarchy has ten seconds to catch up.
func (k *killing) verify() {
	k.t.Helper()
	s := k.open()
	defer s.Close()
	a, err := app.New(k.t.Context(), app.Config{Store: s, Clock: clock.System{}, Key: bytes.Repeat([]byte{7}, 32), Issuer: apptest.Issuer, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		k.t.Fatal(err)
	}
	all := dbtest.Owner(k.t, s)
	uplines := k.uplines(all)
	for code, want := range k.acknowledged {
		if got, ok := uplines[code]; !ok || !k.may(code, got) {
			k.t.Errorf("%s is below %q; acknowledged %q, sent %q", code, got, want, k.pending[code])
		}
	}
	if n := k.written(); n < 5*agentsInRound {
		k.t.Errorf("only %d agents were written", n)
	}
	k.t.Logf("%d agents, %d unanswered", k.written(), len(k.pending))

	jobs, err := a.Jobs()
	if err == nil {
		err = jobs.Start(context.WithoutCancel(k.t.Context()))
	}
	if err != nil {
		k.t.Fatal(err)
	}
	k.settle(all)
	stopping, cancel := context.WithTimeout(k.t.Context(), time.Minute)
	defer cancel()
	if err := jobs.Stop(stopping); err != nil {
		k.t.Error(err)
	}
	k.compare(all, uplines)
	apptest.Sound(k.t, s, clock.System{})
}

// uplines reads the upline of every agent today.
func (k *killing) uplines(s *store.Store) map[string]string {
	k.t.Helper()
	uplines := map[string]string{}
	_, err := store.Collect(k.t.Context(), s, func(r store.Scanner) (struct{}, error) {
		var code, upline string
		err := r.Scan(&code, &upline)
		uplines[code] = upline
		return struct{}{}, err
	}, `SELECT a.code, coalesce(u.code, '') FROM agency_agent a
		LEFT JOIN agency_upline_period p ON p.tenant_id = a.tenant_id AND p.agent_id = a.id AND p.superseded_at IS NULL
			AND p.effective_from <= $1 AND (p.effective_through IS NULL OR p.effective_through >= $1)
		LEFT JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id
		WHERE a.tenant_id = (SELECT id FROM tenant WHERE identifier = 'acme')`, clock.Today(clock.System{}, time.UTC))
	if err != nil {
		k.t.Fatal(err)
	}
	return uplines
}

// settle waits until no change waits for a rebuild, which takes seconds, and on a busy
// machine longer.
func (k *killing) settle(s *store.Store) {
	k.t.Helper()
	var waiting int
	for started := time.Now(); time.Since(started) < time.Minute; time.Sleep(10 * time.Millisecond) {
		_, err := store.One(k.t.Context(), s, []any{&waiting}, "SELECT count(*) FROM hierarchy_build WHERE changed_version > built_version")
		if err != nil {
			k.t.Fatal(err)
		}
		if waiting == 0 {
			k.t.Logf("the hierarchy was behind for %v", time.Since(started).Round(10*time.Millisecond))
			return
		}
	}
	k.t.Fatal("changes still wait for a rebuild")
}

// compare holds the closure against a plain walk up from every agent.
func (k *killing) compare(s *store.Store, uplines map[string]string) {
	k.t.Helper()
	var want []string
	for code := range uplines {
		level := 0
		for up := uplines[code]; up != ""; up = uplines[up] {
			level++
			want = append(want, fmt.Sprintf("%s %s %d", up, code, level))
		}
	}
	got, err := store.Collect(k.t.Context(), s, func(r store.Scanner) (string, error) {
		var (
			ancestor, descendant string
			level                int
		)
		err := r.Scan(&ancestor, &descendant, &level)
		return fmt.Sprintf("%s %s %d", ancestor, descendant, level), err
	}, `SELECT u.code, d.code, c.level FROM hierarchy_closure c
		JOIN agency_agent u ON u.tenant_id = c.tenant_id AND u.id = c.ancestor_id JOIN agency_agent d ON d.tenant_id = c.tenant_id AND d.id = c.descendant_id`)
	if err != nil {
		k.t.Fatal(err)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		k.t.Errorf("the closure has %d rows, a plain walk %d, and they differ", len(got), len(want))
	}
}
