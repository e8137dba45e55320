package audit

import "context"

// Shown is what the answer to a request shows in full. It is for a door that knows only
// later whether the answer goes out with a body: a 304 and the answer to HEAD show
// nothing.
type Shown struct {
	// Operation is that of the request, as in Origin.
	Operation string
	Entries   []Entry
}

type heldKey struct{}

// Hold returns a context whose requests do not record what they reveal. They add
// it to the Shown, and whoever holds it passes it to RevealShown before the
// answer goes out.
func Hold(ctx context.Context) (context.Context, *Shown) {
	s := new(Shown)
	return context.WithValue(ctx, heldKey{}, s), s
}

// Held returns where the context's requests add what they reveal; nil when they record it
// themselves.
func Held(ctx context.Context) *Shown {
	s, _ := ctx.Value(heldKey{}).(*Shown)
	return s
}

// RevealShown records what was held, as Reveal does, with the origin of ctx.
func (t *revealing) RevealShown(ctx context.Context, s Shown) error {
	o := OriginFrom(ctx)
	o.Operation = s.Operation
	ctx = WithOrigin(ctx, o)
	for _, e := range s.Entries {
		if err := t.Reveal(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
