package doors_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

var virtualYears = flag.Int("years", 3, "how many years of midnights pass on SQLite; a tenth of them, one at least, do on PostgreSQL")

// nightZones are the time zones of the agencies whose days pass, from 2010 on.
var nightZones = []string{
	"America/New_York",    // clocks change at two
	"Asia/Beirut",         // clocks change at midnight, which in March there is not
	"Australia/Lord_Howe", // clocks change by half an hour
	"Pacific/Apia",        // there was no December 30, 2011
}

// night is an agency in one zone, with what has to happen there.
type night struct {
	*apptest.Caller
	tenant *tenant.Tenant
	// begins are the first instants of the days, in their order.
	begins []begin
	// ends are the last days of certifications, by their ids.
	ends map[int64]date.Date
	// moves are the days on which the agent has another upline.
	moves []date.Date
}

// begin is the first instant of a day.
type begin struct {
	day date.Date
	at  time.Time
	// isBusy says that something happens with the day.
	isBusy bool
}

// "Told 90, 60, 30 and 7 days before" its end, a certification is in force to the end of
// its last day, and "any hierarchy change" is flattened when its day begins: each once, at
// the first instant of the day in the agency's zone, and not a second before. Years pass,
// in four zones, with their changes of clock.
func TestMidnights(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		years := *virtualYears
		if s.Postgres() {
			years = max(1, years/10)
		}
		start := time.Date(2010, time.January, 1, 12, 0, 0, 0, time.UTC)
		end := start.AddDate(years, 0, 0)
		w := apptest.New(t, s, apptest.Options{Now: start})
		asOwner(t, w, "DELETE FROM hierarchy_build") // the world's own agencies have no nights
		var nights []*night
		for i, zone := range nightZones {
			nights = append(nights, newNight(t, w, fmt.Sprintf("night%d", i), zone, start, end))
		}
		type midnight struct {
			begin
			*night
		}
		var all []midnight
		for _, n := range nights {
			for _, b := range n.begins {
				all = append(all, midnight{b, n})
			}
		}
		slices.SortFunc(all, func(a, b midnight) int { return a.at.Compare(b.at) })
		for _, m := range all {
			if m.isBusy {
				m.pass(t, w, m.at.Add(-time.Second), 0, true)
			}
			m.pass(t, w, m.at, 1, m.isBusy || m.day%4 == 0)
			if m.isBusy {
				m.pass(t, w, m.at.Add(time.Hour), 0, true)
			}
		}
		for _, n := range nights {
			n.check(t, w)
		}
		t.Logf("%d midnights", len(all))
	})
}

// newNight makes an agency, whose certifications end and whose uplines change on days that
// are drawn.
func newNight(t *testing.T, w *apptest.World, name, zone string, start, end time.Time) *night {
	t.Helper()
	var err error
	n := &night{ends: map[int64]date.Date{}}
	if n.tenant, err = directory.Create(t.Context(), w.Store, w.Vault, w.Clock, directory.NewTenant{Identifier: name, Name: name, TimeZone: zone, DefaultPageSize: 50, MaxPageSize: 100}); err != nil {
		t.Fatal(err)
	}
	w.Tenants[name], n.Caller = n.tenant, w.As(name)
	// Clocks change on the half hour, so the day is looked up then, and nothing is reckoned.
	for at, last := start, date.In(start, n.tenant.Zone); at.Before(end); at = at.Add(30 * time.Minute) {
		if day := date.In(at, n.tenant.Zone); day != last {
			n.begins = append(n.begins, begin{day: day, at: at})
			last = day
		}
	}
	for _, code := range []string{"U1", "U2", "E1"} {
		apptest.Register(t, n.Caller, code, object{"startDate": "2010-01-01T12:00:00Z"})
	}
	random := rand.New(rand.NewPCG(33, uint64(n.tenant.ID)))
	for i := range 6 * len(n.begins) / 365 {
		ends := n.begins[92+random.IntN(len(n.begins)-92)].day
		if i == 0 {
			ends = date.Of(2012, time.January, 6) // seven days after one that there was not
		}
		id := n.post(t, "/certifications", object{"agentCode": "E1", "type": "AML", "identifier": fmt.Sprint("L", i), "status": "Active",
			"isResidentCertification": true, "isVerified": false, "effectiveFrom": "2010-01-02", "effectiveThrough": ends.String()})
		n.ends[id] = ends
		n.moves = append(n.moves, n.begins[1+random.IntN(len(n.begins)-1)].day)
	}
	slices.Sort(n.moves)
	n.moves = slices.Compact(n.moves)
	for i, day := range n.moves {
		n.post(t, "/teams/default/assigned-uplines", object{"agentCode": "E1", "uplineAgentCode": []string{"U1", "U2"}[i%2], "effectiveFrom": day.String()})
	}
	n.rebuild(t, w)
	n.note()
	return n
}

// asOwner runs a statement that no tenant would.
func asOwner(t *testing.T, w *apptest.World, statement string) (rows int64) {
	t.Helper()
	err := dbtest.Owner(t, w.Store).InTx(t.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		rows, err = tx.Exec(ctx, statement)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// post sends a change, and returns the id of what it made.
func (n *night) post(t *testing.T, path string, body object) int64 {
	t.Helper()
	body["initiator"] = "hr"
	var made struct{ ID int64 }
	status, _, answer := n.REST(t, http.MethodPost, path, body)
	if err := json.Unmarshal(answer, &made); err != nil || status >= http.StatusMultipleChoices {
		t.Fatalf("%s: %d %s", path, status, answer)
	}
	return made.ID
}

// warnings are the days before the end of a certification on which it is told of.
var warnings = []int{90, 60, 30, 7}

// note notes the days with which something happens.
func (n *night) note() {
	busy := slices.Clone(n.moves)
	for _, end := range n.ends {
		busy = append(busy, end+1)
		for _, days := range warnings {
			busy = append(busy, end.AddDays(-days))
		}
	}
	for _, day := range busy {
		if b := n.begin(day); b != nil {
			b.isBusy = true
		}
	}
}

// pass has a server do at a time what it does all the time, and expects so many jobs that
// rebuild the hierarchy. Where there is nothing to tell, it looks for that on some days.
func (n *night) pass(t *testing.T, w *apptest.World, at time.Time, want int64, tells bool) {
	t.Helper()
	w.Clock.Move(at.Sub(w.Clock.Now()))
	ctx := w.Context(t, n.tenant.Identifier)
	err := w.Hierarchy.Tick(ctx)
	jobs := n.rebuild(t, w)
	if err == nil && tells {
		err = w.Agency.TellExpiring(ctx)
	}
	if err != nil || jobs != want {
		t.Fatalf("%s: %d jobs at %v, want %d (%v)", n.tenant.Zone, jobs, at, want, err)
	}
	n.inForce(t, date.In(at, n.tenant.Zone))
}

// rebuild does the jobs that wait, and returns how many there were.
func (n *night) rebuild(t *testing.T, w *apptest.World) (jobs int64) {
	t.Helper()
	if jobs = asOwner(t, w, "DELETE FROM river_job WHERE kind = 'hierarchy_rebuild'"); jobs > 0 {
		w.RebuildNow(t, n.tenant.Identifier)
	}
	return jobs
}

// inForce reads the certifications that end about a day.
func (n *night) inForce(t *testing.T, today date.Date) {
	t.Helper()
	for id, end := range n.ends {
		if today != end && today != end+1 {
			continue
		}
		status := apptest.At(n.Query(t, `query($id: ID!) { certification(id: $id) { status } }`, object{"id": fmt.Sprint(id)}), "certification.status")
		if (status == "ACTIVE") != (today == end) {
			t.Errorf("%s: on %v a certification that ends on %v is %v", n.tenant.Zone, today, end, status)
		}
	}
}

// check compares what was told, and when, with what had to be.
func (n *night) check(t *testing.T, w *apptest.World) {
	t.Helper()
	var want []string
	for _, day := range n.moves {
		want = append(want, fmt.Sprintf("%v rebuilt", n.begin(day).at.Format(time.RFC3339)))
	}
	for id, end := range n.ends {
		for _, days := range warnings {
			if b := n.begin(end.AddDays(-days)); b != nil {
				want = append(want, fmt.Sprintf("%v certification %d ends in %d", b.at.Format(time.RFC3339), id, end-b.day))
			}
		}
	}
	first := n.begins[0].at
	got, err := store.Collect(w.Context(t, n.tenant.Identifier), w.Store, func(row store.Scanner) (string, error) {
		var (
			kind, data string
			at         time.Time
			e          struct{ CertificationID, DaysRemaining int64 }
		)
		if err := row.Scan(&kind, &at, &data); err != nil {
			return "", err
		}
		if kind == events.HierarchyBuildCompleted {
			return fmt.Sprintf("%v rebuilt", at.UTC().Format(time.RFC3339)), nil
		}
		err := json.Unmarshal([]byte(data), &e)
		return fmt.Sprintf("%v certification %d ends in %d", at.UTC().Format(time.RFC3339), e.CertificationID, e.DaysRemaining), err
	}, "SELECT type, occurred_at, data FROM outbox_event WHERE tenant_id = $1 AND type IN ($2, $3) AND occurred_at >= $4", n.tenant.ID, events.HierarchyBuildCompleted, events.CertificationExpiring, first)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if t.Logf("%s: %d events in %d days", n.tenant.Zone, len(got), len(n.begins)); !slices.Equal(got, want) {
		t.Errorf("%s: not told, or told for no reason: %q", n.tenant.Zone, differing(got, want))
	}
}

// begin is that of a day or, where the zone has left it out, of the next; nil for none.
func (n *night) begin(day date.Date) *begin {
	i, _ := slices.BinarySearchFunc(n.begins, day, func(b begin, day date.Date) int { return cmp.Compare(b.day, day) })
	if i == len(n.begins) {
		return nil
	}
	return &n.begins[i]
}

// differing are the lines that only one of two sorted lists has.
func differing(a, b []string) []string {
	only := slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	return append(only, slices.DeleteFunc(slices.Clone(b), func(s string) bool { return slices.Contains(a, s) })...)
}
