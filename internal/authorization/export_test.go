package authorization

import "github.com/uplinehq/upline/internal/date"

// Read splits the lists of a rule.
func Read(r Rule) Rule { return r.read() }

// Whole answers with the last day.
func (s *Snapshot) Whole(agent int64, product, place string, day date.Date) Answer {
	answer := s.Answer(agent, product, place, day)
	answer.ValidThrough = s.validThrough(agent, product, place, answer.Status == Authorized, s.turns(agent, product, day))
	return answer
}

// LookAt sets how many agents the teller looks at together.
func LookAt(everybody, changed int) { some, few = everybody, changed }
