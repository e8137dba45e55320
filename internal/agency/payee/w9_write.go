package payee

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// W9PeriodInput is a W9 for a range of days.
type W9PeriodInput struct {
	AgentCode        string
	W9               W9Details
	EffectiveFrom    date.Date
	EffectiveThrough *date.Date
	Initiator        string
}

// ApplyW9 applies a W9 to a range of days under the history rules. The mask of a sensitive
// value stands for that of the W9 in force on the first day: who corrects a name need not
// know the tax id.
func (s *Service) ApplyW9(ctx context.Context, in W9PeriodInput, dryRun bool) (record.Change, error) {
	masks := W9s.TakeMasks(&in.W9)
	return s.writer.ApplyPeriod(ctx, record.PeriodWrite{
		AgentCode: in.AgentCode, EffectiveFrom: in.EffectiveFrom, EffectiveThrough: in.EffectiveThrough, Initiator: in.Initiator,
		Check: func(c *record.Check) {
			sent := in.W9
			CheckW9(c, &in.W9, &sent, s.writer.Today(ctx))
		},
		Apply: func(ctx context.Context, w *record.Writing, agentID int64) (change record.Change, err error) {
			h, err := s.w9History(ctx, w, agentID)
			if err != nil {
				return change, err
			}
			before, err := h.inForce(ctx, in.EffectiveFrom)
			if err != nil {
				return change, err
			}
			if err := W9s.Unmask(&in.W9, masks, &before); err != nil {
				return change, err
			}
			was := h.Of(agentID)
			if change, err = h.apply(ctx, in.W9, in.EffectiveFrom, in.EffectiveThrough); err != nil || !change.Changed {
				return change, err
			}
			// If the W9 says what those said whose days it takes, its days alone change.
			differ, err := h.differences(ctx, was, in.W9)
			if len(differ) > 0 {
				w.NoteDifferences(w.AgentCode, differ)
				change.Field = ""
			}
			return change, err
		},
	}, dryRun)
}

// CheckW9 checks the properties of a W9 and removes the blanks around its texts. sent
// holds those that were sent: all of them for a new W9, the changes for an update. Texts
// that are too long are reported first, and missing properties last.
func CheckW9(c *record.Check, in, sent *W9Details, today date.Date) {
	path := []string{record.W9Field}
	for _, l := range W9Fields {
		l.Always = false
		c.Property(l, l.Of(in), path...)
	}
	in.TaxpayerIdentifier.Value = c.Identifier(in.TaxpayerIdentifier.Value, append(path, "taxpayerIdentifier")...)
	c.Day(sent.SignatureDate.Value, today, append(path, "signatureDate")...)
	for _, l := range W9s.Sealed {
		if l.Of(sent).IsSent() {
			c.Whole(record.TextOf(l, in), append(path, l.Name)...)
		}
	}
	for _, l := range W9Fields {
		switch field := append(path, l.Name); {
		case !l.Needed:
		case l.Of(sent).IsNull():
			c.NotNull(l.Of(sent), field...)
		case l.Of(in).Any() == nil:
			c.Refuse(problem.Required, "is required", field...)
		}
	}
}

// w9History is the W9 history of an agent while it is changed.
type w9History struct {
	s       *Service
	w       *record.Writing
	agentID int64
	*record.Histories[int64]
	// all are the agent's W9s, in order of creation.
	all []*storedW9
}

// storedW9 is a W9 as it is stored, with its sensitive values sealed and the blind index
// of its taxpayer identifier. Its row never changes: another W9 is another row.
type storedW9 struct {
	id int64
	W9Details
	secrets record.Secrets
	index   []byte
}

func scanStoredW9(r store.Scanner) (*storedW9, error) {
	v := new(storedW9)
	return v, r.Scan(W9s.Dest(&v.W9Details, &v.secrets, &v.id, &v.index)...)
}

func (s *Service) w9History(ctx context.Context, w *record.Writing, agentID int64) (h *w9History, err error) {
	h = &w9History{s: s, w: w, agentID: agentID}
	if h.Histories, err = w9Periods.Read(ctx, w, 0, agentID); err != nil {
		return nil, err
	}
	h.all, err = store.Collect(ctx, w, scanStoredW9, "SELECT "+W9s.Columns("v", "id", "taxpayer_identifier_index")+" FROM agency_w9 v WHERE v.tenant_id = $1 AND v.agent_id = $2 ORDER BY v.id", w.Tenant.ID, agentID)
	return h, err
}

// w9Periods are the periods of W9s. Their values are rows that never change. The parts of
// a period that was split share one row.
var w9Periods = record.DatedColumn[int64](history.W9s, record.W9Field)

// inForce returns the properties of the W9 in force on a day; none if there is no W9.
func (h *w9History) inForce(ctx context.Context, on date.Date) (W9Details, error) {
	id, ok := h.At(h.agentID, on)
	if !ok {
		return W9Details{}, nil
	}
	return h.plain(ctx, &id)
}

// plain returns the properties of a W9; none for nil.
func (h *w9History) plain(ctx context.Context, id *int64) (W9Details, error) {
	for _, v := range h.all {
		if id != nil && v.id == *id {
			return W9s.Plain(ctx, h.s.vault, h.w.Tenant.ID, v.W9Details, v.secrets)
		}
	}
	return W9Details{}, nil
}

// differences returns the fields in which a W9 differs from any whose days it took since the
// history was as it was.
func (h *w9History) differences(ctx context.Context, was []history.Period[int64], in W9Details) (all []record.Difference, err error) {
	for _, days := range history.Differences(was, h.Of(h.agentID)) {
		before, err := h.plain(ctx, days.Old)
		if err != nil {
			return nil, err
		}
		for _, d := range W9s.Differences(before, in) {
			if !slices.ContainsFunc(all, func(other record.Difference) bool { return other.Field == d.Field }) {
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// apply applies a W9 to a range of days.
func (h *w9History) apply(ctx context.Context, in W9Details, from date.Date, through *date.Date) (record.Change, error) {
	id, err := h.row(ctx, in)
	if err != nil {
		return record.Change{}, err
	}
	return h.Change(ctx, h.w, h.agentID, history.Period[int64]{From: from, Through: through, Value: id}, h.number)
}

// unchanged returns the change of a history that stays as it is.
func (h *w9History) unchanged() record.Change {
	return h.Describe(h.agentID, h.Unchanged(h.agentID), h.w.Today, h.number)
}

// end ends the current W9 with yesterday ("w9: null"). A period that began today is
// removed, and later periods stay.
func (h *w9History) end(ctx context.Context) (record.Change, error) {
	periods := h.Of(h.agentID)
	plan := history.Plan[int64]{Before: periods}
	for _, p := range periods {
		if p.From > h.w.Today || h.w.Today > date.OrMax(p.Through) {
			plan.After = append(plan.After, p)
			continue
		}
		op := history.Operation[int64]{Kind: history.Removed, Existing: &p}
		if p.From < h.w.Today {
			op.Kind = history.Shortened
			op.Results = []history.Period[int64]{p.Remainder(p.From, h.w.Today.AddDays(-1).Ptr())}
		}
		plan.Operations, plan.After = append(plan.Operations, op), append(plan.After, op.Results...)
	}
	h.Follow(h.w, h.agentID, plan, h.w.Today)
	return h.Describe(h.agentID, plan, h.w.Today, h.number), h.Write(ctx, h.w)
}

// number returns how a change shows a W9: by its number among the agent's W9s, which says
// nothing about its content.
func (h *w9History) number(id int64) *string {
	for i, v := range h.all {
		if v.id == id {
			text := fmt.Sprintf("W9 %d", i+1)
			return &text
		}
	}
	return nil
}

// row returns the agent's row of a W9 with the same properties, or adds one: "if an
// identical period exists nothing changes" (Certification statuses), and periods are
// compared by their rows. It decrypts a row only if everything that is not encrypted is
// the same.
func (h *w9History) row(ctx context.Context, in W9Details) (int64, error) {
	index, err := taxpayerIndex(ctx, h.s.vault, h.w.Tenant.ID, in.TaxpayerIdentifier.Value)
	if err != nil {
		return 0, err
	}
	for _, v := range h.all {
		if !bytes.Equal(v.index, index) || !v.seemsToSay(in) {
			continue
		}
		stored, err := W9s.Plain(ctx, h.s.vault, h.w.Tenant.ID, v.W9Details, v.secrets)
		if err != nil {
			return 0, err
		}
		if len(W9Fields.Differ(&stored, &in)) == 0 {
			return v.id, nil
		}
	}
	ids, err := insertW9s(ctx, h.s.vault, h.w, []record.Row[W9Details]{{AgentID: h.agentID, Record: &in}})
	if err != nil {
		return 0, err
	}
	h.all = append(h.all, &storedW9{id: ids[0], index: index})
	return ids[0], nil
}

// seemsToSay reports whether a stored W9 has the same properties, as far as that can be
// told without decrypting it.
func (v *storedW9) seemsToSay(in W9Details) bool {
	for _, l := range W9s.Sealed {
		if v.secrets[l.Name].Present() != (record.TextOf(l, &in) != nil) {
			return false
		}
	}
	return len(W9s.Open.Differ(&v.W9Details, &in)) == 0
}

// taxpayerIndex returns the blind index of a taxpayer identifier; nil for none.
func taxpayerIndex(ctx context.Context, v *vault.Vault, tenantID int64, identifier *string) ([]byte, error) {
	if identifier == nil {
		return nil, nil
	}
	return TaxpayerIdentifierIndex(ctx, v, tenantID, *identifier)
}

// TaxpayerIdentifierIndex returns the blind index of a W9's taxpayer identifier, the same
// however the number is punctuated.
func TaxpayerIdentifierIndex(ctx context.Context, v *vault.Vault, tenantID int64, identifier string) ([]byte, error) {
	return v.BlindIndex(ctx, tenantID, w9Table, "taxpayer_identifier", text.Identifier(identifier))
}
