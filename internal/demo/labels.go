package demo

// Alias is the writing number that a carrier gave an agent. Identifier and
// provider company together are unique in the agency.
type Alias struct {
	Identifier      string
	ProviderCompany string // code of a provider company
}

// Tag is a label of the agency.
type Tag struct {
	Name, Description string
	Color             string // # and six hexadecimal digits
}

// tags are in the order of their names.
var tags = []struct {
	Tag
	percent int // of the agents of at least this level who wear it
	level   int
}{
	{Tag{"Bilingual", "Advises clients in a second language.", "#2a9d8f"}, 5, 0},
	{Tag{"Mentor", "Trains new agents in their first year.", "#457b9d"}, 8, 30},
	{Tag{"Top producer", "Among the best of last year.", "#e9c46a"}, 4, 0},
	{Tag{"Veteran", "Served in the armed forces.", "#6d597a"}, 3, 0},
}

// labels fills in an agent's aliases and tags.
func (b *builder) labels(i int) {
	b.agent.Aliases = b.aliases(&b.agent)
	b.agent.Tags = b.tags(i)
}

// aliases returns the writing numbers of the appointments that a carrier granted, with
// which the carrier's data would be matched. If two agents have the same number, the
// first gets the alias.
func (b *builder) aliases(a *Agent) (all []Alias) {
	for _, c := range a.Certifications {
		key := aliasOf{c.ProviderCompany, c.Identifier}
		if c.Type != "APPOINTMENT" || c.Periods[0].Value != "ACTIVE" || b.written[key] {
			continue
		}
		b.written[key] = true
		all = append(all, Alias{Identifier: c.Identifier, ProviderCompany: c.ProviderCompany})
	}
	return all
}

// tags lets a few agents who are still there wear tags, by name.
func (b *builder) tags(i int) (worn []string) {
	if b.inactiveFrom[i] <= b.today {
		return nil
	}
	level := on(b.agent.LevelPeriods, b.today)
	for _, t := range tags {
		if b.papers.chance(t.percent) && level >= t.level {
			worn = append(worn, t.Name)
		}
	}
	return worn
}
