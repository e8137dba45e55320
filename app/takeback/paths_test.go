package takeback

import (
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Why a value is what it is, is answered for the paths that the trail has. Others are refused,
// and the fields that are near are named: no change of another field is made the answer.
func TestUnknownPathsAreRefused(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Now: now})
		l := begin(t, w, "explain", map[string]int{})
		l.send("agentRegister", object{"agentCode": "A1", "firstName": "Ann", "lastName": "Lee", "status": "Active", "startDate": "2026-06-01T12:00:00Z", "teams": list(object{"membership": object{"level": 20}}),
			"homeAddress": object{"city": "Waco"}, "w9": object{"name": "Ann", "taxClassification": "INDIVIDUAL"}}, nil)
		for _, one := range []struct {
			of   cell
			path string
			// near is a field that the refusal names.
			near string
		}{
			{cell{"Agent", "A1", ""}, "payStatus", "status"}, {cell{"Agent", "A1", ""}, "firstname", "firstName"}, {cell{"Agent", "A1", ""}, "homeAddress.town", "homeAddress.city"},
			{cell{"Agent", "A1", ""}, "homeAdress.city", "homeAddress.city"}, {cell{"Agent", "A1", ""}, "w9.nam", "w9.name"}, {cell{"Agent", "A1", ""}, "level", "teams.default.level"},
			{cell{"Agent", "A1", ""}, "directDeposit.acountNumber", "directDeposit.accountNumber"}, {cell{"Agent", "A1", ""}, "certifications.999999.note", ""}, {cell{"Agent", "A1", ""}, "status.name", "status"}, {cell{"Agent", "A1", ""}, "id", ""},
			{cell{"Tag", "GOLD", ""}, "colour", "color"}, {cell{"Product", "TERM", ""}, "watched", "isWatched"}, {cell{"Role", "Clerk", ""}, "scope", "scopes"}, {cell{"PayStatus", "Away", ""}, "payable", ""},
		} {
			data, errs := l.c.GraphQL(t, `query($of: ID!, $field: String!) { explain(of: $of, field: $field) { sequence field } }`, object{"of": l.now.ids[one.of], "field": one.path})
			switch {
			case errs == nil:
				t.Errorf("%s has no %s, and it is explained: %v", one.of, one.path, data)
			case errs[0].Code() != "NOT_FOUND" && text(errs[0].Extensions["reason"]) != "NOT_FOUND":
				t.Errorf("%s %s: %v, want NOT_FOUND", one.of, one.path, errs[0])
			case !strings.Contains(errs[0].Message, one.near):
				t.Errorf("%s %s: %q does not name %s", one.of, one.path, errs[0].Message, one.near)
			}
		}
	})
}
