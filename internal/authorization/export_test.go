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
