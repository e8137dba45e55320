// Package known puts several values into a context as one. A request passes a dozen
// packages that each leave a value for later; a context for each value costs an allocation,
// and every look-up goes through all of them.
package known

import "context"

// Fact is a value of a context, under the key of the package that reads it.
type Fact struct{ key, value any }

// Is returns a fact. Packages return key and value of theirs from a function, so that the
// key stays their own: known.Is(tenant.Fact(t)).
func Is(key, value any) Fact { return Fact{key, value} }

// With returns a context with some facts.
func With(ctx context.Context, all ...Fact) context.Context {
	f := &facts{Context: ctx}
	if n := copy(f.known[:], all); n < len(all) {
		return With(f, all[n:]...)
	}
	return f
}

// facts is a context with a few facts; those that are not used have no key.
type facts struct {
	context.Context
	known [4]Fact
}

// Value implements context.Context.
func (f *facts) Value(key any) any {
	for i := range f.known {
		if f.known[i].key == key {
			return f.known[i].value
		}
	}
	return f.Context.Value(key)
}
