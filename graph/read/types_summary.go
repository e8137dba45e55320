package read

import (
	"fmt"
	"math"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/problem"
)

// downlineSummary has counts of all agents below an agent, each read when it is asked
// for.
func (t *teams) downlineSummary(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	of := summary{t: t, field: f, agent: at.Column("a.id", rowset.Int)}
	object := &plan.Type{Names: []string{"DownlineSummary"}, Fields: map[string]plan.Field{
		"totalCount":             numberOf(of, byDistance, func(s hierarchy.Summary) int { return s.Total }),
		"directCount":            numberOf(of, byDistance, func(s hierarchy.Summary) int { return s.Direct }),
		"maxDepth":               numberOf(of, byDistance, func(s hierarchy.Summary) int { return s.MaxDepth }),
		"activeCount":            numberOf(of, byPayStatus, activeIn),
		"byDepth":                countsOf(of, countsByDepth, byDistance, func(s hierarchy.Summary) []hierarchy.DepthCount { return s.ByDepth }),
		"byLevel":                countsOf(of, countsByLevel, byLevel, itself[[]hierarchy.LevelCount]),
		"byPayStatus":            countsOf(of, countsByPayStatus, byPayStatus, itself[[]hierarchy.PayStatusCount]),
		"expiringCertifications": of.expiring,
	}}
	write := object.Object(c, at, f.SelectionSet)
	if write == nil {
		return nil
	}
	return t.inKnownTeam(f, write)
}

// The types of counts, by what they are grouped by.
var (
	countsByDepth = countsBy("CountByInt", func(b []byte, c hierarchy.DepthCount) []byte { return plan.AppendInt(b, c.Depth) },
		func(c hierarchy.DepthCount) int { return c.Count })
	countsByLevel = countsBy("CountByString", func(b []byte, c hierarchy.LevelCount) []byte { return plan.String(b, c.Name) },
		func(c hierarchy.LevelCount) int { return c.Count })
	countsByPayStatus = countsBy("CountByString", func(b []byte, c hierarchy.PayStatusCount) []byte { return plan.String(b, c.Status) },
		func(c hierarchy.PayStatusCount) int { return c.Count })
)

func countsBy[T any](name string, key func(b []byte, c T) []byte, count func(T) int) plan.Values[T] {
	return plan.Values[T]{Name: name, Fields: map[string]func([]byte, T) []byte{
		"key": key, "count": func(b []byte, c T) []byte { return plan.AppendInt(b, count(c)) },
	}}
}

func itself[T any](v T) T { return v }

func activeIn(counts []hierarchy.PayStatusCount) (active int) {
	for _, c := range counts {
		if c.IsActive {
			active += c.Count
		}
	}
	return active
}

// summary is a field downlineSummary of the agent whose id a column holds.
type summary struct {
	t     *teams
	field *ast.Field
	agent plan.Column
}

// counting counts the agents below each of several agents, down to a level. Fields with
// the same key share one count.
type counting[S any] struct {
	key  string
	read func(r *plan.Run, v hierarchy.View, agents []int64, highest int) (map[int64]S, error)
}

// The counts that summaries need.
var (
	byDistance = counting[hierarchy.Summary]{"by distance", func(r *plan.Run, v hierarchy.View, agents []int64, highest int) (map[int64]hierarchy.Summary, error) {
		return v.Summaries(r.Ctx, r.Store, agents, highest)
	}}
	byLevel = counting[[]hierarchy.LevelCount]{"by level", func(r *plan.Run, v hierarchy.View, agents []int64, highest int) (map[int64][]hierarchy.LevelCount, error) {
		return v.LevelCounts(r.Ctx, r.Store, agents, highest)
	}}
	byPayStatus = counting[[]hierarchy.PayStatusCount]{"by pay status", func(r *plan.Run, v hierarchy.View, agents []int64, highest int) (map[int64][]hierarchy.PayStatusCount, error) {
		return v.PayStatusCounts(r.Ctx, r.Store, agents, highest)
	}}
)

// counted writes the count for an agent.
func counted[S any](c *plan.Compiler, at *plan.Place, of summary, count counting[S], write func(b []byte, counted S) []byte) plan.Write {
	rows := c.Below(at, plan.Asked(of.field)+" "+count.key, of.agent, plan.Source{Objects: func(r *plan.Run, owners []int64) (plan.Objects, error) {
		args, highest := arguments(of.field.ArgumentMap(r.Variables)), math.MaxInt
		if given := args.int("maxDepth"); given != nil {
			highest = *given
		}
		view, err := of.t.viewOf(r, args.team())
		if err != nil {
			return nil, err
		}
		found, err := count.read(r, view, owners, highest)
		objects := make(plan.Objects, len(found))
		for id, one := range found {
			objects[id] = []any{one}
		}
		return objects, err
	}})
	return plan.Unless(func(b []byte, r *plan.Run, row int) []byte {
		var counted S
		for _, one := range r.Of(rows, of.agent.Int(r, row)) {
			counted = plan.Object[S](rows, r, int(one))
		}
		return write(b, counted)
	}, rows)
}

// numberOf is a number taken from a count.
func numberOf[S any](of summary, count counting[S], number func(S) int) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
		return counted(c, at, of, count, func(b []byte, counted S) []byte { return plan.AppendInt(b, number(counted)) })
	}
}

// countsOf is a list of numbers taken from a count.
func countsOf[S, T any](of summary, t plan.Values[T], count counting[S], list func(S) []T) plan.Field {
	return func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		write := t.List(c, f.SelectionSet)
		if write == nil {
			return nil
		}
		return counted(c, at, of, count, func(b []byte, counted S) []byte { return write(b, list(counted)) })
	}
}

// expiring is the number of certifications that end within some days.
func (s summary) expiring(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	count := counting[int]{plan.Asked(f), func(r *plan.Run, v hierarchy.View, agents []int64, highest int) (map[int64]int, error) {
		days := arguments(f.ArgumentMap(r.Variables)).int("withinDays")
		if err := checkDays(*days); err != nil {
			return nil, err
		}
		return v.ExpiringCertifications(r.Ctx, r.Store, agents, highest, *days)
	}}
	return counted(c, at, s, count, plan.AppendInt)
}

// maxDays bounds withinDays: a hundred years.
const maxDays = 36525

// checkDays refuses a number of days that is out of range.
func checkDays(days int) error {
	if days < 0 || days > maxDays {
		return problem.Invalid(problem.OutOfRange, fmt.Sprintf("must be from 0 to %d", maxDays), "withinDays").With("max", maxDays)
	}
	return nil
}
