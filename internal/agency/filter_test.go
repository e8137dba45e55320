package agency_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// A blank text in a filter is refused, in every text of every list: none stands
// for everybody, for nobody, or for those without a value.
func TestBlankTextsInFiltersAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		today := history.AsOf{Day: agentToday}
		for name, list := range map[string]any{
			"agents":  func(f agency.AgentFilter) error { _, err := w.AgentList(w.ctx, f, nil, today); return err },
			"aliases": func(f label.AliasFilter) error { _, err := w.AliasList(w.ctx, f, nil); return err },
			"tags":    func(f label.TagAssignmentFilter) error { _, err := w.TagAssignmentList(w.ctx, f, nil); return err },
			"certifications": func(f certification.Filter) error {
				_, err := w.CertificationList(w.ctx, f, nil, today)
				return err
			},
			"certification periods": func(f certification.PeriodFilter) error {
				_, err := w.CertificationPeriodList(w.ctx, f, nil)
				return err
			},
			"pay statuses": func(f record.PeriodFilter) error { _, err := w.PayStatusPeriods(w.ctx, f, nil); return err },
			"W9s":          func(f record.PeriodFilter) error { _, err := w.W9Periods(w.ctx, f, nil); return err },
			"uplines":      func(f record.PeriodFilter) error { _, err := w.UplinePeriods(w.ctx, w.team, f, nil); return err },
			"levels":       func(f record.PeriodFilter) error { _, err := w.LevelPeriods(w.ctx, w.team, f, nil); return err },
		} {
			call := reflect.ValueOf(list)
			kind := call.Type().In(0)
			texts := 0
			for i := range kind.NumField() {
				f := kind.Field(i)
				for _, blank := range []string{"", " \t"} {
					filter := reflect.New(kind).Elem()
					switch {
					case f.Type == reflect.TypeFor[*string]():
						filter.Field(i).Set(reflect.ValueOf(&blank))
					case f.Type == reflect.TypeFor[[]string]() && f.Name != "Status": // of an enum
						filter.Field(i).Set(reflect.ValueOf([]string{"A1", blank}))
					default:
						continue
					}
					texts++
					err, _ := call.Call([]reflect.Value{filter})[0].Interface().(error)
					equal(t, fmt.Sprintf("%s by %s %q", name, f.Name, blank), problems(err), []string{"INVALID_FORMAT filter." + camel(f.Name)})
				}
			}
			if texts == 0 {
				t.Errorf("%s: no texts", name)
			}
		}
	})
}

// camel is the name of a filter's field in both doors.
func camel(name string) string {
	if name == strings.ToUpper(name) {
		return strings.ToLower(name)
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// Where an agency masks sensitive values, to find an agent by one would confirm
// a guess: it takes the scope that seeing it takes.
func TestMaskedIdentifierIsNoFilter(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(person("123-45-6789", "A1"))
		find := func(ctx context.Context, identifier string) error {
			list, err := w.AgentList(ctx, agency.AgentFilter{AgentCodes: []string{"A1"}, GovernmentIdentifier: &identifier}, nil, history.AsOf{Day: agentToday})
			if err == nil {
				equal(t, "found", lines(w, list, func(a *agency.Agent) string { return a.AgentCode }), []string{"A1"})
			}
			return err
		}
		w.must(nil, find(w.ctx, "123456789"))
		masks := *tenant.From(w.ctx)
		masks.MaskSensitive = true
		masking := tenant.WithCaller(tenant.With(w.ctx, &masks), tenant.Caller{Subject: "t", Scopes: []string{"read:agents", "write:agents"}})
		for _, identifier := range []string{"123456789", "987654321"} {
			err := find(masking, identifier)
			equal(t, "without the scope", problems(err), []string{"FORBIDDEN filter.governmentIdentifier"})
			equal(t, "category", categories(err), []problem.Category{problem.Forbidden})
		}
		w.must(nil, find(tenant.WithCaller(masking, tenant.Caller{Subject: "t", Scopes: []string{"read:agents", "read:agents:sensitive"}}), "123456789"))
	})
}

// Agents are found by their address in an index, which leaves out those without
// one, also by a statement that was prepared for any address.
func TestEmailReadsIndex(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		list, err := w.AgentList(w.ctx, agency.AgentFilter{Email: new("ana@example.com")}, nil, history.AsOf{Day: agentToday})
		w.must(nil, err)
		q := new(store.SQL).Write("SELECT a.id FROM ")
		list.From(q)
		var plan []string
		w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			if !w.store.Postgres() {
				plan, err = store.Collect(ctx, tx, func(r store.Scanner) (line string, err error) {
					var id, parent, unused int
					err = r.Scan(&id, &parent, &unused, &line)
					return line, err
				}, "EXPLAIN QUERY PLAN "+q.Text(), q.Args()...)
				return err
			}
			// The table is too small for any index to be worth its while.
			for _, statement := range []string{"SET LOCAL enable_seqscan = off", "PREPARE by_email AS " + q.Text()} {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			plan, err = store.Collect(ctx, tx, store.ScanOne[string], fmt.Sprintf("EXPLAIN EXECUTE by_email (%d, '%s')", q.Args()...))
			return err
		}))
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "agency_agent_email") {
			t.Errorf("plan:\n%s", text)
		}
	})
}

// Where it depends on the value of a filter how many rows meet it, PostgreSQL plans the
// list for that value: a condition that few rows meet is not checked for every row in
// the order of the list. Conditions that few rows meet whatever their value keep a plan.
func TestFiltersArePlannedByValue(t *testing.T) {
	type planned interface{ IsByValue() bool }
	onEach(t, func(t *testing.T, w *agentWorld) {
		today := history.AsOf{Day: agentToday}
		periods := "AgentCode ids Known"
		for name, c := range map[string]struct {
			list any
			kept string
		}{
			"agents":  {func(f agency.AgentFilter) (planned, error) { return w.AgentList(w.ctx, f, nil, today) }, "AgentCodes Email GovernmentIdentifier NPN UplineAgentCode"},
			"aliases": {func(f label.AliasFilter) (planned, error) { return w.AliasList(w.ctx, f, nil) }, "AgentCode Identifier"},
			"tags":    {func(f label.TagAssignmentFilter) (planned, error) { return w.TagAssignmentList(w.ctx, f, nil) }, "AgentCode"},
			"certifications": {func(f certification.Filter) (planned, error) {
				return w.CertificationList(w.ctx, f, nil, today)
			}, "AgentCode Identifier ExpiresFrom ExpiresThrough"},
			"certification periods": {func(f certification.PeriodFilter) (planned, error) {
				return w.CertificationPeriodList(w.ctx, f, nil)
			}, "AgentCode Identifier Known"},
			"pay statuses": {func(f record.PeriodFilter) (planned, error) { return w.PayStatusPeriods(w.ctx, f, nil) }, periods},
			"W9s":          {func(f record.PeriodFilter) (planned, error) { return w.W9Periods(w.ctx, f, nil) }, periods},
			"uplines":      {func(f record.PeriodFilter) (planned, error) { return w.UplinePeriods(w.ctx, w.team, f, nil) }, periods},
			"levels":       {func(f record.PeriodFilter) (planned, error) { return w.LevelPeriods(w.ctx, w.team, f, nil) }, periods},
		} {
			call := reflect.ValueOf(c.list)
			kind := call.Type().In(0)
			isByValue := func(filter reflect.Value) bool {
				found := call.Call([]reflect.Value{filter})
				if err, _ := found[1].Interface().(error); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return found[0].Interface().(planned).IsByValue()
			}
			equal(t, name+" without a filter", isByValue(reflect.Zero(kind)), false)
			for i := range kind.NumField() {
				f := kind.Field(i)
				filter := reflect.New(kind).Elem()
				switch {
				case !f.IsExported() || f.Type.Kind() == reflect.Struct: // by id, and what was known
					continue
				case f.Type.Kind() == reflect.Slice:
					filter.Field(i).Set(reflect.ValueOf([]string{"A1"}))
				default:
					filter.Field(i).Set(reflect.New(f.Type.Elem()))
					if f.Type.Elem().Kind() == reflect.String {
						filter.Field(i).Elem().SetString("A1")
					}
				}
				equal(t, name+" by "+f.Name, isByValue(filter), !slices.Contains(strings.Fields(c.kept), f.Name))
			}
		}
	})
}
