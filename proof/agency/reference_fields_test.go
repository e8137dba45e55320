package agency_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/reference"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// configured is a record of reference data of any kind, as it is stored.
type configured struct {
	ID, TeamID                                               int64
	Code, Name, Category, Country, Kind                      string
	Description, Color, NaicCode                             *string
	Value, SortOrder                                         int
	RequiresJurisdiction, RequiresProviderCompany, IsEnabled bool
	IsActive, CanBePaid                                      bool
	CreatedAt, LastModified                                  time.Time
	CreatedBy, LastModifiedBy                                string
}

// configured reads a record by its id, whatever columns its table has.
func (w *licenceWorld) configured(entity string, id int64) *configured {
	w.t.Helper()
	r, of := new(configured), reference.References[entity]
	known := map[string]any{"id": &r.ID, "team_id": &r.TeamID, "code": &r.Code, "name": &r.Name, "category": &r.Category, "country": &r.Country, "kind": &r.Kind,
		"description": &r.Description, "color": &r.Color, "naic_code": &r.NaicCode, "value": &r.Value, "sort_order": &r.SortOrder,
		"requires_jurisdiction": &r.RequiresJurisdiction, "requires_provider_company": &r.RequiresProviderCompany, "is_enabled": &r.IsEnabled,
		"is_active": &r.IsActive, "can_be_paid": &r.CanBePaid, "created_at": &r.CreatedAt, "last_modified": &r.LastModified, "created_by": &r.CreatedBy, "last_modified_by": &r.LastModifiedBy}
	columns := []string{"id", "created_at", "created_by", "last_modified", "last_modified_by"}
	if entity == record.AgentLevelEntity {
		columns = append(columns, "team_id")
	}
	for _, l := range of.Fields {
		columns = append(columns, l.Column)
	}
	dest := make([]any, len(columns))
	for i, column := range columns {
		dest[i] = known[column]
	}
	found, err := store.One(w.ctx, w.store, dest, "SELECT "+strings.Join(columns, ", ")+" FROM "+of.Table+" WHERE id = $1", id)
	w.must(found, err)
	return r
}

func TestReferenceCertificationTypeFields(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id, err := w.CreateCertificationType(w.ctx, reference.CertificationTypeInput{Code: patch.Set(" CE.1_a-b "), Name: patch.Set("Education"), Initiator: "hr"})
		w.must(id, err)
		r := w.configured(record.CertificationTypeEntity, id)
		equal(t, "defaults", []any{r.Code, r.Description == nil, r.Category, r.RequiresJurisdiction, r.RequiresProviderCompany, r.IsEnabled},
			[]any{"CE.1_a-b", true, "OTHER", false, false, true})
		id, changed, err := w.UpdateCertificationType(w.ctx, r.Code, reference.CertificationTypeInput{Code: patch.Set("CE.1_a-b"), Description: patch.Set("Hours"),
			Category: patch.Set("TRAINING"), RequiresJurisdiction: patch.Set(true), RequiresProviderCompany: patch.Set(true), IsEnabled: patch.Set(false), Initiator: "desk"})
		w.must(id, err)
		r = w.configured(record.CertificationTypeEntity, id)
		id, again, err := w.UpdateCertificationType(w.ctx, r.Code, reference.CertificationTypeInput{Initiator: "x"})
		w.must(id, err)
		r = w.configured(record.CertificationTypeEntity, id)
		equal(t, "every field", []any{changed, again, r.Name, *r.Description, r.Category, r.RequiresJurisdiction, r.RequiresProviderCompany, r.IsEnabled, r.LastModifiedBy},
			[]any{true, false, "Education", "Hours", "TRAINING", true, true, false, "desk"})
		_, changed, err = w.UpdateCertificationType(w.ctx, r.Code, reference.CertificationTypeInput{Description: patch.Null[string](), Initiator: "desk"})
		w.must(nil, err)
		equal(t, "description cleared", []any{changed, w.configured(record.CertificationTypeEntity, r.ID).Description == nil}, []any{true, true})

		refuse := func(name string, in reference.CertificationTypeInput, want ...string) {
			t.Helper()
			in.Initiator = "x"
			_, err := w.CreateCertificationType(w.ctx, in)
			equal(t, name, problems(err), want)
		}
		refuse("nothing", reference.CertificationTypeInput{}, "REQUIRED code", "REQUIRED name")
		refuse("nulls", reference.CertificationTypeInput{Code: patch.Null[string](), Name: patch.Null[string]()}, "NULL_NOT_ALLOWED code", "NULL_NOT_ALLOWED name")
		refuse("blanks", reference.CertificationTypeInput{Code: patch.Set(" "), Name: patch.Set(" ")}, "REQUIRED code", "REQUIRED name")
		for _, code := range []string{"a b", "a/b", ".", "..", "ä", "a\nb"} {
			refuse("code "+code, reference.CertificationTypeInput{Code: patch.Set(code), Name: patch.Set("n")}, "INVALID_FORMAT code")
		}
		refuse("too long, unknown category", reference.CertificationTypeInput{Code: patch.Set(strings.Repeat("c", 51)), Name: patch.Set(strings.Repeat("n", 101)),
			Category: patch.Set("License")}, "TOO_LONG code", "TOO_LONG name", "INVALID_FORMAT category")
		_, _, err = w.UpdateCertificationType(w.ctx, "AML", reference.CertificationTypeInput{Code: patch.Set("aml"), Category: patch.Null[string](),
			RequiresJurisdiction: patch.Null[bool](), RequiresProviderCompany: patch.Null[bool](), IsEnabled: patch.Null[bool](), Initiator: "x"})
		equal(t, "update", problems(err), []string{"INVALID_FORMAT code", "NULL_NOT_ALLOWED category", "NULL_NOT_ALLOWED requiresJurisdiction",
			"NULL_NOT_ALLOWED requiresProviderCompany", "NULL_NOT_ALLOWED isEnabled"})
	})
}

func TestReferenceJurisdictionFields(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id, err := w.CreateJurisdiction(w.ctx, reference.JurisdictionInput{Code: patch.Set("MX-A1"), Name: patch.Set("Somewhere"), Initiator: "hr"})
		w.must(id, err)
		r := w.configured(record.JurisdictionEntity, id)
		equal(t, "defaults", []any{r.Country, r.Kind, r.IsEnabled}, []any{"MX", "State", true})
		_, changed, err := w.UpdateJurisdiction(w.ctx, "MX-A1", reference.JurisdictionInput{Country: patch.Set("US"), Kind: patch.Set("Territory"), IsEnabled: patch.Set(false), Initiator: "desk"})
		w.must(nil, err)
		id, _, err = w.UpdateJurisdiction(w.ctx, "MX-A1", reference.JurisdictionInput{Initiator: "x"})
		w.must(id, err)
		r = w.configured(record.JurisdictionEntity, id)
		equal(t, "every field", []any{changed, r.Name, r.Country, r.Kind, r.IsEnabled}, []any{true, "Somewhere", "US", "Territory", false})

		for _, code := range []string{"", "US", "us-TX", "US-tx", "US-TEX", "US-T", "USA-TX", "US_TX", " US-TX", "US-TX\n"} {
			_, err := w.CreateJurisdiction(w.ctx, reference.JurisdictionInput{Code: patch.Set(code), Name: patch.Set("n"), Initiator: "x"})
			equal(t, "code "+code, problems(err), []string{"INVALID_FORMAT code"})
		}
		_, err = w.CreateJurisdiction(w.ctx, reference.JurisdictionInput{Country: patch.Set("usa"), Kind: patch.Set("County"), Initiator: "x"})
		equal(t, "creation", problems(err), []string{"REQUIRED code", "REQUIRED name", "INVALID_FORMAT country", "INVALID_FORMAT kind"})
		_, _, err = w.UpdateJurisdiction(w.ctx, "US-TX", reference.JurisdictionInput{Code: patch.Set("US-NY"), Country: patch.Null[string](), Kind: patch.Null[string](),
			IsEnabled: patch.Null[bool](), Initiator: "x"})
		equal(t, "update", problems(err), []string{"INVALID_FORMAT code", "NULL_NOT_ALLOWED country", "NULL_NOT_ALLOWED kind", "NULL_NOT_ALLOWED isEnabled"})
	})
}

func TestReferencePayStatusFields(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for _, isActive := range []bool{true, false} {
			id, err := w.CreatePayStatus(w.ctx, reference.PayStatusInput{Name: patch.Set(map[bool]string{true: "Im Dienst – öffentlich", false: "Out"}[isActive]),
				IsActive: patch.Set(isActive), Initiator: "hr"})
			w.must(id, err)
			r := w.configured(record.PayStatusEntity, id)
			equal(t, "defaults", []any{r.IsActive, r.CanBePaid, r.SortOrder, r.Description == nil}, []any{isActive, isActive, 0, true})
		}
		_, changed, err := w.UpdatePayStatus(w.ctx, "Out", reference.PayStatusInput{IsActive: patch.Set(true), CanBePaid: patch.Set(true), SortOrder: patch.Set(-3), Description: patch.Set("d"), Initiator: "desk"})
		w.must(nil, err)
		id, _, err := w.UpdatePayStatus(w.ctx, "Out", reference.PayStatusInput{Name: patch.Set("Out"), Initiator: "x"})
		w.must(id, err)
		r := w.configured(record.PayStatusEntity, id)
		equal(t, "every field", []any{changed, r.IsActive, r.CanBePaid, r.SortOrder, *r.Description}, []any{true, true, true, -3, "d"})

		_, err = w.CreatePayStatus(w.ctx, reference.PayStatusInput{Initiator: "x"})
		equal(t, "creation", problems(err), []string{"REQUIRED name", "REQUIRED isActive"})
		for _, name := range []string{"a/b", "a\tb", "a\nb", "a\u2028b", "a,b", ".", " .. "} {
			_, err := w.CreatePayStatus(w.ctx, reference.PayStatusInput{Name: patch.Set(name), IsActive: patch.Set(true), Initiator: "x"})
			equal(t, "name "+name, problems(err), []string{"INVALID_FORMAT name"})
		}
		_, err = w.CreatePayStatus(w.ctx, reference.PayStatusInput{Name: patch.Set(strings.Repeat("n", 101)), IsActive: patch.Set(true), Initiator: "x"})
		equal(t, "long name", problems(err), []string{"TOO_LONG name"})
		_, _, err = w.UpdatePayStatus(w.ctx, "Out", reference.PayStatusInput{Name: patch.Set("out"), IsActive: patch.Null[bool](), CanBePaid: patch.Null[bool](), SortOrder: patch.Null[int](), Initiator: "x"})
		equal(t, "update", problems(err), []string{"INVALID_FORMAT name", "NULL_NOT_ALLOWED isActive", "NULL_NOT_ALLOWED canBePaid", "NULL_NOT_ALLOWED sortOrder"})
	})
}

func TestReferenceTagFields(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		id, err := w.CreateTag(w.ctx, reference.TagInput{Name: patch.Set(" Müller & Co. "), Initiator: "hr"})
		w.must(id, err)
		r := w.configured(record.TagEntity, id)
		equal(t, "defaults", []any{r.Name, r.Description == nil, r.Color == nil}, []any{"Müller & Co.", true, true})
		_, changed, err := w.UpdateTag(w.ctx, r.Name, reference.TagInput{Description: patch.Set(" d "), Color: patch.Set("#2a9D8f"), Initiator: "desk"})
		w.must(nil, err)
		id, again, err := w.UpdateTag(w.ctx, r.Name, reference.TagInput{Name: patch.Set(r.Name), Color: patch.Set("#2a9D8f"), Initiator: "x"})
		w.must(id, err)
		r = w.configured(record.TagEntity, id)
		equal(t, "every field", []any{changed, again, *r.Description, *r.Color, r.LastModifiedBy}, []any{true, false, "d", "#2a9D8f", "desk"})
		id, changed, err = w.UpdateTag(w.ctx, r.Name, reference.TagInput{Description: patch.Null[string](), Color: patch.Set(" "), Initiator: "x"})
		w.must(id, err)
		r = w.configured(record.TagEntity, id)
		equal(t, "cleared", []any{changed, r.Description == nil, r.Color == nil}, []any{true, true, true})

		refuse := func(name string, in reference.TagInput, want ...string) {
			t.Helper()
			in.Initiator = "x"
			_, err := w.CreateTag(w.ctx, in)
			equal(t, name, problems(err), want)
		}
		refuse("nothing", reference.TagInput{}, "REQUIRED name")
		refuse("null", reference.TagInput{Name: patch.Null[string]()}, "NULL_NOT_ALLOWED name")
		for _, name := range []string{"a/b", "a\tb", "a\nb", "a\u2028b"} {
			refuse("name "+name, reference.TagInput{Name: patch.Set(name)}, "INVALID_FORMAT name")
		}
		// GET /tags/assigned lists the assignments.
		for _, name := range []string{"assigned", "Assigned", " ASSIGNED "} {
			refuse("name "+name, reference.TagInput{Name: patch.Set(name)}, "RESERVED_NAME name")
		}
		refuse("too long", reference.TagInput{Name: patch.Set(strings.Repeat("n", 101)), Description: patch.Set(strings.Repeat("d", 4001))}, "TOO_LONG name", "TOO_LONG description")
		for _, color := range []string{"2a9d8f", "#2a9d8", "#2a9d8f0", "#2a9d8g", "red", "#2a9d8f\n#000000"} {
			refuse("color "+color, reference.TagInput{Name: patch.Set("n"), Color: patch.Set(color)}, "INVALID_FORMAT color")
		}
		_, _, err = w.UpdateTag(w.ctx, "Müller & Co.", reference.TagInput{Name: patch.Set("Other"), Color: patch.Set("red"), Initiator: "x"})
		equal(t, "update", problems(err), []string{"INVALID_FORMAT name", "INVALID_FORMAT color"})
	})
}

func TestReferenceAgentLevelFields(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		for _, value := range []int{0, 1_000_000} {
			id, err := w.CreateAgentLevel(w.ctx, w.team, reference.AgentLevelInput{Value: patch.Set(value), Name: patch.Set("Rank"), Initiator: "hr"})
			w.must(id, err)
			r := w.configured(record.AgentLevelEntity, id)
			equal(t, "defaults", []any{r.TeamID, r.Value, r.Name, r.Description == nil, r.IsEnabled}, []any{w.team, value, "Rank", true, true})
		}
		_, changed, err := w.UpdateAgentLevel(w.ctx, w.team, 0, reference.AgentLevelInput{Description: patch.Set("d"), IsEnabled: patch.Set(false), Initiator: "desk"})
		w.must(nil, err)
		id, _, err := w.UpdateAgentLevel(w.ctx, w.team, 0, reference.AgentLevelInput{Value: patch.Set(0), Initiator: "x"})
		w.must(id, err)
		r := w.configured(record.AgentLevelEntity, id)
		equal(t, "every field", []any{changed, *r.Description, r.IsEnabled}, []any{true, "d", false})

		for _, value := range []int{-1, 1_000_001} {
			_, err := w.CreateAgentLevel(w.ctx, w.team, reference.AgentLevelInput{Value: patch.Set(value), Name: patch.Set("Rank"), Initiator: "x"})
			equal(t, "value", problems(err), []string{"OUT_OF_RANGE value"})
		}
		_, err = w.CreateAgentLevel(w.ctx, w.team, reference.AgentLevelInput{Initiator: "x"})
		equal(t, "creation", problems(err), []string{"REQUIRED value", "REQUIRED name"})
		_, _, err = w.UpdateAgentLevel(w.ctx, w.team, 0, reference.AgentLevelInput{Value: patch.Set(1), IsEnabled: patch.Null[bool](), Initiator: "x"})
		equal(t, "update", problems(err), []string{"INVALID_FORMAT value", "NULL_NOT_ALLOWED isEnabled"})

		// "The level in team membership must be one of these."
		for level, want := range map[int][]string{1_000_000: {}, 0: {"UNKNOWN_LEVEL level"}, 7: {"UNKNOWN_LEVEL level"}} {
			_, err := w.ApplyLevel(w.ctx, record.DefaultTeam, record.PeriodInput[int]{AgentCode: "A1", Value: level, EffectiveFrom: licenceToday, Initiator: "x"}, false)
			equal(t, "as a level of an agent", problems(err), want)
		}
	})
}

func TestReferenceProviderCompanyUpsert(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		upsert := func(in reference.ProviderCompanyInput, by string) (*configured, bool) {
			t.Helper()
			w.clock.Move(time.Minute)
			in.Code, in.Initiator = patch.Set("NEW"), by
			id, changed, err := w.UpsertProviderCompany(w.ctx, in)
			w.must(id, err)
			r := w.configured(record.ProviderCompanyEntity, id)
			return r, changed
		}
		r, changed := upsert(reference.ProviderCompanyInput{Name: patch.Set("New Life"), NAICCode: patch.Set("00101")}, "hr")
		equal(t, "new", []any{changed, r.Code, r.Name, *r.NaicCode, r.IsEnabled, r.CreatedBy, r.LastModifiedBy}, []any{true, "NEW", "New Life", "00101", true, "hr", "hr"})
		id, created := r.ID, w.clock.Now()
		r, changed = upsert(reference.ProviderCompanyInput{Name: patch.Set("New Life")}, "desk")
		equal(t, "nothing changed", []any{changed, r.ID, *r.NaicCode, r.LastModifiedBy, r.LastModified.Equal(created)}, []any{false, id, "00101", "hr", true})
		r, changed = upsert(reference.ProviderCompanyInput{NAICCode: patch.Null[string](), IsEnabled: patch.Set(false)}, "desk")
		equal(t, "changed", []any{changed, r.ID, r.Name, r.NaicCode == nil, r.IsEnabled, r.CreatedBy, r.LastModifiedBy, r.CreatedAt.Equal(created), r.LastModified.Equal(w.clock.Now())},
			[]any{true, id, "New Life", true, false, "hr", "desk", true, true})

		for _, test := range []struct {
			name string
			in   reference.ProviderCompanyInput
			want []string
		}{
			{"new without a name", reference.ProviderCompanyInput{Code: patch.Set("X"), Initiator: "x"}, []string{"REQUIRED name"}},
			{"nulls", reference.ProviderCompanyInput{Code: patch.Set("BLH"), Name: patch.Null[string](), IsEnabled: patch.Null[bool](), Initiator: "x"}, []string{"NULL_NOT_ALLOWED name", "NULL_NOT_ALLOWED isEnabled"}},
			{"no code, no initiator", reference.ProviderCompanyInput{}, []string{"REQUIRED initiator", "REQUIRED code"}},
			{"format of the code", reference.ProviderCompanyInput{Code: patch.Set("a b"), Name: patch.Set("n"), Initiator: "x"}, []string{"INVALID_FORMAT code"}},
		} {
			_, _, err := w.UpsertProviderCompany(w.ctx, test.in)
			equal(t, test.name, problems(err), test.want)
		}

		_, changed, err := w.UpsertProviderCompany(w.other, reference.ProviderCompanyInput{Code: patch.Set("NEW"), Name: patch.Set("Theirs"), Initiator: "them"})
		w.must(nil, err)
		r, _ = upsert(reference.ProviderCompanyInput{}, "x")
		equal(t, "another tenant has its own", []any{changed, r.Name}, []any{true, "New Life"})
	})
}

func TestReferenceProviderCompanyUpsertConcurrent(t *testing.T) {
	const goroutines = 16
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := newLicenceWorld(t, s)
		var (
			all     sync.WaitGroup
			changed [goroutines]bool
			errs    [goroutines]error
		)
		for i := range goroutines {
			all.Go(func() {
				_, changed[i], errs[i] = w.UpsertProviderCompany(w.ctx, reference.ProviderCompanyInput{Code: patch.Set("NEW"), Name: patch.Set("New"), Initiator: "hr"})
			})
		}
		all.Wait()
		n := 0
		for i, err := range errs {
			w.must(nil, err)
			if changed[i] {
				n++
			}
		}
		equal(t, "changed", n, 1)
	})
}
