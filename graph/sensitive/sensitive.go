// Package sensitive knows which fields hold sensitive values and how much of one a
// request may see. It notes which values were shown in full; graph writes these notes
// into the audit trail.
package sensitive

import (
	"context"
	"strings"
	"sync"

	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Field is a field whose value is masked unless a request asks to reveal it.
type Field struct {
	// entityType and name identify the field in audit entries.
	entityType, name string
	// mask returns the part of a value that anybody may see; if it is nil, nothing is
	// shown.
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

// ofAgent returns the sensitive lines of a table whose records are a field of an agent.
func ofAgent(field string, lines []fields.Line) map[string]Field {
	secrets := map[string]Field{}
	for _, l := range lines {
		if l.Sealed != "" {
			secrets[l.Name] = Field{"Agent", field + "." + l.Path(), masks[l.Sealed]}
		}
	}
	return secrets
}

// masks are the functions that mask values, by the words of the tag sealed.
var masks = map[string]func(string) string{"identifier": vault.MaskIdentifier, "number": maskNumber, "nothing": nil}

// Hidden stands for a value of which nothing is shown.
const Hidden = "****"

// Sealed is the sensitive field of a type at a path; the word says how it is masked.
func Sealed(entityType, path, word string) Field { return Field{entityType, path, masks[word]} }

// maskNumber masks an account number, which does not have the form of a tax id: four
// asterisks and the last four characters.
func maskNumber(s string) string {
	return Hidden + strings.TrimLeft(vault.MaskIdentifier(s), "*-")
}

// Unsealed answers a sensitive field that has a column: with the mask of the value, or
// with the whole value if the request asks for it and the caller may see it. key is the
// key of the object that the value belongs to.
func (f Field) Unsealed(ctx context.Context, with *vault.Vault, key string, v *vault.Sealed, reveal bool) (*string, error) {
	if !v.Present() {
		return nil, nil
	}
	if f.mask == nil && !(reveal && tenant.MayReveal(ctx)) { // nothing to unseal
		return new(Hidden), nil
	}
	secret, err := with.Unseal(ctx, tenant.From(ctx).ID, v)
	if err != nil {
		return nil, err
	}
	shown := f.Shown(ctx, key, secret.Reveal(), reveal)
	return &shown, nil
}

// Shown returns what a request may see of a value: its mask, or the whole value, which it
// then notes for the audit trail.
func (f Field) Shown(ctx context.Context, key, value string, reveal bool) string {
	switch {
	case reveal && tenant.MayReveal(ctx):
		NotesOf(ctx).Add(f.entityType, key, f.name)
		return value
	case f.mask == nil:
		return Hidden
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

// Notes collects the values that a request reveals, each once, in the order in which they
// were asked for.
type Notes struct {
	mu   sync.Mutex
	seen map[Value]bool
	list []Value
}

type revealsKey struct{}

// NewContext returns a context that collects what is revealed.
func NewContext(ctx context.Context) (context.Context, *Notes) {
	r := &Notes{}
	return context.WithValue(ctx, revealsKey{}, r), r
}

// Fact is what NewContext puts into a context, for known.Is.
func Fact(r *Notes) (key, value any) { return revealsKey{}, r }

// NotesOf returns the collector of a context, nil without one.
func NotesOf(ctx context.Context) *Notes {
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

// All returns the notes.
func (r *Notes) All() []Value {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}
