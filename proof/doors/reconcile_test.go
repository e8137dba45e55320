package doors_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

const compareWith = `mutation($input: BulkImportInput!) { bulkImport(input: $input, dryRun: %t) { acceptedCount rejectedCount createdCount updatedCount unchangedCount applied
	changes { rowNumber key difference } rows { said } refusals { said } userErrors { message } remarks { message rowCount } } }`

// sourceColumns are those of what a source says of licences.
var sourceColumns = []string{"agent.npn", "type", "jurisdiction", "identifier", "isResidentCertification", "status", "statusDate", "issueDate", "expirationDate"}

// comparing sends what a source says, and returns the payload.
func comparing(t *rapid.T, w *apptest.World, c *apptest.Caller, dryRun bool, whole string, rows []map[string]string, only []int) object {
	sent := object{"entity": "CERTIFICATION", "initiator": "hr", "compare": object{"source": "NIPR", "isWhole": whole}}
	if only != nil {
		sent["rows"] = only
	}
	w.Clock.Move(time.Second)
	r := c.Upload(t, fmt.Sprintf(compareWith, dryRun), sent, canonical(sourceColumns, rows))
	if r.Errors != nil {
		t.Fatalf("%+v", r.Errors)
	}
	p := apptest.At(r.Data, "bulkImport").(object)
	if p["rejectedCount"] != float64(0) && fmt.Sprint(p["rejectedCount"]) != "0" || len(p["userErrors"].([]any)) > 0 {
		t.Fatalf("%v\n%s", p, canonical(sourceColumns, rows))
	}
	return p
}

// toldOf returns the differences of a payload that are about some agents, sorted.
func toldOf(p object, prefix string) (all []string, numbers []int) {
	for _, change := range p["changes"].([]any) {
		key, number := fmt.Sprint(apptest.At(change, "key")), apptest.At(change, "rowNumber")
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		var n int
		_, _ = fmt.Sscan(fmt.Sprint(number), &n)
		numbers = append(numbers, n)
		what := fmt.Sprint(apptest.At(change, "difference"))
		if what == "MISSING_THERE" {
			number = "-"
		}
		all = append(all, fmt.Sprint(number, " ", key, " ", what))
	}
	slices.Sort(all)
	return all, numbers
}

// heldAgency makes up agents with licences that are good, and brings them in.
func heldAgency(t *rapid.T, c *apptest.Caller, round int) (held []map[string]string) {
	agents := "agentCode\tfirstName\tlastName\tstatus\tstartDate\tnpn\n"
	for i := range rapid.IntRange(1, 3).Draw(t, "agents") {
		code, npn := fmt.Sprintf("Q%d-%d", round, i), fmt.Sprintf("7%d%02d", round, i)
		agents += fmt.Sprintf("%s\tAna\tDiaz\tActive\t2015-01-01\t%s\n", code, npn)
		for _, kind := range []string{"LIFE", "HEALTH", "PROPERTY"} {
			for _, state := range []string{"US-TX", "US-FL"} {
				if rapid.Bool().Draw(t, "held") {
					held = append(held, map[string]string{"agentCode": code, "agent.npn": npn, "type": kind, "jurisdiction": state, "identifier": code + kind + state, "isResidentCertification": "false", "status": "Active",
						"issueDate": rapid.SampledFrom([]string{"2016-03-01", "2020-02-29"}).Draw(t, "issued"), "expirationDate": rapid.SampledFrom([]string{"", "2027-01-31", "2028-06-30"}).Draw(t, "expires")})
				}
			}
		}
	}
	mustBe(t, "agents", fmt.Sprint(strings.Contains(outcomeOf(t, c, "AGENT", agents, nil), "applied true")), "true")
	if len(held) > 0 {
		mustBe(t, "licences", outcomeOf(t, c, "CERTIFICATION", canonical(sourceColumns, held), object{"constants": constants("isVerified", "true")}), fmt.Sprintf("%d/0/%[1]d/0/0 applied true", len(held)))
	}
	return held
}

// reported makes a report of what is held, changes it, and says what differs.
func reported(t *rapid.T, held []map[string]string, whole string) (rows []map[string]string, differs []string) {
	var gone []map[string]string
	for _, h := range held {
		row, line := maps.Clone(h), len(rows)+2
		note := func(what string) {
			differs = append(differs, fmt.Sprint(line, " ", h["agentCode"], "/", h["type"], " ", what))
		}
		switch rapid.SampledFrom([]string{"same", "same", "gone", "ended", "renewed", "resident", "another"}).Draw(t, "what") {
		case "gone":
			gone = append(gone, h)
			continue
		case "ended":
			row["status"], row["statusDate"] = "Terminated", rapid.SampledFrom([]string{"2026-01-15", "2026-06-15", "2024-12-31"}).Draw(t, "since")
			note("OTHER_STATUS")
		case "renewed":
			row["expirationDate"] = rapid.SampledFrom([]string{"2029-01-31", "2026-12-31"}).Draw(t, "until")
			note("OTHER_DAYS")
		case "resident":
			row["isResidentCertification"] = "true"
			note("OTHER_DETAILS")
		case "another":
			row["identifier"] += "-2"
			note("MISSING_HERE")
			rows = append(rows, row)
			line++
			row = maps.Clone(h)
		}
		rows = append(rows, row)
	}
	has := func(column, value string) bool {
		return slices.ContainsFunc(rows, func(row map[string]string) bool { return row[column] == value })
	}
	for _, h := range gone {
		if has("type", h["type"]) && has("jurisdiction", h["jurisdiction"]) && (whole == "ALL_AGENTS" || whole == "NAMED_AGENTS" && has("agentCode", h["agentCode"])) {
			differs = append(differs, fmt.Sprint("- ", h["agentCode"], "/", h["type"], " MISSING_THERE"))
		}
	}
	slices.Sort(differs)
	return rows, differs
}

// A comparison with what a source says tells exactly what differs; what is accepted, one by one or
// all, differs no more, and rests on the source.
func TestReconciliation(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c, round := w.As(apptest.Acme), 0
		rapid.Check(t, func(t *rapid.T) {
			round++
			prefix := fmt.Sprintf("Q%d-", round)
			held := heldAgency(t, c, round)
			whole := rapid.SampledFrom([]string{"NOBODY", "NAMED_AGENTS", "ALL_AGENTS"}).Draw(t, "whole")
			rows, differs := reported(t, held, whole)
			if len(rows) == 0 {
				return
			}
			told, numbers := toldOf(comparing(t, w, c, true, whole, rows, nil), prefix)
			mustBe(t, "told\n"+canonical(sourceColumns, rows), strings.Join(told, "\n"), strings.Join(differs, "\n"))
			if len(numbers) > 1 && rapid.Bool().Draw(t, "one by one") {
				one := rapid.IntRange(0, len(numbers)-1).Draw(t, "one")
				mustBe(t, "one", fmt.Sprint(comparing(t, w, c, false, whole, rows, numbers[one:one+1])["applied"]), "true")
				left, _ := toldOf(comparing(t, w, c, true, whole, rows, nil), prefix)
				if len(left) != len(differs)-1 || slices.ContainsFunc(left, func(one string) bool { return !slices.Contains(differs, one) }) {
					t.Fatalf("of %v are left %v", differs, left)
				}
			}
			accepted := comparing(t, w, c, false, whole, rows, nil)
			if len(differs) > 0 && accepted["applied"] == true {
				reason := fmt.Sprint(apptest.At(c.Query(t, `{ changes(first: 1) { nodes { reason } } }`, nil), "changes.nodes"))
				if !strings.Contains(reason, "Verified: NIPR, report of 2026-06-15, rows ") || !strings.Contains(reason, "(SHA-256 ") {
					t.Fatalf("rests on %s", reason)
				}
			}
			left, _ := toldOf(comparing(t, w, c, true, whole, rows, nil), "")
			mustBe(t, "once all is accepted", strings.Join(left, "\n"), "")
		})
	})
}
