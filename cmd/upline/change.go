package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/scenario"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

type changeCommand struct {
	Undo changeUndoCommand `cmd:"" help:"Take back all that a write changed, such as an import of many rows, some objects at a time. Interrupted, it goes on when it is run again."`
}

type changeUndoCommand struct {
	recorded
	Tenant string `help:"Tenant whose change is taken back." required:"" placeholder:"IDENTIFIER"`
	Number int64  `arg:"" help:"Number of an entry of the write in the audit trail."`
	Reason string `help:"Why, for the audit trail."`
	DryRun bool   `help:"Look for what is in the way, and change nothing."`
}

// errLaterChanges ends the command when later changes are in the way.
var errLaterChanges = errors.New("later changes are in the way, so nothing more was changed")

// Run implements the command.
func (c *changeUndoCommand) Run(ctx context.Context) error {
	return c.within(ctx, c.Tenant, func(s *store.Store, v *vault.Vault, t *tenant.Tenant) error { return c.run(ctx, s, v, t) })
}

func (c *changeUndoCommand) run(ctx context.Context, s *store.Store, v *vault.Vault, t *tenant.Tenant) error {
	ctx = audit.WithOrigin(tenant.With(ctx, t), audit.Origin{Operation: "changeUndo", Surface: audit.CommandLine, TraceID: rand.Text()})
	if c.Reason != "" {
		ctx = change.WithReason(ctx, c.Reason)
	}
	agents := agency.New(s, system, v)
	kinds := append(scenario.New(s, system, v, agents).Kinds(), agents.Kinds()...)
	bar := newProgress("objects")
	defer bar.end()
	done, err := past.New(s, system, v, kinds...).UndoInParts(ctx, past.Request{
		Numbers: []int64{c.Number}, Initiator: c.Initiator, DryRun: c.DryRun, Readable: []string{"Agent", "Scenario", "CertificationType", "Jurisdiction", "PayStatus", "AgentLevel", "ProviderCompany", "Product", "Tag"},
		May: func(string) error { return nil }, Own: func([]*audit.Changed) error { return nil },
	}, func(objects, all int) { bar.show("taking back", objects, all) })
	if err != nil {
		return err
	}
	for _, e := range done.Conflicts {
		fmt.Fprintf(os.Stdout, "in the way: change %d of %s %s %s, by %s at %s\n", e.Seq, e.EntityType, e.Key, e.Field, e.Initiator, e.At.Format(time.RFC3339))
	}
	switch {
	case len(done.Conflicts) > 0:
		return errLaterChanges
	case c.DryRun:
		fmt.Fprintln(os.Stdout, "dry run: nothing is in the way, and nothing was changed")
		return nil
	}
	fmt.Fprintf(os.Stdout, "%d fields were taken back\n", len(done.Outcomes))
	if done.Gone > 0 {
		fmt.Fprintf(os.Stdout, "%d changes are of what is not there any more, and were left alone\n", done.Gone)
	}
	return rebuild(ctx, s, agents)
}
