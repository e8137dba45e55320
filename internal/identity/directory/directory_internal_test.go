package directory

import (
	"bytes"
	"database/sql/driver"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// changedMeanwhile is an identifier whose tenant changes while it is looked up.
type changedMeanwhile struct {
	d *Directory
	t *tenant.Tenant
}

// Value implements driver.Valuer.
func (c changedMeanwhile) Value() (driver.Value, error) {
	c.d.forget(c.t)
	return c.t.Identifier, nil
}

// What was read before a change is not remembered after it: the reader may have come
// before the change and remember later.
func TestDirectoryKeepsNothingFromBeforeAChange(t *testing.T) {
	s := dbtest.SQLite(t)
	c := clock.At(time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC))
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize), NewKeysets(s))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(t.Context(), s, v, c, NewTenant{Identifier: "acme", Name: "Acme", TimeZone: "America/Chicago", DefaultPageSize: 20, MaxPageSize: 100}); err != nil {
		t.Fatal(err)
	}
	d := New(s, c)
	first, err := d.Find(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	d.forget(first)
	changed := changedMeanwhile{d, first}
	if _, err := lookUp(t.Context(), d, map[changedMeanwhile]found{}, changed, "identifier = $1"); err != nil || len(d.byIdentifier) != 0 || len(d.byID) != 0 {
		t.Errorf("%v; remembered are %v", err, d.byIdentifier)
	}
	if _, err := d.Find(t.Context(), "acme"); err != nil || len(d.byIdentifier) != 1 {
		t.Errorf("%v; remembered are %v", err, d.byIdentifier)
	}
}
