package agency_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
)

type importer interface {
	Columns() []bulk.Column
	Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error)
}

// rowsOf makes rows of texts like "agentCode=A1 status=Active": what has no name
// is not given, and "email=" says that there is none. A _ stands for a blank.
func rowsOf(i importer, texts ...string) []bulk.Row {
	rows := make([]bulk.Row, len(texts))
	for n, text := range texts {
		columns := i.Columns()
		row := bulk.Row{Number: n + 2, Values: make([]string, len(columns)), Given: make([]bool, len(columns))}
		for _, pair := range strings.Fields(text) {
			name, value, _ := strings.Cut(pair, "=")
			at := slices.IndexFunc(columns, func(c bulk.Column) bool { return c.Name == name })
			row.Values[at], row.Given[at] = strings.ReplaceAll(value, "_", " "), true
			row.Again = row.Again || name == "agentCode" && slices.ContainsFunc(rows[:n], func(earlier bulk.Row) bool { return earlier.Values[at] == row.Values[at] })
		}
		rows[n] = row
	}
	return rows
}

var errTried = errors.New("rolled back")

// apply applies rows in a transaction each call, then once more where the import
// goes over its rows twice, and returns a line for each row.
func (w *agentWorld) apply(i importer, keep bool, texts ...string) (lines []string) {
	w.t.Helper()
	rows := rowsOf(i, texts...)
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		results, err := i.Apply(ctx, tx, rows, "import")
		w.must(results, err)
		if agents, ok := i.(*agency.AgentImport); ok {
			second, err := agents.Second(ctx, tx, rows, "import")
			w.must(second, err)
			for n := range second {
				if results[n].Outcome != bulk.Rejected && second[n].Outcome == bulk.Rejected {
					results[n] = second[n]
				}
			}
		}
		lines = nil
		for _, r := range results {
			lines = append(lines, resultLine(r))
		}
		if !keep {
			return errTried
		}
		return nil
	})
	if err != nil && !errors.Is(err, errTried) {
		w.t.Fatal(err)
	}
	return lines
}

func resultLine(r bulk.Result) string {
	text := string(r.Outcome)
	for _, p := range r.Problems {
		text += fmt.Sprintf(" %s %s", strings.Join(p.Field, "."), p.Code)
	}
	return text
}

const ana = " firstName=Ana lastName=Diaz status=Active startDate=2026-01-01"

// An imported agent is as a registered one.
func TestImportedAgentIsAsRegistered(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("TOP"))
		more := " email=a@example.com npn=123 customerId=c governmentIdentifier=523-45-6781 birthDate=1990-02-03 isDedicated=true" +
			" teams.default.directUpline=TOP teams.default.level=10 homeAddress.city=Boise cellPhone.phoneNumber=5550100"
		equal(t, "import", w.apply(w.ImportAgents(), true, "agentCode=I1"+ana+more), []string{"CREATED"})
		in := since(under("TOP", "R1"), date.Of(2026, 1, 1))
		in.StartDate, in.Email, in.NPN, in.CustomerID = patch.Set(date.Of(2026, 1, 1).Time()), patch.Set("a@example.com"), patch.Set("123"), patch.Set("c")
		in.BirthDate, in.IsDedicated = patch.Set(date.Of(1990, 2, 3)), patch.Set(true)
		in.GovernmentIdentifier, in.Teams[0].Level = new("523-45-6781"), new(10)
		in.Contact = agency.Contact{Addresses: map[agency.AddressKind]*agency.Address{agency.HomeAddress: {City: patch.Set("Boise")}},
			Phones: map[agency.PhoneKind]*agency.Phone{agency.CellPhone: {PhoneNumber: patch.Set("5550100")}}}
		w.register(in)
		for what, read := range map[string]func(code string) any{
			"uplines":  func(code string) any { return w.uplineHistory(code) },
			"levels":   func(code string) any { return w.levelHistory(code) },
			"statuses": func(code string) any { return w.statusHistory(code) },
			"contact": func(code string) any {
				return fmt.Sprint(w.addresses(code)[agency.HomeAddress].City.OrZero(), w.phone(code, agency.CellPhone))
			},
			"agent": func(code string) any {
				a := w.agent(code)
				said := []any{w.plain(&a.GovernmentIdentifier)}
				for _, detail := range agency.AgentDetails {
					said = append(said, detail.Of(&a.Details).Any())
				}
				return fmt.Sprint(said...)
			},
		} {
			equal(t, what, fmt.Sprint(read("I1")), fmt.Sprint(read("R1")))
		}
		equal(t, "found", len(w.find(agency.AgentFilter{GovernmentIdentifier: new("523456781")})), 2)
		equal(t, "created", w.count("SELECT count(*) FROM outbox_event WHERE type LIKE '%AgentCreated' AND agent_code IN ('I1', 'R1')"), 2)
	})
}

// An upline may come later in the file; of a circle only the row that closes it is
// refused; what is wrong with one row does not touch the others.
func TestImportedUplinesComeInAnyOrder(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		rows := []string{
			"agentCode=C" + ana + " teams.default.directUpline=B",
			"agentCode=B" + ana + " teams.default.directUpline=A",
			"agentCode=X" + ana + " teams.default.directUpline=Y",
			"agentCode=S" + ana + " teams.default.directUpline=S",
			"agentCode=N" + ana + " teams.default.directUpline=NOBODY",
		}
		later := []string{"agentCode=A" + ana, "agentCode=Y" + ana + " teams.default.directUpline=X"}
		agents := w.ImportAgents()
		all := append(rows, later...)
		equal(t, "all", w.apply(agents, false, all...), []string{"CREATED", "CREATED", "CREATED",
			"REJECTED teams.default.directUpline CIRCULAR_HIERARCHY", "REJECTED teams.default.directUpline UNKNOWN_UPLINE", "CREATED",
			"REJECTED teams.default.directUpline CIRCULAR_HIERARCHY"})
		w.apply(agents, true, all...)
		equal(t, "C", w.uplineHistory("C"), []string{"B 2026-01-01.."})
		equal(t, "X", w.uplineHistory("X"), []string{"Y 2026-01-01.."})
		equal(t, "Y", len(w.uplineHistory("Y")), 0)
		w.register(newcomer("NOBODY"))
		equal(t, "completed", w.apply(agents, true, rows[4]), []string{"UPDATED"})
		equal(t, "N", w.uplineHistory("N"), []string{"NOBODY 2026-01-01.."})
	})
}

// The same rows again change nothing, not even a stamp; others are updates, but of
// what has a history of its own.
func TestImportedAgain(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		rows := []string{"agentCode=A" + ana + " governmentIdentifier=523-45-6781 teams.default.level=10 homeAddress.city=Boise", "agentCode=B" + ana + " teams.default.directUpline=A"}
		agents := w.ImportAgents()
		w.apply(agents, true, rows...)
		w.unchanged(func() { equal(t, "again", w.apply(agents, true, rows...), []string{"UNCHANGED", "UNCHANGED"}) })
		equal(t, "changed", w.apply(agents, true,
			"agentCode=A lastName=Other homeAddress.city=", "agentCode=A email=x@example.com", "agentCode=A", "agentCode=B status=Suspended teams.default.directUpline=", "agentCode=A firstName= npn=1"),
			[]string{"UPDATED", "UPDATED", "UNCHANGED", "REJECTED status DUPLICATE_KEY teams.default.directUpline DUPLICATE_KEY", "REJECTED firstName NULL_NOT_ALLOWED"})
		a := w.agent("A")
		equal(t, "A", fmt.Sprint(a.LastName.OrZero(), a.Email.OrZero(), a.NPN.Value == nil, a.LastModifiedBy), "Otherx@example.comtrueimport")
		equal(t, "events", w.count("SELECT count(*) FROM outbox_event WHERE type LIKE '%AgentUpdated' AND agent_code = 'A'"), 2)
		equal(t, "entries", w.count("SELECT count(*) FROM audit_entry_key WHERE entity_key = 'A'"), 3)
	})
}

// Of several rows of a new agent the first says the upline; one that says another is
// refused, in the same call and in a later one.
func TestImportedUplineIsSaidOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		const upline = " teams.default.directUpline="
		agents := w.ImportAgents()
		rows := []string{"agentCode=A" + ana + upline + "X", "agentCode=A" + ana + upline + "Y", "agentCode=A" + upline + "X", "agentCode=A" + upline, "agentCode=A", "agentCode=X" + ana, "agentCode=Y" + ana}
		const refused = "REJECTED teams.default.directUpline DUPLICATE_KEY"
		equal(t, "one call", w.apply(agents, false, rows...), []string{"CREATED", refused, "UNCHANGED", refused, "UNCHANGED", "CREATED", "CREATED"})
		// In chunks, the second pass begins when all rows have been applied.
		var said []string
		w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			said = nil
			all := rowsOf(agents, rows...)
			for _, row := range all {
				applied, err := agents.Apply(ctx, tx, []bulk.Row{row}, "import")
				w.must(applied, err)
			}
			for _, row := range all {
				second, err := agents.Second(ctx, tx, []bulk.Row{row}, "import")
				w.must(second, err)
				said = append(said, resultLine(second[0]))
			}
			return nil
		}))
		equal(t, "a call each", said, []string{"UPDATED", refused, "UNCHANGED", refused, "UNCHANGED", "UNCHANGED", "UNCHANGED"})
		equal(t, "A", w.uplineHistory("A"), []string{"X 2026-01-01.."})
	})
}

// A code that is registered while an import is about to add it is that of an agent
// that is there.
func TestImportedCodeIsRegisteredMeanwhile(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		if !w.store.Postgres() {
			t.Skip("SQLite has one writer at a time")
		}
		w.register(newcomer("A"))
		attempts := 0
		agents := w.ImportAgents()
		started, done := make(chan struct{}), make(chan []bulk.Result, 1)
		go func() {
			<-started
			var results []bulk.Result
			err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) (err error) {
				attempts++
				results, err = agents.Apply(ctx, tx, rowsOf(agents, "agentCode=B npn=7"+ana), "import")
				return err
			})
			if err != nil {
				t.Error(err)
			}
			done <- results
		}()
		w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE agency_agent SET code = 'B', start_date = '2026-01-01T00:00:00Z' WHERE code = 'A'")
			close(started)
			for waiting := 0; waiting == 0 && err == nil; {
				_, err = store.One(ctx, w.store, []any{&waiting}, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
			}
			return err
		}))
		if results := <-done; attempts != 2 || len(results) != 1 || results[0].Outcome != bulk.Updated {
			t.Errorf("%d attempts, %+v", attempts, results)
		}
	})
}
