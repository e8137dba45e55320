package doors_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

const checkIn = `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: %t) { acceptedCount rejectedCount createdCount updatedCount unchangedCount applied
	changes { rowNumber key isNew values { field effectiveFrom effectiveThrough old new } } refusals { userError { message } rowNumbers } userErrors { message } } }`

var idInPath = regexp.MustCompile(`\.\d+`)

// A check says of each row what the import then does, as the trail has it; and of a new licence
// when it is good, as its periods are.
func TestCheckSaysWhatTheImportDoes(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		round := 0
		c := w.As(apptest.Acme)
		rapid.Check(t, func(t *rapid.T) {
			round++
			agents, licences := randomAgency(t, round)
			sendBoth(t, w, c, "AGENT", agents, true)
			sendBoth(t, w, c, "CERTIFICATION", split(licences), true)
			other, otherLicences := randomAgency(t, round)
			pick := func(row, from map[string]string, columns ...string) {
				for _, column := range columns {
					if rapid.Bool().Draw(t, "changes "+column) {
						row[column] = from[column]
					}
				}
			}
			for i, row := range agents {
				row["changesFrom"] = "2026-08-01"
				if i < len(other) {
					pick(row, other[i], "firstName", "lastName", "birthDate", "homeAddress.jurisdiction", "homeAddress.postalCode", "cellPhone.phoneNumber", "teams.default.level")
				}
				if row["teams.default.directUpline"] = ""; i > 0 && rapid.Bool().Draw(t, "has an upline") {
					row["teams.default.directUpline"] = agents[i-1]["agentCode"]
				}
			}
			agents = append(agents, map[string]string{"agentCode": fmt.Sprintf("N%d", round), "firstName": "Neu", "lastName": "King", "status": "Active", "startDate": "2026-01-01"})
			sendBoth(t, w, c, "AGENT", agents, false)
			for i, row := range licences {
				pick(row, otherLicences[i%len(otherLicences)], "isResidentCertification", "expirationDate", "identifier")
				row["status"] = rapid.SampledFrom([]string{"Active", "Expired", "Suspended", "Revoked"}).Draw(t, "status")
			}
			sendBoth(t, w, c, "CERTIFICATION", split(licences), false)
		})
	})
}

// sendBoth checks a file, imports it, and compares what was said with what was done.
func sendBoth(t *rapid.T, w *apptest.World, c *apptest.Caller, entity string, rows []map[string]string, isFirst bool) {
	columns := map[string]bool{}
	for _, row := range rows {
		for column := range row {
			columns[column] = true
		}
	}
	file := canonical(slices.Sorted(maps.Keys(columns)), rows)
	send := func(dryRun bool) object {
		r := c.Upload(t, fmt.Sprintf(checkIn, dryRun), object{"entity": entity, "initiator": "hr"}, file)
		if r.Errors != nil {
			t.Fatalf("%s: %+v", entity, r.Errors)
		}
		return apptest.At(r.Data, "bulkImport").(object)
	}
	w.Clock.Move(time.Second)
	checked := send(true)
	w.Clock.Move(time.Second)
	from := w.Clock.Now()
	done := send(false)
	is, did := strings.TrimSuffix(outcome(checked), " applied false"), outcome(done)
	if strings.TrimSuffix(strings.TrimSuffix(did, " applied true"), " applied false") != is {
		t.Fatalf("%s was checked as %s, and became %s: %v", entity, is, did, done["refusals"])
	}
	said, isNew, good := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, change := range checked["changes"].([]any) {
		change := change.(object)
		row := fmt.Sprint(change["rowNumber"])
		if change["isNew"] == true {
			isNew[row] = true
		}
		for _, v := range change["values"].([]any) {
			v := v.(object)
			if change["isNew"] == true && strings.HasSuffix(fmt.Sprint(v["field"]), ".status") {
				good[goodOn(fmt.Sprint(change["key"]), v["new"], v)] = true
			} else if change["isNew"] == false {
				said[changeLine(row, v["field"], v)] = true
			}
		}
	}
	if isFirst {
		if len(isNew) != len(rows) {
			t.Fatalf("%d of %d new rows are said to be new: %v", len(isNew), len(rows), checked["changes"])
		}
		if entity == "CERTIFICATION" {
			mustBe(t, "days of licences", fmt.Sprint(slices.Sorted(maps.Keys(good))), fmt.Sprint(daysOfLicences(t, c, rows)))
		}
		return
	}
	became := map[string]bool{}
	changes := apptest.At(c.Query(t, `query($from: DateTime!) { changes(first: 100, filter: {by: "hr", from: $from}) { nodes { field importRows values { effectiveFrom effectiveThrough old new } } } }`, object{"from": from}), "changes.nodes").([]any)
	for _, change := range changes {
		change := change.(object)
		for _, v := range change["values"].([]any) {
			for _, row := range change["importRows"].([]any) {
				if line := changeLine(fmt.Sprint(row), change["field"], v.(object)); !isNew[fmt.Sprint(row)] && (said[line] || len(change["importRows"].([]any)) == 1) {
					became[line] = true
				}
			}
		}
	}
	mustBe(t, entity+" says", strings.Join(slices.Sorted(maps.Keys(said)), "\n"), strings.Join(slices.Sorted(maps.Keys(became)), "\n"))
}

func changeLine(row string, field any, v object) string {
	return fmt.Sprintf("%s %s %v..%v %v -> %v", row, idInPath.ReplaceAllString(fmt.Sprint(field), ".#"), v["effectiveFrom"], v["effectiveThrough"], v["old"], v["new"])
}

func goodOn(code string, status any, v object) string {
	code, _, _ = strings.Cut(code, "/")
	return fmt.Sprintf("%s %v %v..%v", code, status, v["effectiveFrom"], v["effectiveThrough"])
}

// daysOfLicences are the periods of the licences of rows, each once.
func daysOfLicences(t *rapid.T, c *apptest.Caller, rows []map[string]string) []string {
	all := map[string]bool{}
	for _, row := range rows {
		of := c.Query(t, fmt.Sprintf(`{ agent(agentCode: %q) { certifications(first: 50) { nodes { periods(first: 9) { nodes { status effectiveFrom effectiveThrough } } } } } }`, row["agentCode"]), nil)
		for _, licence := range apptest.At(of, "agent.certifications.nodes").([]any) {
			for _, p := range apptest.At(licence, "periods.nodes").([]any) {
				all[goodOn(row["agentCode"], p.(object)["status"], p.(object))] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}
