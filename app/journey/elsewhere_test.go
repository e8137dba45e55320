package journey

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// carried is an entity that can be imported: where its rows are shown, and what of a file
// is called otherwise in an import, or is left out.
type carried struct {
	entity string
	list   source
	// query is a connection; without one, and without a list of REST, a field that has
	// all rows at once, which no export has.
	query source
}

// source is a list of REST, or a query with the field that has its rows.
type source struct {
	path, query string
	// report are a dataset and its fields that a report at the path is made of.
	report  []string
	headers map[string]string
	skip    []string
}

// written are the columns that say who wrote a row.
var written = []string{"createdAt", "createdBy", "lastModified", "lastModifiedBy"}

// listed is a list of REST, of whose columns some are left out.
func listed(path string, skip ...string) source {
	return source{path: "/agency-management/{tenant}" + path, skip: append(skip, written...)}
}

const (
	addressFields = " { line1 line2 city jurisdiction { code } postalCode country }"
	phoneFields   = " { countryCode areaCode phoneNumber }"
	periodFields  = " effectiveFrom effectiveThrough"
	agentFields   = `agentCode firstName middleName lastName commonName startDate birthDate gender email npn customerId isDedicated governmentIdentifier(reveal: true) homeAddress` + addressFields +
		` businessAddress` + addressFields + ` cellPhone` + phoneFields + ` homePhone` + phoneFields + ` businessPhone` + phoneFields + ` fax` + phoneFields + ` payStatus { name }`
	certificationFields = `certification { agent { agentCode } type { code } providerCompany { code } jurisdiction { code } identifier isResidentCertification isVerified note } status` + periodFields
)

// reported has rows that only a report shows.
func reported(dataset string, fields ...string) source {
	return source{path: "/business-insights/{tenant}/report-recipes/{report}/rows", report: append([]string{dataset}, fields...)}
}

// everyEntity are all of them, in an order in which they can be brought in.
var everyEntity = []carried{
	{entity: "PAY_STATUS", list: listed("/pay-statuses")},
	{entity: "AGENT_LEVEL", list: listed("/teams/default/agent-levels", "team")},
	{entity: "CERTIFICATION_TYPE", list: listed("/certification-types")},
	{entity: "JURISDICTION", list: source{path: "/agency-management/{tenant}/jurisdictions", headers: map[string]string{"id": "code"}, skip: written}},
	{entity: "PROVIDER_COMPANY", query: source{path: "providerCompanies", query: "{ providerCompanies { code name naicCode isEnabled } }"}},
	{entity: "TAG", list: listed("/tags", "assignedCount")},
	{"AGENT", listed("/agents", "isActive", "w9", "directDeposit", "tags", "aliases"), source{path: "agents", query: "{ agents { nodes { " + agentFields + " } } }",
		headers: map[string]string{"payStatus.name": "status", "homeAddress.jurisdiction.code": "homeAddress.jurisdiction", "businessAddress.jurisdiction.code": "businessAddress.jurisdiction"}}},
	{"PAY_STATUS_PERIOD", listed("/payees/assigned-statuses", "id", "isActive"), source{path: "payStatusPeriods", query: "{ payStatusPeriods { nodes { agent { agentCode } status { name }" + periodFields + " } } }",
		headers: map[string]string{"agent.agentCode": "agentCode", "status.name": "status"}}},
	{"LEVEL_PERIOD", listed("/teams/default/assigned-levels", "id", "team", "levelName"), source{path: "levelPeriods", query: "{ levelPeriods { nodes { agent { agentCode } level { value }" + periodFields + " } } }",
		headers: map[string]string{"agent.agentCode": "agentCode", "level.value": "level"}}},
	{"UPLINE_PERIOD", listed("/teams/default/assigned-uplines", "id", "team"), source{path: "uplinePeriods", query: "{ uplinePeriods { nodes { agent { agentCode } uplineAgentCode" + periodFields + " } } }",
		headers: map[string]string{"agent.agentCode": "agentCode"}}},
	{"CERTIFICATION", listed("/certifications/history", "id", "periodId"), source{path: "certificationPeriods", query: "{ certificationPeriods { nodes { " + certificationFields + " } } }",
		headers: map[string]string{"certification.agent.agentCode": "agentCode", "certification.type.code": "type", "certification.providerCompany.code": "providerCompany",
			"certification.jurisdiction.code": "jurisdiction", "certification.identifier": "identifier", "certification.isResidentCertification": "isResidentCertification",
			"certification.isVerified": "isVerified", "certification.note": "note"}}},
	{entity: "PRODUCTION_RECORD", list: reported("production", "agentCode", "providerCompany", "policyNumber", "productLine", "submittedOn", "issuedOn", "placedOn", "annualPremium")},
	{entity: "COMMISSION_PAYMENT", list: reported("commissionPayments", "agentCode", "paidOn", "amount", "reference")},
}

// What an agency shows of every entity that can be imported, by the lists of REST and by
// exports, as CSV and as JSON lines, is brought into another tenant, a file for each, all
// of it or nothing: then every list says the same in both, and nothing is left to change.
func TestExportedAgencyIsImportedElsewhere(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, db *store.Store) {
		w := newWorld(t, db, apptest.Options{})
		if _, err := directory.Update(t.Context(), db, w.Clock, apptest.Acme, directory.Settings{MaskSensitive: patch.Set(false)}); err != nil {
			t.Fatal(err)
		}
		here := newScene(t, w)
		here.lives()
		w.Clock.Move(time.Minute)
		for _, way := range []string{"lists-csv", "lists-jsonl", "exports-csv", "exports-jsonl"} {
			t.Run(way, func(t *testing.T) {
				var err error
				if w.Tenants[way], err = directory.Create(t.Context(), db, w.Vault, w.Clock, directory.NewTenant{
					Identifier: way, Name: way, TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100}); err != nil {
					t.Fatal(err)
				}
				from, format, _ := strings.Cut(way, "-")
				here := newScene(t, w)
				here.moves(here.in(way), from == "lists", strings.ToUpper(format))
			})
		}
		sweep(t, w)
	})
}

// moves brings all that an agency shows, in lists or else in exports, into a tenant, and
// compares both.
func (s *scene) moves(there *scene, lists bool, format string) {
	s.Helper()
	files, rows := map[string]string{}, map[string][]string{}
	for _, e := range everyEntity {
		from := e.from(lists)
		files[e.entity], rows[e.entity] = s.file(from, format), s.shown(e)
		there.bring(e.entity, from, files[e.entity], len(rows[e.entity]), false)
	}
	if lists && format == "CSV" {
		there.bring("AGENT", taxIDs, s.file(taxIDs, format), len(rows["AGENT"]), false)
	}
	for _, e := range everyEntity {
		mine, theirs := rows[e.entity], there.shown(e)
		if len(mine) < 3 || !slices.Equal(mine, theirs) {
			s.Errorf("%s: %d rows here, %d there; the first that differs:\n%s", e.entity, len(mine), len(theirs), firstThatDiffers(mine, theirs))
		}
		there.bring(e.entity, e.from(lists), files[e.entity], len(mine), true)
	}
}

// taxIDs are what agents as CSV have masks of.
var taxIDs = source{path: "agents", query: "{ agents { nodes { agentCode governmentIdentifier(reveal: true) } } }"}

// from is where the rows of a file are from: a list of REST where there is one, or else a
// query.
func (e carried) from(lists bool) source {
	if e.query.path == "" || lists && e.list.path != "" {
		return e.list
	}
	return e.query
}

// lives tells of an agency that has something of every entity, odd texts and bounds
// among it.
func (s *scene) lives() {
	s.Helper()
	texts(s)
	bounds(s)
	zeros(s)
	fromRecruitToTakeover(s)
	s.agent(object{"agentCode": "GONE"})
	s.agent(object{"teams": object{"default": object{"directUpline": "GONE", "level": 10}}})
	s.rest("DELETE", "/agents/GONE?newUplineAgentCode="+root, nil)
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
	for _, amount := range []string{"-1.00", "0.01", "1234567.89"} {
		s.paid(code, amount)
	}
	s.rest("POST", "/pay-statuses", object{"name": "On leave", "isActive": false, "canBePaid": true, "sortOrder": 7, "initiator": "hr"})
	s.rest("POST", "/teams/default/agent-levels", object{"value": 777, "name": "Lucky", "isEnabled": false, "initiator": "hr"})
	s.rest("POST", "/jurisdictions", object{"id": "ZZ-ZZ", "name": "Nowhere", "country": "XX", "kind": "Territory", "initiator": "hr"})
}

// file is what the agency says in a list or a query, in a format. What is no connection is
// not exported: its rows are the lines.
func (s *scene) file(from source, format string) string {
	s.Helper()
	switch {
	case strings.Contains(from.query, "nodes"):
		return s.exported(from, format)
	case from.query == "" && format == "CSV":
		return s.get(s.at(from), "text/csv")
	}
	var lines strings.Builder
	for _, row := range s.rows(from) {
		if err := json.NewEncoder(&lines).Encode(row); err != nil {
			s.Fatal(err)
		}
	}
	return lines.String()
}

func (s *scene) exported(from source, format string) string {
	s.Helper()
	made := s.mutate("exportCreate", object{"query": from.query, "connectionPath": from.path, "format": format}, "export { id }")
	for found := true; found; {
		var err error
		if found, err = s.world.Exports.WorkNext(s.Context()); err != nil {
			s.Fatal(err)
		}
	}
	url := at(s.gql(`query($id: ID!) { export(id: $id) { downloadUrl } }`, object{"id": at(made, "export.id")}), "export.downloadUrl")
	path, ok := strings.CutPrefix(text(url), apptest.Issuer)
	if !ok {
		s.Fatalf("the export of %s has no file", from.path)
	}
	return s.get(path, "*/*")
}

// at is the path of a list, or of a report that is made for it.
func (s *scene) at(from source) string {
	s.Helper()
	path := from.path
	if from.report != nil {
		var columns []any
		for _, field := range from.report[1:] {
			columns = append(columns, object{"field": field})
		}
		made := s.mutate("reportRecipeCreate", object{"name": unique("Report "), "dataset": from.report[0], "definition": object{"columns": columns}}, "reportRecipe { id }")
		path = strings.Replace(path, "{report}", text(at(made, "reportRecipe.id")), 1)
	}
	return path + "?pageSize=100"
}

// get reads a path that has to answer.
func (s *scene) get(path, accept string) string {
	s.Helper()
	answer := s.Send(s, http.MethodGet, path, http.Header{"Accept": {accept}}, nil)
	if answer.Code != http.StatusOK {
		s.Fatalf("GET %s: %d %s", path, answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// bring imports a file of so many rows, none of which may be refused; again says that it
// was, and that nothing may be left to change.
func (s *scene) bring(entity string, from source, file string, rows int, again bool) {
	s.Helper()
	headers := []any{}
	for header, column := range from.headers {
		headers = append(headers, object{"header": header, "column": column})
	}
	skip := from.skip
	if strings.Contains(file, "***-**-") {
		skip = append([]string{"governmentIdentifier"}, skip...)
		if p := s.upload(entity, headers, from.skip, file); text(at(p, "acceptedCount")) != "0" || at(p, "rows.0.userErrors.0.field.0") != "governmentIdentifier" {
			s.Errorf("masks were taken for tax ids: %v", p)
		}
	}
	p := s.upload(entity, headers, skip, file)
	if text(at(p, "acceptedCount")) != text(rows) || again && text(at(p, "unchangedCount")) != text(rows) {
		s.Fatalf("%s, again %t: %.900v\n%.900s", entity, again, p, file)
	}
}

// upload imports a file, also one that was imported before.
func (s *scene) upload(entity string, headers []any, skip []string, file string) any {
	s.Helper()
	values := []any{}
	if entity == "UPLINE_PERIOD" {
		values = append(values, object{"column": "uplineAgentCode", "from": "GONE", "to": ""})
	}
	in := object{"entity": entity, "initiator": "hr", "headers": headers, "skipColumns": skip, "values": values, "key": unique("import ")}
	r := s.Upload(s, `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: false) { acceptedCount unchangedCount
		rows { rowNumber userErrors { code field message } } userErrors { code field message } } }`, in, file)
	if r.Errors != nil {
		s.Fatalf("%s: %+v", entity, r.Errors)
	}
	return at(r.Data, "bulkImport")
}

// rows are those of a list or a query, all of which fit into a page.
func (s *scene) rows(from source) []any {
	s.Helper()
	if from.query == "" {
		var body struct {
			Items      []any
			TotalCount int
		}
		if err := json.Unmarshal([]byte(s.get(s.at(from), "application/json")), &body); err != nil || body.TotalCount != len(body.Items) {
			s.Fatalf("%s has %d rows, of which %d are shown: %v", from.path, body.TotalCount, len(body.Items), err)
		}
		return body.Items
	}
	if !strings.Contains(from.query, "nodes") {
		all, _ := at(s.gql(from.query, nil), from.path).([]any)
		return all
	}
	data := s.gql(strings.NewReplacer(from.path+" {", from.path+"(first: 100) {", "nodes {", "totalCount nodes {").Replace(from.query), nil)
	all, _ := at(data, from.path+".nodes").([]any)
	if total := number(at(data, from.path+".totalCount")); total != len(all) {
		s.Fatalf("%s has %d rows, of which %d are shown", from.path, total, len(all))
	}
	return all
}

// shown are the rows of an entity, in the order of their texts and without what only says
// who wrote them, when, and how many are tagged.
func (s *scene) shown(e carried) (texts []string) {
	s.Helper()
	for _, row := range s.rows(e.from(false)) {
		for _, name := range append([]string{"assignedCount"}, written...) {
			delete(row.(object), name)
		}
		if row := row.(object); row["uplineAgentCode"] == "GONE" {
			row["uplineAgentCode"] = nil // nobody, elsewhere
		}
		texts = append(texts, fmt.Sprint(row)) // the keys of a map are sorted
	}
	slices.Sort(texts)
	return texts
}

func firstThatDiffers(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return a[i] + "\n" + b[i]
		}
	}
	return ""
}
