package agency_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/date"
)

// "row errors equal those of the single operation": of the same input through REST.
func TestImportRefusesWhatTheOperationRefuses(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"A", "B"} {
			w.register(since(newcomer(code), date.Of(2026, 1, 1)))
		}
		w.must(w.applyUpline("B", new("A"), date.Of(2026, 2, 1), nil))
		c := w.app.As(apptest.Acme)
		for _, bad := range []struct {
			i          importer
			path, text string
		}{
			{w.ImportCertifications(), "/certifications", "agentCode=NOBODY type=NONE"},
			{w.ImportCertifications(), "/certifications", "agentCode=A type=HEALTH jurisdiction=US-TX status=Angry"},
			{w.ImportCertifications(), "/certifications", "agentCode=A type=HEALTH"},
			{w.ImportCertifications(), "/certifications", "agentCode=A type=HEALTH jurisdiction=XX providerCompany=YY effectiveFrom=2026-02-02 effectiveThrough=2026-02-01"},
			{w.ImportCertifications(), "/certifications", "agentCode=A type=HEALTH jurisdiction=US-TX effectiveFrom=2026-02-30"},
			{w.ImportUplines(), "/teams/default/assigned-uplines", "agentCode=A uplineAgentCode=B effectiveFrom=2026-01-01"},
			{w.ImportUplines(), "/teams/default/assigned-uplines", "agentCode=A uplineAgentCode=A effectiveFrom=2026-01-01"},
			{w.ImportUplines(), "/teams/default/assigned-uplines", "agentCode=A uplineAgentCode=NOBODY effectiveFrom=2026-01-01"},
			{w.ImportUplines(), "/teams/default/assigned-uplines", "agentCode=NOBODY effectiveFrom=2026-01-01"},
			{w.ImportUplines(), "/teams/default/assigned-uplines", "agentCode=A effectiveFrom=2026-01-02 effectiveThrough=2026-01-01"},
			{w.ImportLevels(), "/teams/default/assigned-levels", "agentCode=A level=11 effectiveFrom=2026-01-01"},
			{w.ImportLevels(), "/teams/default/assigned-levels", "agentCode=NOBODY level=10 effectiveFrom=2026-01-01"},
			{w.ImportPayStatuses(), "/payees/assigned-statuses", "agentCode=A status=Angry effectiveFrom=2026-01-01"},
			{w.ImportPayStatuses(), "/payees/assigned-statuses", "agentCode=A status=Active effectiveFrom=tomorrow"},
		} {
			body := map[string]any{"initiator": "hr"}
			if bad.path == "/certifications" {
				body["isResidentCertification"], body["isVerified"] = false, false
			}
			for _, pair := range strings.Fields(bad.text) {
				name, value, _ := strings.Cut(pair, "=")
				if body[name] = any(value); name == "level" {
					body[name] = json.Number(value)
				}
			}
			status, _, answer := c.REST(t, "POST", bad.path, body)
			var said struct {
				Errors []struct{ Field, Code string }
			}
			if err := json.Unmarshal(answer, &said); err != nil || status < 400 {
				t.Fatalf("%s: %d %s", bad.text, status, answer)
			}
			want := "REJECTED"
			for _, e := range said.Errors {
				want += " " + e.Field + " " + e.Code
			}
			equal(t, bad.text, w.apply(bad.i, false, bad.text)[0], want)
		}
	})
}

// Periods and certifications are applied in the order of their rows, as one after
// the other; a row that closes a circle is refused, and the others are kept.
func TestImportedHistories(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		for _, code := range []string{"A", "B", "C"} {
			w.register(since(newcomer(code), date.Of(2026, 1, 1)))
		}
		equal(t, "uplines", w.apply(w.ImportUplines(), true,
			"agentCode=A uplineAgentCode=B effectiveFrom=2026-03-01", "agentCode=B uplineAgentCode=A effectiveFrom=2026-04-01",
			"agentCode=C uplineAgentCode=A effectiveFrom=2026-02-01 effectiveThrough=2026-02-28", "agentCode=C effectiveFrom=2026-02-10 effectiveThrough=2026-02-11"),
			[]string{"CREATED", "REJECTED uplineAgentCode CIRCULAR_HIERARCHY", "CREATED", "CREATED"})
		equal(t, "C", w.uplineHistory("C"), []string{"- 2026-01-01..2026-01-31", "A 2026-02-01..2026-02-09", "- 2026-02-10..2026-02-11", "A 2026-02-12..2026-02-28", "- 2026-03-01.."})
		levels := []string{"agentCode=A level=10 effectiveFrom=2026-01-01", "agentCode=A level=20 effectiveFrom=2026-03-01"}
		equal(t, "levels", w.apply(w.ImportLevels(), true, levels...), []string{"CREATED", "CREATED"})
		equal(t, "A", w.levelHistory("A"), []string{"10 2026-01-01..2026-02-28", "20 2026-03-01.."})
		held := []string{"agentCode=A type=HEALTH jurisdiction=US-TX effectiveFrom=2026-02-01 effectiveThrough=2026-12-31", "agentCode=A type=HEALTH jurisdiction=US-FL effectiveFrom=2026-02-01"}
		equal(t, "held", w.apply(w.ImportCertifications(), true, held...), []string{"CREATED", "CREATED"})
		w.unchanged(func() {
			equal(t, "levels", w.apply(w.ImportLevels(), true, levels[1]), []string{"UNCHANGED"})
			equal(t, "held", w.apply(w.ImportCertifications(), true, held...), []string{"UNCHANGED", "UNCHANGED"})
		})
		equal(t, "renewed", w.apply(w.ImportCertifications(), true, strings.Replace(held[0], "2026-12-31", "2027-12-31", 1)+" note=x", held[0]+" note=x"), []string{"UPDATED", "UPDATED"})
	})
}
