package demo

import "github.com/uplinehq/upline/internal/date"

// payStatuses returns an agent's pay statuses over time, and notes when it
// becomes inactive for good. Roots stay active.
func (b *builder) payStatuses(i int) []Period[string] {
	b.inactiveFrom[i] = date.Max
	start := b.starts[i]
	if i < b.roots {
		return begin("Active", start)
	}
	periods := b.firstStatus(start)
	if last(periods).Value != "Active" {
		return periods
	}
	if b.chance(4) {
		periods = b.interruption(periods)
	}
	switch {
	case b.chance(8):
		if day, ok := b.day(last(periods).From.AddDays(1), b.today); ok {
			return b.leave(i, periods, day)
		}
	case b.chance(1):
		return b.leave(i, periods, b.today.AddDays(b.between(1, 90)))
	case b.chance(1) && last(periods).Value == "Active":
		return change(periods, "On Hold", b.today.AddDays(b.between(1, 60)))
	}
	return periods
}

// firstStatus is Active, or Pending while papers are missing, which they are
// for many who began within the last month.
func (b *builder) firstStatus(start date.Date) []Period[string] {
	complete := start.AddDays(b.between(3, 30))
	switch {
	case complete > b.today && b.chance(50):
		return begin("Pending", start)
	case complete <= b.today && b.chance(4):
		return change(begin("Pending", start), "Active", complete)
	default:
		return begin("Active", start)
	}
}

// interruption puts an agent on hold for up to three months.
func (b *builder) interruption(periods []Period[string]) []Period[string] {
	from, ok := b.day(last(periods).From.AddDays(30), b.today.AddDays(-1))
	if !ok {
		return periods
	}
	periods = change(periods, "On Hold", from)
	if back := from.AddDays(b.between(7, 90)); back <= b.today {
		periods = change(periods, "Active", back)
	}
	return periods
}

func (b *builder) leave(i int, periods []Period[string], day date.Date) []Period[string] {
	b.inactiveFrom[i] = day
	status := pick(b.dice, []string{
		"Terminated", "Terminated", "Terminated", "Terminated", "Terminated",
		"Terminated", "Retired", "Retired", "Vested", "Suspended", "Deceased",
	})
	return change(periods, status, day)
}
