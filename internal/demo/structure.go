package demo

import (
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/identity/directory"
)

const (
	maxDepth  = 12 // agents on the longest way from a root, the root included
	years     = 15 // age of the agency
	daysAYear = 365

	topLevel, levelStep = 90, 10
)

// builder holds what is known of the agents made so far.
type builder struct {
	dice
	today  date.Date
	offset uint64 // where the shuffled identifiers begin
	agent  Agent  // that is being made
	starts []date.Date
	roots  int // the first agents are the roots

	// upline and level are the histories of the agents so far.
	upline, level [][]Period[int]
	// depth is an agent's greatest depth on any date: one more than the
	// greatest of all the uplines it ever has. Keeping it within maxDepth
	// keeps the tree within maxDepth on every date.
	depth []int
	// inactiveFrom is the day an agent is terminated, retired or suspended for
	// good; date.Max when it is not.
	inactiveFrom []date.Date

	towns    []town // by country and weight; see newTowns
	carriers []directory.ProviderCompany

	papers  dice             // for all that payee and labels make up
	payable map[string]bool  // pay statuses that can be paid
	written map[aliasOf]bool // the aliases so far

	sales    dice // for all that production makes up
	policies int  // so far
}

// aliasOf is what tells aliases apart.
type aliasOf struct{ company, identifier string }

func newBuilder(o Options) *builder {
	n := max(o.Agents, 0)
	b := &builder{
		dice: newDice(o.Seed, agentDice), papers: newDice(o.Seed, payeeDice), sales: newDice(o.Seed, salesDice), today: o.Today,
		upline: make([][]Period[int], n), level: make([][]Period[int], n), depth: make([]int, n), inactiveFrom: make([]date.Date, n),
		towns: newTowns(), carriers: directory.StarterReference().ProviderCompanies,
		payable: map[string]bool{}, written: map[aliasOf]bool{},
	}
	for _, s := range directory.StarterReference().PayStatuses {
		b.payable[s.Name] = s.CanBePaid
	}
	switch {
	case n < 10:
		b.roots = 1
	case n < 1000:
		b.roots = 3
	default:
		b.roots = 5
	}
	b.offset = uint64(b.Uint32())
	b.starts = b.startDates(n)
	return b
}

// startDates returns n days in order, the first when the agency was founded. Of
// two drawn days the later counts: the agency hires more every year. Yesterday
// is the last, because a start "cannot be in the future" (specification,
// Agent) whatever the time zone that a loader uses.
func (b *builder) startDates(n int) []date.Date {
	founded := b.today.AddDays(-years * daysAYear)
	starts := make([]date.Date, n)
	for i := 1; i < n; i++ {
		starts[i] = founded.AddDays(max(b.IntN(years*daysAYear), b.IntN(years*daysAYear)))
	}
	if n > 0 {
		starts[0] = founded
	}
	slices.Sort(starts)
	return starts
}

// uplines returns an agent's uplines over time: the one that recruited it, moves
// in the past for about every seventh agent, and now and then one to come.
func (b *builder) uplines(i int) []Period[int] {
	start := b.starts[i]
	if i < b.roots {
		b.depth[i] = 1
		return begin(NoUpline, start)
	}
	periods := begin(b.recruiter(i, start), start)
	for b.chance(15) {
		if day, ok := b.day(last(periods).From.AddDays(30), b.lastActiveDay(i)); ok {
			periods = b.move(i, periods, day)
		}
	}
	periods = b.rollUp(i, periods)
	if b.chance(3) && b.inactiveFrom[i] > b.today {
		periods = b.move(i, periods, b.today.AddDays(b.between(1, 120)))
	}
	for _, p := range periods {
		b.depth[i] = max(b.depth[i], b.depth[p.Value]+1)
	}
	return periods
}

// recruiter chooses an earlier agent. More often than not it takes the upline
// of the chosen one instead: whoever has many directs gets more of them, which
// makes the heavy tail of real agencies.
func (b *builder) recruiter(i int, day date.Date) int {
	u := b.IntN(i)
	if b.chance(58) {
		u = b.above(u)
	}
	for b.depth[u] >= maxDepth || b.inactiveFrom[u] <= day {
		u = b.above(u)
	}
	return u
}

// above returns an agent's newest upline, and a root for a root. Roots are
// never inactive, so going up always ends.
func (b *builder) above(u int) int {
	if u < b.roots {
		return u
	}
	return last(b.upline[u]).Value
}

// move lets an agent change to another upline: half the time its upline's
// upline, which is how agents are promoted past their recruiter.
func (b *builder) move(i int, periods []Period[int], day date.Date) []Period[int] {
	current := last(periods).Value
	next := b.recruiter(i, day)
	if up := b.above(current); b.chance(50) && b.inactiveFrom[up] > day {
		next = up
	}
	if next == current {
		return periods
	}
	return change(periods, next, day)
}

// rollUp moves an agent up when its upline left the agency; some agencies
// forget to.
func (b *builder) rollUp(i int, periods []Period[int]) []Period[int] {
	current := last(periods)
	left := b.inactiveFrom[current.Value]
	if left >= b.today || b.chance(30) {
		return periods
	}
	earliest := max(left, current.From.AddDays(1))
	day, ok := b.day(earliest, min(earliest.AddDays(30), b.lastActiveDay(i)))
	if !ok {
		return periods
	}
	next := b.above(current.Value)
	for b.inactiveFrom[next] <= day {
		next = b.above(next)
	}
	return change(periods, next, day)
}

// lastActiveDay is the last day in the past on which something could still
// happen to an agent.
func (b *builder) lastActiveDay(i int) date.Date {
	return min(b.today, b.inactiveFrom[i]).AddDays(-1)
}

// Most begin at the bottom; some bring a team or experience.
var startLevels = []int{10, 10, 10, 10, 20, 20, 20, 30, 30, 40, 50, 70}

// levels returns an agent's levels over time. They only rise, and never above
// the upline's level on the same date.
func (b *builder) levels(i int) []Period[int] {
	start := b.starts[i]
	if i < b.roots {
		return begin(topLevel, start)
	}
	first := pick(b.dice, startLevels)
	periods := begin(min(first, b.ceiling(i, start)), start)
	for day := start; ; {
		day = day.AddDays(b.between(200, 1100))
		if day > b.lastActiveDay(i) {
			break
		}
		periods = b.promote(i, periods, day)
	}
	if b.chance(6) && b.inactiveFrom[i] > b.today {
		periods = b.promote(i, periods, b.today.AddDays(b.between(1, 120)))
	}
	return periods
}

// promote raises an agent one level if its upline's level allows; the higher the
// level, the rarer.
func (b *builder) promote(i int, periods []Period[int], day date.Date) []Period[int] {
	next := last(periods).Value + levelStep
	if next > b.ceiling(i, day) || b.chance(40+next/2) {
		return periods
	}
	return change(periods, next, day)
}

// ceiling is the highest level an agent can hold from a day on: the lowest that
// any of its uplines has from then on. As levels only rise, an upline's lowest
// level is the one it has when its time as upline begins.
func (b *builder) ceiling(i int, day date.Date) int {
	lowest := topLevel
	for _, p := range b.upline[i] {
		if day.Before(p.Through) || day == date.OrMax(p.Through) {
			lowest = min(lowest, on(b.level[p.Value], max(day, p.From)))
		}
	}
	return lowest
}
