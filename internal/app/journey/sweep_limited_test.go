package journey

import (
	"testing"

	"github.com/uplinehq/upline/internal/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/oauth"
)

// limitedRole holds every scope that a role may, limited to the downline.
const limitedRole = "Everything below"

// limitedUsers are the users of each world who are root and hold limitedRole.
var limitedUsers = map[*apptest.World]map[string]*identity.User{}

// newLimitedSweeper returns a sweeper that reads as a user who sees root and the agents
// below.
func newLimitedSweeper(t testing.TB, w *apptest.World, tenant string) *sweeper {
	t.Helper()
	s := newSweeper(t, w, tenant)
	if limitedUsers[w] == nil {
		limitedUsers[w] = map[string]*identity.User{}
	}
	if limitedUsers[w][tenant] == nil {
		made := s.caller.Query(t, `mutation($scopes: [String!]!, $name: String!) { roleCreate(input: {name: $name, scopes: $scopes, limitedToDownline: true}) { applied } }`,
			object{"scopes": oauth.GrantableScopes(), "name": limitedRole})
		if apptest.At(made, "roleCreate.applied") != true {
			t.Fatalf("%v", made)
		}
		limitedUsers[w][tenant] = w.AddUser(t, tenant, "limited", root, limitedRole)
	}
	s.limited, s.caller = true, w.AsUser(t, tenant, limitedUsers[w][tenant])
	return s
}

// within holds what a limited user was shown against all that there is: root and its
// downline of today, and of every list no more rows than there are.
func (s *sweeper) within(whole *sweeper) {
	s.Helper()
	below, _ := whole.query(`query($root: String!) { agent(agentCode: $root) { downline(first: 1) { totalCount } } }`, 1, object{"root": root})
	if want := 1 + number(apptest.At(below, "agent.downline.totalCount")); s.totals["agents"] != want {
		s.Errorf("%s: the limited user sees %d agents, of %d that root has below and is", s.tenant, s.totals["agents"], want)
	}
	for name, n := range s.totals {
		if n > whole.totals[name] && name != "auditLog" && name != "events" && name != "users" && name != "roles" { // these grew since
			s.Errorf("%s: the limited user sees %d rows of %s, of %d", s.tenant, n, name, whole.totals[name])
		}
	}
}
