package graph

import (
	"context"
	"strings"
	"sync"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/tenant"
)

// sensitiveField is a field whose value is shown masked unless a request asks
// to reveal it.
type sensitiveField struct {
	// entityType and name say in audit entries what was revealed.
	entityType, name string
	// mask shows what anybody may see of a value; nil: nothing of it.
	mask func(string) string
}

var governmentIdentifier = sensitiveField{"Agent", "governmentIdentifier", vault.MaskIdentifier}

// The sensitive lines of the tables of fields of an agent, by their names.
var (
	w9Secrets   = secretsOf("w9", agency.W9Fields)
	bankSecrets = secretsOf("directDeposit", agency.BankFields)
)

// applicantSecrets are the sensitive texts of applications, by their names.
var applicantSecrets = func() map[string]sensitiveField {
	secrets := map[string]sensitiveField{}
	for _, s := range onboarding.Secrets {
		secrets[s.Name()] = sensitiveField{"Application", s.Name(), masks[s.Shown]}
	}
	return secrets
}()

// secretsOf are the sensitive lines of a table whose records are a field of an agent.
func secretsOf(field string, lines []fields.Line) map[string]sensitiveField {
	secrets := map[string]sensitiveField{}
	for _, l := range lines {
		if l.Sealed != "" {
			secrets[l.Name] = sensitiveField{"Agent", field + "." + l.Path(), masks[l.Sealed]}
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

// sensitive answers every sensitive field that has a column: with the mask of
// the value, or with all of it when the request asks for that and may. key is
// that of the object the value belongs to.
func (r *Resolver) sensitive(ctx context.Context, f sensitiveField, key string, v *vault.Sealed, reveal bool) (*string, error) {
	if !v.Present() {
		return nil, nil
	}
	if f.mask == nil && !(reveal && tenant.MayReveal(ctx)) { // nothing to unseal
		return &hidden, nil
	}
	secret, err := r.Vault.Unseal(ctx, tenant.From(ctx).ID, v)
	if err != nil {
		return nil, err
	}
	shown := f.shown(ctx, key, secret.Reveal(), reveal)
	return &shown, nil
}

// shown is what a request sees of a value: its mask, or, noted for the audit
// trail, all of it.
func (f sensitiveField) shown(ctx context.Context, key, value string, reveal bool) string {
	switch {
	case reveal && tenant.MayReveal(ctx):
		revealsOf(ctx).Add(f.entityType, key, f.name)
		return value
	case f.mask == nil:
		return hidden
	}
	return f.mask(value)
}

// shownOf is shown for a value that may be missing.
func (f sensitiveField) shownOf(ctx context.Context, key string, value *string, reveal bool) *string {
	if value == nil {
		return nil
	}
	shown := f.shown(ctx, key, *value, reveal)
	return &shown
}

// revealed is a sensitive value that was shown in full.
type revealed struct{ EntityType, Key, Field string }

// reveals collects what a request reveals, each value once and in the order in
// which they were asked for.
type reveals struct {
	mu   sync.Mutex
	seen map[revealed]bool
	list []revealed
}

type revealsKey struct{}

// newReveals returns a context whose requests collect what they reveal.
func newReveals(ctx context.Context) (context.Context, *reveals) {
	r := &reveals{}
	return context.WithValue(ctx, revealsKey{}, r), r
}

// revealsOf returns the collector of a context, nil without one.
func revealsOf(ctx context.Context) *reveals {
	r, _ := ctx.Value(revealsKey{}).(*reveals)
	return r
}

// Add notes a value. A nil collector notes nothing.
func (r *reveals) Add(entityType, key, field string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := (revealed{entityType, key, field}); !r.seen[one] {
		if r.seen == nil {
			r.seen = map[revealed]bool{}
		}
		r.seen[one] = true
		r.list = append(r.list, one)
	}
}

// All returns what was noted.
func (r *reveals) All() []revealed {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}
