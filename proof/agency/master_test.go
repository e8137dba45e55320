package agency_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// withMaster makes the other agency the master of the agency.
func (w *agentWorld) withMaster() {
	t := *tenant.From(w.ctx)
	t.MasterID = tenant.From(w.other).ID
	w.ctx = tenant.With(w.ctx, &t)
}

// person is a registration with a government identifier, and a code unless that
// is empty.
func person(identifier, code string) agency.Registration {
	in := newcomer(code)
	in.GovernmentIdentifier = &identifier
	return in
}

// "governmentIdentifier: SSN/SIN; also used to find an existing code in the
// master agency" (Resources, "Agent").
func TestRegistrationFindsTheCodeInTheMasterAgency(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.withMaster()
		for _, in := range []agency.Registration{person("123-45-6789", "M1"), person("123456789", "M2"), person("987-65-4321", "M3")} {
			w.must(w.Register(w.other, in, false))
		}
		preview, err := w.Register(w.ctx, person("123 45 6789", ""), true)
		w.must(preview, err)
		equal(t, "a dry run answers the same", preview, "M1")
		equal(t, "the oldest of two, however it is written", w.register(person("123 45 6789", "")), "M1")
		equal(t, "a code that is given wins", w.register(person("987654321", "OWN")), "OWN")
		equal(t, "nobody in the master agency", w.register(person("555-55-5555", "")), "A100001")
		equal(t, "no identifier", w.register(newcomer("")), "A100002")

		for _, dryRun := range []bool{true, false} {
			w.unchanged(func() {
				_, err := w.Register(w.ctx, person("123456789", ""), dryRun)
				equal(t, "the code is in use here", problems(err), []string{"AGENT_CODE_IN_USE agentCode"})
				equal(t, "category", categories(err), []problem.Category{problem.Conflict})
				if message := problem.From(err)[0].Message; !strings.Contains(message, "master agency") {
					t.Errorf("the message does not say where the code comes from: %s", message)
				}
			})
		}
		_, err = w.Register(w.ctx, person("111111111", "M1"), false)
		if message := problem.From(err)[0].Message; strings.Contains(message, "master agency") {
			t.Errorf("the message of a code that was given: %s", message)
		}
		code, err := w.Register(w.other, person("555555555", ""), false)
		w.must(code, err)
		equal(t, "the master agency itself has none to ask", code, "A100001")
	})
}

// A code that the master agency uses is not generated: who has it there may be
// registered here later.
func TestGeneratedCodesPassOverThoseOfTheMasterAgency(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.withMaster()
		w.must(w.Register(w.other, person("123456789", "A100001"), false))
		w.must(w.Register(w.other, newcomer("A100003"), false))
		w.register(newcomer("A100002"))
		equal(t, "generated", w.register(newcomer("")), "A100004")
		equal(t, "reused", w.register(person("123456789", "")), "A100001")
	})
}

// A tenant gets a master agency, or brings its own codes along, when thousands of
// the numbers are taken: the first registration passes over all of them, with as
// many statements as the next one.
func TestGeneratedCodesPassOverThousandsAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.withMaster()
		w.must(w.Register(w.other, newcomer("A100001"), false))
		take := func(first, last int) {
			w.must(nil, w.store.InTx(w.other, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, `WITH RECURSIVE taken (n) AS (SELECT CAST($1 AS bigint) UNION ALL SELECT n + 1 FROM taken WHERE n < $2)
					INSERT INTO agency_agent (tenant_id, code, first_name, last_name, first_name_key, last_name_key, common_name_key, email_key,
						is_dedicated, start_date, created_at, created_by, last_modified, last_modified_by)
					SELECT a.tenant_id, 'A' || CAST(n AS text), a.first_name, a.last_name, a.first_name_key, a.last_name_key, a.common_name_key, a.email_key,
						a.is_dedicated, a.start_date, a.created_at, a.created_by, a.last_modified, a.last_modified_by
					FROM taken CROSS JOIN agency_agent a WHERE a.tenant_id = $3 AND a.code = 'A100001'`, first, last, tenant.From(w.other).ID)
				return err
			}))
		}
		take(100002, 105000)
		for _, want := range []string{"A105001", "A105002"} {
			ctx, statements := store.CountStatements(w.ctx)
			code, err := w.Register(ctx, newcomer(""), false)
			w.must(code, err)
			equal(t, "generated", code, want)
			if n := statements.Load(); n > 30 {
				t.Errorf("%s took %d statements", code, n)
			}
		}
	})
}

// The same person is registered twice at once: one gets the code of the master
// agency, the other is told.
func TestRegistrationsOfOnePersonAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.withMaster()
		for round := range 8 {
			in := person(fmt.Sprintf("12345678%d", round), "")
			w.must(w.Register(w.other, person(*in.GovernmentIdentifier, fmt.Sprint("M", round)), false))
			var both sync.WaitGroup
			errs := make([]error, 2)
			for i := range errs {
				both.Go(func() { _, errs[i] = w.Register(w.ctx, in, false) })
			}
			both.Wait()
			if (errs[0] == nil) == (errs[1] == nil) || !problem.Has(errs[0], problem.AgentCodeInUse) && !problem.Has(errs[1], problem.AgentCodeInUse) {
				t.Errorf("round %d: %v and %v", round, errs[0], errs[1])
			}
		}
	})
}
