package certification

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/history"
)

// standing is what a source, such as a state, tells of a licence. From the issue to the
// expiration goes what was granted; the status is the one of the day of the report, and cuts
// it. So a licence that is no longer good was not Expired all the time it was granted for.
type standing struct {
	// issued is the first day, expires the last one on which the licence is good, and since the
	// day on which the status began; nil where the source does not say.
	issued, expires, since *date.Date
	status                 string
	// today is the day of the report.
	today date.Date
}

const expired = "EXPIRED"

// isBefore reports whether a status is one of a licence that is not good yet, or never was.
func isBefore(status string) bool {
	return status == string(record.PendingStatus) || status == "HELD" || status == "REJECTED"
}

func period(status string, from date.Date, through *date.Date) history.Period[string] {
	return history.Period[string]{From: from, Through: through, Value: status}
}

// periods returns the periods that are to be applied to those that are stored, in order, and
// what has to be said of a guess.
func (s standing) periods(stored []history.Period[string]) (apply []history.Period[string], remark string) {
	switch {
	case isBefore(s.status):
		return []history.Period[string]{period(s.status, s.first(s.today), nil)}, ""
	case s.status == string(record.ActiveStatus):
		return s.good(stored)
	}
	return s.over(stored)
}

// first returns the day on which the source says that the status began, or the issue, or
// else another one.
func (s standing) first(other date.Date) date.Date {
	switch {
	case s.since != nil:
		return *s.since
	case s.issued != nil:
		return *s.issued
	}
	return other
}

// good returns the periods of a licence that the source calls active: to its last day, and
// expired from the next one on.
func (s standing) good(stored []history.Period[string]) (apply []history.Period[string], remark string) {
	if s.expires != nil && *s.expires < s.today {
		remark = "A status is Active although the expiration has passed: it is Active to that day, and then EXPIRED."
	}
	from := s.begin(stored)
	if s.issued != nil && len(stored) == 0 && *s.issued > s.today {
		apply = append(apply, period(string(record.PendingStatus), s.today, s.issued.AddDays(-1).Ptr()))
	}
	if s.expires == nil || from <= *s.expires {
		apply = append(apply, period(string(record.ActiveStatus), from, s.expires))
	}
	if s.expires != nil {
		apply = append(apply, period(expired, s.expires.AddDays(1), nil))
	}
	return apply, remark
}

// begin returns the first day that is Active by the report: what is stored before stays.
func (s standing) begin(stored []history.Period[string]) date.Date {
	if len(stored) == 0 {
		return s.firstDay()
	}
	var last *history.Period[string]
	for i, p := range stored {
		if p.Value == string(record.ActiveStatus) {
			last = &stored[i]
		}
	}
	switch {
	case last == nil:
		return max(s.today, s.firstDay())
	case last.Through == nil:
		return last.From
	}
	next, onlyForecast := last.Through.AddDays(1), true
	for _, p := range stored {
		onlyForecast = onlyForecast && (p.From < next || p.Value == expired)
	}
	switch {
	case s.since != nil && *s.since > last.From:
		return max(*s.since, next)
	case onlyForecast:
		return next
	}
	return max(s.today, next)
}

func (s standing) firstDay() date.Date {
	if s.issued != nil {
		return *s.issued
	}
	return s.first(s.today)
}

// over returns the periods of a licence that is no longer good.
func (s standing) over(stored []history.Period[string]) (apply []history.Period[string], remark string) {
	ends, known := s.end()
	if !known {
		if at, ok := history.At(stored, s.today); ok && at.Value == s.status {
			return nil, ""
		}
		remark = "The file does not say since when a licence has its status: it is taken from today on."
	}
	if s.issued != nil && len(stored) == 0 {
		last := ends.AddDays(-1)
		if s.expires != nil {
			last = min(last, *s.expires)
		}
		if *s.issued <= last {
			apply = append(apply, period(string(record.ActiveStatus), *s.issued, &last))
		}
	}
	if s.expires != nil && ends > s.expires.AddDays(1) && (s.issued == nil || *s.expires >= *s.issued) {
		if s.status == expired {
			ends = s.expires.AddDays(1)
		} else {
			apply = append(apply, period(expired, s.expires.AddDays(1), ends.AddDays(-1).Ptr()))
		}
	}
	return append(apply, period(s.status, ends, nil)), remark
}

// end returns the first day on which the licence is no longer good; known is false if the
// source does not tell it.
func (s standing) end() (day date.Date, known bool) {
	switch {
	case s.since != nil:
		return *s.since, true
	case s.expires != nil && *s.expires < s.today:
		return s.expires.AddDays(1), true
	}
	return s.today, false
}

var (
	// ended are what sources call statuses of a licence that ended: they say why, which is
	// kept as its note.
	ended = map[string]string{"CANCELLED": "Cancelled", "SURRENDERED": "Surrendered", "REVOKED": "Revoked", "DECEASED": "Deceased", "WITHDRAWN": "Withdrawn"}
	// alsoCalled are what sources call the others.
	alsoCalled = map[string][]string{
		"ACTIVE":                    {"valid", "current", "issued", "appointed", "in force", "good standing", "ready to sell", "rts", "actif", "yes", "y", "true", "1", "a"},
		"PENDING":                   {"applied", "at carrier", "in process", "in progress", "submitted", "requested", "p"},
		"HELD":                      {"hold", "on hold", "incomplete"},
		"REJECTED":                  {"denied", "declined", "refused", "withdrawn before issue"},
		"EXPIRED":                   {"lapsed", "non renewed", "nonrenewed", "not renewed", "lapse", "e"},
		"ADMINISTRATIVE_SUSPENSION": {"suspended for ce", "suspended for fees", "suspended for tax", "ce suspension", "suspended ce"},
		"REGULATORY_SUSPENSION":     {"suspended by order", "suspended order"},
		"TERMINATED":                {"terminated for cause", "appointment terminated", "ended", "t"},
		"CANCELLED":                 {"canceled", "cancellation", "voluntary cancellation", "c"}, "SURRENDERED": {"voluntary surrender", "surrender"}, "REVOKED": {"revocation"}, "DECEASED": {"death"}, "WITHDRAWN": {"withdrawal"},
		"SUSPENDED": {"s", "suspension"},
		inactive:    {"not active", "inactif", "i", "no", "n", "false", "0"},
	}
)

// inactive is Expired if the expiration has passed, otherwise Terminated.
const inactive = "INACTIVE"

// Words are the meanings of the statuses in the files of others.
func Words() (all []bulk.Meaning) {
	for _, status := range record.CertificationStatuses.Texts() {
		all = append(all, bulk.Meaning{Value: status, Names: alsoCalled[status]})
	}
	for status := range ended {
		all = append(all, bulk.Meaning{Value: status, Names: alsoCalled[status]})
	}
	return append(all, bulk.Meaning{Value: inactive, Names: alsoCalled[inactive]})
}

// resolve puts a status of ours in place of what only sources know.
func (s *standing) resolve() (note string) {
	switch why, isEnd := ended[s.status]; {
	case isEnd:
		s.status = "TERMINATED"
		return why
	case s.status == inactive && s.expires != nil && *s.expires < s.today:
		s.status = expired
	case s.status == inactive:
		s.status = "TERMINATED"
	}
	return ""
}
