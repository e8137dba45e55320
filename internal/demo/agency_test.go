package demo_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/identity/directory"
)

func TestSameOptionsGiveTheSameAgency(t *testing.T) {
	o := demo.Options{Agents: 500, Seed: 7, Today: today}
	first, second := demo.Generate(o), demo.Generate(o)
	if !reflect.DeepEqual(first, second) {
		t.Fatal("two runs differ")
	}
	o.Seed++
	if reflect.DeepEqual(first.Agents, demo.Generate(o).Agents) {
		t.Error("another seed gives the same agency")
	}
}

// The digest holds the output on every machine and with every compiler. A
// deliberate change of the generator changes it: then update it here.
func TestOutputIsTheSameEverywhere(t *testing.T) {
	encoded, err := json.Marshal(demo.Generate(demo.Options{Agents: 300, Seed: 1, Today: today}))
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	_, _ = h.Write(encoded)
	if got, want := fmt.Sprintf("%016x", h.Sum64()), "b1831f61c8525e8b"; got != want {
		t.Errorf("digest %s; want %s", got, want)
	}
}

func TestCodePrefix(t *testing.T) {
	agents := demo.Generate(demo.Options{Agents: 3, Today: today, CodePrefix: "ACME-"}).Agents
	for i, want := range []string{"ACME-1000", "ACME-1001", "ACME-1002"} {
		if agents[i].Code != want {
			t.Errorf("code %q; want %q", agents[i].Code, want)
		}
	}
}

// TestTreeShape: a few roots, a deep tree, and a heavy tail: most agents have no
// directs, a few have very many.
func TestTreeShape(t *testing.T) {
	agents := demo.Generate(demo.Options{Agents: 20_000, Seed: 3, Today: today}).Agents
	directs := make([]int, len(agents))
	roots := 0
	for i := range agents {
		if u := on(agents[i].UplinePeriods, today); u == demo.NoUpline {
			roots++
		} else {
			directs[u]++
		}
	}
	if roots < 2 || roots > 10 {
		t.Errorf("%d roots", roots)
	}
	if deepest := slices.Max(depths(agents, today)); deepest < 9 {
		t.Errorf("the deepest agent is %d deep", deepest)
	}
	slices.Sort(directs)
	slices.Reverse(directs)
	if directs[0] < 200 || directs[9] < 80 {
		t.Errorf("the ten widest agents have %v directs", directs[:10])
	}
	if median := directs[len(directs)/2]; median != 0 {
		t.Errorf("the median agent has %d directs", median)
	}
	top := 0
	for _, n := range directs[:len(directs)/100] {
		top += n
	}
	if share := top * 100 / len(agents); share < 25 || share > 75 {
		t.Errorf("one agent in a hundred has %d%% of all directs", share)
	}
}

// An agency this large would grow deeper than twelve if nothing held it back.
func TestDepthIsLimited(t *testing.T) {
	agents := demo.Generate(demo.Options{Agents: 100_000, Seed: 1, Today: today}).Agents
	deepest := 0
	for day := today.AddDays(-1000); day <= today.AddDays(120); day += 140 {
		deepest = max(deepest, slices.Max(depths(agents, day)))
	}
	if deepest != 12 {
		t.Errorf("the deepest agent is %d deep; want 12", deepest)
	}
}

// TestMix compares shares with what an agency of some years looks like.
func TestMix(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		a := demo.Generate(demo.Options{Agents: 20_000, Seed: seed, Today: today})
		m := countMix(a)
		for _, c := range []struct {
			what     string
			min, max float64 // percent of agents, or of certifications
			got      float64
		}{
			{"past upline change", 12, 18, m.share("moved")},
			{"future upline change", 1, 4, m.share("moving")},
			{"future level change", 1, 4, m.share("rising")},
			{"more than one pay status", 12, 24, m.share("paid differently")},
			{"not active today", 6, 12, m.share("inactive")},
			{"future pay status change", 0.5, 3, m.share("pay to change")},
			{"lowest level", 12, 45, m.share("level 10")},
			{"highest level", 0.01, 2, m.share("level 90")},
			{"Canadian", 2, 10, m.share("CA")},
			{"common name", 10, 35, m.share("common name")},
			{"several certifications", 80, 95, m.share("several")},
			{"AML training", 25, 60, m.share("AML")},
			{"expiring within 90 days", 5, 15, m.ofCertifications("expiring")},
			{"suspended or held today", 0.1, 2, m.ofCertifications("suspended")},
			{"ever suspended or held", 0.5, 5, m.ofCertifications("once suspended")},
			{"renewed", 25, 75, m.ofCertifications("renewed")},
			{"appointments", 15, 35, m.ofCertifications("APPOINTMENT")},
			{"W9 by now", 95, 100, m.share("W9")},
			{"second W9", 2, 8, m.share("another W9")},
			{"direct deposit", 75, 92, m.share("direct deposit")},
			{"aliases", 30, 70, m.share("alias")},
			{"Bilingual", 3, 6, m.share("Bilingual")},
			{"Mentor", 0.5, 5, m.share("Mentor")},
			{"Top producer", 2, 5, m.share("Top producer")},
			{"Veteran", 1, 4, m.share("Veteran")},
			{"non-resident licences", 5, 20, m.ofCertifications("non-resident")},
			{"pending", 0.05, 2, m.ofCertifications("PENDING")},
			{"expired", 5, 20, m.ofCertifications("EXPIRED")},
		} {
			if c.got < c.min || c.got > c.max {
				t.Errorf("seed %d, %s: %.2f%%; want %v to %v", seed, c.what, c.got, c.min, c.max)
			}
		}
		if m.counts["states"] < 40 {
			t.Errorf("seed %d: agents live in %d jurisdictions", seed, m.counts["states"])
		}
	}
}

type mix struct {
	counts                 map[string]int
	agents, certifications int
}

func (m mix) share(what string) float64 { return 100 * float64(m.counts[what]) / float64(m.agents) }
func (m mix) ofCertifications(what string) float64 {
	return 100 * float64(m.counts[what]) / float64(m.certifications)
}

func countMix(a *demo.Agency) mix {
	m := mix{counts: map[string]int{}, agents: len(a.Agents)}
	count := func(what string, yes bool) {
		if yes {
			m.counts[what]++
		}
	}
	active := map[string]bool{}
	for _, s := range directory.StarterReference().PayStatuses {
		active[s.Name] = s.IsActive
	}
	lived := map[string]bool{}
	for i := range a.Agents {
		g := &a.Agents[i]
		count("moved", len(g.UplinePeriods) > 1 && g.UplinePeriods[1].From <= today)
		count("moving", endsLater(g.UplinePeriods))
		count("rising", endsLater(g.LevelPeriods))
		count("pay to change", endsLater(g.PayStatusPeriods))
		count("paid differently", len(g.PayStatusPeriods) > 1)
		count("inactive", !active[on(g.PayStatusPeriods, today)])
		count(fmt.Sprintf("level %d", on(g.LevelPeriods, today)), true)
		count(g.HomeAddress.Country, true)
		count("common name", g.CommonName != "")
		count("states", !lived[g.HomeAddress.Jurisdiction])
		lived[g.HomeAddress.Jurisdiction] = true
		count("W9", len(g.W9Periods) > 0)
		count("another W9", len(g.W9Periods) > 1)
		count("direct deposit", g.DirectDeposit != nil)
		count("alias", len(g.Aliases) > 0)
		for _, worn := range g.Tags {
			count(worn, true)
		}
		count("several", len(g.Certifications) > 1)
		m.certifications += len(g.Certifications)
		for _, c := range g.Certifications {
			count(c.Type, true)
			countCertification(count, c)
		}
	}
	return m
}

func countCertification(count func(string, bool), c demo.Certification) {
	suspended := func(status string) bool { return strings.Contains(status, "SUSP") || status == "HELD" }
	now := ""
	for _, p := range c.Periods {
		if p.From <= today && today <= date.OrMax(p.Through) {
			now = p.Value
			count("expiring", p.Value == "ACTIVE" && p.Through != nil && *p.Through <= today.AddDays(90))
		}
	}
	count(now, now != "")
	count("suspended", suspended(now))
	count("once suspended", slices.ContainsFunc(c.Periods, func(p demo.Period[string]) bool { return suspended(p.Value) }))
	count("renewed", len(c.Periods) > 1 && c.Periods[1].Value == "ACTIVE")
	count("non-resident", c.Jurisdiction != "" && !c.IsResident)
}

// endsLater reports whether the value of today will change.
func endsLater[T any](periods []demo.Period[T]) bool { return periods[len(periods)-1].From > today }

func BenchmarkGenerate100k(b *testing.B) {
	for b.Loop() {
		demo.Generate(demo.Options{Agents: 100_000, Seed: 1, Today: today})
	}
}
