package doors_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
)

// Each list is walked to its end three times: by its links to the next page, from the last
// page back by those to the previous one, and by the numbers of its pages, those far behind
// the first among them. All have every row once, in the same order; for a user who sees a
// downline, too, and with some fields of the rows.
func TestListsAreWalkedToTheirEnd(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		agency := w.LoadDemo(t, apptest.Acme, 350)
		top, last := agency.Agents[0].Code, agency.Agents[len(agency.Agents)-1].Code
		_, err := w.Identity.CreateRole(w.Context(t, apptest.Acme, allScopes...), identity.RoleInput{Name: "Below",
			Scopes: patch.Set([]string{"read:agents"}), LimitedToDownline: patch.Set(true)})
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]*apptest.Caller{
			"the agency": w.As(apptest.Acme),
			"a user":     w.AsUser(t, apptest.Acme, w.AddUser(t, apptest.Acme, "top", top, "Below")),
		} {
			for _, list := range []string{
				"/agents?", "/agents?fields=agentCode&", "/agents?sort=lastName,startDate%20DESC&", "/agents?sort=startDate&payStatus=Active,Suspended&", "/aliases?",
				"/certifications?", "/certifications/history?sort=effectiveFrom&", "/tags/assigned?", "/tags?",
				"/teams/default/assigned-uplines?", "/teams/default/assigned-levels?sort=effectiveFrom%20DESC,agentCode&", "/teams/default/agent-levels?",
				"/teams/default/downline-members?agentCode=" + top + "&", "/teams/default/upline-members?agentCode=" + last + "&",
				"/payees/assigned-statuses?sort=effectiveFrom&", "/payees/w9s?", "/certification-types?", "/jurisdictions?", "/pay-statuses?",
			} {
				walk(t, c, name, "/agency-management/{tenant}"+list+"pageSize=45")
			}
		}
	})
}

func walk(t *testing.T, c *apptest.Caller, name, list string) {
	t.Helper()
	first := pageAt(t, c, list)
	var linked, numbered []string
	once := map[string]bool{}
	for at := first; ; at = pageAt(t, c, at.links["next"]) {
		for _, row := range at.rows {
			linked, once[row] = append(linked, row), true
		}
		if at.links["next"] == "" {
			break
		}
	}
	var back []string
	for at := pageAt(t, c, first.links["last"]); ; at = pageAt(t, c, at.links["prev"]) {
		if back = slices.Concat(at.rows, back); at.links["prev"] == "" {
			break
		}
	}
	for n := 1; len(numbered) < first.total; n++ {
		at := pageAt(t, c, fmt.Sprintf("%s&pageIndex=%d", list, n))
		if len(at.rows) == 0 {
			break
		}
		numbered = append(numbered, at.rows...)
	}
	if len(once) != first.total || !slices.Equal(linked, numbered) || !slices.Equal(back, numbered) {
		t.Errorf("%s: %s has %d rows: %d by links, %d of them different, %d backwards, and %d by numbers", name, list, first.total, len(linked), len(once), len(back), len(numbered))
	}
}

// walked is a page of a list.
type walked struct {
	rows  []string
	total int
	// links are the paths of other pages, by their relations.
	links map[string]string
}

func pageAt(t *testing.T, c *apptest.Caller, path string) walked {
	t.Helper()
	answer := c.Send(t, http.MethodGet, path, nil, nil)
	var body struct {
		Items      []json.RawMessage
		TotalCount int
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("%s: %d %s", path, answer.Code, answer.Body)
	}
	w := walked{total: body.TotalCount, links: map[string]string{}}
	for _, row := range body.Items {
		w.rows = append(w.rows, string(row))
	}
	for link := range strings.SplitSeq(answer.Header().Get("Link"), ", ") {
		path, relation, _ := strings.Cut(strings.TrimPrefix(link, "<"), `>; rel="`)
		w.links[strings.TrimSuffix(relation, `"`)] = path
	}
	return w
}
