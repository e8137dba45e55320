package agency_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
)

// "cellPhone { areaCode, phoneNumber, countryCode }; countryCode defaults to 1"
// (Resources, "Agent"): a number that is written in one is taken apart, or refused.
func TestImportedPhoneNumbers(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		agents := w.ImportAgents()
		const refused = "REJECTED cellPhone.phoneNumber INVALID_FORMAT"
		for code, test := range map[string]struct{ columns, outcome, want string }{
			"A": {"cellPhone.phoneNumber=+15550104729", "CREATED", "+1 555 0104729"},
			"B": {"cellPhone.phoneNumber=+1_(555)_010-4729", "CREATED", "+1 555 0104729"},
			"C": {"cellPhone.phoneNumber=+442079460958", "CREATED", "+44 (null) 2079460958"},
			"D": {"cellPhone.phoneNumber=+35312345678", "CREATED", "+353 (null) 12345678"},
			"E": {"cellPhone.phoneNumber=+15550104729 cellPhone.countryCode=1", "CREATED", "+1 555 0104729"},
			"F": {"cellPhone.phoneNumber=0104729 cellPhone.areaCode=555", "CREATED", "+1 555 0104729"},
			"G": {"cellPhone.phoneNumber=+15550104729 cellPhone.countryCode=44", refused, ""},
			"H": {"cellPhone.phoneNumber=+15550104729 cellPhone.areaCode=555", refused, ""},
			"I": {"cellPhone.phoneNumber=+1555010472", refused, ""},
			"J": {"cellPhone.phoneNumber=+", refused, ""},
			"K": {"cellPhone.phoneNumber=+1555010472x", refused, ""},
			"L": {"cellPhone.phoneNumber=+28123456789", refused, ""},
		} {
			row := "agentCode=" + code + ana + " " + test.columns
			equal(t, code, w.apply(agents, true, row), []string{test.outcome})
			if test.want == "" {
				continue
			}
			equal(t, code, w.phone(code, agency.CellPhone), test.want)
			equal(t, code+" again", w.apply(agents, true, row), []string{"UNCHANGED"})
		}
		// A number of another country has no area, whatever the one before had.
		equal(t, "F moves", w.apply(agents, true, "agentCode=F cellPhone.phoneNumber=+442079460958"), []string{"UPDATED"})
		equal(t, "F", w.phone("F", agency.CellPhone), "+44 (null) 2079460958")
	})
}

// What a file of another system says and nobody configured is refused with what is.
func TestUnknownValuesListWhatIsConfigured(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		w.register(newcomer("A"))
		for _, test := range []struct {
			i          importer
			row, field string
			want       string
		}{
			{w.ImportAgents(), "agentCode=B firstName=A lastName=B status=ACTIVE", "status", "Configured are Active, "},
			{w.ImportAgents(), "agentCode=B" + ana + " teams.default.level=7", "teams.default.level", "Configured are 10, 20, "},
			{w.ImportAgents(), "agentCode=B" + ana + " homeAddress.jurisdiction=TX", "homeAddress.jurisdiction", "US-AR, "},
			{w.ImportAgents(), "agentCode=A homeAddress.jurisdiction=TX", "homeAddress.jurisdiction", " more."},
			{w.ImportLevels(), "agentCode=A level=7 effectiveFrom=2026-01-01", "level", "Configured are 10, 20, "},
			{w.ImportPayStatuses(), "agentCode=A status=On effectiveFrom=2026-01-01", "status", "Configured are Active, "},
			{w.ImportCertifications(), "agentCode=A type=NONE", "type", "HEALTH"},
			{w.ImportCertifications(), "agentCode=A type=APPOINTMENT providerCompany=NONE", "providerCompany", "Configured are AMB, "},
		} {
			results := w.results(test.i, test.row)
			said := ""
			for _, p := range results[0].Problems {
				if strings.Join(p.Field, ".") == test.field {
					said = p.Message
				}
			}
			if !strings.Contains(said, test.want) || len(said) > 500 {
				t.Errorf("%s: %q, want %q", test.row, said, test.want)
			}
		}
	})
}

// results applies rows, and keeps nothing.
func (w *agentWorld) results(i importer, texts ...string) (results []bulk.Result) {
	w.t.Helper()
	err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		if results, err = i.Apply(ctx, tx, rowsOf(i, texts...), "import"); err == nil {
			err = errTried
		}
		return err
	})
	if !errors.Is(err, errTried) {
		w.t.Fatal(err)
	}
	return results
}

// Reference data is imported by its key, by the rules of a single operation.
func TestImportedReferenceData(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for name, test := range map[string]struct {
			i    importer
			rows []string
			want []string
		}{
			"pay statuses": {w.ImportPayStatusReference(), []string{"name=On_leave isActive=true sortOrder=5", "name=On_leave sortOrder=5", "name=On_leave canBePaid=false", "name=New", "name=New isActive=maybe", "isActive=true", "name=Active isActive="},
				[]string{"CREATED", "UNCHANGED", "UPDATED", "REJECTED isActive REQUIRED", "REJECTED isActive INVALID_FORMAT", "REJECTED name REQUIRED", "REJECTED isActive NULL_NOT_ALLOWED"}},
			"agent levels": {w.ImportAgentLevels(), []string{"value=15 name=Fifteen", "value=15 name=Quinze", "value=x name=X", "value=-1 name=X", "value=16"},
				[]string{"CREATED", "UPDATED", "REJECTED value INVALID_FORMAT", "REJECTED value OUT_OF_RANGE", "REJECTED name REQUIRED"}},
			"certification types": {w.ImportCertificationTypes(), []string{"code=CREDIT name=Credit category=LICENSE requiresJurisdiction=true", "code=CREDIT requiresJurisdiction=true", "code=X name=X category=Licence"},
				[]string{"CREATED", "UNCHANGED", "REJECTED category INVALID_FORMAT"}},
			"jurisdictions": {w.ImportJurisdictions(), []string{"code=MX-JA name=Jalisco", "code=MX-JA kind=Territory", "code=Texas name=Texas"},
				[]string{"CREATED", "UPDATED", "REJECTED code INVALID_FORMAT"}},
			"provider companies": {w.ImportProviderCompanies(), []string{"code=ACME name=Acme_Life naicCode=12345", "code=ACME name=Acme_Life", "code=ACME isEnabled=false", "code=NEW"},
				[]string{"CREATED", "UNCHANGED", "UPDATED", "REJECTED name REQUIRED"}},
			"products": {w.ImportProducts(), []string{"code=TERM name=Term isWatched=true", "code=TERM isWatched=true", "code=TERM lineOfAuthority=Life", "code=WHOLE", "code=TERM isEnabled=maybe"},
				[]string{"CREATED", "UNCHANGED", "UPDATED", "REJECTED name REQUIRED", "REJECTED isEnabled INVALID_FORMAT"}},
			"tags": {w.ImportTags(), []string{"name=Top color=#00ff00", "name=Top color=#00ff00", "name=Top color=green", "name=assigned"},
				[]string{"CREATED", "UNCHANGED", "REJECTED color INVALID_FORMAT", "REJECTED name RESERVED_NAME"}},
		} {
			before := w.count("SELECT count(*) FROM outbox_event WHERE type LIKE '%ReferenceDataChanged'")
			equal(t, name, w.apply(test.i, true, test.rows...), test.want)
			changed := 0
			for _, outcome := range test.want {
				if outcome == "CREATED" || outcome == "UPDATED" {
					changed++
				}
			}
			equal(t, name+": events", w.count("SELECT count(*) FROM outbox_event WHERE type LIKE '%ReferenceDataChanged'")-before, changed)
		}
		equal(t, "the company", w.count("SELECT count(*) FROM agency_provider_company WHERE tenant_id = $1 AND name = 'Acme Life' AND NOT is_enabled", w.tenantID()), 1)
		if r := w.results(w.ImportTags(), "name=One"); r[0].Key != "One" {
			t.Errorf("the row is named %q", r[0].Key)
		}
	})
}
