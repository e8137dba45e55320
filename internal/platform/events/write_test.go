package events_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// What Write returns has the same body, byte for byte, as what is read back:
// signatures are over it.
func TestWriteReturnsWhatIsStored(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := events.WithTraceID(newTenant(t, s, "acme"), "4bf9")
		var written *events.Stored
		err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
			written, err = events.Write(ctx, tx, time.Date(2026, time.June, 15, 12, 0, 0, 1000, time.UTC), events.PingEvent("<1>", "ops"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		p, err := events.NewFeed(s).Page(ctx, events.Filter{}, page.Args{})
		if err != nil || len(p.Items) != 1 {
			t.Fatalf("%d events (%v)", len(p.Items), err)
		}
		want, err := p.Items[0].Body("acme")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := written.Body("acme"); err != nil || !bytes.Equal(got, want) {
			t.Errorf("the body is %s, read back %s (%v)", got, want, err)
		}
	})
}
