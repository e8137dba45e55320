package agency

import (
	"context"
	"iter"
	"slices"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/platform/store"
)

func (im *agentImporting) copyAgents(ctx context.Context, team int64, agents []*newAgent) error {
	statuses, uplines, levels := payee.Statuses.None(0), uplines.None(team), levels.None(team)
	for _, a := range agents {
		statuses.Begin(a.id, a.from, a.in.Status)
		if !a.waits {
			uplines.Begin(a.id, a.from, a.upline)
		}
		if l := a.in.Teams[0].Level; l != nil {
			levels.Begin(a.id, a.from, *l)
		}
	}
	for _, copied := range []func() error{
		func() error { return im.copyRows(ctx, agents) },
		func() error { return im.CopyFrom(ctx, "agency_address", newAddressColumns, im.addressRows(agents)) },
		func() error { return im.CopyFrom(ctx, "agency_phone", newPhoneColumns, im.phoneRows(agents)) },
		func() error { return statuses.Write(ctx, im.Writing) },
		func() error { return uplines.Write(ctx, im.Writing) },
		func() error { return levels.Write(ctx, im.Writing) },
	} {
		if err := copied(); err != nil {
			return err
		}
	}
	return nil
}

// copyRows adds the rows of the agents. If somebody has registered one of the codes since
// it was looked up, the rows are applied again, and find the agent.
func (im *agentImporting) copyRows(ctx context.Context, agents []*newAgent) error {
	err := im.CopyFrom(ctx, "agency_agent", slices.Concat(newAgentColumns, ownAgentColumns), im.agentRows(agents))
	if isCodeInUse(err) {
		return store.Again(err)
	}
	return err
}

func (im *agentImporting) agentRows(agents []*newAgent) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(newAgentColumns)+len(ownAgentColumns))
		for _, a := range agents {
			row = append(newAgentRow(im.Import.Writing, row[:0], a.code, a.in), a.id, a.sealed, a.blindIndex)
			if !yield(row) {
				return
			}
		}
	}
}

func (im *agentImporting) addressRows(agents []*newAgent) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(newAddressColumns))
		for _, n := range agents {
			for _, kind := range addressKinds {
				a := n.in.Contact.Addresses[kind]
				if a == nil {
					continue
				}
				row = AddressFields.Append(append(row[:0], im.Tenant.ID, n.id, string(kind)), a)
				if !yield(row) {
					return
				}
			}
		}
	}
}

func (im *agentImporting) phoneRows(agents []*newAgent) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		row := make([]any, 0, len(newPhoneColumns))
		for _, n := range agents {
			for _, kind := range phoneKinds {
				p := n.in.Contact.Phones[kind]
				if p == nil {
					continue
				}
				row = PhoneFields.Append(append(row[:0], im.Tenant.ID, n.id, string(kind)), p)
				if !yield(row) {
					return
				}
			}
		}
	}
}
