package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/tenant"
)

const payeesOfAPage = `{ agents(first: 50) { nodes { agentCode governmentIdentifier payee {
	w9 { accountNumber taxpayerIdentifier signature } directDeposit { routingNumber institutionNumber transitNumber accountNumber } } } } }`

// A page of agents decrypts each sensitive value at most once, whether a
// compiled encoder or the executor answers, also when it is asked for twice.
func TestEachValueIsDecryptedAtMostOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, v, ctx := demoServerAndVault(t, s)
		decrypted := func(query string) int64 {
			t.Helper()
			before := v.Decryptions()
			if r := server.Execute(ctx, query, "", nil); len(r.Errors) > 0 {
				t.Fatal(r.Errors)
			}
			return v.Decryptions() - before
		}
		revealed := strings.NewReplacer("signature", "signature(reveal: true)", "Number", "Number(reveal: true)", "Identifier", "Identifier(reveal: true)").Replace(payeesOfAPage)
		once := decrypted(revealed)
		if once < 100 {
			t.Fatalf("only %d values were decrypted: the page has hardly any", once)
		}
		twice := strings.Replace(revealed, "w9 {", "a: w9 { accountNumber taxpayerIdentifier(reveal: true) signature } w9 {", 1)
		twice = strings.Replace(twice, "payee {", "b: payee { directDeposit { routingNumber accountNumber(reveal: true) } w9 { x: taxpayerIdentifier } } g: governmentIdentifier payee {", 1)
		if got := decrypted(twice); got != once {
			t.Errorf("asked for twice: %d decryptions of %d values", got, once)
		}
		if got := decrypted(payeesOfAPage); got >= once {
			t.Errorf("masked: %d decryptions of %d values, of which the signatures show nothing", got, once)
		}
	})
}

// Sensitive values show "their last four characters" unless reveal is true; of
// a signature and of short numbers nothing is shown. What is revealed is noted,
// each value once.
func TestSensitiveValues(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		server, _, ctx := demoServerAndVault(t, s)
		const query = `query($reveal: Boolean!) { agent(agentCode: %q) { payee { w9 { accountNumber(reveal: $reveal) taxpayerIdentifier(reveal: $reveal) signature(reveal: $reveal) }
			directDeposit { routingNumber(reveal: $reveal) institutionNumber(reveal: $reveal) transitNumber(reveal: $reveal) accountNumber(reveal: $reveal) } } } }`
		ask := func(ctx context.Context, code string, reveal bool) string {
			t.Helper()
			r := server.Execute(ctx, fmt.Sprintf(query, code), "", map[string]any{"reveal": reveal})
			if len(r.Errors) > 0 {
				t.Fatal(r.Errors)
			}
			return values(t, r.Data)
		}
		const masked = "****0012 ***-**-3456 **** ****0015 null null ****5678"
		const plain = `AC-00\12 900-12-3456 Ana Díaz 011000015 null null 0012345678`
		const canadian = "null null null null **** **** ****"
		for _, c := range []struct {
			name, code, want string
			ctx              context.Context
			reveal           bool
		}{
			{"masked", "A1008", masked, ctx, false},
			{"masked, Canada", "A1001", canadian, ctx, false},
			{"revealed", "A1008", plain, ctx, true},
			{"a tenant that masks", "A1008", masked, masking(ctx, "read:agents"), true},
			{"... and a scope to see", "A1008", plain, masking(ctx, "read:agents", "read:agents:sensitive"), true},
		} {
			if got := ask(c.ctx, c.code, c.reveal); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
		revealedFields(t, server, ctx)
	})
}

// revealedFields reads what the newest audit entry says: every value that was
// shown, once.
func revealedFields(t *testing.T, server *Server, ctx context.Context) {
	t.Helper()
	r := server.Execute(ctx, "{ auditLog(first: 1) { nodes { kind operation surface entityType entityKeys changes { field fingerprint } } } }", "", nil)
	const want = `{"auditLog":{"nodes":[{"kind":"REVEAL","operation":"agent","surface":"REST","entityType":"Agent","entityKeys":["A1008"],"changes":[` +
		`{"field":"directDeposit.accountNumber","fingerprint":null},{"field":"directDeposit.routingNumber","fingerprint":null},` +
		`{"field":"w9.accountNumber","fingerprint":null},{"field":"w9.signature","fingerprint":null},{"field":"w9.taxpayerIdentifier","fingerprint":null}]}]}}`
	if string(r.Data) != want {
		t.Errorf("audit entry %s, want %s, errors %v", r.Data, want, r.Errors)
	}
}

// masking is the context of a caller whose tenant masks sensitive values.
func masking(ctx context.Context, scopes ...string) context.Context {
	who := *tenant.From(ctx)
	who.MaskSensitive = true
	return tenant.WithCaller(tenant.With(ctx, &who), tenant.Caller{Subject: "t", Scopes: scopes})
}

// values returns the values of the W9 and the direct deposit in an answer, in
// their order.
func values(t *testing.T, data json.RawMessage) string {
	t.Helper()
	var answer struct {
		Agent struct {
			Payee struct{ W9, DirectDeposit map[string]*string }
		}
	}
	must(t, json.Unmarshal(data, &answer))
	var all []string
	for _, of := range []struct {
		values map[string]*string
		names  []string
	}{{answer.Agent.Payee.W9, []string{"accountNumber", "taxpayerIdentifier", "signature"}},
		{answer.Agent.Payee.DirectDeposit, []string{"routingNumber", "institutionNumber", "transitNumber", "accountNumber"}}} {
		for _, name := range of.names {
			text := "null"
			if v := of.values[name]; v != nil {
				text = *v
			}
			all = append(all, text)
		}
	}
	return strings.Join(all, " ")
}
