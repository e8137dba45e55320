package agency_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// TestCertificationMatchingRules holds a case for every matching rule of
// "POST /certifications" (specification, Certifications).
func TestCertificationMatchingRules(t *testing.T) {
	bare := func(in *certification.Upsert) {
		in.Type, in.ProviderCompany, in.Jurisdiction, in.Identifier = "AML", nil, nil, nil
	}
	tests := []struct {
		name          string
		first, second func(in *certification.Upsert)
		match         bool
	}{
		{"the same input", nil, nil, true},
		{"rule 1: another agentCode", nil, func(in *certification.Upsert) { in.AgentCode = "A2" }, false},
		{"rule 1: another type", nil, func(in *certification.Upsert) { in.Type = "LIFE" }, false},
		{"rule 2: another providerCompany", nil, func(in *certification.Upsert) { in.ProviderCompany = new("QRY") }, false},
		{"rule 2: a missing providerCompany does not match a present one", func(in *certification.Upsert) { in.Type = "AML" },
			func(in *certification.Upsert) { in.Type, in.ProviderCompany = "AML", nil }, false},
		{"rule 2: a present providerCompany does not match a missing one", func(in *certification.Upsert) { in.Type, in.ProviderCompany = "AML", nil },
			func(in *certification.Upsert) { in.Type = "AML" }, false},
		{"rule 3: another jurisdiction", nil, func(in *certification.Upsert) { in.Jurisdiction = new("US-NY") }, false},
		{"rule 3: a missing jurisdiction does not match a present one", func(in *certification.Upsert) { in.Type = "AML" },
			func(in *certification.Upsert) { in.Type, in.Jurisdiction = "AML", nil }, false},
		{"rules 2 to 4: missing matches missing", bare, bare, true},
		{"rule 4: another identifier", nil, func(in *certification.Upsert) { in.Identifier = new("X-2") }, false},
		{"rule 4: an identifier matches exactly, in capitals and small letters", nil, func(in *certification.Upsert) { in.Identifier = new("x-1") }, false},
		{"rule 4: blank is missing", bare, func(in *certification.Upsert) { bare(in); in.Identifier = new("  ") }, true},
		{"rule 4: a blank identifier does not match a present one", nil, func(in *certification.Upsert) { in.Identifier = new("") }, false},
		{"rule 5: status, dates, flags and note play no part", nil, func(in *certification.Upsert) {
			in.Status, in.EffectiveFrom, in.EffectiveThrough = new("PENDING"), day(time.March, 1), day(time.April, 1)
			in.Details = flags(true, false)
			in.Note = patch.Set("another")
		}, true},
		{"rule 6: the identifier omitted on the next call", nil, func(in *certification.Upsert) { in.Identifier = nil }, false},
	}
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				w.exec("DELETE FROM agency_certification")
				first, second := full(), full()
				if test.first != nil {
					test.first(&first)
				}
				if test.second != nil {
					test.second(&second)
				}
				one, two := w.upsert(first), w.upsert(second)
				equal(t, "the first is new", one.IsNew, true)
				equal(t, "the second is new", two.IsNew, !test.match)
				equal(t, "the same id", one.ID == two.ID, test.match)
			})
		}
	})
}

// TestCertificationMatchingModel compares any sequence of upserts with the six
// matching rules in one sentence: what is equal in five values is the same
// certification.
func TestCertificationMatchingModel(t *testing.T) {
	type key struct{ agent, kind, company, jurisdiction, identifier string }
	optional := func(values ...string) *rapid.Generator[*string] { return rapid.Ptr(rapid.SampledFrom(values), true) }
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return strings.TrimSpace(*s)
	}
	upserts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) certification.Upsert {
		return certification.Upsert{
			AgentCode: rapid.SampledFrom([]string{"A1", "A2"}).Draw(t, "agent"), Type: rapid.SampledFrom([]string{"AML", "TIE"}).Draw(t, "type"),
			ProviderCompany: optional("BLH", "QRY").Draw(t, "company"), Jurisdiction: optional("US-TX", "US-NY").Draw(t, "jurisdiction"),
			Identifier: optional("", " ", "X", "x", "BLH").Draw(t, "identifier"), Details: certification.Details{Note: patch.Of(optional("n").Draw(t, "note")),
				IsVerified: patch.Set(rapid.Bool().Draw(t, "verified"))}, EffectiveFrom: day(time.January, rapid.IntRange(1, 3).Draw(t, "from")), Initiator: "import",
		}
	}), 1, 12)
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		w.must(w.CreateCertificationType(w.ctx, reference.CertificationTypeInput{Code: patch.Set("TIE"), Name: patch.Set("Tie"), Initiator: "hr"}))
		rapid.Check(t, func(t *rapid.T) {
			w.exec("DELETE FROM agency_certification")
			known := map[key]int64{}
			for _, in := range upserts.Draw(t, "upserts") {
				r, err := w.UpsertCertification(w.ctx, in, false)
				if err != nil {
					t.Fatal(err)
				}
				k := key{in.AgentCode, in.Type, text(in.ProviderCompany), text(in.Jurisdiction), text(in.Identifier)}
				if id, found := known[k]; found == r.IsNew || found && id != r.ID {
					t.Fatalf("%+v: got %d new %v, known as %d", k, r.ID, r.IsNew, id)
				}
				known[k] = r.ID
				c := w.read(r.ID, licenceToday)
				if c.IsVerified.OrZero() != in.IsVerified.OrZero() || text(c.Note.Value) != text(in.Note.Value) {
					t.Fatalf("%+v: the last upsert does not show", k)
				}
			}
		})
	})
}

// TestCertificationUpsertConcurrent: of many upserts of the same certification
// at once one adds it, the others match; none fails.
func TestCertificationUpsertConcurrent(t *testing.T) {
	const goroutines = 32
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		var (
			all     sync.WaitGroup
			results [goroutines]certification.Result
			errs    [goroutines]error
		)
		for i := range goroutines {
			all.Go(func() { results[i], errs[i] = w.UpsertCertification(w.ctx, full(), false) })
		}
		all.Wait()
		isNew := 0
		for i, r := range results {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			if r.IsNew {
				isNew++
			}
			equal(t, "id", r.ID, results[0].ID)
		}
		equal(t, "new", isNew, 1)
		equal(t, "rows", w.count("SELECT count(*) FROM agency_certification"), 1)
		equal(t, "periods, superseded ones included", w.count("SELECT count(*) FROM agency_certification_period"), 1)
	})
}

// The unique index repeats the matching rules, should a writer forget the lock.
func TestCertificationMatchIndex(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		in := full()
		in.Type, in.ProviderCompany, in.Jurisdiction, in.Identifier = "AML", nil, nil, nil
		r := w.upsert(in)
		err := s.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO agency_certification (tenant_id, agent_id, type, is_resident_certification, is_verified, created_at, created_by, last_modified, last_modified_by)
				SELECT tenant_id, agent_id, type, false, false, created_at, 'x', last_modified, 'x' FROM agency_certification WHERE id = $1`, r.ID)
			return err
		})
		if !dberror.IsUniqueViolation(err, "agency_certification_match", "agency_certification_match") {
			t.Errorf("a second row of the same match: %v", err)
		}
	})
}
