package agency_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// anotherProcess is the service of a process with keys of its own in memory.
func (w *agentWorld) anotherProcess() (*agency.Service, *vault.Vault) {
	w.t.Helper()
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), directory.NewKeysets(w.store))
	w.must(nil, err)
	w.must(nil, v.Prepare(w.ctx, w.tenantID()))
	return agency.New(w.store, w.clock, v), v
}

// reencrypt encrypts again what the area has encrypted.
func (w *agentWorld) reencrypt(ctx context.Context) (int, error) {
	var done, total int
	n, err := reencryption.Run(ctx, w.store, w.app.Vault, agency.SealedColumns(), func(d, t int) { done, total = d, t })
	if err == nil && (done != total || done < n) {
		w.t.Errorf("it told of %d of %d values in the end, and %d were encrypted", done, total, n)
	}
	return n, err
}

// behind returns how many stored identifiers are not of the newest key.
func (w *agentWorld) behind() (n int) {
	w.t.Helper()
	stored, err := store.Collect(w.ctx, w.store, store.ScanOne[[]byte],
		"SELECT government_identifier FROM agency_agent WHERE tenant_id = $1 AND government_identifier IS NOT NULL", w.tenantID())
	w.must(stored, err)
	_, v := w.anotherProcess()
	for _, ciphertext := range stored {
		needed, err := v.NeedsReencryption(w.ctx, w.tenantID(), ciphertext)
		w.must(nil, err)
		if needed {
			n++
		}
	}
	return n
}

func identifier(n int) string { return fmt.Sprintf("523%06d", n) }

func (w *agentWorld) hasIdentifier(v *vault.Vault, code, want string) {
	w.t.Helper()
	got, err := v.Unseal(w.ctx, w.tenantID(), &w.agent(code).GovernmentIdentifier)
	w.must(got, err)
	if got == nil || got.Reveal() != want {
		w.t.Errorf("the identifier of %s is not the one that was stored", code)
	}
	equal(w.t.(*testing.T), "found by it", w.find(agency.AgentFilter{GovernmentIdentifier: &want}), []string{code})
}

// After a rotation every value is encrypted again, with requests of another
// process going on: values, blind indexes and all else stay as they are.
func TestReencrypt(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		const agents = 6
		for i := range agents {
			in := newcomer(fmt.Sprintf("A%d", i))
			in.GovernmentIdentifier = new(identifier(i))
			w.register(in)
		}
		w.register(newcomer("B0")) // has none
		other, theirs := w.anotherProcess()
		modified := w.agent("A3").LastModified
		w.later()

		w.must(nil, w.app.Vault.Rotate(w.ctx, w.tenantID()))
		equal(t, "values of the old key", w.behind(), agents)
		// A0 to A2 are written meanwhile, with whatever key that process has.
		var writers sync.WaitGroup
		for i := range 3 {
			writers.Go(func() {
				for n := range 10 {
					if _, err := other.UpdateAgent(w.ctx, fmt.Sprintf("A%d", i), agency.AgentUpdate{
						GovernmentIdentifier: patch.Set(identifier(100*(i+1) + n)), Initiator: "edit"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		_, err := w.reencrypt(w.ctx)
		writers.Wait()
		w.must(nil, err)
		w.must(w.reencrypt(w.ctx))
		equal(t, "values of the old key after it", w.behind(), 0)
		n, err := w.reencrypt(w.ctx)
		w.must(nil, err)
		equal(t, "encrypted again by one more run", n, 0)

		for _, v := range []*vault.Vault{w.app.Vault, theirs} {
			for i := range agents {
				want := identifier(i)
				if i < 3 {
					want = identifier(100*(i+1) + 9)
				}
				w.hasIdentifier(v, fmt.Sprintf("A%d", i), want)
			}
		}
		equal(t, "lastModified", w.agent("A3").LastModified, modified)
	})
}

// Another tenant's values are not touched.
func TestReencryptIsOfOneTenant(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		in := newcomer("A1")
		in.GovernmentIdentifier = new(identifier(1))
		w.register(in)
		w.must(nil, w.app.Vault.Rotate(w.ctx, w.tenantID()))
		n, err := w.reencrypt(w.other)
		w.must(nil, err)
		equal(t, "encrypted again", n, 0)
		equal(t, "values of the old key", w.behind(), 1)
	})
}

// A run that ends half way keeps what it did; the next one does the rest.
func TestReencryptInterrupted(t *testing.T) {
	onEach(t, func(t *testing.T, w *agentWorld) {
		const agents, damaged, done = 1100, 700, 500 // batches are of 500
		texts := make([]string, agents)
		for i := range texts {
			texts[i] = fmt.Sprintf("agentCode=S%04d%s governmentIdentifier=%s", i, ana, identifier(i))
		}
		w.apply(w.ImportAgents(), true, texts...)
		w.must(nil, w.app.Vault.Rotate(w.ctx, w.tenantID()))
		code := fmt.Sprintf("S%04d", damaged)
		swap := func(column, with string) {
			w.must(nil, w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
				_, err := tx.Exec(ctx, "UPDATE agency_agent SET "+column+" = "+with+" WHERE tenant_id = $1 AND code = $2", w.tenantID(), code)
				return err
			}))
		}
		var good []byte
		_, err := store.One(w.ctx, w.store, []any{&good}, "SELECT government_identifier FROM agency_agent WHERE tenant_id = $1 AND code = $2", w.tenantID(), code)
		w.must(nil, err)
		swap("government_identifier", "government_identifier_index")
		n, err := w.reencrypt(w.ctx)
		if !errors.Is(err, vault.ErrDecrypt) || n != done {
			t.Fatalf("%d values encrypted again, %v; want %d and ErrDecrypt", n, err, done)
		}
		swap("government_identifier", fmt.Sprintf(map[bool]string{true: `'\x%x'::bytea`, false: "x'%x'"}[w.store.Postgres()], good))
		equal(t, "values of the old key", w.behind(), agents-done)
		n, err = w.reencrypt(w.ctx)
		w.must(nil, err)
		equal(t, "encrypted again by the second run", n, agents-done)
		equal(t, "values of the old key after it", w.behind(), 0)
		w.hasIdentifier(w.app.Vault, code, identifier(damaged))
	})
}
