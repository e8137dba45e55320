package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

type auditCommand struct {
	Verify     auditVerifyCommand     `cmd:"" help:"Check whether the audit trail was tampered with; fails if it was."`
	Checkpoint auditCheckpointCommand `cmd:"" help:"Print a signed checkpoint of a trail, to be kept by others."`
	Prove      auditProveCommand      `cmd:"" help:"Print a proof that a trail holds an entry, or that it goes on from an earlier checkpoint."`
	CheckProof auditCheckProofCommand `cmd:"" help:"Check what audit prove printed, without the database and the key."`
}

type auditVerifyCommand struct {
	database
	Tenant string `help:"Tenant to check; all tenants by default." placeholder:"IDENTIFIER"`
	Head   string `help:"Head that an earlier run printed, of the tenant or, without --tenant, of the platform; shows whether the trail was cut since." placeholder:"SEQ:HASH"`
}

var errTampered = errors.New("the audit trail is broken")

// Run implements the command.
func (c *auditVerifyCommand) Run(ctx context.Context) error {
	var expected audit.Head
	if c.Head != "" {
		var err error
		if expected, err = audit.ParseHead(c.Head); err != nil {
			return err
		}
	}
	return c.with(ctx, func(s *store.Store, v *vault.Vault) error { return c.verify(ctx, s, v, expected) })
}

func (c *auditVerifyCommand) verify(ctx context.Context, s *store.Store, v *vault.Vault, expected audit.Head) error {
	chosen, err := chooseTenants(ctx, s, c.Tenant)
	if err != nil {
		return err
	}
	if err := refuseHidden(s); err != nil {
		return err
	}
	trail := audit.New(s, system, v)
	lost, err := trail.LostHeads(ctx)
	if err != nil {
		return err
	}
	ofTenant, ofPlatform := expected, audit.Head{}
	if c.Tenant == "" {
		ofTenant, ofPlatform = ofPlatform, ofTenant
	}
	for _, t := range chosen {
		err = errors.Join(err, verify(ctx, trail, t, ofTenant, lost))
		delete(lost, t.Identifier)
	}
	// The platform's own trail records changes of what all tenants share, and the heads
	// of the tenants' trails. Those heads count only if that trail is whole.
	err = errors.Join(err, verify(ctx, trail, tenant.Platform, ofPlatform, nil))
	if c.Tenant != "" {
		return err
	}
	for name := range lost {
		fmt.Printf("%-24s BROKEN: the tenant is gone\n", name)
		err = errors.Join(err, fmt.Errorf("%s: %w", name, errTampered))
	}
	return err
}

// verify checks one tenant's trail and prints a line.
func verify(ctx context.Context, trail *audit.Trail, t *tenant.Tenant, expected audit.Head, lost map[string]audit.Lost) error {
	name := cmp.Or(t.Identifier, "(platform)")
	if err := trail.Link(tenant.With(ctx, t)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	bar := newLateProgress("entries")
	r, err := trail.VerifyHeld(tenant.With(ctx, t), lost, expected, func(done, total int) { bar.show("checking "+name, done, total) })
	bar.end()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if t == tenant.Platform && r.Entries == 0 && !r.Broken() {
		return nil
	}
	state := "ok"
	if r.Broken() {
		state, err = fmt.Sprintf("BROKEN at %d: %s", r.BrokenAt, r.Reason), fmt.Errorf("%s: %w", name, errTampered)
	}
	if r.Unlinked > 0 {
		state += fmt.Sprintf(", %d more wait for their places behind the head", r.Unlinked)
	}
	fmt.Printf("%-24s %8d entries  head %s  %s\n", name, r.Entries, r.Head, state)
	return err
}

// chooseTenants returns the tenant with an identifier, or all tenants if it is empty.
func chooseTenants(ctx context.Context, s *store.Store, identifier string) ([]*tenant.Tenant, error) {
	agencies := directory.New(s, system)
	if identifier == "" {
		return agencies.List(ctx)
	}
	t, err := agencies.Find(ctx, identifier)
	if err != nil {
		return nil, err
	}
	return []*tenant.Tenant{t}, nil
}

// ofTrail are the flags of a command that reads one trail.
type ofTrail struct {
	database
	Tenant string `help:"Tenant whose trail it is." placeholder:"IDENTIFIER" required:""`
}

// trail calls f with the trail of the tenant.
func (c *ofTrail) trail(ctx context.Context, f func(ctx context.Context, trail *audit.Trail) error) error {
	return c.with(ctx, func(s *store.Store, v *vault.Vault) error {
		if err := refuseHidden(s); err != nil {
			return err
		}
		chosen, err := chooseTenants(ctx, s, c.Tenant)
		if err != nil {
			return err
		}
		return f(tenant.With(ctx, chosen[0]), audit.New(s, system, v))
	})
}

type auditCheckpointCommand struct{ ofTrail }

// Run implements the command.
func (c *auditCheckpointCommand) Run(ctx context.Context) error {
	return c.trail(ctx, func(ctx context.Context, trail *audit.Trail) error {
		key, err := trail.VerifierKey(ctx)
		if err != nil {
			return err
		}
		text, err := trail.Checkpoint(ctx)
		if err == nil {
			fmt.Fprintln(os.Stderr, "The public key of this trail, for upline audit check-proof --public-key:\n"+key)
			fmt.Print(string(text))
		}
		return err
	})
}

type auditProveCommand struct {
	ofTrail
	Entry int64  `help:"Number of the entry." placeholder:"SEQ" xor:"what" required:""`
	Since string `help:"File with the earlier checkpoint." placeholder:"FILE" xor:"what" required:""`
}

// Run implements the command.
func (c *auditProveCommand) Run(ctx context.Context) error {
	return c.trail(ctx, func(ctx context.Context, trail *audit.Trail) error {
		proof, err := c.prove(ctx, trail)
		if err == nil {
			fmt.Print(string(proof))
		}
		return err
	})
}

func (c *auditProveCommand) prove(ctx context.Context, trail *audit.Trail) ([]byte, error) {
	if c.Since == "" {
		return trail.ProveEntry(ctx, c.Entry)
	}
	earlier, err := os.ReadFile(c.Since)
	if err != nil {
		return nil, err
	}
	return trail.ProveSince(ctx, earlier)
}

type auditCheckProofCommand struct {
	Proof     string `arg:"" help:"File with what audit prove printed."`
	PublicKey string `help:"Public key of the trail, as audit checkpoint printed it." placeholder:"KEY" required:""`
	Since     string `help:"File with the earlier checkpoint, for a proof that begins with it." placeholder:"FILE"`
}

// Run implements the command.
func (c *auditCheckProofCommand) Run() error {
	proof, err := os.ReadFile(c.Proof)
	if err != nil {
		return err
	}
	var earlier []byte
	if c.Since != "" {
		if earlier, err = os.ReadFile(c.Since); err != nil {
			return err
		}
	}
	shown, err := audit.CheckProof(proof, c.PublicKey, earlier)
	switch {
	case err != nil:
		return err
	case shown.Entry != "":
		fmt.Printf("The trail of %d entries holds this one:\n%s\n", shown.Entries, shown.Entry)
	default:
		fmt.Printf("The trail of %d entries begins with the %d of the earlier checkpoint, unchanged.\n", shown.Entries, shown.Since)
	}
	return nil
}
