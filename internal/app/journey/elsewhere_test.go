package journey

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/identity/tenants"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// carried is an entity that can be imported: where its rows are exported, and what of a
// file is called otherwise in an import.
type carried struct {
	entity string
	// list is a path of REST that writes CSV, for what is no connection; otherwise path
	// is the connection of query.
	list, query, path string
	// plain is a query of a list without pages: no export has it, and its items are the
	// lines of the file.
	plain   bool
	headers map[string]string
	skip    []string
}

// audited are the columns of reference data that say who wrote it.
var audited = []string{"createdAt", "createdBy", "lastModified", "lastModifiedBy"}

const (
	addressFields = " { line1 line2 city jurisdiction { code } postalCode country }"
	phoneFields   = " { countryCode areaCode phoneNumber }"
	periodFields  = " effectiveFrom effectiveThrough"
	agentFields   = `agentCode firstName middleName lastName commonName startDate birthDate gender email npn customerId isDedicated governmentIdentifier(reveal: true) homeAddress` + addressFields + ` businessAddress` + addressFields +
		` cellPhone` + phoneFields + ` homePhone` + phoneFields + ` businessPhone` + phoneFields + ` fax` + phoneFields + ` payStatus { name }`
	certificationFields = `certification { agent { agentCode } type { code } providerCompany { code } jurisdiction { code } identifier isResidentCertification isVerified note } status` + periodFields
)

// everyEntity are all of them but the commissions, which no list shows, in an order in
// which they can be brought in.
var everyEntity = []carried{
	{entity: "PAY_STATUS", list: "/pay-statuses", skip: audited},
	{entity: "AGENT_LEVEL", list: "/teams/default/agent-levels", skip: append([]string{"team"}, audited...)},
	{entity: "CERTIFICATION_TYPE", list: "/certification-types", skip: audited},
	{entity: "JURISDICTION", list: "/jurisdictions", headers: map[string]string{"id": "code"}, skip: audited},
	{entity: "PROVIDER_COMPANY", path: "providerCompanies", query: "{ providerCompanies { code name naicCode isEnabled } }", plain: true},
	{entity: "TAG", list: "/tags", skip: append([]string{"assignedCount"}, audited...)},
	{entity: "AGENT", path: "agents", query: "{ agents { nodes { " + agentFields + " } } }",
		headers: map[string]string{"payStatus.name": "status", "homeAddress.jurisdiction.code": "homeAddress.jurisdiction", "businessAddress.jurisdiction.code": "businessAddress.jurisdiction"}},
	{entity: "PAY_STATUS_PERIOD", path: "payStatusPeriods", query: "{ payStatusPeriods { nodes { agent { agentCode } status { name }" + periodFields + " } } }",
		headers: map[string]string{"agent.agentCode": "agentCode", "status.name": "status"}},
	{entity: "LEVEL_PERIOD", path: "levelPeriods", query: "{ levelPeriods { nodes { agent { agentCode } level { value }" + periodFields + " } } }",
		headers: map[string]string{"agent.agentCode": "agentCode", "level.value": "level"}},
	{entity: "UPLINE_PERIOD", path: "uplinePeriods", query: "{ uplinePeriods { nodes { agent { agentCode } uplineAgentCode" + periodFields + " } } }",
		headers: map[string]string{"agent.agentCode": "agentCode"}},
	{entity: "CERTIFICATION", path: "certificationPeriods", query: "{ certificationPeriods { nodes { " + certificationFields + " } } }",
		headers: map[string]string{"certification.agent.agentCode": "agentCode", "certification.type.code": "type", "certification.providerCompany.code": "providerCompany",
			"certification.jurisdiction.code": "jurisdiction", "certification.identifier": "identifier", "certification.isResidentCertification": "isResidentCertification",
			"certification.isVerified": "isVerified", "certification.note": "note"}},
	{entity: "PRODUCTION_RECORD", list: "production"},
}

// What an agency exports of every entity that can be imported, as CSV and as JSON lines,
// is brought into another tenant, a file for each, all of it or nothing: then every list
// says the same in both, and nothing is left to change.
func TestExportedAgencyIsImportedElsewhere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, apptest.Options{})
		here := newScene(t, w)
		here.lives()
		for _, format := range []string{"CSV", "JSONL"} {
			identifier := "elsewhere-" + strings.ToLower(format)
			var err error
			if w.Tenants[identifier], err = tenants.Create(t.Context(), db, w.Vault, w.Clock, tenants.NewTenant{
				Identifier: identifier, Name: identifier, TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100}); err != nil {
				t.Fatal(err)
			}
			here.moves(here.in(identifier), format)
		}
		sweep(t, w)
	})
}

// moves brings all that an agency exports in a format into a tenant, and compares both.
func (s *scene) moves(there *scene, format string) {
	s.Helper()
	files, rows := map[string]string{}, map[string][]string{}
	for _, e := range everyEntity {
		files[e.entity], rows[e.entity] = s.file(e, format), s.shown(e)
		there.bring(e, files[e.entity], format, len(rows[e.entity]))
	}
	for _, e := range everyEntity {
		mine, theirs := rows[e.entity], there.shown(e)
		s.Logf("%s of %s: %d rows", format, e.entity, len(mine))
		if len(mine) < 3 || !slices.Equal(mine, theirs) {
			s.Errorf("%s of %s: %d rows here, %d there; the first that differs:\n%s", format, e.entity, len(mine), len(theirs), firstThatDiffers(mine, theirs))
		}
		there.bring(e, files[e.entity], "again", len(mine))
	}
}

// lives tells of an agency that has something of every entity, odd texts and bounds
// among it.
func (s *scene) lives() {
	s.Helper()
	texts(s)
	bounds(s)
	s.changed(s.agent(everything()))
	code, top := s.agent(nil), s.agent(nil)
	for _, from := range []string{"2021-01-01", "2026-06-15", "2030-01-01"} {
		s.rest("POST", "/teams/default/assigned-uplines", object{"agentCode": code, "uplineAgentCode": top, "effectiveFrom": from, "initiator": "hr"})
		s.rest("POST", "/teams/default/assigned-uplines", object{"agentCode": code, "uplineAgentCode": nil, "effectiveFrom": from, "effectiveThrough": from, "initiator": "hr"})
		s.rest("POST", "/teams/default/assigned-levels", object{"agentCode": code, "level": 20, "effectiveFrom": from, "effectiveThrough": from, "initiator": "hr"})
		s.rest("POST", "/payees/assigned-statuses", object{"agentCode": code, "status": "Suspended", "effectiveFrom": from, "effectiveThrough": from, "initiator": "hr"})
	}
	for _, status := range s.values("CertificationStatus") {
		id := s.licensed(code, "US-TX")
		s.rest("POST", "/certifications/"+id+"/history", object{"status": restName(status), "effectiveFrom": "2026-03-01", "initiator": "hr"})
	}
	for _, premium := range []string{"0", "0.01", "1234567.89"} {
		s.produced(code, premium)
	}
	s.rest("POST", "/pay-statuses", object{"name": "On leave", "isActive": false, "canBePaid": true, "sortOrder": 7, "initiator": "hr"})
	s.rest("POST", "/teams/default/agent-levels", object{"value": 777, "name": "Lucky", "isEnabled": false, "initiator": "hr"})
	s.rest("POST", "/jurisdictions", object{"id": "ZZ-ZZ", "name": "Nowhere", "country": "XX", "kind": "Territory", "initiator": "hr"})
}

// file is what the agency says of an entity, in a format.
func (s *scene) file(e carried, format string) string {
	s.Helper()
	switch {
	case e.query == "" && format == "CSV":
		return s.csv(s.listOf(e))
	case e.query == "" || e.plain:
		var lines strings.Builder
		for _, item := range s.items(e) {
			if err := json.NewEncoder(&lines).Encode(item); err != nil {
				s.Fatal(err)
			}
		}
		return lines.String()
	}
	made := s.mutate("exportCreate", "input: $input", "ExportInput", object{"query": e.query, "connectionPath": e.path, "format": format}, "export { id }")
	for found := true; found; {
		var err error
		if found, err = s.world.Exports.WorkNext(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	url := at(s.gql(`query($id: ID!) { export(id: $id) { downloadUrl } }`, object{"id": at(made, "export.id")}), "export.downloadUrl")
	path, ok := strings.CutPrefix(text(url), apptest.Issuer)
	if !ok {
		s.Fatalf("the export of %s has no file", e.path)
	}
	return s.csv(path)
}

// listOf is the path of a list of REST.
func (s *scene) listOf(e carried) string {
	if e.entity == "PRODUCTION_RECORD" {
		return "/business-insights/{tenant}/report-recipes/" + s.production() + "/rows?pageSize=100"
	}
	return "/agency-management/{tenant}" + e.list + "?pageSize=100"
}

// csv reads a path, as CSV where it can be had so.
func (s *scene) csv(path string) string {
	s.Helper()
	answer := s.Send(s, http.MethodGet, path, http.Header{"Accept": {"text/csv, */*;q=0.1"}}, nil)
	if answer.Code != http.StatusOK {
		s.Fatalf("GET %s: %d %s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// production is a report with the columns of an import of production records.
func (s *scene) production() string {
	s.Helper()
	var columns []any
	for _, field := range []string{"agentCode", "providerCompany", "policyNumber", "productLine", "submittedOn", "issuedOn", "placedOn", "annualPremium"} {
		columns = append(columns, object{"field": field})
	}
	made := s.mutate("reportRecipeCreate", "input: $input", "ReportRecipeInput", object{"name": unique("Report "), "dataset": "production", "definition": object{"columns": columns}}, "reportRecipe { id }")
	return text(at(made, "reportRecipe.id"))
}

// bring imports a file of so many rows, none of which may be refused; again says that it
// was, and that nothing may be left to change.
func (s *scene) bring(e carried, file, as string, rows int) {
	s.Helper()
	headers := []any{}
	for header, column := range e.headers {
		headers = append(headers, object{"header": header, "column": column})
	}
	in := object{"entity": e.entity, "initiator": "hr", "headers": headers, "skipColumns": e.skip, "key": as + " " + e.entity}
	r := s.Upload(s, `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: false) { acceptedCount unchangedCount
		rows { rowNumber userErrors { code field message } } userErrors { code field message } } }`, in, file)
	p := at(r.Data, "bulkImport")
	if r.Errors != nil || text(at(p, "acceptedCount")) != text(rows) {
		s.Errorf("%s, %s: %+v\n%.1500v\n%.600s", as, e.entity, r.Errors, p, file)
	}
	if as == "again" && text(at(p, "unchangedCount")) != text(rows) {
		s.Errorf("%s, once more: %.1500v", e.entity, p)
	}
}

// items are the rows of a list as the doors show them.
func (s *scene) items(e carried) (all []any) {
	s.Helper()
	switch {
	case e.query == "":
		var body struct{ Items []any }
		if err := json.Unmarshal(s.Send(s, http.MethodGet, s.listOf(e), nil, nil).Body.Bytes(), &body); err != nil {
			s.Fatal(err)
		}
		all = body.Items
	case e.plain:
		all, _ = at(s.gql(e.query, nil), e.path).([]any)
	default:
		query := strings.Replace(e.query, e.path, e.path+"(first: 100)", 1)
		query = strings.Replace(query, "{ nodes", "{ totalCount nodes", 1)
		data := s.gql(query, nil)
		all, _ = at(data, e.path+".nodes").([]any)
		if total := number(at(data, e.path+".totalCount")); total != len(all) {
			s.Fatalf("%s has %d rows, of which %d are shown", e.path, total, len(all))
		}
	}
	return all
}

// shown are the rows of a list, in the order of their texts and without what only says
// who wrote them and when.
func (s *scene) shown(e carried) (rows []string) {
	s.Helper()
	for _, row := range s.items(e) {
		if of, ok := row.(object); ok {
			for _, name := range append([]string{"assignedCount"}, audited...) {
				delete(of, name)
			}
		}
		rows = append(rows, fmt.Sprint(row)) // the keys of a map are sorted
	}
	slices.Sort(rows)
	return rows
}

func firstThatDiffers(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + "\n" + b[i]
		}
	}
	return ""
}
