// Package sensitive says which fields hold sensitive values, what a request is shown of
// one, and notes what it was shown in full; graph writes that into the audit trail.
package sensitive

import (
	"context"
	"strings"
	"sync"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// Field is a field whose value is shown masked unless a request asks
// to reveal it.
type Field struct {
	// entityType and name say in audit entries what was revealed.
	entityType, name string
	// mask shows what anybody may see of a value; nil: nothing of it.
	mask func(string) string
}

// GovernmentIdentifier is the SSN or SIN of an agent.
var GovernmentIdentifier = Field{"Agent", "governmentIdentifier", vault.MaskIdentifier}

// The sensitive lines of the tables of fields of an agent, by their names.
var (
	W9   = ofAgent("w9", payee.W9Fields)
	Bank = ofAgent("directDeposit", payee.BankFields)
)

// Applicant are the sensitive texts of applications, by their names.
var Applicant = func() map[string]Field {
	secrets := map[string]Field{}
	for _, s := range onboarding.Secrets {
		secrets[s.Name()] = Field{"Application", s.Name(), masks[s.Shown]}
	}
	return secrets
}()

// ofAgent are the sensitive lines of a table whose records are a field of an agent.
func ofAgent(field string, lines []fields.Line) map[string]Field {
	secrets := map[string]Field{}
	for _, l := range lines {
		if l.Sealed != "" {
			secrets[l.Name] = Field{"Agent", field + "." + l.Path(), masks[l.Sealed]}
		}
	}
	return secrets
}

// masks are what is shown of sensitive values, by the words that areas have for it.
var masks = map[string]func(string) string{"identifier": vault.MaskIdentifier, "number": maskNumber, "nothing": nil}

// hidden is a value of which nothing is shown.
var hidden = "****"

// maskNumber masks the number of an account, which has not the form of a tax
// id: four asterisks and the last four characters.
func maskNumber(s string) string {
	return hidden + strings.TrimLeft(vault.MaskIdentifier(s), "*-")
}

// Unsealed answers every sensitive field that has a column: with the mask of
// the value, or with all of it when the request asks for that and may. key is
// that of the object the value belongs to.
func (f Field) Unsealed(ctx context.Context, with *vault.Vault, key string, v *vault.Sealed, reveal bool) (*string, error) {
	if !v.Present() {
		return nil, nil
	}
	if f.mask == nil && !(reveal && tenant.MayReveal(ctx)) { // nothing to unseal
		return &hidden, nil
	}
	secret, err := with.Unseal(ctx, tenant.From(ctx).ID, v)
	if err != nil {
		return nil, err
	}
	shown := f.Shown(ctx, key, secret.Reveal(), reveal)
	return &shown, nil
}

// Shown is what a request sees of a value: its mask, or, noted for the audit
// trail, all of it.
func (f Field) Shown(ctx context.Context, key, value string, reveal bool) string {
	switch {
	case reveal && tenant.MayReveal(ctx):
		revealsOf(ctx).Add(f.entityType, key, f.name)
		return value
	case f.mask == nil:
		return hidden
	}
	return f.mask(value)
}

// ShownOf is Shown for a value that may be missing.
func (f Field) ShownOf(ctx context.Context, key string, value *string, reveal bool) *string {
	if value == nil {
		return nil
	}
	shown := f.Shown(ctx, key, *value, reveal)
	return &shown
}

// Value is a sensitive value that was shown in full.
type Value struct{ EntityType, Key, Field string }

// Notes collects what a request reveals, each value once and in the order in
// which they were asked for.
type Notes struct {
	mu   sync.Mutex
	seen map[Value]bool
	list []Value
}

type revealsKey struct{}

// NewContext returns a context whose requests collect what they reveal.
func NewContext(ctx context.Context) (context.Context, *Notes) {
	r := &Notes{}
	return context.WithValue(ctx, revealsKey{}, r), r
}

// revealsOf returns the collector of a context, nil without one.
func revealsOf(ctx context.Context) *Notes {
	r, _ := ctx.Value(revealsKey{}).(*Notes)
	return r
}

// Add notes a value. A nil collector notes nothing.
func (r *Notes) Add(entityType, key, field string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := (Value{entityType, key, field}); !r.seen[one] {
		if r.seen == nil {
			r.seen = map[Value]bool{}
		}
		r.seen[one] = true
		r.list = append(r.list, one)
	}
}

// All returns what was noted.
func (r *Notes) All() []Value {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}
