package agency_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/label"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/problem"
)

// companies defines provider companies; OFF is disabled.
func (w *agentWorld) companies(codes ...string) {
	w.t.Helper()
	for _, code := range codes {
		_, _, err := w.UpsertProviderCompany(w.ctx, reference.ProviderCompanyInput{Code: patch.Set(code), Name: patch.Set(code), IsEnabled: patch.Set(code != "OFF"), Initiator: "hr"})
		w.must(nil, err)
	}
}

func (w *agentWorld) alias(code, identifier string, company *string) int64 {
	w.t.Helper()
	id, err := w.CreateAlias(w.ctx, code, label.AliasInput{Identifier: identifier, ProviderCompany: company, Initiator: "desk"})
	w.must(id, err)
	return id
}

// aliasRow is an alias as it is stored.
type aliasRow struct {
	ID, AgentID     int64
	Identifier      string
	ProviderCompany *string
	CreatedAt       time.Time
	CreatedBy       string
	LastModified    time.Time
	LastModifiedBy  string
}

func aliasesOf(list listing.Rows) listing.List[*aliasRow] {
	return read(list, "l.id, l.agent_id, l.identifier, l.provider_company, l.created_at, l.created_by, l.last_modified, l.last_modified_by", func(l *aliasRow) []any {
		return []any{&l.ID, &l.AgentID, &l.Identifier, &l.ProviderCompany, &l.CreatedAt, &l.CreatedBy, &l.LastModified, &l.LastModifiedBy}
	})
}

// aliases reads all aliases, by id.
func (w *agentWorld) aliases() map[int64]*aliasRow {
	w.t.Helper()
	list, err := w.AliasList(w.ctx, label.AliasFilter{}, nil)
	w.must(nil, err)
	p, err := aliasesOf(list).Page(w.ctx, page.Args{})
	w.must(nil, err)
	all := map[int64]*aliasRow{}
	for _, l := range p.Items {
		all[l.ID] = l
	}
	return all
}

// An alias is "another identifier for an agent, optionally tied to a provider
// company" (Alias). Creating or deleting one is a change of its agent.
func TestAliasLife(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.companies("XLI")
		at := w.later()
		id, plain := w.alias("A1", " W-1 ", new(" XLI ")), w.alias("A1", "W-1", new(" "))
		rows := w.aliases()
		l := rows[id]
		equal(t, "as sent, without blanks", []any{l.AgentID, l.Identifier, *l.ProviderCompany, l.CreatedBy, l.LastModifiedBy, l.CreatedAt.Equal(at), l.LastModified.Equal(at)},
			[]any{w.agent("A1").ID, "W-1", "XLI", "desk", "desk", true, true})
		equal(t, "no company", rows[plain].ProviderCompany, nil)
		equal(t, "the agent's stamp", []any{!w.agent("A1").LastModified.Before(at), w.agent("A1").LastModifiedBy}, []any{true, "desk"})

		at = w.later()
		equal(t, "deletion by another tenant", problems(w.DeleteAlias(w.other, id, "spy")), []string{"NOT_FOUND"})
		equal(t, "deletion without initiator", problems(w.DeleteAlias(w.ctx, id, " ")), []string{"REQUIRED initiator"})
		w.must(nil, w.DeleteAlias(w.ctx, id, "hr"))
		equal(t, "the agent's stamp after", []any{w.agent("A1").LastModified.Equal(at), w.agent("A1").LastModifiedBy}, []any{true, "hr"})
		w.unchanged(func() {
			equal(t, "a second deletion", problems(w.DeleteAlias(w.ctx, id, "hr")), []string{"NOT_FOUND"})
		})
		rows = w.aliases()
		equal(t, "only one is gone", []any{rows[id] == nil, rows[plain] != nil}, []any{true, true})
		w.alias("A1", "W-1", new("XLI")) // free again
		w.must(w.DeleteAgent(w.ctx, "A1", nil, "x"))
		equal(t, "gone with their agent", len(w.aliases()), 0)
	})
}

func TestAliasRefusals(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.register(newcomer("A2"))
		w.companies("XLI", "OFF")
		w.alias("A1", "W-1", new("XLI"))
		w.alias("A1", "W-2", nil)
		w.unchanged(func() {
			for _, test := range []struct {
				name, code string
				in         label.AliasInput
				want       []string
			}{
				{"no identifier", "A1", label.AliasInput{Identifier: " ", Initiator: "x"}, []string{"REQUIRED identifier"}},
				{"a long one", "A1", label.AliasInput{Identifier: strings.Repeat("9", 256), Initiator: "x"}, []string{"TOO_LONG identifier"}},
				{"an unknown company", "A1", label.AliasInput{Identifier: "W", ProviderCompany: new("xli"), Initiator: "x"}, []string{"UNKNOWN_PROVIDER_COMPANY providerCompany"}},
				{"a disabled company", "A1", label.AliasInput{Identifier: "W", ProviderCompany: new("OFF"), Initiator: "x"}, []string{"UNKNOWN_PROVIDER_COMPANY providerCompany"}},
				{"all together", "A1", label.AliasInput{ProviderCompany: new("xli")}, []string{"REQUIRED identifier", "REQUIRED initiator", "UNKNOWN_PROVIDER_COMPANY providerCompany"}},
				{"an unknown agent", "NOBODY", label.AliasInput{Identifier: "W", Initiator: "x"}, []string{"UNKNOWN_AGENT"}},
				{"taken", "A2", label.AliasInput{Identifier: "W-1", ProviderCompany: new("XLI"), Initiator: "x"}, []string{"DUPLICATE_KEY identifier"}},
				{"taken among those of no company", "A1", label.AliasInput{Identifier: "W-2", Initiator: "x"}, []string{"DUPLICATE_KEY identifier"}},
			} {
				_, err := w.CreateAlias(w.ctx, test.code, test.in)
				equal(t, test.name, problems(err), test.want)
				if problem.Has(err, problem.DuplicateKey) {
					equal(t, test.name+": a conflict", categories(err), []problem.Category{problem.Conflict})
				}
			}
		})
		w.alias("A2", "W-2", new("XLI"))
		w.alias("A2", "w-1", new("XLI"))
		w.must(w.Register(w.other, newcomer("A1"), false))
		w.must(w.CreateAlias(w.other, "A1", label.AliasInput{Identifier: "W-2", Initiator: "them"}))
	})
}

// The identifier is unique in the database, so two at once cannot both have it.
func TestAliasCreateConcurrent(t *testing.T) {
	const goroutines = 8
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.companies("XLI")
		for i := range goroutines {
			w.register(newcomer(fmt.Sprintf("A%d", i)))
		}
		for _, company := range []*string{nil, new("XLI")} {
			var (
				all  sync.WaitGroup
				errs [goroutines]error
			)
			for i := range goroutines {
				all.Go(func() {
					_, errs[i] = w.CreateAlias(w.ctx, fmt.Sprintf("A%d", i), label.AliasInput{Identifier: "W-1", ProviderCompany: company, Initiator: "x"})
				})
			}
			all.Wait()
			created := 0
			for _, err := range errs {
				if err == nil {
					created++
				} else if !problem.Has(err, problem.DuplicateKey) {
					t.Errorf("neither created nor a duplicate: %v", err)
				}
			}
			equal(t, "created", created, 1)
		}
	})
}

// GET /aliases filters by agentCode, identifier and providerCompany, exactly.
func TestAliasList(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.companies("XLI", "BLH")
		for _, code := range []string{"A2", "A1", "A3"} {
			w.register(newcomer(code))
		}
		w.alias("A2", "2", new("XLI"))
		w.later()
		w.alias("A1", "1", new("XLI"))
		w.later()
		w.alias("A1", "2", new("BLH"))
		w.later()
		w.alias("A2", "1", nil)
		w.must(w.Register(w.other, newcomer("A1"), false))
		w.must(w.CreateAlias(w.other, "A1", label.AliasInput{Identifier: "1", Initiator: "them"}))

		text := func(l *aliasRow) string {
			company := "-"
			if l.ProviderCompany != nil {
				company = *l.ProviderCompany
			}
			return l.Identifier + company
		}
		find := func(f label.AliasFilter, orders ...listing.Order) string {
			t.Helper()
			list, err := w.AliasList(w.ctx, f, orders)
			w.must(nil, err)
			rows := lines(w, aliasesOf(list), text)
			n, err := list.Count(w.ctx)
			w.must(n, err)
			equal(t, "count", n, len(rows))
			return strings.Join(rows, " ")
		}
		equal(t, "by identifier, then as created", find(label.AliasFilter{}), "1XLI 1- 2XLI 2BLH")
		equal(t, "downwards", find(label.AliasFilter{}, listing.Order{Field: "IDENTIFIER", Desc: true}), "2BLH 2XLI 1- 1XLI")
		equal(t, "by agent code", find(label.AliasFilter{}, listing.Order{Field: "AGENT_CODE"}), "1XLI 2BLH 1- 2XLI")
		equal(t, "by company, those without one first", find(label.AliasFilter{}, listing.Order{Field: "PROVIDER_COMPANY"}), "1- 2BLH 1XLI 2XLI")
		equal(t, "by creation", find(label.AliasFilter{}, listing.Order{Field: "CREATED_AT"}), "2XLI 1XLI 2BLH 1-")
		equal(t, "agentCode", find(label.AliasFilter{AgentCode: new("A1")}), "1XLI 2BLH")
		equal(t, "identifier", find(label.AliasFilter{Identifier: new("2")}), "2XLI 2BLH")
		equal(t, "providerCompany", find(label.AliasFilter{ProviderCompany: new("XLI")}), "1XLI 2XLI")
		equal(t, "all must hold", find(label.AliasFilter{AgentCode: new("A2"), Identifier: new("1"), ProviderCompany: new("XLI")}), "")

		list, err := w.AliasList(w.ctx, label.AliasFilter{}, nil)
		w.must(nil, err)
		one, three := w.agent("A1").ID, w.agent("A3").ID
		pages, err := aliasesOf(list).Pages(w.ctx, []int64{one, three}, page.Args{First: new(1)})
		w.must(pages, err)
		equal(t, "one page of each agent", []any{text(pages[one].Items[0]), pages[one].HasNext, len(pages[three].Items)}, []any{"1XLI", true, 0})
		counts, err := list.Counts(w.ctx, []int64{one, three})
		w.must(counts, err)
		equal(t, "how many each has", []int{counts[one], counts[three]}, []int{2, 0})
	})
}

// A fault of the database in the look-up of what a write refers to is its
// outcome: nothing is written that was not checked.
func TestReferenceFaultIsNoConsent(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A1"))
		w.companies("ACME")
		w.must(nil, dbtest.Owner(t, w.store).InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "ALTER TABLE agency_provider_company RENAME COLUMN is_enabled TO was_enabled")
			return err
		}))
		w.unchanged(func() {
			_, err := w.CreateAlias(w.ctx, "A1", label.AliasInput{Identifier: "1", ProviderCompany: new("ACME"), Initiator: "x"})
			if err == nil || !strings.Contains(err.Error(), "is_enabled") {
				t.Errorf("the fault is %v", err)
			}
		})
	})
}
