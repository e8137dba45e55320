package rest

import (
	"net/http"
	"strings"
	"testing"
)

// A query parameter that a path does not take is refused, with the one that may be
// meant, and nothing runs: neither a list without its condition nor a change that was
// to be a dry run.
func TestUnknownQueryParameters(t *testing.T) {
	for _, x := range []struct{ method, path, body, field, says string }{
		{http.MethodGet, "/certifications?agencode=A1", "", "agencode", "did you mean agentCode?"},
		{http.MethodGet, "/agents?agentcodes=A1", "", "agentcodes", "did you mean agentCodes?"},
		{http.MethodGet, "/agents?isActive=true&pagesize=5", "", "pagesize", "did you mean pageSize?"},
		{http.MethodGet, "/agents?page=2", "", "page", "did you mean pageIndex?"},
		{http.MethodGet, "/agents?_=17", "", "_", "it takes after, agentCodes, before, downlineOf, email, fields, firstName, "},
		{http.MethodGet, "/agents?first=3", "", "first", "did you mean firstName?"},
		{http.MethodGet, "/agents?000-00-0000=x", "", "?", "it takes "},
		{http.MethodGet, "/agents/A1?onDate=2026-01-01", "", "onDate", "it takes fields"},
		{http.MethodGet, "/tags?dryRun=true", "", "dryRun", "it takes "},
		{http.MethodPatch, "/certifications/1?dryrun=true", `{"note":"x","initiator":"hr"}`, "dryrun", "did you mean dryRun?"},
		{http.MethodPatch, "/agents/A1?dryrun=true", `{"npn":"1","initiator":"hr"}`, "dryrun", "it takes none"},
		{http.MethodDelete, "/tags/Gold?initator=hr", "", "initator", "did you mean initiator?"},
	} {
		b := newBench(t)
		p := problemOf(t, b.call(x.method, x.path, x.body))
		if p.Status != 400 || len(p.Errors) != 1 || p.Errors[0].Field != x.field || p.Errors[0].Code != "UNKNOWN_FIELD" || !strings.Contains(p.Errors[0].Message, x.says) {
			t.Errorf("%s %s: %+v", x.method, x.path, p)
		}
		if b.Document != "" {
			t.Errorf("%s %s was run", x.method, x.path)
		}
		if strings.Contains(p.Message+p.Detail, "000-00") {
			t.Errorf("%s: the refusal repeats the name: %+v", x.path, p)
		}
	}
}
