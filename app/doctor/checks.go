package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/selfcheck"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

func (e *examination) indexes(ctx context.Context) error {
	missing, err := selfcheck.MissingIndexes(ctx, e.store)
	for _, index := range missing {
		e.found("indexes", "", index.Name, "the index is missing").mendable(func(ctx context.Context) error { return selfcheck.MakeIndex(ctx, e.store, index) })
	}
	return err
}

func (e *examination) violations(ctx context.Context) error {
	all, err := selfcheck.Violations(ctx, e.store)
	for _, v := range all {
		e.found("rules of the database", "", v.Where, "%s (%d)", v.Rule, v.Rows)
	}
	return err
}

// enumerations looks for stored values that are missing in the lists: conditions can be
// switched off, and a backup can be old.
func (e *examination) enumerations(ctx context.Context) error {
	for _, enumeration := range slices.Sorted(maps.Keys(Enumerations)) {
		of := Enumerations[enumeration]
		for _, column := range of.Columns {
			table, name, _ := strings.Cut(column, ".")
			var rows int64
			if _, err := store.One(ctx, e.store, []any{&rows}, "SELECT count(*) FROM "+table+" WHERE "+name+" IS NOT NULL AND NOT ("+e.store.InTexts(name, "$1")+")", e.store.Texts(of.Values)); err != nil {
				return fmt.Errorf("%s: %w", column, err)
			}
			if rows > 0 {
				e.found("enumerations", "", column, "%d rows have a value that is none of %s", rows, strings.Join(of.Values, ", "))
			}
		}
	}
	return nil
}

// perTenant is the number of rows of a tenant.
type perTenant struct{ tenantID, rows int64 }

func (e *examination) count(ctx context.Context, query string, args ...any) ([]perTenant, error) {
	return store.Collect(ctx, e.store, func(row store.Scanner) (c perTenant, err error) {
		return c, row.Scan(&c.tenantID, &c.rows)
	}, query+" GROUP BY tenant_id ORDER BY tenant_id", args...)
}

func (e *examination) periods(ctx context.Context) error {
	for _, h := range history.Relations {
		empty, err := e.count(ctx, "SELECT tenant_id, count(*) FROM "+h.Table+" WHERE effective_through < effective_from")
		if err != nil {
			return err
		}
		for _, c := range empty {
			e.found("periods", e.identifier(c.tenantID), h.Table, "%d periods end before they begin", c.rows)
		}
		overlapping, err := e.count(ctx, `SELECT tenant_id, count(*) FROM (
			SELECT tenant_id, effective_from, max(coalesce(effective_through, $1)) OVER (PARTITION BY tenant_id, `+strings.Join(h.Key(), ", ")+`
				ORDER BY effective_from, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS taken_through
			FROM `+h.Table+` WHERE superseded_at IS NULL) p WHERE p.taken_through >= p.effective_from`, date.Max)
		if err != nil {
			return err
		}
		for _, c := range overlapping {
			e.found("periods", e.identifier(c.tenantID), h.Table, "%d periods overlap one that began before", c.rows)
		}
	}
	return nil
}

// keptCounts compares the stored numbers of agents with the counted ones, and the stored
// order of their changes with their rows.
func (e *examination) keptCounts(ctx context.Context) error {
	return e.eachTenant(ctx, func(ctx context.Context, t *tenant.Tenant) error {
		var kept, there int64
		_, err := store.One(ctx, e.store, []any{&kept, &there}, "SELECT (SELECT CAST(coalesce(sum(agents), 0) AS bigint) FROM agency_agent_count WHERE tenant_id = $1),"+
			" (SELECT count(*) FROM agency_agent WHERE tenant_id = $1)", t.ID)
		if kept != there {
			e.found("kept counts", t.Identifier, "agency_agent_count", "%d agents are counted, %d are there", kept, there)
		}
		if err != nil {
			return err
		}
		_, err = store.One(ctx, e.store, []any{&there}, `SELECT count(*) FROM agency_agent a
			LEFT JOIN agency_agent_modified m ON m.tenant_id = a.tenant_id AND m.agent_id = a.id AND m.last_modified = a.last_modified
			WHERE a.tenant_id = $1 AND m.agent_id IS NULL`, t.ID)
		if there > 0 {
			e.found("kept counts", t.Identifier, "agency_agent_modified", "%d agents were last modified at another time", there)
		}
		return err
	})
}

func (e *examination) search(ctx context.Context) error {
	return e.eachTenant(ctx, func(ctx context.Context, t *tenant.Tenant) error {
		if e.closed[t.ID] {
			return nil
		}
		wrong, err := e.agency.WrongKeys(ctx)
		if len(wrong) > 0 {
			e.found("search", t.Identifier, "agency_agent_key", "%d agents are found by other texts than their own", len(wrong)).mendable(
				func(context.Context) error { return e.agency.MendKeys(ctx) })
		}
		return err
	})
}

// overdueAfter is how long work may wait on a healthy server.
const overdueAfter = 15 * time.Minute

func (e *examination) closure(ctx context.Context) error {
	return e.eachTenant(ctx, func(ctx context.Context, t *tenant.Tenant) error {
		teams, err := store.Collect(ctx, e.store, store.ScanOne[int64], "SELECT team_id FROM hierarchy_build WHERE tenant_id = $1 ORDER BY team_id", t.ID)
		for _, team := range teams {
			v, err := e.hierarchy.Verify(ctx, team)
			if err != nil {
				return err
			}
			rebuild := func(context.Context) error { return e.hierarchy.RebuildWhole(ctx, team) }
			if v.Build == nil {
				continue
			}
			if v.Nodes+v.Relations > 0 {
				e.found("hierarchy", t.Identifier, "team "+v.Build.Team, "%d agents and %d relations of the flattened hierarchy are not what the periods say on %s",
					v.Nodes, v.Relations, v.Build.BuiltFor).mendable(rebuild)
			}
			if v.Build.ChangedVersion > v.Build.Version && e.clock.Now().Sub(v.Build.QueuedAt) > overdueAfter {
				e.found("hierarchy", t.Identifier, "team "+v.Build.Team, "a change waits for a rebuild since %s: does a server run?", said(v.Build.QueuedAt)).mendable(rebuild)
			}
		}
		return err
	})
}

// events compares the positions of the feed with its head: the events that are kept must
// have no gap.
func (e *examination) events(ctx context.Context) error {
	return e.eachTenant(ctx, func(ctx context.Context, t *tenant.Tenant) error {
		var last, forgotten, newest, kept int64
		found, err := store.One(ctx, e.store, []any{&last, &forgotten, &newest, &kept}, `SELECT f.position, f.forgotten,
			coalesce((SELECT max(position) FROM outbox_event WHERE tenant_id = $1), 0),
			(SELECT count(*) FROM outbox_event WHERE tenant_id = $1 AND position > f.forgotten AND position <= f.position)
			FROM outbox_feed f WHERE f.tenant_id = $1`, t.ID)
		switch {
		case err != nil || !found:
			return err
		case newest > last:
			e.found("events", t.Identifier, "outbox_feed", "the feed ends at %d, and an event has the position %d", last, newest)
		case forgotten > last:
			e.found("events", t.Identifier, "outbox_feed", "the feed begins behind its end")
		case kept != last-forgotten:
			e.found("events", t.Identifier, "outbox_event", "%d positions from %d to %d have no event", last-forgotten-kept, forgotten+1, last)
		}
		return nil
	})
}

// keys looks for tenants, the platform among them, whose keys do not open with the key of
// the database.
func (e *examination) keys(ctx context.Context) error {
	for _, t := range append(slices.Clone(e.tenants), tenant.Platform) {
		err := e.vault.Check(ctx, t.ID)
		if errors.Is(err, vault.ErrWrongKey) {
			e.closed[t.ID] = true
			e.found("keys", cmp.Or(t.Identifier, "(platform)"), "tenant_keyset", "the keys do not open with the given key: nothing encrypted can be read or written")
		} else if err != nil && !errors.Is(err, vault.ErrNoKeyset) {
			return err
		}
	}
	return nil
}

func (e *examination) audit(ctx context.Context) error {
	if e.closed[tenant.Platform.ID] {
		return nil
	}
	lost, err := e.trail.LostHeads(ctx)
	if err != nil {
		return err
	}
	for _, t := range append(slices.Clone(e.tenants), tenant.Platform) {
		if e.closed[t.ID] {
			delete(lost, t.Identifier)
			continue
		}
		r, err := e.trail.VerifyHeld(tenant.With(ctx, t), lost, audit.Head{}, func(done, total int) { e.Told("audit trail of "+cmp.Or(t.Identifier, "the platform"), done, total) })
		if err != nil {
			return fmt.Errorf("tenant %s: %w", t.Identifier, err)
		}
		delete(lost, t.Identifier)
		if r.Broken() {
			e.found("audit trail", t.Identifier, fmt.Sprintf("entry %d", r.BrokenAt), "%s", r.Reason)
		}
		m, err := e.trail.Misordered(tenant.With(ctx, t))
		if err != nil {
			return fmt.Errorf("tenant %s: %w", t.Identifier, err)
		}
		if m.Times > 0 {
			e.found("audit trail", t.Identifier, fmt.Sprintf("entry %d", m.First), "%d entries have a higher number than a later import of the same object, as older versions wrote them; who changed a value last is told by the instants", m.Times)
		}
	}
	for name := range lost {
		e.found("audit trail", name, "tenant", "the tenant is gone")
	}
	return nil
}

// recorded looks for rows that were changed without an entry of the trail.
func (e *examination) recorded(ctx context.Context) error {
	return e.eachTenant(ctx, func(ctx context.Context, t *tenant.Tenant) error {
		if e.closed[t.ID] {
			return nil
		}
		all, err := e.past.Unrecorded(ctx)
		for _, u := range all {
			e.found("recorded changes", t.Identifier, u.Table, "%d changes of type %s have no entry in the audit trail, the first one of %s", u.Changes, u.Entity, said(u.First))
		}
		return err
	})
}

func (e *examination) sealed(ctx context.Context) error {
	return e.eachTenant(ctx, func(ctx context.Context, t *tenant.Tenant) error {
		if e.closed[t.ID] {
			return nil
		}
		total, err := reencryption.Total(ctx, e.store, SealedColumns())
		if err != nil {
			return err
		}
		looked := 0
		for _, c := range SealedColumns() {
			n, err := reencryption.Count(ctx, e.store, e.vault, c, func(done int) { e.Told("encrypted values of "+t.Identifier, looked+done, total) })
			if err != nil {
				return err
			}
			looked += n.Values
			if n.Unreadable > 0 {
				e.found("encrypted values", t.Identifier, c.Table+"."+c.Name, "%d of %d values cannot be decrypted", n.Unreadable, n.Values)
			}
			if n.Masks > 0 {
				e.found("encrypted values", t.Identifier, c.Table+"."+c.Name, "%d of %d values are masks that were stored in the place of values", n.Masks, n.Values)
			}
		}
		return nil
	})
}

// abandonedAfter is longer than any job may run, an hour for an export. A server takes over
// the job that a killed one left when the time of the job has passed; until then the work
// itself is looked at, as exports and hierarchies are.
const abandonedAfter = 90 * time.Minute

// jobs looks for jobs that have been due, or under way, for too long.
func (e *examination) jobs(ctx context.Context) error {
	now := e.clock.Now()
	_, err := store.Collect(ctx, e.store, func(row store.Scanner) (none struct{}, err error) {
		var kind string
		var n int64
		err = row.Scan(&kind, &n)
		e.found("jobs", "", kind, "%d jobs wait for longer than %v, or have not ended in %v: does a server run?", n, overdueAfter, abandonedAfter)
		return none, err
	}, `SELECT kind, count(*) FROM river_job WHERE state IN ('available', 'retryable', 'scheduled') AND scheduled_at < $1
		OR state = 'running' AND attempted_at < $2 GROUP BY kind ORDER BY kind`, now.Add(-overdueAfter), now.Add(-abandonedAfter))
	return err
}

// exports looks for exports that nobody writes.
func (e *examination) exports(ctx context.Context) error {
	waiting, err := e.count(ctx, "SELECT tenant_id, count(*) FROM export WHERE status = 'QUEUED' AND created_at < $1 OR status = 'RUNNING' AND held_until < $1",
		e.clock.Now().Add(-overdueAfter))
	for _, c := range waiting {
		e.found("exports", e.identifier(c.tenantID), "export", "%d exports wait that nobody writes: does a server run?", c.rows)
	}
	return err
}

// said formats an instant for findings.
func said(t time.Time) string { return t.UTC().Format(time.RFC3339) }
