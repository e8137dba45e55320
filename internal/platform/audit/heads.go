package audit

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// headEntity is the type of the entries of the platform's trail that note heads:
// each change is one tenant, with its head as the fingerprint.
const headEntity = "AuditHead"

// headsInEntry bounds the tenants of one entry.
const headsInEntry = 500

// notedHead is the head of a tenant as the platform's trail notes it.
type notedHead struct {
	tenantID int64
	tenant   string
	head     Head
}

// NoteHeads writes the heads that have moved since the last time into the platform's
// trail. A trail that was erased whole, with its head, shows no fault in itself; the
// noted head is what shows the loss. It locks no tenant's chain.
func (t *Trail) NoteHeads(ctx context.Context) error {
	if err := t.LinkAll(ctx); err != nil {
		return err
	}
	all, err := store.Collect(tenant.System(ctx, "note the heads of all tenants"), t.store, func(s store.Scanner) (n notedHead, err error) {
		return n, s.Scan(&n.tenantID, &n.tenant, &n.head.Seq, &n.head.Hash)
	}, "SELECT h.tenant_id, t.identifier, h.seq, h.hash FROM audit_head h JOIN tenant t ON t.id = h.tenant_id WHERE h.seq <> h.noted_seq ORDER BY t.identifier")
	if err != nil || len(all) == 0 {
		return err
	}
	platform := WithOrigin(tenant.With(ctx, tenant.Platform), Origin{Operation: "auditHeads", Surface: System})
	if err := t.vault.Prepare(ctx, tenant.Platform.ID); err != nil {
		return err
	}
	for some := range slices.Chunk(all, headsInEntry) {
		e := Entry{EntityType: headEntity}
		for _, n := range some {
			e.Changes = append(e.Changes, Change{Field: n.tenant, Fingerprint: n.head.String()})
		}
		if err := t.store.InTx(platform, func(ctx context.Context, tx *store.Tx) error { return t.Write(ctx, tx, t.clock.Now(), e) }); err != nil {
			return fmt.Errorf("audit: note heads: %w", err)
		}
		// What is noted is remembered afterwards: noting it twice does no harm.
		for _, n := range some {
			if err := t.remember(tenant.With(ctx, &tenant.Tenant{ID: n.tenantID}), n); err != nil {
				return fmt.Errorf("audit: note heads: %w", err)
			}
		}
	}
	return t.Link(platform)
}

func (t *Trail) remember(ctx context.Context, n notedHead) error {
	return t.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "UPDATE audit_head SET noted_seq = $1 WHERE tenant_id = $2", n.head.Seq, n.tenantID)
		return err
	})
}

// Lost is a head that the platform's trail noted and for which the tenant's chain has no
// entry any more.
type Lost struct {
	Tenant string
	Head   Head
	At     time.Time
}

// LostHeads returns the first lost head of each tenant, by the tenants' identifiers. It
// relies on the platform's trail, which Verify checks like any other.
func (t *verifying) LostHeads(ctx context.Context) (map[string]Lost, error) {
	lost := map[string]Lost{}
	for after := int64(0); ; {
		page, err := t.rows(ctx, tenant.Platform.ID, after, math.MaxInt64)
		if err != nil || len(page) == 0 {
			return lost, err
		}
		after = page[len(page)-1].Seq
		noted := map[string][]Lost{}
		for _, r := range page {
			if r.EntityType != headEntity {
				continue
			}
			for _, c := range r.Changes {
				head, err := ParseHead(c.Fingerprint)
				if err != nil {
					return lost, err
				}
				noted[c.Field] = append(noted[c.Field], Lost{c.Field, head, r.At})
			}
		}
		for identifier, heads := range noted {
			if _, found := lost[identifier]; found {
				continue
			}
			if err := t.compare(ctx, identifier, heads, lost); err != nil {
				return lost, err
			}
		}
	}
}

// compare adds the first of a tenant's heads that is lost.
func (t *verifying) compare(ctx context.Context, identifier string, heads []Lost, lost map[string]Lost) error {
	numbers := make([]int64, len(heads))
	for i, h := range heads {
		numbers[i] = h.Head.Seq
	}
	stored := map[int64][]byte{}
	_, err := store.Collect(ctx, t.store, func(s store.Scanner) (none struct{}, err error) {
		var h Head
		err = s.Scan(&h.Seq, &h.Hash)
		stored[h.Seq] = h.Hash
		return none, err
	}, "SELECT e.seq, e.hash FROM audit_entry e JOIN tenant t ON t.id = e.tenant_id WHERE t.identifier = $1 AND "+t.store.In("e.seq", "$2"),
		identifier, t.store.List(numbers))
	if err != nil {
		return wrapped(err)
	}
	for _, h := range heads {
		if !bytes.Equal(stored[h.Head.Seq], h.Head.Hash) {
			lost[identifier] = h
			return nil
		}
	}
	return nil
}

// VerifyHeld is Verify, and also compares the chain with what LostHeads found. It tells how
// many entries are checked.
func (t *verifying) VerifyHeld(ctx context.Context, lost map[string]Lost, expected Head, told func(done, total int)) (Report, error) {
	r, err := t.verify(ctx, expected, told)
	if err != nil || r.Broken() {
		return r, err
	}
	if gone, erased := lost[tenant.From(ctx).Identifier]; erased {
		r.broken(gone.Head.Seq, "on %s the platform's trail noted another head here: the trail was erased, or cut back, since", gone.At.Format(time.RFC3339))
	}
	return r, nil
}
