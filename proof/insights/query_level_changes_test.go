package insights_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
)

// stay is a period of an agent level.
type stay struct {
	level         int
	from, through date.Date
}

// Levels are compared day by day; there are days without one between them.
func TestLevelChanges(t *testing.T) {
	onRandom(t, func(t *rapid.T, w *world, a *random) {
		w.plant(t, a)
		levels := w.plantLevels(t, a)
		at := func(code string, day date.Date) any {
			for _, s := range levels[code] {
				if s.from <= day && day <= s.through {
					return s.level
				}
			}
			return nil
		}
		for _, ask := range w.askings(t, a) {
			from := someDay(t)
			through := from.AddDays(rapid.IntRange(0, 120).Draw(t, "days"))
			var want [][]any
			for day := from; day <= through; day++ {
				for _, code := range a.codes {
					was, is := at(code, day-1), at(code, day)
					if was != is && ask.sees(code) && (ask.within(code, day) || ask.within(code, day-1)) {
						want = append(want, []any{day, code, "F " + code, was, is})
					}
				}
			}
			w.holds(t, ask, "level-changes", parameters{"from": from.String(), "through": through.String()}, want)
		}
	})
}

// plantLevels gives agents histories of levels, one after the other or with days
// between them, and superseded ones, which do not count.
func (w *world) plantLevels(t *rapid.T, a *random) map[string][]stay {
	levels, tenantID, now := map[string][]stay{}, w.tenantID(t), w.app.Clock.Now()
	w.write(t, func(exec func(string, ...any)) {
		insert := func(code string, s stay, superseded any) {
			through := any(s.through)
			if s.through == date.Max {
				through = nil
			}
			exec(`INSERT INTO agency_level_period (tenant_id, team_id, agent_id, level, effective_from, effective_through, recorded_at, recorded_by, superseded_at)
				SELECT a.tenant_id, (SELECT id FROM agency_team WHERE tenant_id = $1), a.id, $2, $3, $4, $5, 'x', $6 FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $7`,
				tenantID, s.level, s.from, through, now, superseded, code)
		}
		for _, code := range a.codes {
			day := start
			for range rapid.IntRange(0, 4).Draw(t, "levels") {
				s := stay{level: rapid.SampledFrom([]int{10, 20, 30}).Draw(t, "level"), from: day.AddDays(rapid.SampledFrom([]int{0, 0, 1, 20}).Draw(t, "between"))}
				s.through = s.from.AddDays(rapid.IntRange(0, 60).Draw(t, "days"))
				last := rapid.IntRange(0, 3).Draw(t, "open") == 0
				if last {
					s.through = date.Max
				}
				if rapid.IntRange(0, 3).Draw(t, "superseded") == 0 {
					insert(code, s, now)
					continue
				}
				insert(code, s, nil)
				levels[code] = append(levels[code], s)
				if last {
					break
				}
				day = s.through + 1
			}
		}
	})
	return levels
}
