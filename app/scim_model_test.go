package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/scim"
)

// plainUser and plainGroup are what provisioning must have made, kept without a database.
type plainUser struct {
	Name, Email, External string
	Active                bool
}

type plainGroup struct {
	Name    string
	Members []string
}

// plain has users and groups by their ids.
type plain struct {
	users  map[string]plainUser
	groups map[string]plainGroup
}

// fits reports whether a user may be so: what must be unique is nobody else's.
func (m *plain) fits(id string, u plainUser) bool {
	if strings.Contains(u.Name, " ") || u.Email != "" && !strings.Contains(u.Email, "@") {
		return false
	}
	for other, o := range m.users {
		if other != id && (strings.EqualFold(o.Name, u.Name) || u.Email != "" && strings.EqualFold(o.Email, u.Email) || u.External != "" && o.External == u.External) {
			return false
		}
	}
	return true
}

func (m *plain) freeGroup(id, name string) bool {
	for other, g := range m.groups {
		if other != id && strings.EqualFold(g.Name, name) {
			return false
		}
	}
	return true
}

var (
	userNames   = []string{"a b", "ann", "Ann", "bob", "cy_d", "0f1e2d3c4b5a69788796a5b4c3d2e1f0ann@acme.example"}
	addresses   = []string{"no address", "ann@acme.example", "Bob@acme.example", "bob@acme.example", "c_y@acme.example"}
	externalIDs = []string{"e1", "E1", "e_2"}
	groupNames  = []string{"Sales", "sales", "North"}
)

// operation is one operation of a PATCH of a user, and what it must do; effect is nil for what
// must be refused, and kept false for what is not kept. active is set for one that gives or
// takes access.
type operation struct {
	text   string
	effect func(u *plainUser)
	kept   bool
	active *bool
}

func quoted(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// written writes an operation in one of the ways that systems write it.
func written(t *rapid.T, path string, value any) string {
	op := rapid.SampledFrom([]string{"replace", "Replace", "add", "Add"}).Draw(t, "op")
	if !strings.Contains(path, "[") && !strings.Contains(path, ".") && rapid.Bool().Draw(t, "with schema") {
		path = "urn:ietf:params:scim:schemas:core:2.0:User:" + path
	}
	if rapid.Bool().Draw(t, "without path") {
		return quoted(object{"op": op, "value": object{path: value}})
	}
	return quoted(object{"op": op, "path": path, "value": value})
}

func removal(path string) string { return quoted(object{"op": "Remove", "path": path}) }

// askedOf draws an operation about a user.
func askedOf(t *rapid.T) operation {
	switch rapid.SampledFrom([]string{"name", "active", "active", "external", "email", "email", "nothing here", "wrong"}).Draw(t, "about") {
	case "name":
		name := rapid.SampledFrom(userNames).Draw(t, "name")
		return operation{written(t, "userName", name), func(u *plainUser) { u.Name = name }, true, nil}
	case "active":
		on := rapid.Bool().Draw(t, "active")
		value := rapid.SampledFrom([]any{on, strings.ToUpper(fmt.Sprint(on)), fmt.Sprint(on)}).Draw(t, "written")
		return operation{written(t, "active", value), func(u *plainUser) { u.Active = on }, true, &on}
	case "external":
		if rapid.Bool().Draw(t, "removed") {
			return operation{removal("externalId"), func(u *plainUser) { u.External = "" }, true, nil}
		}
		id := rapid.SampledFrom(externalIDs).Draw(t, "external id")
		return operation{written(t, "externalId", id), func(u *plainUser) { u.External = id }, true, nil}
	case "email":
		if rapid.IntRange(0, 4).Draw(t, "removed") == 0 {
			path := rapid.SampledFrom([]string{"emails", `emails[type eq "work"]`, `emails[type eq "work"].value`}).Draw(t, "path")
			return operation{removal(path), func(u *plainUser) { u.Email = "" }, true, nil}
		}
		email := rapid.SampledFrom(addresses).Draw(t, "address")
		path := rapid.SampledFrom([]string{"emails", `emails[type eq "work"].value`, `emails[type eq "work" and primary eq true].value`, "emails.value"}).Draw(t, "path")
		value := any(email)
		if path == "emails" {
			value = []object{{"value": "home@acme.example", "type": "home"}, {"value": email, "type": "work", "primary": true}}
		}
		return operation{written(t, path, value), func(u *plainUser) { u.Email = email }, true, nil}
	case "nothing here":
		path := rapid.SampledFrom([]string{"title", "name.familyName", "displayName", `emails[type eq "home"].value`, `phoneNumbers[type eq "work"].value`,
			"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department"}).Draw(t, "path")
		return operation{quoted(object{"op": "replace", "path": path, "value": "x"}), func(*plainUser) {}, false, nil}
	}
	return operation{rapid.SampledFrom([]string{patchStep("active", "maybe"), patchStep("id", "x"), patchStep("groups", []any{}), removal("userName"), removal("active"), patchStep("userName", ""),
		patchStep(`emails[type gt "work"].value`, "a@acme.example"), patchStep("externalId", 7)}).Draw(t, "wrong"), nil, true, nil}
}

func patchStep(path string, value any) string {
	return quoted(object{"op": "replace", "path": path, "value": value})
}

// provisioned is a random sequence of requests under way.
type provisioned struct {
	*rapid.T
	by provisions
	m  plain
}

func (p *provisioned) ask(method, path, body string) scimAnswer {
	p.Helper()
	a := p.by.ask(p.T, method, path, body)
	if a.status >= http.StatusInternalServerError {
		p.Fatalf("%s %s %s: %s", method, path, body, a)
	}
	return a
}

// id draws the id of one of the things that there are.
func anID[V any](t *rapid.T, all map[string]V) string {
	return rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(t, "id")
}

// wants fails unless a request was done or refused as it must be.
func (p *provisioned) wants(done bool, a scimAnswer, body string) bool {
	p.Helper()
	if a.status < 300 != done {
		p.Fatalf("%s\nis answered by %s; done: %v", body, a, done)
	}
	return done
}

func (p *provisioned) addUser(t *rapid.T) {
	u := plainUser{Name: rapid.SampledFrom(userNames).Draw(t, "name"), Active: rapid.Bool().Draw(t, "active")}
	body := object{"userName": u.Name, "active": u.Active, "title": "not kept"}
	if rapid.Bool().Draw(t, "with address") {
		u.Email = rapid.SampledFrom(addresses).Draw(t, "address")
		body["emails"] = []object{{"value": u.Email}}
	}
	a := p.ask("POST", "Users", quoted(body))
	if p.wants(p.m.fits("", u), a, quoted(body)) {
		p.m.users[a.id()] = u
	}
}

func (p *provisioned) putUser(t *rapid.T) {
	if len(p.m.users) == 0 {
		return
	}
	id := anID(t, p.m.users)
	u := plainUser{Name: rapid.SampledFrom(userNames).Draw(t, "name"), Active: rapid.Bool().Draw(t, "active"), External: rapid.SampledFrom(externalIDs).Draw(t, "external id")}
	body := quoted(object{"id": id, "userName": u.Name, "active": u.Active, "externalId": u.External, "groups": []object{{"value": "1"}}})
	if p.wants(p.m.fits(id, u), p.ask("PUT", "Users/"+id, body), body) {
		p.m.users[id] = u
	} else if !u.Active {
		p.off(id)
	}
}

// off is what a refused request that deactivates does all the same.
func (p *provisioned) off(id string) {
	u := p.m.users[id]
	u.Active = false
	p.m.users[id] = u
}

func (p *provisioned) patchUser(t *rapid.T) {
	if len(p.m.users) == 0 {
		return
	}
	id := anID(t, p.m.users)
	var texts []string
	u, good, kept, off := p.m.users[id], true, false, false
	for _, one := range rapid.SliceOfN(rapid.Custom(askedOf), 1, 4).Draw(t, "operations") {
		texts, kept = append(texts, one.text), kept || one.kept
		if one.active != nil {
			off = !*one.active
		}
		if one.effect == nil {
			good = false
		} else {
			one.effect(&u)
		}
	}
	body := operations(strings.Join(texts, ","))
	if p.wants(good && kept && p.m.fits(id, u), p.ask("PATCH", "Users/"+id, body), body) {
		p.m.users[id] = u
	} else if off {
		p.off(id)
	}
}

func (p *provisioned) deleteUser(t *rapid.T) {
	if len(p.m.users) == 0 {
		return
	}
	id := anID(t, p.m.users)
	p.wants(true, p.ask("DELETE", "Users/"+id, ""), "DELETE "+id)
	delete(p.m.users, id)
	for name, g := range p.m.groups {
		g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(member string) bool { return member == id })
		p.m.groups[name] = g
	}
	if a := p.ask("GET", "Users/"+id, ""); a.status != http.StatusNotFound {
		p.Fatal(a)
	}
}

// members draws ids of users, sorted.
func (p *provisioned) members(t *rapid.T) []string {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(p.m.users)) {
		if rapid.Bool().Draw(t, "is a member") {
			ids = append(ids, id)
		}
	}
	return ids
}

func membersOf(ids []string) []object {
	all := []object{}
	for _, id := range ids {
		all = append(all, object{"value": id})
	}
	return all
}

func (p *provisioned) addGroup(t *rapid.T) {
	g := plainGroup{rapid.SampledFrom(groupNames).Draw(t, "name"), p.members(t)}
	body := quoted(object{"displayName": g.Name, "members": membersOf(g.Members), "externalId": "x"})
	if a := p.ask("POST", "Groups", body); p.wants(p.m.freeGroup("", g.Name), a, body) {
		p.m.groups[a.id()] = g
	}
}

// changeGroup renames a group, adds and removes members, all in one request.
func (p *provisioned) changeGroup(t *rapid.T) {
	if len(p.m.groups) == 0 {
		return
	}
	id := anID(t, p.m.groups)
	g := p.m.groups[id]
	if rapid.Bool().Draw(t, "wholly") {
		g = plainGroup{rapid.SampledFrom(groupNames).Draw(t, "name"), p.members(t)}
		body := quoted(object{"displayName": g.Name, "members": membersOf(g.Members)})
		if p.wants(p.m.freeGroup(id, g.Name), p.ask("PUT", "Groups/"+id, body), body) {
			p.m.groups[id] = g
		}
		return
	}
	var texts []string
	kept := false
	for range rapid.IntRange(1, 3).Draw(t, "operations") {
		switch rapid.SampledFrom([]string{"name", "add", "remove", "replace", "nothing here"}).Draw(t, "about") {
		case "name":
			g.Name = rapid.SampledFrom(groupNames).Draw(t, "name")
			texts, kept = append(texts, written(t, "displayName", g.Name)), true
			texts[len(texts)-1] = strings.ReplaceAll(texts[len(texts)-1], "2.0:User:", "2.0:Group:")
		case "add":
			more := p.members(t)
			g.Members = append(slices.Clone(g.Members), more...)
			texts, kept = append(texts, quoted(object{"op": "Add", "path": "members", "value": membersOf(more)})), true
		case "replace":
			g.Members = p.members(t)
			texts, kept = append(texts, quoted(object{"op": "replace", "value": object{"id": id, "members": membersOf(g.Members)}})), true
		case "remove":
			gone := p.members(t)
			g.Members = slices.DeleteFunc(slices.Clone(g.Members), func(id string) bool { return slices.Contains(gone, id) })
			for _, id := range gone {
				texts, kept = append(texts, removal(`members[value eq "`+id+`"]`)), true
			}
		default:
			texts = append(texts, patchStep("externalId", "x"))
		}
	}
	if len(texts) == 0 {
		return
	}
	slices.Sort(g.Members)
	g.Members = slices.Compact(g.Members)
	body := operations(strings.Join(texts, ","))
	if p.wants(kept && p.m.freeGroup(id, g.Name), p.ask("PATCH", "Groups/"+id, body), body) {
		p.m.groups[id] = g
	}
}

func (p *provisioned) deleteGroup(t *rapid.T) {
	if len(p.m.groups) == 0 {
		return
	}
	id := anID(t, p.m.groups)
	p.wants(true, p.ask("DELETE", "Groups/"+id, ""), "DELETE "+id)
	delete(p.m.groups, id)
}

// compare fails unless what is read is what must be there.
func (p *provisioned) compare(*rapid.T) {
	users, groups := p.by.everything(p.T)
	if !maps.Equal(users, p.m.users) {
		p.Fatalf("users are\n%v\nand must be\n%v", users, p.m.users)
	}
	if fmt.Sprint(groups) != fmt.Sprint(p.m.groups) {
		p.Fatalf("groups are\n%v\nand must be\n%v", groups, p.m.groups)
	}
}

// everything reads all users and groups but the starter roles.
func (p provisions) everything(t apptest.T) (map[string]plainUser, map[string]plainGroup) {
	t.Helper()
	users, groups := map[string]plainUser{}, map[string]plainGroup{}
	for _, one := range resourcesOf(p.ask(t, "GET", "Users", "")) {
		u := plainUser{Name: one["userName"].(string), Active: one["active"].(bool)}
		u.External, _ = one["externalId"].(string)
		if emails, _ := one["emails"].([]any); len(emails) > 0 {
			u.Email = emails[0].(object)["value"].(string)
		}
		users[one["id"].(string)] = u
	}
	for _, one := range resourcesOf(p.ask(t, "GET", "Groups", "")) {
		g := plainGroup{Name: one["displayName"].(string)}
		for _, member := range one["members"].([]any) {
			g.Members = append(g.Members, member.(object)["value"].(string))
		}
		slices.Sort(g.Members)
		if !slices.Contains(starterRoles, g.Name) {
			groups[one["id"].(string)] = g
		}
	}
	return users, groups
}

var starterRoles = []string{"Administrator", "Manager", "Recruiter", "Analyst", "Agent", "Integration"}

func resourcesOf(a scimAnswer) (all []object) {
	listed, _ := a.body["Resources"].([]any)
	for _, one := range listed {
		all = append(all, one.(object))
	}
	return all
}

// onEachWithoutUsers calls f for an agency on each database, with a function that removes
// all users and groups again.
func onEachWithoutUsers(t *testing.T, f func(t *testing.T, p provisions, clear func(t apptest.T))) {
	t.Helper()
	onEach(t, func(t *testing.T, w *apptest.World) {
		p := provisions{w.As(apptest.Acme, scim.Scope)}
		f(t, p, func(t apptest.T) {
			users, groups := p.everything(t)
			for id := range users {
				p.ask(t, "DELETE", "Users/"+id, "")
			}
			for id := range groups {
				p.ask(t, "DELETE", "Groups/"+id, "")
			}
		})
	})
}

// Whatever a system that provisions users asks, in whatever order, each answer of success is
// seen afterwards, each refusal has changed nothing but the access that it was to take, and
// nothing that was asked is done in part.
func TestProvisionedAsAsked(t *testing.T) {
	onEachWithoutUsers(t, func(t *testing.T, p provisions, clear func(t apptest.T)) {
		rapid.Check(t, func(t *rapid.T) {
			clear(t)
			s := &provisioned{t, p, plain{map[string]plainUser{}, map[string]plainGroup{}}}
			t.Repeat(map[string]func(*rapid.T){
				"": s.compare, "add a user": s.addUser, "add another user": s.addUser, "replace a user": s.putUser, "change a user": s.patchUser, "change another user": s.patchUser,
				"delete a user": s.deleteUser, "add a group": s.addGroup, "change a group": s.changeGroup, "delete a group": s.deleteGroup,
			})
		})
	})
}

// condition is a filter and what it means.
type condition struct {
	text  string
	holds func(id string, u plainUser) bool
}

// comparison draws a comparison of a text with another one.
func comparison(t *rapid.T, name string, values []string, isExact bool, of func(id string, u plainUser) string) condition {
	op := rapid.SampledFrom([]string{"eq", "ne", "co", "sw", "ew"}).Draw(t, "op")
	value := rapid.SampledFrom(values).Draw(t, "value")
	if op == "co" || op == "sw" || op == "ew" {
		value = value[rapid.IntRange(0, len(value)-1).Draw(t, "from"):]
	}
	return condition{name + " " + op + " " + quoted(value), func(id string, u plainUser) bool {
		has, value := of(id, u), value
		if !isExact {
			has, value = strings.ToLower(has), strings.ToLower(value)
		}
		switch op {
		case "eq":
			return has == value
		case "ne":
			return has != value
		case "co":
			return has != "" && strings.Contains(has, value)
		case "sw":
			return has != "" && strings.HasPrefix(has, value)
		}
		return has != "" && strings.HasSuffix(has, value)
	}}
}

func emailOf(_ string, u plainUser) string { return u.Email }

// conditionOf draws a filter of a depth.
func conditionOf(t *rapid.T, depth int) condition {
	forms := []string{"name", "email", "work", "work with value", "home", "external", "active", "pr"}
	if depth > 0 {
		forms = append(forms, "not", "and", "or", "not", "and", "or")
	}
	switch rapid.SampledFrom(forms).Draw(t, "form") {
	case "name":
		return comparison(t, "userName", userNames, false, func(_ string, u plainUser) string { return u.Name })
	case "email":
		return comparison(t, rapid.SampledFrom([]string{"emails", "emails.value", "EMAILS.Value"}).Draw(t, "path"), addresses, false, emailOf)
	case "work":
		c := comparison(t, `emails[type eq "work"].value`, addresses, false, emailOf)
		return condition{c.text, func(id string, u plainUser) bool { return u.Email != "" && c.holds(id, u) }}
	case "work with value":
		c := comparison(t, "value", addresses, false, emailOf)
		return condition{`emails[type eq "work" and ` + c.text + `]`, func(id string, u plainUser) bool { return u.Email != "" && c.holds(id, u) }}
	case "home":
		c := comparison(t, `emails[type eq "home"].value`, addresses, false, emailOf)
		return condition{c.text, func(string, plainUser) bool { return false }}
	case "external":
		return comparison(t, "externalId", externalIDs, true, func(_ string, u plainUser) string { return u.External })
	case "active":
		on := rapid.Bool().Draw(t, "active")
		return condition{fmt.Sprint("active eq ", on), func(_ string, u plainUser) bool { return u.Active == on }}
	case "pr":
		return condition{"externalId pr", func(_ string, u plainUser) bool { return u.External != "" }}
	case "not":
		c := conditionOf(t, depth-1)
		return condition{"not (" + c.text + ")", func(id string, u plainUser) bool { return !c.holds(id, u) }}
	case "and":
		a, b := conditionOf(t, depth-1), conditionOf(t, depth-1)
		return condition{"(" + a.text + ") and (" + b.text + ")", func(id string, u plainUser) bool { return a.holds(id, u) && b.holds(id, u) }}
	}
	a, b := conditionOf(t, depth-1), conditionOf(t, depth-1)
	return condition{"(" + a.text + " or " + b.text + ")", func(id string, u plainUser) bool { return a.holds(id, u) || b.holds(id, u) }}
}

// A filter finds whom it means, however it is nested: the answer is that of a plain reading.
func TestFiltersOfProvisioningFindWhomTheyMean(t *testing.T) {
	onEachWithoutUsers(t, func(t *testing.T, p provisions, clear func(t apptest.T)) {
		for i, body := range []object{{"userName": "Ann", "active": true, "externalId": "e1", "emails": []object{{"value": "ann@acme.example"}}}, {"userName": "bob", "active": false, "externalId": "E1"},
			{"userName": "cy_d", "active": true, "externalId": "e_2", "emails": []object{{"value": "c_y@acme.example"}}}, {"userName": "cyxd", "active": true, "emails": []object{{"value": "Bob@acme.example"}}}} {
			if a := p.ask(t, "POST", "Users", quoted(body)); a.status != http.StatusCreated {
				t.Fatal(i, a)
			}
		}
		users, _ := p.everything(t)
		rapid.Check(t, func(t *rapid.T) {
			c := conditionOf(t, rapid.IntRange(0, 9).Draw(t, "depth"))
			for range rapid.IntRange(0, 18).Draw(t, "negated twice") {
				c.text = "not (not (" + c.text + "))"
			}
			a := p.ask(t, "GET", "Users?count=100&filter="+url.QueryEscape(c.text), "")
			if len(c.text) > 2000 || a.status == http.StatusBadRequest && nesting(c.text) > 20 {
				if a.status != http.StatusBadRequest {
					t.Fatal(a)
				}
				return
			}
			var want, got []string
			for id, u := range users {
				if c.holds(id, u) {
					want = append(want, u.Name)
				}
			}
			for _, one := range resourcesOf(a) {
				got = append(got, one["userName"].(string))
			}
			slices.Sort(want)
			slices.Sort(got)
			if a.status != http.StatusOK || !slices.Equal(got, want) {
				t.Fatalf("%s\nfinds %d %v, and must find %v", c.text, a.status, got, want)
			}
		})
	})
}

// nesting is how deep the parentheses and brackets of a text nest.
func nesting(text string) (deepest int) {
	depth := 0
	for _, c := range text {
		switch c {
		case '(', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', ']':
			depth--
		}
	}
	return deepest
}
