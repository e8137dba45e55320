package recipe_test

import (
	"maps"
	"slices"
	"time"
)

// demoRules are the rules of the demo's products: of which certifications one, or each,
// must be active, beside an active pay status; in New York the upline must have it, too.
var demoRules = map[string]struct {
	types []any
	all   bool
}{
	"TERM-LIFE": {[]any{"LIFE"}, false}, "MAJOR-MEDICAL": {[]any{"HEALTH"}, false}, "FIXED-ANNUITY": {[]any{"ANNUITY", "LIFE"}, true},
}

// authorized are the products and jurisdictions in which agents may sell on a day, looked
// up one by one, until a day on which that ends.
func (a agency) authorized(day string) (rows []row) {
	places := map[string]bool{}
	for _, c := range a["agency_certification"] {
		if place, ok := c["jurisdiction"].(string); ok {
			places[place] = true
		}
	}
	turns := a.turns(day)
	for _, agent := range a["agency_agent"] {
		for _, product := range slices.Sorted(maps.Keys(demoRules)) {
			for _, place := range slices.Sorted(maps.Keys(places)) {
				if !a.maySell(agent["id"], product, place, day) {
					continue
				}
				r := joined(a.who(agent["id"]), row{"product": product, "jurisdiction": place, "validThrough": nil}, a.standing(agent["id"], day), a.level(agent["id"], day))
				delete(r, "canBePaid")
				for _, next := range turns {
					if !a.maySell(agent["id"], product, place, next) {
						r["validThrough"] = addDays(next, -1)
						break
					}
				}
				rows = append(rows, r)
			}
		}
	}
	return rows
}

func (a agency) maySell(agent any, product string, place any, day string) bool {
	rule := demoRules[product]
	if a.standing(agent, day)["isActive"] != true {
		return false
	}
	active := 0
	for _, kind := range rule.types {
		if a.certified(agent, kind, place, day) {
			active++
		}
	}
	if rule.all && active < len(rule.types) || active == 0 {
		return false
	}
	if product == "TERM-LIFE" && place == "US-NY" {
		upline := a.covering("agency_upline_period", day, row{"agent_id": agent})["upline_agent_id"]
		return upline == nil || a.certified(upline, "LIFE", place, day)
	}
	return true
}

func (a agency) certified(agent, kind, place any, day string) bool {
	return slices.ContainsFunc(a["agency_certification"], func(c row) bool {
		return c["agent_id"] == agent && c["type"] == kind && (c["jurisdiction"] == nil || c["jurisdiction"] == place) &&
			a.covering("agency_certification_period", day, row{"certification_id": c["id"]})["status"] == "ACTIVE"
	})
}

// turns are the days after a day on which a period begins, or has ended.
func (a agency) turns(day string) (days []string) {
	for _, table := range []string{"agency_certification_period", "agency_pay_status_period", "agency_upline_period"} {
		for _, p := range a[table] {
			if from := p["effective_from"].(string); from > day {
				days = append(days, from)
			}
			if through, ok := p["effective_through"].(string); ok && through >= day {
				days = append(days, addDays(through, 1))
			}
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

func addDays(day string, n int) string {
	at, _ := time.Parse(time.DateOnly, day)
	return at.AddDate(0, 0, n).Format(time.DateOnly)
}
