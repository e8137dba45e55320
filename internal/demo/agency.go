// Package demo makes up a realistic agency: agents with names and addresses,
// an upline tree with its moves, level and pay status histories, certifications
// with their renewals, W9s, bank details, carriers' writing numbers as aliases,
// tags, policies and the commissions paid for them. Generate makes it up, Load stores it.
//
// The same options give the same agency, to the last character, on every
// machine: choices are made with integers only.
//
// Nothing in it can belong to a person: government identifiers are from areas
// that are never issued, telephone numbers from the block kept for fiction, mail
// addresses from the domains kept for examples, and bank accounts at banks that do
// not exist.
package demo

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Generate makes up an agency. It takes less than three seconds for 100,000
// agents, which take some 600 MB; Load makes one agent after the other.
func Generate(o Options) *Agency {
	return &Agency{Options: o, Agents: slices.AppendSeq(make([]Agent, 0, max(o.Agents, 0)), o.agents()), Tags: o.tags()}
}

// tags returns the tags that agents have.
func (o Options) tags() (all []Tag) {
	for _, t := range tags {
		all = append(all, t.Tag)
	}
	return all
}

// code returns the code of an agent, given its index.
func (o Options) code(i int) string {
	return fmt.Sprintf("%s%d", cmp.Or(o.CodePrefix, "A"), firstCode+i)
}

// agents makes up the agents of an agency, one after the other.
func (o Options) agents() iter.Seq[Agent] {
	return func(yield func(Agent) bool) {
		b := newBuilder(o)
		for i, start := range b.starts {
			b.agent = Agent{Code: o.code(i), StartDate: start}
			a := &b.agent
			home := b.person(i)
			a.PayStatusPeriods = b.payStatuses(i)
			b.upline[i] = b.uplines(i)
			b.level[i] = b.levels(i)
			a.UplinePeriods, a.LevelPeriods = b.upline[i], b.level[i]
			a.Certifications = b.certifications(i, home)
			b.payee(i)
			b.labels(i)
			b.production(i)
			if !yield(*a) {
				return
			}
		}
	}
}
