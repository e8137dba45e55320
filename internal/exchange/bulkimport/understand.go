package bulkimport

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Understand reads a file, and says what it is and how its rows would be read as those of an
// entity. Without an entity it takes, of some that the caller may import, the one that the
// file fits best; isSure is false if another fits as well.
func (s *Service) Understand(ctx context.Context, file io.ReadSeeker, entity string, of []string, m bulk.Mapping) (l *bulk.Layout, is string, isSure bool, err error) {
	t := tenant.From(ctx)
	if t == nil {
		return nil, "", false, tenant.ErrNone
	}
	words, err := s.lexicon.Words(ctx)
	if err != nil {
		return nil, "", false, err
	}
	if entity == "" {
		columns := map[string][]bulk.Column{}
		for _, name := range of {
			columns[name] = s.entities[name].Columns()
		}
		if entity, isSure, err = bulk.KindOf(file, columns, m); err != nil {
			return nil, "", false, err
		}
	}
	e := s.entities[entity]
	if e == nil {
		return nil, "", false, problem.Invalid(problem.UnknownField, "must be one of the kinds of rows", "entity")
	}
	l, err = bulk.Survey(file, bulk.Schema{Entity: entity, Columns: e.Columns(), Words: words, Today: date.In(s.clock.Now(), t.Zone)}, m)
	return l, entity, isSure, err
}

// survey finds out how the file is read. A file that is not understood, or that leaves a
// doubt, is not written.
func (r *run) survey(ctx context.Context) (err error) {
	if r.layout, _, _, err = r.Understand(ctx, r.File, r.Entity, nil, r.Mapping); err != nil {
		return err
	}
	if err := r.layout.Err(); err != nil {
		return err
	}
	if !r.DryRun {
		if err := r.layout.Doubts.Err(); err != nil {
			return err
		}
	}
	return r.findAgents(ctx)
}

// findAgents finds the agents that the file names by other keys than their codes: among
// those that are there, and among those that its own rows are about.
func (r *run) findAgents(ctx context.Context) error {
	wanted, by := map[bulk.Reference][]string{}, map[bulk.KeyBy]bool{}
	r.keys = bulk.Keys{}
	isFresh, fresh := map[bulk.Reference]bool{}, []bulk.Reference(nil)
	err := r.layout.References(func(ref bulk.Reference, isNew bool) {
		if isNew && !isFresh[ref] {
			isFresh[ref], fresh = true, append(fresh, ref)
		}
		if _, known := r.keys[ref]; known {
			return
		}
		r.keys[ref] = bulk.Found{}
		for _, way := range ref.Ways() {
			wanted[way], by[way.By] = nil, true
		}
	})
	if err != nil || len(wanted) == 0 {
		return err
	}
	note := func(way bulk.Reference, code string) {
		for _, as := range []bulk.Reference{way, {By: way.By, Key: way.Key}} { // a file may not say within what
			if codes, is := wanted[as]; is && code != "" && !slices.Contains(codes, code) {
				wanted[as] = append(codes, code)
			}
		}
	}
	if err := errors.Join(r.lexicon.Introduce(ctx, by, note), r.layout.Introduces(note)); err != nil {
		return err
	}
	for ref := range r.keys {
		var codes []string
		for _, way := range ref.Ways() {
			codes = append(codes, wanted[way]...)
		}
		slices.Sort(codes)
		switch codes = slices.Compact(codes); {
		case len(codes) == 1:
			r.keys[ref] = bulk.Found{Code: codes[0]}
		case len(codes) > 1:
			r.keys[ref] = bulk.Found{Candidates: codes[:min(len(codes), mostCandidates)]}
		}
	}
	return r.generate(ctx, slices.DeleteFunc(fresh, func(ref bulk.Reference) bool { return r.keys[ref].Code != "" || r.keys[ref].Candidates != nil }))
}

// generate gives the new agents that keys name codes, in the order of their rows. A check gives none
// away, so the import may give others.
func (r *run) generate(ctx context.Context, fresh []bulk.Reference) error {
	if len(fresh) == 0 {
		return nil
	}
	codes, err := r.lexicon.NewCodes(ctx, len(fresh), r.Initiator, r.DryRun)
	if err != nil {
		return err
	}
	for i, ref := range fresh {
		r.keys[ref] = bulk.Found{Code: codes[i]}
	}
	return nil
}

// placing are the kinds of rows that change where agents stand.
var placing = []string{Agent, UplinePeriod, LevelPeriod, PayStatusPeriod}

// warn tells of what is odd once all rows are written: of those that change something, on the day
// from which they do, or today if that is later.
func (r *run) warn(ctx context.Context, step store.Step) error {
	if !slices.Contains(placing, r.Entity) {
		return nil
	}
	at := map[string]int{}
	for i, c := range r.entity.Columns() {
		at[c.Name] = i
	}
	today := date.In(r.clock.Now(), r.tenant.Zone)
	return r.eachChunk(ctx, 0, 0, func(c chunk, _ int) error {
		byDay := map[date.Date]map[string]int{}
		for _, row := range c.rows {
			if !r.changed.has(row.Number) || r.rejected.has(row.Number) {
				continue
			}
			on := today
			for _, column := range []string{bulk.ChangesFrom, "effectiveFrom"} {
				if i, has := at[column]; has && row.Given[i] {
					if day, err := date.Parse(row.Values[i]); err == nil {
						on = max(on, day)
					}
				}
			}
			if byDay[on] == nil {
				byDay[on] = map[string]int{}
			}
			byDay[on][row.Values[at["agentCode"]]] = row.Number
		}
		for on, rows := range byDay {
			err := step(ctx, func(ctx context.Context, tx *store.Tx) error {
				return r.lexicon.Warnings(ctx, tx, slices.Collect(maps.Keys(rows)), on, func(code string, w bulk.Warning) { r.warnOf(rows[code], w) })
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// warnOf tells something odd of a row.
func (r *run) warnOf(number int, w bulk.Warning) {
	if i, found := slices.BinarySearchFunc(r.report.Changes, number, func(c Change, n int) int { return c.Number - n }); found {
		if slices.Contains(r.report.Changes[i].Notes, w.Note) {
			return
		}
		r.report.Changes[i].Notes = append(r.report.Changes[i].Notes, w.Note)
	}
	if i := slices.IndexFunc(r.report.Remarks, func(told bulk.Remark) bool { return told.Message == w.About }); i < 0 || !slices.Contains(r.report.Remarks[i].First, number) {
		r.remark(number, []string{w.About})
	}
}

// mostCandidates bounds the agents that a key may be, of those that are named.
const mostCandidates = 10

// remark adds what is to be told of a row to what is to be told of the file.
func (r *run) remark(row int, messages []string) {
	for _, message := range messages {
		i := slices.IndexFunc(r.report.Remarks, func(told bulk.Remark) bool { return told.Message == message })
		if i < 0 {
			if len(r.report.Remarks) == maxRefusals {
				continue
			}
			i, r.report.Remarks = len(r.report.Remarks), append(r.report.Remarks, bulk.Remark{Message: message})
		}
		of := &r.report.Remarks[i]
		if of.Rows++; len(of.First) < firstRows {
			of.First = append(of.First, row)
		}
	}
}
