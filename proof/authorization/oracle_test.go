package authorization_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
)

// The oracle answers from plain rows with plain loops, a day after the other. It shares
// nothing with the engine but the type of a requirement.

// row is a period of an owner, as it was known from an instant until another.
type row[V any] struct {
	owner         int
	from, through date.Date // date.Max: no end
	known, gone   int       // instants; gone 0: never
	value         V
}

// on returns the period of an owner on a day, as it was known at an instant.
func on[V any](rows []row[V], owner int, day date.Date, at int) (row[V], bool) {
	for _, r := range rows {
		if r.owner == owner && r.known <= at && (r.gone == 0 || r.gone > at) && r.from <= day && day <= r.through {
			return r, true
		}
	}
	return row[V]{}, false
}

type certificate struct {
	agent                     int
	kind, company, place      string
	isResident, isAppointment bool
}

// agency is made up of rows. Agents, certifications and rules are numbers.
type agency struct {
	prefix       string
	agents       int
	uplines      []row[int] // 0: none; agents count from 1
	statuses     []row[string]
	levels       []row[int]
	certificates []certificate
	certified    []row[string]
	rules        []string // of which product
	required     []row[authorization.Requirement]
}

var (
	start    = date.Of(2026, time.January, 1)
	places   = []string{"US-CA", "US-NY", "US-TX"}
	kinds    = []string{"HEALTH", "LIFE"}
	products = []string{"P", "Q"}
)

// instants is how many instants there are; something is written at each.
const instants = 3

// draw makes up the histories of an owner: at each instant another one may be known.
func draw[V any](t *rapid.T, rows []row[V], owner int, value func(t *rapid.T) V) []row[V] {
	for known := 0; known < instants; {
		gone := rapid.IntRange(known+1, instants).Draw(t, "until")
		for day, n := start, rapid.IntRange(0, 3).Draw(t, "periods"); n > 0; n-- {
			r := row[V]{owner: owner, from: day.AddDays(rapid.SampledFrom([]int{0, 0, 0, 9}).Draw(t, "gap")), known: known, gone: gone % instants, value: value(t)}
			if r.through = r.from.AddDays(rapid.IntRange(0, 40).Draw(t, "days")); n == 1 && rapid.Bool().Draw(t, "open") {
				r.through = date.Max
			}
			rows, day = append(rows, r), r.through.AddDays(1)
		}
		known = gone
	}
	return rows
}

func drawAgency(t *rapid.T, prefix string) *agency {
	a := &agency{prefix: prefix, agents: rapid.IntRange(1, 5).Draw(t, "agents")}
	one := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "one") }
	for i := 1; i <= a.agents; i++ {
		a.uplines = draw(t, a.uplines, i, func(t *rapid.T) int { return rapid.IntRange(0, i-1).Draw(t, "upline") })
		a.statuses = draw(t, a.statuses, i, func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"Active", "Active", "Terminated"}).Draw(t, "status")
		})
		a.levels = draw(t, a.levels, i, func(t *rapid.T) int { return 10 * rapid.IntRange(1, 3).Draw(t, "level") })
		for range rapid.IntRange(0, 3).Draw(t, "certifications") {
			c := certificate{agent: i, kind: one("LIFE", "LIFE", "HEALTH", "APPOINTMENT"), company: one("ACO", "BCO", ""), place: one("US-CA", "US-TX", ""), isResident: rapid.Bool().Draw(t, "resident")}
			c.isAppointment = c.kind == "APPOINTMENT"
			a.certificates = append(a.certificates, c)
			a.certified = draw(t, a.certified, len(a.certificates), func(t *rapid.T) string {
				return rapid.SampledFrom([]string{"ACTIVE", "ACTIVE", "ACTIVE", "PENDING", "SUSPENDED"}).Draw(t, "status")
			})
		}
	}
	for range rapid.IntRange(0, 4).Draw(t, "rules") {
		a.rules = append(a.rules, one(products...))
		a.required = draw(t, a.required, len(a.rules), func(t *rapid.T) (r authorization.Requirement) {
			r.Jurisdictions = authorization.Joined(rapid.SliceOfNDistinct(rapid.SampledFrom(places), 0, 2, rapid.ID).Draw(t, "places"))
			r.CertificationTypes = authorization.Joined(rapid.SliceOfNDistinct(rapid.SampledFrom(kinds), 0, 2, rapid.ID).Draw(t, "types"))
			r.All, r.ActiveStatus = rapid.Bool().Draw(t, "all"), rapid.Bool().Draw(t, "active")
			r.Residence = rapid.SampledFrom([]authorization.Residence{authorization.AnyResidence, authorization.AnyResidence, authorization.Resident, authorization.NonResident}).Draw(t, "residence")
			r.ProviderCompany = rapid.SampledFrom([]string{"", "", "ACO"}).Draw(t, "company")
			if r.HasLevel = rapid.IntRange(0, 3).Draw(t, "has level") == 0; r.HasLevel {
				r.MinimumLevel = 10 * rapid.IntRange(1, 3).Draw(t, "least level")
			}
			r.UplineDepth = rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "depth")
			return r
		})
	}
	return a
}

func (a *agency) code(agent int) string { return fmt.Sprint(a.prefix, agent) }

// reasons are why an agent may not sell on a day, as texts; none if it may.
func (a *agency) reasons(agent int, product, place string, day date.Date, at int) (all []string) {
	ruled := false
	for rule, of := range a.rules {
		r, ok := on(a.required, rule+1, day, at)
		if of != product || !ok || r.value.Jurisdictions != "" && !strings.Contains(r.value.Jurisdictions, place) ||
			r.value.CertificationTypes == "" && r.value.ProviderCompany == "" && !r.value.ActiveStatus && !r.value.HasLevel {
			continue
		}
		ruled = true
		for depth, who := 0, agent; depth <= r.value.UplineDepth && who != 0; depth++ {
			for _, why := range a.lacks(who, r.value, place, day, at) {
				all = append(all, fmt.Sprintf("rule %d: %s, %d above: %s", rule+1, a.code(who), depth, why))
			}
			above, _ := on(a.uplines, who, day, at)
			who = above.value
		}
	}
	if !ruled {
		return []string{"NO_REQUIREMENTS"}
	}
	return all
}

func (a *agency) lacks(who int, r authorization.Requirement, place string, day date.Date, at int) (all []string) {
	if r.ActiveStatus {
		if status, ok := on(a.statuses, who, day, at); !ok {
			all = append(all, "NO_PAY_STATUS")
		} else if status.value != "Active" {
			all = append(all, fmt.Sprint("PAY_STATUS_NOT_ACTIVE since ", status.from))
		}
	}
	if r.HasLevel {
		if level, ok := on(a.levels, who, day, at); !ok {
			all = append(all, "NO_LEVEL")
		} else if level.value < r.MinimumLevel {
			all = append(all, fmt.Sprint("LEVEL_TOO_LOW since ", level.from))
		}
	}
	var sets []string
	switch {
	case r.CertificationTypes == "":
	case r.All:
		sets = strings.Split(r.CertificationTypes, ",")
	default:
		sets = []string{r.CertificationTypes}
	}
	for _, set := range sets {
		if why := a.uncertified(who, day, at, func(c certificate) (counts, lives bool) {
			return strings.Contains(set, c.kind) && (c.place == "" || c.place == place),
				r.Residence == authorization.AnyResidence || c.isResident == (r.Residence == authorization.Resident)
		}); why != "" {
			all = append(all, strings.Replace(why, "+", "CERTIFICATION", 1))
		}
	}
	if r.ProviderCompany != "" {
		if why := a.uncertified(who, day, at, func(c certificate) (counts, lives bool) {
			return c.isAppointment && c.company == r.ProviderCompany && (c.place == "" || c.place == place), true
		}); why != "" {
			all = append(all, strings.Replace(why, "+", "APPOINTMENT", 1))
		}
	}
	return all
}

// uncertified says why no certification that counts is active; "" if one is. A + stands for
// what it is.
func (a *agency) uncertified(who int, day date.Date, at int, counts func(certificate) (counts, lives bool)) string {
	elsewhere := false
	var held, lapsed *row[string]
	for i, c := range a.certificates {
		is, lives := counts(c)
		if c.agent != who || !is {
			continue
		}
		for _, p := range a.certified {
			if p.owner != i+1 || p.known > at || p.gone != 0 && p.gone <= at || p.from > day {
				continue
			}
			covers := day <= p.through
			switch {
			case covers && lives && p.value == "ACTIVE":
				return ""
			case covers && p.value == "ACTIVE":
				elsewhere = true
			case covers && lives && (held == nil || p.from >= held.from):
				held = &p
			case !covers && lives && (lapsed == nil || p.from >= lapsed.from):
				lapsed = &p
			}
		}
	}
	switch {
	case held != nil:
		return fmt.Sprint("+_NOT_ACTIVE since ", held.from)
	case elsewhere:
		return "WRONG_RESIDENCE"
	case lapsed != nil:
		return fmt.Sprint("+_LAPSED since ", lapsed.through.AddDays(1))
	}
	return "NO_+"
}

// through are the uplines that count.
func (a *agency) through(agent int, product, place string, day date.Date, at int) (codes []string) {
	depth := 0
	for rule, of := range a.rules {
		if r, ok := on(a.required, rule+1, day, at); ok && of == product && !r.value.IsEmpty() && (r.value.Jurisdictions == "" || strings.Contains(r.value.Jurisdictions, place)) {
			depth = max(depth, r.value.UplineDepth)
		}
	}
	codes = []string{}
	for who := agent; len(codes) < depth; {
		above, _ := on(a.uplines, who, day, at)
		if who = above.value; who == 0 {
			break
		}
		codes = append(codes, a.code(who))
	}
	return codes
}

// lasts is the last day on which the status is that of a day; nil if it stays. Nothing
// changes after 400 days.
func (a *agency) lasts(agent int, product, place string, day date.Date, at int) *date.Date {
	is := len(a.reasons(agent, product, place, day, at)) == 0
	for next := day.AddDays(1); next < start.AddDays(400); next = next.AddDays(1) {
		if len(a.reasons(agent, product, place, next, at)) == 0 != is {
			return next.AddDays(-1).Ptr()
		}
	}
	return nil
}

// texts writes the reasons of an answer as the oracle does.
func texts(reasons []authorization.Reason) (all []string) {
	for _, r := range reasons {
		if r.Code == authorization.NoRequirements {
			return []string{string(r.Code)}
		}
		text := fmt.Sprintf("rule %s: %s, %d above: %s", r.Rule, r.AgentCode, r.Depth, r.Code)
		if r.Since != nil {
			text += fmt.Sprint(" since ", *r.Since)
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}
