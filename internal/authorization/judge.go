package authorization

import (
	"iter"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// Snapshot has what is known of agents and products.
type Snapshot struct {
	// Rules are those of each product, the first to be made first.
	Rules map[string][]Rule
	// Agents are by their ids. With a rule about uplines, these are among them.
	Agents map[int64]*Agent
	// hidden are the codes of the agents whom the caller does not see.
	hidden map[string]bool
}

// Agent has what the tables know of an agent from a day on, and its certifications of
// before. Home is the jurisdiction of its home address; empty for none.
type Agent struct {
	ID             int64
	Code, Home     string
	Statuses       []history.Period[PayStatus]
	Levels         []history.Period[int]
	Uplines        []history.Period[int64]
	Certifications []Certification
	W9s            []history.Period[int64]
	// HasDirectDeposit is true if there is direct deposit, which has no periods.
	HasDirectDeposit bool
	// IsDeleted is true for an upline that was deleted, of which only the code is left.
	IsDeleted bool
}

// PayStatus is a pay status, and what the agency says of it.
type PayStatus struct {
	Name            string
	Active, Payable bool
}

// Certification is a certification with its statuses.
type Certification struct {
	ID                                  int64
	Type, ProviderCompany, Jurisdiction string
	IsAppointment, IsResident           bool
	Statuses                            []history.Period[string]
}

// Anywhere stands for all jurisdictions. Every certification is good there.
const Anywhere = "*"

// Answer is whether an agent may sell a product in a jurisdiction.
type Answer struct {
	Status  Status
	Reasons []Reason
	// Through are the codes of the uplines that count, nearest first.
	Through []string
	// ValidThrough is the last day on which the status is the same; nil if it stays.
	ValidThrough *date.Date
}

// Answer answers for a day, without ValidThrough.
func (s *Snapshot) Answer(agent int64, product, place string, day date.Date) Answer {
	answer := Answer{Status: NotAuthorized, Reasons: []Reason{}, Through: []string{}}
	if s.judge(agent, product, place, day, func(r Reason) { answer.Reasons = append(answer.Reasons, r) }) {
		answer.Status = Authorized
	}
	depth := 0
	for i := range s.Rules[product] {
		if r := &s.Rules[product][i]; r.isInForce(place, day) {
			depth = max(depth, r.UplineDepth)
		}
	}
	for a := s.above(s.Agents[agent], day); a != nil && len(answer.Through) < depth; a = s.above(a, day) {
		answer.Through = append(answer.Through, a.Code)
	}
	return answer
}

// judge reports whether an agent meets all rules in force, and tells what is missing; with
// a nil tell it stops at the first.
func (s *Snapshot) judge(agent int64, product, place string, day date.Date, tell func(Reason)) bool {
	ruled, met := false, s.Agents[agent] != nil
	rules := s.Rules[product]
	for i := range rules {
		r := &rules[i]
		if !r.isInForce(place, day) {
			continue
		}
		ruled = true
		a := s.Agents[agent]
		for depth := 0; depth <= r.UplineDepth && a != nil; depth++ {
			if !a.meets(r, depth, place, day, tell) {
				if met = false; tell == nil {
					return false
				}
			}
			a = s.above(a, day)
		}
	}
	if !ruled && met && tell != nil {
		tell(Reason{Code: NoRequirements, AgentCode: s.Agents[agent].Code})
	}
	return ruled && met
}

// above returns the direct upline of an agent on a day; nil for none.
func (s *Snapshot) above(a *Agent, day date.Date) *Agent {
	p, _ := history.At(a.Uplines, day)
	return s.Agents[p.Value]
}

// meets reports whether an agent meets a rule, and tells what is missing.
func (a *Agent) meets(r *Rule, depth int, place string, day date.Date, tell func(Reason)) bool {
	met := true
	lacks := func(why Reason) bool {
		if met = false; tell != nil {
			why.AgentCode, why.Depth, why.Rule = a.Code, depth, r.Name
			tell(why)
		}
		return tell == nil
	}
	if a.IsDeleted {
		lacks(Reason{Code: UplineDeleted})
		return false
	}
	if r.payable {
		for _, code := range a.means(day).Missing() {
			if lacks(Reason{Code: code}) {
				return false
			}
		}
	}
	if r.ActiveStatus {
		p, ok := history.At(a.Statuses, day)
		code := NoPayStatus
		if ok {
			code = PayStatusNotActive
		}
		if !p.Value.Active && lacks(Reason{Code: code, Status: p.Value.Name, Since: since(ok, p.From)}) {
			return false
		}
	}
	if r.HasLevel {
		p, ok := history.At(a.Levels, day)
		switch {
		case !ok:
			lacks(Reason{Code: NoLevel, MinimumLevel: &r.MinimumLevel})
		case p.Value < r.MinimumLevel:
			lacks(Reason{Code: LevelTooLow, MinimumLevel: &r.MinimumLevel, Status: strconv.Itoa(p.Value), Since: &p.From})
		}
		if !met && tell == nil {
			return false
		}
	}
	sets := [][]string{r.types}
	switch {
	case r.All:
		sets = slices.Collect(slices.Chunk(r.types, 1))
	case len(r.types) == 0:
		sets = nil
	}
	for _, types := range sets {
		if why := a.certified(wanted{types: types, place: place, residence: r.Residence}, day); why.Code != certificationUnaccepted {
			why.CertificationTypes = types
			if lacks(why) {
				return false
			}
		}
	}
	if r.ProviderCompany != "" {
		if why := a.certified(wanted{company: r.ProviderCompany, place: place}, day); why.Code != certificationUnaccepted {
			why.Code, why.ProviderCompany = ofAppointments[why.Code], r.ProviderCompany
			lacks(why)
		}
	}
	return met
}

func since(ok bool, from date.Date) *date.Date {
	if !ok {
		return nil
	}
	return &from
}

// ofAppointments are the codes for appointments, by those for certifications.
var ofAppointments = map[Code]Code{NoCertification: NoAppointment, CertificationNotActive: AppointmentNotActive, CertificationLapsed: AppointmentLapsed}

// wanted says which certifications count: those of some types, or the appointments of a
// company.
type wanted struct {
	types     []string
	company   string
	place     string
	residence Residence
}

func (w *wanted) is(c *Certification) bool {
	if w.company != "" {
		if !c.IsAppointment || c.ProviderCompany != w.company {
			return false
		}
	} else if !slices.Contains(w.types, c.Type) {
		return false
	}
	return c.Jurisdiction == "" || c.Jurisdiction == w.place || w.place == Anywhere
}

func (w *wanted) lives(c *Certification) bool {
	return w.residence == AnyResidence || (w.residence == Resident) == c.IsResident
}

// certified returns why an agent has no active certification of those that count; the
// zero value if it has. Of several that are not, the one whose period began last is named.
func (a *Agent) certified(w wanted, day date.Date) (why Reason) {
	elsewhere := int64(0)
	var held, lapsed heldPeriod
	for i := range a.Certifications {
		c := &a.Certifications[i]
		if !w.is(c) {
			continue
		}
		lives := w.lives(c)
		for _, p := range c.Statuses {
			switch isOn := p.From <= day && day <= date.OrMax(p.Through); {
			case isOn && lives && p.Value == active:
				return Reason{}
			case isOn && p.Value == active:
				elsewhere = max(elsewhere, c.ID)
			case isOn && lives:
				held.keep(c, p)
			case lives && p.From <= day:
				lapsed.keep(c, p)
			}
		}
	}
	switch {
	case held.of != nil:
		return held.reason(CertificationNotActive, held.From)
	case elsewhere != 0:
		return Reason{Code: WrongResidence, CertificationID: elsewhere}
	case lapsed.of != nil:
		return lapsed.reason(CertificationLapsed, lapsed.Through.AddDays(1))
	}
	return Reason{Code: NoCertification}
}

// active is the status of a certification that counts.
const active = "ACTIVE"

// heldPeriod is a period of a certification.
type heldPeriod struct {
	of *Certification
	history.Period[string]
}

// keep keeps the period if it began later than the one that is kept.
func (h *heldPeriod) keep(c *Certification, p history.Period[string]) {
	if h.of == nil || p.From > h.From || p.From == h.From && p.ID > h.ID {
		h.of, h.Period = c, p
	}
}

func (h *heldPeriod) reason(code Code, since date.Date) Reason {
	return Reason{Code: code, CertificationID: h.of.ID, Status: h.Value, Since: &since}
}

// Last returns the period that began last, up to a day, of the certifications of any of the
// types in a jurisdiction; ok is false if there is none.
func (a *Agent) Last(types []string, place string, day date.Date) (p history.Period[string], ok bool) {
	w := wanted{types: types, place: place}
	var last heldPeriod
	for i := range a.Certifications {
		if c := &a.Certifications[i]; w.is(c) {
			for _, p := range c.Statuses {
				if p.From <= day {
					last.keep(c, p)
				}
			}
		}
	}
	return last.Period, last.of != nil
}

// Lacks returns the first that an agent lacks of what a rule requires in a place on a day;
// empty for nothing.
func (a *Agent) Lacks(r Rule, place string, day date.Date) (code Code) {
	a.meets(&r, 0, place, day, func(why Reason) {
		if code == "" {
			code = why.Code
		}
	})
	return code
}

// ValidThrough returns the last day on which the answer to a question stays what it is on
// a day; nil if it stays. turns are the days on which something begins or ends.
func (s *Snapshot) ValidThrough(agent int64, product, place string, is bool, turns []date.Date) *date.Date {
	for _, day := range turns {
		if s.judge(agent, product, place, day, nil) != is {
			return day.AddDays(-1).Ptr()
		}
	}
	return nil
}

// Turns returns the days after a day on which an answer about an agent and a product can
// change, in order: those on which a period of the product, the agent or somebody who may
// be above it begins, or has ended.
func (s *Snapshot) Turns(agent int64, product string, after date.Date) (days []date.Date) {
	add := func(from date.Date, through *date.Date) {
		if from > after {
			days = append(days, from)
		}
		if through != nil && *through >= after && *through < date.Max {
			days = append(days, through.AddDays(1))
		}
	}
	for _, r := range s.Rules[product] {
		add(r.From, r.Through)
	}
	for a, above := range s.concerned(agent, product) {
		for _, p := range a.Statuses {
			add(p.From, p.Through)
		}
		for _, p := range a.Levels {
			add(p.From, p.Through)
		}
		for i := range a.Certifications {
			for _, p := range a.Certifications[i].Statuses {
				add(p.From, p.Through)
			}
		}
		for _, p := range above {
			add(p.From, p.Through)
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// concerned are the agent and those who are or may come to be above it, as far as the rules of a
// product look, with the periods of uplines that they are found by.
func (s *Snapshot) concerned(agent int64, product string) iter.Seq2[*Agent, []history.Period[int64]] {
	return func(yield func(*Agent, []history.Period[int64]) bool) {
		depth := 0
		for _, r := range s.Rules[product] {
			depth = max(depth, r.UplineDepth)
		}
		seen, here := map[int64]bool{agent: true}, []int64{agent}
		for ; depth >= 0; depth-- {
			var next []int64
			for _, id := range here {
				a := s.Agents[id]
				if a == nil {
					continue
				}
				var above []history.Period[int64]
				if depth > 0 {
					above = a.Uplines
				}
				if !yield(a, above) {
					return
				}
				for _, p := range above {
					if p.Value != 0 && !seen[p.Value] {
						seen[p.Value], next = true, append(next, p.Value)
					}
				}
			}
			here = next
		}
	}
}
