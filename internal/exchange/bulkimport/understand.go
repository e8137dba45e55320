package bulkimport

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
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
	err := r.layout.References(func(ref bulk.Reference) {
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
	return nil
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
