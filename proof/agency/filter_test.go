package agency_test

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
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
			"pay statuses": func(f record.PeriodFilter) error {
				_, err := w.PeriodList(w.ctx, history.PayStatuses, 0, f, nil)
				return err
			},
			"W9s": func(f record.PeriodFilter) error { _, err := w.PeriodList(w.ctx, history.W9s, 0, f, nil); return err },
			"uplines": func(f record.PeriodFilter) error {
				_, err := w.PeriodList(w.ctx, history.Uplines, w.team, f, nil)
				return err
			},
			"levels": func(f record.PeriodFilter) error {
				_, err := w.PeriodList(w.ctx, history.Levels, w.team, f, nil)
				return err
			},
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

// Agents are found in indexes by their address and by a search, also by a statement that
// was prepared for any value; one index leaves out those without an address.
func TestFiltersReadIndexes(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		keys := "PRIMARY KEY (tenant_id=? AND place=? AND key>? AND key<?)"
		if w.store.Postgres() {
			keys = "agency_agent_key_pkey"
		}
		for _, c := range []struct {
			filter  agency.AgentFilter
			indexes []string
		}{
			{agency.AgentFilter{Email: new("ana@example.com")}, []string{"agency_agent_email"}},
			{agency.AgentFilter{Query: new("ana li")}, []string{keys}},
		} {
			plan := strings.Join(w.planOf(c.filter), "\n")
			for _, index := range c.indexes {
				if !strings.Contains(plan, index) {
					t.Errorf("%s is not read:\n%s", index, plan)
				}
			}
		}
	})
}

// planOf returns how the database reads the agents that match, whatever the values.
func (w *agentWorld) planOf(f agency.AgentFilter) (plan []string) {
	w.t.Helper()
	list, err := w.AgentList(w.ctx, f, nil, history.AsOf{Day: agentToday})
	w.must(nil, err)
	q := new(store.SQL).Write("SELECT a.id FROM ")
	list.From(q)
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
		for _, statement := range []string{"SET LOCAL enable_seqscan = off", "SET LOCAL plan_cache_mode = force_generic_plan", "PREPARE filtered AS " + q.Text()} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		values := make([]string, len(q.Args()))
		for i, v := range q.Args() {
			values[i] = fmt.Sprintf("'%v'", v)
		}
		plan, err = store.Collect(ctx, tx, store.ScanOne[string], "EXPLAIN EXECUTE filtered ("+strings.Join(values, ", ")+")")
		if err == nil {
			_, err = tx.Exec(ctx, "DEALLOCATE filtered")
		}
		return err
	}))
	return plan
}

// Where it depends on the value of a filter how many rows meet it, PostgreSQL plans the
// list for that value: a condition that few rows meet is not checked for every row in
// the order of the list. Conditions that few rows meet whatever their value keep a plan.
func TestFiltersArePlannedByValue(t *testing.T) {
	type planned interface{ IsByValue() bool }
	onEach(t, func(t *testing.T, w *agentWorld) {
		today := history.AsOf{Day: agentToday}
		w.companies("XLI")
		w.must(w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set("Mentor"), Initiator: "x"}))
		configured := map[string]string{"PayStatus": "Active", "Jurisdiction": "US-TX", "HomeJurisdiction": "US-TX", "ProviderCompany": "XLI", "Tag": "Mentor", "Type": "LIFE"}
		periods := "AgentCode Known"
		for name, c := range map[string]struct {
			list any
			kept string
		}{
			"agents":  {func(f agency.AgentFilter) (planned, error) { return w.AgentList(w.ctx, f, nil, today) }, "AgentCodes Email GovernmentIdentifier NPN UplineAgentCode"},
			"aliases": {func(f label.AliasFilter) (planned, error) { return w.AliasList(w.ctx, f, nil) }, "AgentCode Identifier"},
			"tags":    {func(f label.TagAssignmentFilter) (planned, error) { return w.TagAssignmentList(w.ctx, f, nil) }, "AgentCode"},
			"certifications": {func(f certification.Filter) (planned, error) {
				return w.CertificationList(w.ctx, f, nil, today)
			}, "AgentCode Identifier ExpiresThrough"},
			"certification periods": {func(f certification.PeriodFilter) (planned, error) {
				return w.CertificationPeriodList(w.ctx, f, nil)
			}, "AgentCode Identifier Known"},
			"pay statuses": {func(f record.PeriodFilter) (planned, error) {
				return w.PeriodList(w.ctx, history.PayStatuses, 0, f, nil)
			}, periods},
			"W9s": {func(f record.PeriodFilter) (planned, error) { return w.PeriodList(w.ctx, history.W9s, 0, f, nil) }, periods},
			"uplines": {func(f record.PeriodFilter) (planned, error) {
				return w.PeriodList(w.ctx, history.Uplines, w.team, f, nil)
			}, periods},
			"levels": {func(f record.PeriodFilter) (planned, error) {
				return w.PeriodList(w.ctx, history.Levels, w.team, f, nil)
			}, periods},
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
				case f.Type == reflect.TypeFor[[]int]():
					filter.Field(i).Set(reflect.ValueOf([]int{10}))
				case f.Type == reflect.TypeFor[[]*agency.AgentFilter]():
					filter.Field(i).Set(reflect.ValueOf([]*agency.AgentFilter{{}}))
				case f.Type.Kind() == reflect.Slice:
					filter.Field(i).Set(reflect.ValueOf([]string{cmp.Or(configured[f.Name], "A1")}))
				default:
					filter.Field(i).Set(reflect.New(f.Type.Elem()))
					if f.Type.Elem().Kind() == reflect.Int {
						filter.Field(i).Elem().SetInt(10) // a level of the demo team
					}
					if f.Type.Elem().Kind() == reflect.String {
						filter.Field(i).Elem().SetString(cmp.Or(configured[f.Name], "A1"))
					}
				}
				equal(t, name+" by "+f.Name, isByValue(filter), !slices.Contains(strings.Fields(c.kept), f.Name))
			}
		}
	})
}

// A name of reference data that the agency has not configured is refused, and does not
// find nothing; the refusal names the nearest one.
func TestUnknownNamesAreNoFilter(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		today := history.AsOf{Day: agentToday}
		w.companies("XLI")
		w.must(w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set("Mentor"), Initiator: "x"}))
		for name, c := range map[string]struct {
			list    func(unknown string) error
			unknown string
			want    string
		}{
			"levels": {func(u string) error {
				level, err := strconv.Atoi(u)
				w.must(nil, err)
				_, err = w.PeriodList(w.ctx, history.Levels, w.team, record.PeriodFilter{Level: &level}, nil)
				return err
			}, "11", "UNKNOWN_LEVEL filter.level: The specified agent level is not recognized. Did you mean 10?"},
			"agents by status": {func(u string) error {
				_, err := w.AgentList(w.ctx, agency.AgentFilter{PayStatus: []string{"Active", u}}, nil, today)
				return err
			}, "active", "UNKNOWN_STATUS filter.payStatus: The specified pay status is not recognized. Did you mean Active?"},
			"agents by jurisdiction": {func(u string) error {
				_, err := w.AgentList(w.ctx, agency.AgentFilter{Jurisdiction: &u}, nil, today)
				return err
			}, "US-TXX", "UNKNOWN_JURISDICTION filter.jurisdiction: The specified jurisdiction is not recognized. Did you mean US-TX?"},
			"pay statuses": {func(u string) error {
				_, err := w.PeriodList(w.ctx, history.PayStatuses, 0, record.PeriodFilter{PayStatus: &u}, nil)
				return err
			}, "Terminate", "UNKNOWN_STATUS filter.payStatus: The specified pay status is not recognized. Did you mean Terminated?"},
			"aliases": {func(u string) error {
				_, err := w.AliasList(w.ctx, label.AliasFilter{ProviderCompany: &u}, nil)
				return err
			}, "xli", "UNKNOWN_PROVIDER_COMPANY filter.providerCompany: The specified provider company is not recognized. Did you mean XLI?"},
			"tags": {func(u string) error {
				_, err := w.TagAssignmentList(w.ctx, label.TagAssignmentFilter{Tag: &u}, nil)
				return err
			}, "Gold", "UNKNOWN_TAG filter.tag: The specified tag is not recognized. The agency has Mentor."},
			"certifications": {func(u string) error {
				_, err := w.CertificationList(w.ctx, certification.Filter{Type: &u, ProviderCompany: new("XLI"), Jurisdiction: new("US-TX")}, nil, today)
				return err
			}, "no such certification", "UNKNOWN_CERTIFICATION_TYPE filter.type: "},
			"certification periods": {func(u string) error {
				_, err := w.CertificationPeriodList(w.ctx, certification.PeriodFilter{Jurisdiction: &u}, nil)
				return err
			}, "XX", "UNKNOWN_JURISDICTION filter.jurisdiction: "},
		} {
			if err := c.list(c.unknown); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v; want %s", name, err, c.want)
			}
		}
	})
}
