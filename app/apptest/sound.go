package apptest

import (
	"context"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/app/doctor"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// Sound fails the test unless a doctor finds nothing wrong in the database of a World,
// or of a server with its key.
func Sound(t T, s *store.Store, c clock.Clock) {
	t.Helper()
	s = dbtest.Owner(t, s) // a role that sees less finds less
	v, err := vault.New(key, directory.NewKeysets(s))
	if err != nil {
		t.Fatalf("%v", err)
	}
	findings, err := doctor.New(s, v, c).Examine(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatalf("examine the database: %v", err)
	}
	var said strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&said, "\n  %s %s, %s: %s", f.Check, f.Tenant, f.Where, f.Problem)
	}
	if len(findings) > 0 {
		t.Fatalf("the database is not sound:%s", said.String())
	}
}
