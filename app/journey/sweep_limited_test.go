package journey

import (
	"slices"
	"strings"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// branch is the agent who is the limited user of each tenant; about half of the
// stories' agents are below.
const branch = "SECOND"

// limited is the name of that user and of its role, which gives every scope that a role
// can but the one that shows sensitive values.
const limited = "limited"

// addLimited adds the limited user.
func (s *scene) addLimited() {
	s.Helper()
	scopes := slices.DeleteFunc(bearer.GrantableScopes(), func(name string) bool { return name == "read:agents:sensitive" })
	s.mutate("roleCreate", object{"name": limited, "scopes": scopes, "limitedToDownline": true}, "applied")
	s.world.AddUser(s, s.tenant, limited, branch, limited)
}

// newLimitedSweeper returns a sweeper of the same tenant that reads as the limited user.
func newLimitedSweeper(whole *sweeper) *sweeper {
	whole.Helper()
	s := newSweeper(whole.TB, whole.world, whole.tenant)
	user, err := s.world.Identity.User(s.world.Context(s, s.tenant), limited)
	if err != nil {
		s.Fatal(err)
	}
	s.limited, s.caller = true, s.world.AsUser(s, s.tenant, user)
	s.strangers, s.outsiders = whole.outside()
	return s
}

// top is the agent that a sweeper asks about where it has to name one.
func (s *sweeper) top() string {
	if s.limited {
		return branch
	}
	return root
}

// outside are the codes of the agents who are not below branch today, as the uplines of
// all say one by one, and the names in their e-mail addresses, which are as unique.
func (s *sweeper) outside() (words map[string]bool, agents int) {
	s.Helper()
	below, named, after := map[string][]string{}, map[string]string{}, any(nil)
	for {
		page, _ := s.query(`query($after: String) { agents(first: %d, after: $after) { pageInfo { hasNextPage endCursor } nodes { agentCode email membership { directUplineCode } } } }`, 100, object{"after": after})
		for _, agent := range apptest.At(page, "agents.nodes").([]any) {
			code := apptest.At(agent, "agentCode").(string)
			upline, _ := apptest.At(agent, "membership.directUplineCode").(string)
			email, _ := apptest.At(agent, "email").(string)
			below[upline] = append(below[upline], code)
			named[code], _, _ = strings.Cut(email, "@")
		}
		if after = apptest.At(page, "agents.pageInfo.endCursor"); apptest.At(page, "agents.pageInfo.hasNextPage") != true {
			break
		}
	}
	for inside := []string{branch}; len(inside) > 0; inside = inside[1:] {
		delete(named, inside[0])
		inside = append(inside, below[inside[0]]...)
	}
	words = map[string]bool{}
	for code, name := range named {
		words[code] = true
		if name != "" {
			words[name] = true
		}
	}
	return words, len(named)
}

// namesOthers are the fields that may name somebody outside: the code of an upline is part of
// the record of who is below (decision 4), the address of a recruit part of what its
// recruiter sees, wherever the agent is that it became.
var namesOthers = map[string]bool{
	// What a change did to an upline: its code is part of the record of the agent below.
	"old": true, "new": true, "directUpline": true, "teams.default.directUpline": true, "directUplineCode": true, "uplineAgentCode": true,
	"fromUpline": true, "toUpline": true, "emailAddress": true}

// within holds what a limited user was shown against all that there is: the agents
// are as many as branch has, and no list has more rows.
func (s *sweeper) within(whole *sweeper) {
	s.Helper()
	if want := whole.totals["agents"] - s.outsiders; s.totals["agents"] != want {
		s.Errorf("%s: the limited user sees %d agents, of %d below", s.tenant, s.totals["agents"], want)
	}
	for name, n := range s.totals {
		if n > whole.totals[name] && name != "auditLog" && name != "changes" && name != "events" { // these grew since
			s.Errorf("%s: the limited user sees %d rows of %s, of %d", s.tenant, n, name, whole.totals[name])
		}
	}
}
