package authorization_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

func TestMain(m *testing.M) { dbtest.MainAsRole(m) }

// at are the periods of an owner as they were known.
func at[V comparable](rows []row[V], owner, known int) (periods []history.Period[V]) {
	for i, r := range rows {
		if r.owner == owner && r.known <= known && (r.gone == 0 || r.gone > known) {
			periods = append(periods, history.Period[V]{ID: int64(i + 1), From: r.from, Through: through(r.through), Value: r.value})
		}
	}
	return periods
}

func through(d date.Date) *date.Date {
	if d == date.Max {
		return nil
	}
	return &d
}

// snapshot is the agency as it was known.
func (a *agency) snapshot(known int) *authorization.Snapshot {
	s := &authorization.Snapshot{Rules: map[string][]authorization.Rule{}, Agents: map[int64]*authorization.Agent{}}
	for i, product := range a.rules {
		for _, p := range at(a.required, i+1, known) {
			s.Rules[product] = append(s.Rules[product], authorization.Rule{Product: product, Name: fmt.Sprint(i + 1), Requirement: p.Value, From: p.From, Through: p.Through}.Read())
		}
	}
	for i := 1; i <= a.agents; i++ {
		agent := &authorization.Agent{ID: int64(i), Code: a.code(i), Levels: at(a.levels, i, known)}
		for _, p := range at(a.statuses, i, known) {
			agent.Statuses = append(agent.Statuses, history.Period[authorization.PayStatus]{From: p.From, Through: p.Through, Value: authorization.PayStatus{Name: p.Value, Active: p.Value == "Active"}})
		}
		for _, p := range at(a.uplines, i, known) {
			agent.Uplines = append(agent.Uplines, history.Period[int64]{From: p.From, Through: p.Through, Value: int64(p.Value)})
		}
		for n, c := range a.certificates {
			if c.agent == i {
				agent.Certifications = append(agent.Certifications, authorization.Certification{ID: int64(n + 1), Type: c.kind, ProviderCompany: c.company, Jurisdiction: c.place,
					IsAppointment: c.isAppointment, IsResident: c.isResident, Statuses: at(a.certified, n+1, known)})
			}
		}
		s.Agents[int64(i)] = agent
	}
	return s
}

// answer is what the oracle and the engine are compared by.
type answer struct {
	Status       authorization.Status
	Reasons      []string
	Through      []string
	ValidThrough *date.Date
}

func (a *agency) answer(agent int, product, place string, day date.Date, known int) answer {
	want := answer{authorization.Authorized, a.reasons(agent, product, place, day, known), a.through(agent, product, place, day, known), a.lasts(agent, product, place, day, known)}
	if slices.Sort(want.Reasons); len(want.Reasons) > 0 {
		want.Status = authorization.NotAuthorized
	}
	return want
}

func answerOf(a authorization.Answer) answer {
	return answer{a.Status, texts(a.Reasons), a.Through, a.ValidThrough}
}

func same(t *rapid.T, what string, got, want any) {
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		t.Fatalf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// TestOracle: the engine says what plain loops over plain rows say, day by day.
func TestOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAgency(t, "A")
		known, day := rapid.IntRange(0, instants-1).Draw(t, "instant"), start.AddDays(rapid.IntRange(0, 90).Draw(t, "day"))
		agent, product, place := rapid.IntRange(1, a.agents).Draw(t, "agent"), rapid.SampledFrom(products).Draw(t, "product"), rapid.SampledFrom(places).Draw(t, "place")
		s := a.snapshot(known)
		got := s.Answer(int64(agent), product, place, day)
		got.ValidThrough = s.ValidThrough(int64(agent), product, place, got.Status == authorization.Authorized, s.Turns(int64(agent), product, day))
		same(t, fmt.Sprint(a.code(agent), " ", product, " ", place, " ", day, " as known at ", known), answerOf(got), a.answer(agent, product, place, day, known))
	})
}

// world is an agency with the starter reference data, two companies and two products.
type world struct {
	*authorization.Service
	app   *apptest.World
	store *store.Store
	ctx   context.Context
	n     int
}

func onEach(t *testing.T, f func(t *testing.T, w *world)) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		a := apptest.New(t, s, apptest.Options{})
		c := a.As(apptest.Acme)
		for _, code := range []string{"ACO", "BCO"} {
			c.Query(t, fmt.Sprintf(`mutation { providerCompanyUpsert(input: {code: %q, name: %q}) { applied } }`, code, code), nil)
		}
		for _, code := range products {
			c.Query(t, fmt.Sprintf(`mutation { productCreate(input: {code: %q, name: %q}) { applied } }`, code, code), nil)
		}
		f(t, &world{Service: authorization.New(s), app: a, store: s, ctx: a.Context(t, apptest.Acme)})
	})
}

// instant is when what is known at an instant was written.
func (w *world) instant(n int) time.Time {
	return w.app.Clock.Now().Add(time.Duration(n-instants) * time.Hour)
}

// plant writes an agency with SQL of its own, instead of the one before.
func (w *world) plant(t *rapid.T, a *agency) {
	id := tenant.From(w.ctx).ID
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		exec := func(query string, args ...any) {
			if _, err := tx.Exec(ctx, query, append([]any{id, w.instant(0)}, args...)...); err != nil {
				t.Fatalf("%s: %v", query, err)
			}
		}
		for _, query := range []string{"UPDATE agency_upline_period SET upline_agent_id = NULL WHERE tenant_id = $1 AND recorded_at IS NOT NULL", "DELETE FROM agency_agent WHERE tenant_id = $1", "DELETE FROM agency_product_rule WHERE tenant_id = $1"} {
			if _, err := tx.Exec(ctx, query, id); err != nil {
				t.Fatal(err)
			}
		}
		for i := 1; i <= a.agents; i++ {
			exec(`INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key, is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
				VALUES ($1, $3, 'F', $3, 'f', 'l', '', '', false, $2, $2, 'x', $2, 'x')`, a.code(i))
		}
		for i, c := range a.certificates {
			exec(`INSERT INTO agency_certification (tenant_id, agent_id, type, provider_company, jurisdiction, identifier, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
				SELECT $1, a.id, $3, $4, $5, $6, $7, true, $2, 'x', $2, 'x' FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $8`,
				c.kind, orNull(c.company), orNull(c.place), fmt.Sprint(a.prefix, "/", i+1), c.isResident, a.code(c.agent))
		}
		for i, product := range a.rules {
			exec("INSERT INTO agency_product_rule (tenant_id, product, name, created_at, created_by) VALUES ($1, $3, $4, $2, 'x')", product, fmt.Sprint(i+1))
		}
		agentIs := "(SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $3)"
		team := "(SELECT m.id FROM agency_team m WHERE m.tenant_id = $1)"
		insert(w, exec, a.uplines, "agency_upline_period (team_id, upline_agent_id, agent_id", team+", (SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $8), "+agentIs, a.code, func(v int) []any { return []any{a.code(v)} })
		insert(w, exec, a.statuses, "agency_pay_status_period (status, agent_id", "$8, "+agentIs, a.code, func(v string) []any { return []any{v} })
		insert(w, exec, a.levels, "agency_level_period (team_id, level, agent_id", team+", $8, "+agentIs, a.code, func(v int) []any { return []any{v} })
		insert(w, exec, a.certified, "agency_certification_period (status, certification_id", "$8, (SELECT c.id FROM agency_certification c WHERE c.tenant_id = $1 AND c.identifier = $3)",
			func(n int) string { return fmt.Sprint(a.prefix, "/", n) }, func(v string) []any { return []any{v} })
		insert(w, exec, a.required, "agency_product_rule_period (jurisdictions, certification_types, requires_all, is_resident, provider_company, requires_active_status, minimum_level, upline_depth, rule_id",
			"$8, $9, $10, $11, $12, $13, $14, $15, (SELECT r.id FROM agency_product_rule r WHERE r.tenant_id = $1 AND r.name = $3)", func(n int) string { return fmt.Sprint(n) }, authorization.Values)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func insert[V any](w *world, exec func(string, ...any), rows []row[V], into, values string, owner func(int) string, args func(V) []any) {
	for _, r := range rows {
		gone := any(nil)
		if r.gone > 0 {
			gone = w.instant(r.gone)
		}
		last := any(nil)
		if r.through != date.Max {
			last = r.through
		}
		exec("INSERT INTO "+into+", effective_from, effective_through, recorded_at, superseded_at, tenant_id, recorded_by) SELECT "+values+", $4, $5, $6, $7, $1, 'x' WHERE $2 = $2",
			append([]any{owner(r.owner), r.from, last, w.instant(r.known), gone}, args(r.value)...)...)
	}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// ask returns all rows of a question, page by page.
func (w *world) ask(t *rapid.T, ctx context.Context, q authorization.Question, size int) (rows []authorization.Row) {
	var after *string
	for {
		p, err := w.Page(ctx, q, page.Args{First: &size, After: after, Counted: after == nil})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, p.Items...)
		if !p.HasNext {
			return rows
		}
		after = new(p.Cursor(p.Items[len(p.Items)-1]))
	}
}

// TestQuestions: the rows of a question, page by page, are those of the oracle: on each
// database, for each way to name agents, as known now and then, filtered, and for a caller
// who is limited to a downline, who sees no more of those above than that they lack
// something.
func TestQuestions(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(t *rapid.T) {
			w.n++
			a := drawAgency(t, fmt.Sprintf("R%d-", w.n))
			w.plant(t, a)
			for known := range instants {
				day := start.AddDays(rapid.IntRange(0, 90).Draw(t, "day"))
				q := authorization.Question{Products: products, Jurisdictions: places, AsOf: history.AsOf{Day: day}}
				if known < instants-1 || rapid.Bool().Draw(t, "named instant") {
					q.Known = history.KnownAt(w.instant(known))
				}
				var want []string
				all := map[string]answer{}
				for i := 1; i <= a.agents; i++ {
					for _, product := range products {
						for _, place := range places {
							key := fmt.Sprint(a.code(i), " ", product, " ", place)
							all[key], want = a.answer(i, product, place, day, known), append(want, key)
						}
					}
				}
				rows := w.ask(t, w.ctx, q, rapid.SampledFrom([]int{1, 4, 100}).Draw(t, "page"))
				w.compare(t, "everybody", rows, want, all)

				reason := authorization.Code(rapid.SampledFrom(authorization.Codes.Texts()).Draw(t, "reason"))
				status := authorization.Status(rapid.SampledFrom(authorization.Statuses.Texts()).Draw(t, "status"))
				for name, keep := range map[string]func(authorization.Row) bool{
					"status": func(r authorization.Row) bool { return r.Status == status },
					"reason": func(r authorization.Row) bool {
						return slices.ContainsFunc(r.Reasons, func(why authorization.Reason) bool { return why.Code == reason })
					},
				} {
					only := q
					if name == "status" {
						only.Status = &status
					} else {
						only.Reason = &reason
					}
					some := slices.DeleteFunc(slices.Clone(rows), func(r authorization.Row) bool { return !keep(r) })
					if got := w.ask(t, w.ctx, only, 3); len(got) != len(some) || len(got) > 0 && !reflect.DeepEqual(got, some) {
						t.Fatalf("%s %s %s: got %v want %v", name, status, reason, got, some)
					}
					size := 1
					if p, err := w.Page(w.ctx, only, page.Args{First: &size, Counted: true}); err != nil || p.Total != len(some) {
						t.Fatalf("%s: %d rows in all, want %d, %v", name, p.Total, len(some), err)
					}
				}

				w.reported(t, a, q, all, status)
				root := rapid.IntRange(1, a.agents).Draw(t, "root")
				q.DownlineOf = new(a.code(root))
				below := func(i int, day date.Date, known int) bool {
					for i != 0 && i != root {
						above, _ := on(a.uplines, i, day, known)
						i = above.value
					}
					return i == root
				}
				var downline []string
				for i := 1; i <= a.agents; i++ {
					if below(i, day, known) {
						downline = append(downline, want[(i-1)*len(products)*len(places):i*len(products)*len(places)]...)
					}
				}
				w.compare(t, "downline", w.ask(t, w.ctx, q, 100), downline, all)
				w.limited(t, a, root, q, want, all)
			}
		})
	})
}

// reported asks the insight, page by page, in orders by agent and by status, with and without a
// filter: its answers are those of the question.
func (w *world) reported(t *rapid.T, a *agency, q authorization.Question, all map[string]answer, status authorization.Status) {
	product, place := rapid.SampledFrom(products).Draw(t, "reported product"), rapid.SampledFrom(places).Draw(t, "reported place")
	parameters := map[string]any{"product": product, "jurisdiction": place, "onDate": q.Day.String()}
	if at := q.Known.At(); at != nil {
		parameters["asKnownAt"] = at.Format(time.RFC3339Nano)
	}
	order := rapid.SampledFrom([]string{"", "agentCode desc", "status"}).Draw(t, "order")
	for _, only := range []string{"", string(status)} {
		var want, got []string
		for i := 1; i <= a.agents; i++ {
			of := all[fmt.Sprint(a.code(i), " ", product, " ", place)]
			if only == "" || only == string(of.Status) {
				want = append(want, fmt.Sprint(a.code(i), " ", of.Status, " ", strings.Join(of.Through, ", "), " ", text(of.ValidThrough)))
			}
		}
		if only != "" {
			parameters["status"] = only
		}
		for size, offset := 2, 0; ; offset += size {
			in := insights.Request{Slug: "sales-authorizations", Parameters: parameters, First: &size, Offset: &offset}
			if order != "" {
				in.Sort = &order
			}
			p, err := insights.New(w.store, w.app.Clock).Insight(w.ctx, in)
			if err != nil || p.TotalCount != len(want) {
				t.Fatalf("%d rows in all, want %d, %v", p.TotalCount, len(want), err)
			}
			for _, row := range p.Rows {
				got = append(got, fmt.Sprint(row.Values[0], " ", row.Values[4], " ", cmp.Or(row.Values[6], any("")), " ", text(row.Values[7])))
			}
			if !p.HasNext {
				break
			}
		}
		if order == "agentCode desc" {
			slices.Reverse(got)
		}
		if order == "status" {
			slices.Sort(got)
		}
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Fatalf("%v, %q: got %v, want %v", parameters, order, got, want)
		}
	}
}

// text is a day as it is written; empty for none.
func text(day any) string {
	switch day := day.(type) {
	case date.Date:
		return day.String()
	case *date.Date:
		if day != nil {
			return day.String()
		}
	}
	return ""
}

func (w *world) compare(t *rapid.T, what string, rows []authorization.Row, want []string, all map[string]answer) {
	t.Helper()
	var got []string
	for _, r := range rows {
		key := fmt.Sprint(r.AgentCode, " ", r.Product, " ", r.Jurisdiction)
		got = append(got, key)
		same(t, what+" "+key, answerOf(r.Answer), all[key])
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%s: rows %v, want %v", what, got, want)
	}
}

// limited asks as a caller who sees an agent and its downline of today.
func (w *world) limited(t *rapid.T, a *agency, root int, q authorization.Question, want []string, all map[string]answer) {
	var id int64
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error { // what was planted is not flattened
		_, err := tx.Exec(ctx, "UPDATE hierarchy_build SET changed_version = built_version + 1 WHERE tenant_id = $1", tenant.From(ctx).ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.One(w.ctx, w.store, []any{&id}, "SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2", tenant.From(w.ctx).ID, a.code(root)); err != nil {
		t.Fatal(err)
	}
	ctx := tenant.WithCaller(w.ctx, tenant.Caller{Subject: "test", Scopes: apptest.Agency, Within: &id, Clock: w.app.Clock})
	today, now := date.In(w.app.Clock.Now(), time.UTC), instants-1
	sees := map[string]bool{}
	for i := 1; i <= a.agents; i++ {
		who := i
		for who != 0 && who != root {
			above, _ := on(a.uplines, who, today, now)
			who = above.value
		}
		sees[a.code(i)] = who == root
	}
	q.DownlineOf = nil
	var got []string
	for _, r := range w.ask(t, ctx, q, 100) {
		key := fmt.Sprint(r.AgentCode, " ", r.Product, " ", r.Jurisdiction)
		got = append(got, key)
		if r.Status != all[key].Status || len(r.Reasons) != len(all[key].Reasons) {
			t.Fatalf("limited %s: %v, want %v", key, r, all[key])
		}
		for _, why := range r.Reasons {
			if hidden := why.AgentCode == ""; hidden && (why.Since != nil || why.CertificationID != 0 || why.Status != "") || !hidden && !sees[why.AgentCode] {
				t.Fatalf("limited %s: it shows %+v", key, why)
			}
		}
		for _, code := range r.Through {
			if !sees[code] {
				t.Fatalf("limited %s: it shows %s", key, code)
			}
		}
	}
	seen := slices.DeleteFunc(slices.Clone(want), func(key string) bool {
		var code, rest string
		_, _ = fmt.Sscan(key, &code, &rest)
		return !sees[code]
	})
	if !slices.Equal(got, seen) {
		t.Fatalf("limited: rows %v, want %v", got, seen)
	}
}
