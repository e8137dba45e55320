package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/doctor"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// printed runs a command and returns what it printed.
func printed(t *testing.T, run func(context.Context) error) (string, error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	terminal := os.Stdout
	os.Stdout = w
	result := run(t.Context())
	os.Stdout = terminal
	w.Close()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), result
}

func mustPrint(t *testing.T, run func(context.Context) error, want string) {
	t.Helper()
	out, err := printed(t, run)
	if err != nil || !strings.Contains(out, want) {
		t.Fatalf("printed %q, %v; want %q", out, err, want)
	}
}

// twoTenants is a database file with the tenants acme and beta, and its store.
func twoTenants(t *testing.T) (database, *store.Store) {
	t.Helper()
	d := database{Database: dbtest.SQLiteURL(t)}
	for _, identifier := range []string{"acme", "beta"} {
		create := tenantCreateCommand{database: d, Identifier: identifier, TimeZone: "UTC", DefaultPageSize: 50, MaxPageSize: 100}
		mustPrint(t, create.Run, identifier)
	}
	s, err := d.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return d, s
}

// "audit verify" prints a line for each tenant and fails when one was tampered
// with, but checks the others all the same.
func TestAuditVerify(t *testing.T) {
	d, s := twoTenants(t)
	chosen, err := chooseTenants(t.Context(), s, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := d.vault(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	trail := audit.New(s, system, v)
	for _, one := range chosen {
		if err := trail.Reveal(tenant.With(t.Context(), one), audit.Entry{EntityType: "Agent"}); err != nil {
			t.Fatal(err)
		}
	}
	all := auditVerifyCommand{database: d}
	out, err := printed(t, all.Run)
	if err != nil || strings.Count(out, "1 entries  head 1:") != 2 || strings.Count(out, "  ok\n") != 2 {
		t.Fatalf("printed %q, %v; want two tenants, both ok", out, err)
	}
	err = s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, statement := range []string{"DROP TRIGGER audit_entry_no_update", "UPDATE audit_entry SET subject = 'x' WHERE tenant_id = 1"} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err = printed(t, all.Run)
	if !errors.Is(err, errTampered) || !strings.Contains(out, "BROKEN at 1: ") || strings.Count(out, "  ok\n") != 1 {
		t.Errorf("printed %q, %v; want acme broken and beta ok", out, err)
	}
	mustPrint(t, (&auditVerifyCommand{database: d, Tenant: "beta"}).Run, "  ok\n")
	if out, err := printed(t, (&auditVerifyCommand{database: d, Head: "7:00"}).Run); !strings.Contains(out, "once entry 7") || !errors.Is(err, errTampered) {
		t.Errorf("with an earlier head of the platform: printed %q, %v", out, err)
	}
}

// A proof is made from the database, and checked without it.
func TestAuditProve(t *testing.T) {
	d, s := twoTenants(t)
	v, err := d.vault(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	acme, err := chooseTenants(t.Context(), s, "acme")
	if err != nil {
		t.Fatal(err)
	}
	trail, of := audit.New(s, system, v), ofTrail{database: d, Tenant: "acme"}
	reveal := func() {
		if err := trail.Reveal(tenant.With(t.Context(), acme[0]), audit.Entry{EntityType: "Agent"}); err != nil {
			t.Fatal(err)
		}
	}
	key, err := trail.VerifierKey(tenant.With(t.Context(), acme[0]))
	if err != nil {
		t.Fatal(err)
	}
	file := func(run func(context.Context) error) string {
		out, err := printed(t, run)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "printed")
		if err := os.WriteFile(path, []byte(out), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	reveal()
	earlier := file((&auditCheckpointCommand{of}).Run)
	reveal()
	since := file((&auditProveCommand{ofTrail: of, Since: earlier}).Run)
	entry := file((&auditProveCommand{ofTrail: of, Entry: 2}).Run)
	checked := func(c auditCheckProofCommand) func(context.Context) error {
		return func(context.Context) error { return c.Run() }
	}
	mustPrint(t, checked(auditCheckProofCommand{Proof: since, PublicKey: key, Since: earlier}), "The trail of 2 entries begins with the 1 of the earlier checkpoint, unchanged.")
	mustPrint(t, checked(auditCheckProofCommand{Proof: entry, PublicKey: key}), `The trail of 2 entries holds this one:
{"seq":2,`)
	for name, wrong := range map[string]auditCheckProofCommand{
		"no key": {Proof: entry}, "no earlier checkpoint": {Proof: since, PublicKey: key}, "no proof": {Proof: earlier, PublicKey: key}, "no such file": {Proof: "/nowhere", PublicKey: key},
	} {
		if out, err := printed(t, checked(wrong)); err == nil || out != "" {
			t.Errorf("%s: printed %q, %v", name, out, err)
		}
	}
}

// A tenant whose whole trail was erased, or that is gone with it, shows by what the
// platform's trail noted.
func TestAuditVerifyFindsWhatWasErased(t *testing.T) {
	d, s := twoTenants(t)
	v, err := d.vault(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := chooseTenants(t.Context(), s, "")
	if err != nil {
		t.Fatal(err)
	}
	trail := audit.New(s, system, v)
	for _, one := range chosen {
		if err := trail.Reveal(tenant.With(t.Context(), one), audit.Entry{EntityType: "Agent"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := trail.NoteHeads(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := (&auditVerifyCommand{database: d}).Run
	mustPrint(t, run, "(platform)                      1 entries")
	err = s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, statement := range []string{"DROP TRIGGER audit_entry_no_delete", "DELETE FROM audit_entry WHERE tenant_id = 1", "DELETE FROM audit_head WHERE tenant_id = 1", "DELETE FROM audit_written WHERE tenant_id = 1",
			"UPDATE tenant SET identifier = 'other' WHERE id = 2"} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := printed(t, run)
	if !errors.Is(err, errTampered) || !strings.Contains(out, "BROKEN at 1: on ") || !strings.Contains(out, "BROKEN: the tenant is gone") || strings.Count(out, "  ok\n") != 2 {
		t.Errorf("printed %q, %v", out, err)
	}
}

// "rotate-keys" gives every tenant a fresh key, or wraps all keys by another
// one; what is left half done is finished by the next run. It prints no key.
func TestRotateKeys(t *testing.T) {
	d, s := twoTenants(t)
	ctx, f := t.Context(), vault.Field{TenantID: 1, Table: "t", Column: "c", RowID: 1}
	v, err := d.vault(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	old, err := v.Encrypt(ctx, f, "value")
	if err != nil {
		t.Fatal(err)
	}
	out, err := printed(t, (&rotateKeysCommand{recorded: recorded{database: d}}).Run)
	if err != nil || strings.Count(out, "fresh key, 0 values") != 2 || !strings.Contains(out, "(platform)               fresh key, fresh signing keys") {
		t.Errorf("printed %q, %v", out, err)
	}

	newKey := filepath.Join(t.TempDir(), "new.key")
	rewrap := rotateKeysCommand{recorded: recorded{database: d}, NewKeyFile: newKey}
	for range 2 { // the second finds all done
		out, err = printed(t, rewrap.Run)
		if err != nil || strings.Count(out, "wrapped by the new key") != 3 {
			t.Errorf("printed %q, %v", out, err)
		}
	}
	for _, file := range []string{newKey, d.Database + ".key"} {
		key, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out, strings.TrimSpace(string(key))) {
			t.Errorf("the key in %s is printed", filepath.Base(file))
		}
	}
	if _, err := printed(t, (&rotateKeysCommand{recorded: recorded{database: d}}).Run); !errors.Is(err, vault.ErrWrongKey) {
		t.Errorf("with the old key: %v; want ErrWrongKey", err)
	}
	d.KeyFile = newKey
	if v, err = d.vault(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if got, err := v.Decrypt(ctx, f, old); err != nil || got != "value" {
		t.Errorf("with the new key: %q, %v", got, err)
	}
	if needed, err := v.NeedsReencryption(ctx, 1, old); err != nil || !needed {
		t.Errorf("the value of before needs no re-encryption: %v", err)
	}
}

// linkTrails gives the audit entries of all tenants their places, as a server does.
func linkTrails(t *testing.T, d database, s *store.Store) {
	t.Helper()
	v, err := d.vault(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := audit.New(s, system, v).LinkAll(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Every column of bytes is one that rotate-keys encrypts again, or is listed
// here with the reason why it is not.
func TestSealedColumnsAreComplete(t *testing.T) {
	kept := map[string]string{
		"agency_agent.government_identifier_index":           "a blind index, whose key outlives rotations",
		"agency_w9.taxpayer_identifier_index":                "a blind index",
		"audit_entry.hash":                                   "a link of the chain, whose key outlives rotations",
		"audit_head.hash":                                    "a link of the chain",
		"audit_unlinked.mac":                                 "a keyed hash, whose key outlives rotations",
		"bulk_import.digest":                                 "a hash",
		"bulk_import.file_digest":                            "a hash",
		"identity_api_key.key_hash":                          "a hash",
		"identity_attempt.key_hash":                          "a hash",
		"identity_grant.code_hash":                           "a hash",
		"identity_provider_request.browser_hash":             "a hash",
		"identity_provider_request.state_hash":               "a hash",
		"identity_refresh_token.token_hash":                  "a hash",
		"identity_session.secret_hash":                       "a hash",
		"identity_client.secret_hash":                        "a hash",
		"identity_client.previous_secret_hash":               "a hash",
		"identity_signing_key.public_key":                    "public",
		"identity_signing_key.private_key":                   "of the platform, whose older keys stay",
		"onboarding_application.government_identifier_index": "a blind index",
		"idempotent_request.fingerprint":                     "a hash",
		"export.request":                                     "gone when the export is over; older keys stay",
		"export_chunk.data":                                  "gone after a day; older keys stay",
		"idempotent_request.response":                        "gone after a day; older keys stay",
		"tenant_keyset.wrapped":                              "the keys themselves, wrapped",
	}
	_, s := twoTenants(t)
	type column struct{ Table, Name string }
	all, err := store.Collect(t.Context(), s, func(r store.Scanner) (c column, err error) { return c, r.Scan(&c.Table, &c.Name) },
		`SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
		WHERE m.type = 'table' AND lower(c.type) = 'blob' AND m.name NOT LIKE 'river_%'`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		name := c.Table + "." + c.Name
		_, listed := kept[name]
		sealed := slices.ContainsFunc(doctor.SealedColumns(), func(s reencryption.Column) bool { return s.Table == c.Table && s.Name == c.Name })
		if listed == sealed {
			t.Errorf("%s: listed %t, encrypted again %t; one of both must be", name, listed, sealed)
		}
		delete(kept, name)
	}
	if len(kept) > 0 || len(all) < len(doctor.SealedColumns()) {
		t.Errorf("there are no columns %v, or not all of %v", kept, doctor.SealedColumns())
	}
}

// Commands that change a tenant, its clients or its keys leave an entry with who
// asked for it; one that changes nothing leaves none, and no entry holds a secret.
func TestCommandsAreAudited(t *testing.T) {
	d, s := twoTenants(t)
	r := recorded{d, initiated{"pat"}}
	var printedAll strings.Builder
	run := func(f func(context.Context) error) {
		t.Helper()
		out, err := printed(t, f)
		if err != nil {
			t.Fatal(err)
		}
		printedAll.WriteString(out)
	}
	for range 2 { // the second changes nothing
		run((&tenantUpdateCommand{recorded: r, Identifier: "acme", TimeZone: new("Europe/Berlin"), MaskSensitive: new(true), Name: new("acme"),
			UserStatus: new("Approved"), PasswordLength: new(15)}).Run)
	}
	run((&clientCreateCommand{recorded: r, ID: "crm", Tenant: "acme", Scopes: []string{"read:agents"}}).Run)
	run((&clientCreateCommand{recorded: r, ID: "ops", Scopes: []string{"read:agents"}}).Run)
	for range 2 {
		run((&clientDisableCommand{r, "crm"}).Run)
	}
	run((&clientEnableCommand{r, "crm"}).Run)
	run((&clientRotateCommand{recorded: r, ID: "crm"}).Run)
	run((&clientRotateCommand{recorded: r, ID: "ops"}).Run)
	run((&clientExpireCommand{recorded: r, ID: "crm", expiry: expiry{new(time.Hour)}}).Run)
	for range 2 {
		run((&clientExpireCommand{recorded: r, ID: "crm"}).Run)
	}
	of := ofTenant{database: d, Tenant: "acme"}
	run((&clientKeyCreateCommand{ofTenant: of, initiated: r.initiated, Client: "crm", Name: "k", Scopes: []string{"read:agents"}}).Run)
	_, key, _ := strings.Cut(printedAll.String(), "\nid ")
	key, _, _ = strings.Cut(key, "\n")
	for range 2 {
		run((&clientKeyRevokeCommand{ofTenant: of, initiated: r.initiated, ID: key}).Run)
	}
	run((&rotateKeysCommand{recorded: r, Tenant: "acme"}).Run)
	if err := (&clientRotateCommand{recorded: r, ID: "nobody"}).Run(t.Context()); !errors.Is(err, oauth.ErrUnknownClient) {
		t.Errorf("a client that does not exist: %v", err)
	}
	if err := (&clientExpireCommand{recorded: r, ID: "nobody"}).Run(t.Context()); !errors.Is(err, oauth.ErrUnknownClient) {
		t.Errorf("a client that does not exist: %v", err)
	}
	linkTrails(t, d, s)
	rows, err := store.Collect(t.Context(), s, store.ScanOne[string], `SELECT tenant_id || ' ' || operation || ' ' || surface || ' ' || initiator || ' ' || entity_type || ' ' || entity_keys || ' ' || changes
		FROM audit_entry ORDER BY tenant_id, seq`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`1 tenant update COMMAND_LINE pat Tenant ["acme"] [{"field":"timeZone"},{"field":"maskSensitive"},{"field":"defaultUserStatus"},{"field":"minPasswordLength"}]`,
		`1 client create COMMAND_LINE pat Client ["crm"] [{"field":"scopes"},{"field":"secret"}]`,
		`1 client disable COMMAND_LINE pat Client ["crm"] [{"field":"isDisabled"}]`,
		`1 client enable COMMAND_LINE pat Client ["crm"] [{"field":"isDisabled"}]`,
		`1 client rotate COMMAND_LINE pat Client ["crm"] [{"field":"secret"}]`,
		`1 client expire COMMAND_LINE pat Client ["crm"] [{"field":"expiresAt"}]`,
		`1 client expire COMMAND_LINE pat Client ["crm"] [{"field":"expiresAt"}]`,
		`1 client key create COMMAND_LINE pat ApiKey ["` + key + `"] [{"field":"clientId"},{"field":"name"},{"field":"scopes"}]`,
		`1 client key revoke COMMAND_LINE pat ApiKey ["` + key + `"] [{"field":"revokedAt"}]`,
		`1 rotate-keys COMMAND_LINE pat Tenant ["acme"] [{"field":"keys"}]`,
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the entries are\n%s; want\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
	for line := range strings.SplitSeq(printedAll.String(), "\n") {
		secret, ok := strings.CutPrefix(line, "secret ")
		if !ok {
			secret, ok = strings.CutPrefix(line, "key ")
		}
		if ok && strings.Contains(strings.Join(rows, "\n"), secret) {
			t.Error("an entry holds a secret")
		}
	}
	mustPrint(t, (&auditVerifyCommand{database: d, Tenant: "acme"}).Run, "10 entries")
}
