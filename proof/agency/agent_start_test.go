package agency_test

import (
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/patch"
)

// "startDate: ISO 8601 UTC timestamp; defaults to now; cannot be in the future"
// (Resources, "Agent"): the first periods begin on the date as it is written, in
// every zone, and no later than today there. It is noon of June 15, UTC.
func TestFirstPeriodsBeginOnTheDateAsWritten(t *testing.T) {
	at := func(text string) *time.Time {
		instant, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return &instant
	}
	tests := []struct {
		zone  string
		start *time.Time
		want  string
	}{
		{"America/Chicago", at("2019-01-01T00:00:00Z"), "2019-01-01"},
		{"Pacific/Pago_Pago", at("2019-01-01T00:00:00Z"), "2019-01-01"},
		{"Asia/Tokyo", at("2019-01-01T00:00:00Z"), "2019-01-01"},
		{"Pacific/Kiritimati", at("2019-01-01T00:00:00Z"), "2019-01-01"},
		{"Pacific/Kiritimati", at("2019-01-01T23:59:59Z"), "2019-01-01"},
		{"Asia/Tokyo", at("2019-01-01T02:00:00+09:00"), "2018-12-31"},
		{"America/Chicago", at("1900-01-01T00:00:00Z"), "1900-01-01"},
		// Where it is still June 14, nothing begins on the 15th.
		{"Etc/GMT+12", at("2026-06-15T00:00:00Z"), "2026-06-14"},
		{"Etc/GMT+12", at("2026-06-15T11:59:59Z"), "2026-06-14"},
		{"Etc/GMT+12", nil, "2026-06-14"},
		// Where it is June 16 already.
		{"Pacific/Kiritimati", at("2026-06-15T00:00:00Z"), "2026-06-15"},
		{"Pacific/Kiritimati", nil, "2026-06-16"},
	}
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.clock.Move(-time.Second) // at noon the 15th begins in the last zone
		for _, test := range tests {
			w.inZone(test.zone)
			in := newcomer("")
			in.StartDate, in.Teams[0].Level = patch.Of(test.start), new(10)
			w.begins(t, w.register(in), test.want)
		}
	})
}

// A file says a day or an instant; an agent whose upline comes later gets its place
// from the same day on.
func TestFirstPeriodsOfImportedAgents(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.clock.Move(-time.Second) // at noon the 15th begins in the last zone
		agents := w.ImportAgents()
		for _, test := range []struct{ code, zone, start, want string }{
			{"A", "America/Chicago", "2019-01-01T00:00:00Z", "2019-01-01"},
			{"B", "America/Chicago", "2019-01-01", "2019-01-01"},
			{"C", "Pacific/Kiritimati", "2019-01-01T00:00:00Z", "2019-01-01"},
			{"D", "Pacific/Kiritimati", "2019-01-01", "2019-01-01"},
			{"E", "Pacific/Kiritimati", "2026-06-16", "2026-06-16"},
			{"F", "Etc/GMT+12", "2026-06-15T11:00:00Z", "2026-06-14"},
		} {
			w.inZone(test.zone)
			one := " firstName=Ana lastName=Diaz status=Active teams.default.level=10 startDate=" + test.start
			rows := rowsOf(agents, "agentCode="+test.code+one, "agentCode="+test.code+"-late"+one+" teams.default.directUpline="+test.code+"-top")
			equal(t, test.code, w.pass(agents.Apply, rows), []string{"CREATED", "CREATED"})
			w.pass(agents.Apply, rowsOf(agents, "agentCode="+test.code+"-top"+one))
			equal(t, test.code, w.pass(agents.Second, rows)[1], string(bulk.Updated))
			w.begins(t, test.code, test.want)
			w.begins(t, test.code+"-late", test.want)
		}
	})
}

// inZone moves the agency to another zone.
func (w *agentWorld) inZone(name string) {
	w.t.Helper()
	zone, err := time.LoadLocation(name)
	w.must(zone, err)
	w.app.Tenants["acme"].Zone = zone
}

// begins checks the first day of every history of an agent.
func (w *agentWorld) begins(t *testing.T, code, day string) {
	t.Helper()
	d, err := date.Parse(day)
	w.must(d, err)
	equal(t, code, w.statusHistory(code), []string{span("Active", d, nil)})
	equal(t, code, w.levelHistory(code), []string{span("10", d, nil)})
	if history := w.uplineHistory(code); len(history) != 1 || history[0][len(history[0])-len(day)-2:] != day+".." {
		t.Errorf("%s: the uplines are %v, not from %s on", code, history, day)
	}
}
