package identity_test

import (
	"context"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

// A public client has redirect URIs and no secret: it gets no token of its own
// (RFC 6749 §4.4: "MUST only be used by confidential clients"), no secret by
// rotation, and no API key. Any other client may have redirect URIs, and public keys
// instead of a secret (RFC 7523 §2.2).
func TestPublicClients(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		scopes := patch.Set([]string{"read:agents"})
		uris := patch.Set([]string{"http://127.0.0.1/callback"})
		client, secret, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "desk", Scopes: scopes, IsPublic: true, RedirectURIs: uris})
		if err != nil || secret != "" || !client.IsPublic || len(client.RedirectURIs) != 1 {
			t.Fatalf("%+v %q %v", client, secret, err)
		}
		for _, guess := range []vault.Secret{"", "x"} {
			if status := w.token(t, "acme.desk", guess); status != 401 {
				t.Errorf("a token with the secret %q: %d", guess, status)
			}
		}
		if _, _, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "crm", Scopes: scopes}); err != nil {
			t.Fatal(err)
		}
		if _, did, err := w.UpdateClient(w.ctx, "acme.crm", identity.ClientInput{RedirectURIs: uris}); err != nil || !did {
			t.Errorf("redirect URIs of a client with a secret: %v", err)
		}
		signer, secret, err := w.CreateClient(w.ctx, identity.ClientInput{Name: "signer", Scopes: scopes, PublicKeys: patch.Set(publicKeys)})
		if err != nil || secret != "" || signer.PublicKeys == "" {
			t.Fatalf("%+v %q %v", signer, secret, err)
		}
		for name, refused := range map[string]error{
			"none":           second(w.CreateClient(w.ctx, identity.ClientInput{Name: "a", Scopes: scopes, IsPublic: true})),
			"a bad one":      second(w.CreateClient(w.ctx, identity.ClientInput{Name: "b", Scopes: scopes, IsPublic: true, RedirectURIs: patch.Set([]string{"http://app.example/"})})),
			"keys of it":     second(w.CreateClient(w.ctx, identity.ClientInput{Name: "c", Scopes: scopes, IsPublic: true, RedirectURIs: uris, PublicKeys: patch.Set(publicKeys)})),
			"keys later":     third(w.UpdateClient(w.ctx, "acme.desk", identity.ClientInput{PublicKeys: patch.Set(publicKeys)})),
			"no keys":        second(w.CreateClient(w.ctx, identity.ClientInput{Name: "e", Scopes: scopes, PublicKeys: patch.Set(`{"keys": []}`)})),
			"a secret key":   second(w.CreateClient(w.ctx, identity.ClientInput{Name: "f", Scopes: scopes, PublicKeys: patch.Set(`{"keys": [{"kty": "oct", "kid": "a", "k": "AAAA"}]}`)})),
			"a private key":  second(w.CreateClient(w.ctx, identity.ClientInput{Name: "g", Scopes: scopes, PublicKeys: patch.Set(withPrivate)})),
			"one later":      third(w.UpdateClient(w.ctx, "acme.crm", identity.ClientInput{PublicKeys: patch.Set(withPrivate)})),
			"no JSON":        third(w.UpdateClient(w.ctx, "acme.crm", identity.ClientInput{PublicKeys: patch.Set("x")})),
			"a new secret":   second(w.RotateClientSecret(w.ctx, "acme.signer", false)),
			"too many":       second(w.CreateClient(w.ctx, identity.ClientInput{Name: "d", Scopes: scopes, IsPublic: true, RedirectURIs: patch.Set(make([]string, 11))})),
			"null":           third(w.UpdateClient(w.ctx, "acme.desk", identity.ClientInput{RedirectURIs: patch.Null[[]string]()})),
			"none any more":  third(w.UpdateClient(w.ctx, "acme.desk", identity.ClientInput{RedirectURIs: patch.Set([]string{})})),
			"of a script":    third(w.UpdateClient(w.ctx, "acme.crm", identity.ClientInput{RedirectURIs: patch.Set([]string{"javascript:alert(1)"})})),
			"a secret":       second(w.RotateClientSecret(w.ctx, "acme.desk", false)),
			"a key":          key(w.CreateAPIKey(w.ctx, "acme.desk", identity.APIKeyInput{Name: "k", Scopes: []string{"read:agents"}})),
			"a script's URI": third(w.UpdateClient(w.ctx, "acme.desk", identity.ClientInput{RedirectURIs: patch.Set([]string{"javascript:alert(1)"})})),
		} {
			if p := problem.From(refused); len(p) == 0 || strings.Contains(p[0].Message, "c2VjcmV0") {
				t.Errorf("%s: %v", name, refused)
			} else if strings.Contains(name, "one later") && (p[0].Field[0] != "publicKeys" || !strings.Contains(p[0].Message, "public keys only")) {
				t.Errorf("%s: %v", name, refused)
			}
		}
		// One that was stored before is never shown.
		if err := w.Store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, "UPDATE identity_client SET public_keys = $1 WHERE client_id = 'acme.signer'", withPrivate)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if shown, err := w.Client(w.ctx, "acme.signer"); err != nil || strings.Contains(shown.PublicKeys, "c2VjcmV0") || !strings.Contains(shown.PublicKeys, `"kid"`) {
			t.Errorf("%+v %v", shown, err)
		}
		changed, did, err := w.UpdateClient(w.ctx, "acme.desk", identity.ClientInput{RedirectURIs: patch.Set([]string{"https://app.example/cb"})})
		if err != nil || !did || changed.RedirectURIs[0] != "https://app.example/cb" {
			t.Errorf("%+v %v", changed, err)
		}
	})
}

// withPrivate is a key set with private members: one is named twice, one in capitals.
var withPrivate = strings.Replace(publicKeys, `"kid"`, `"D": "c2VjcmV0", "\u0064": "c2VjcmV0", "d": "c2VjcmV0", "kid"`, 1)

func second(_ *identity.Client, _ vault.Secret, err error) error { return err }

func third(_ *identity.Client, _ bool, err error) error { return err }

func key(_ *identity.APIKey, _ vault.Secret, err error) error { return err }

const publicKeys = `{"keys": [{"kty": "OKP", "crv": "Ed25519", "kid": "k1", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`
