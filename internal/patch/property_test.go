package patch_test

import (
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
)

// A property becomes what another says, and tells whether its value is another then:
// an instant is the same in any zone, and null the same as nothing.
func TestBecome(t *testing.T) {
	noon := time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)
	there := noon.In(time.FixedZone("there", 3600))
	a, same, later := patch.Set(noon), patch.Set(there), patch.Set(noon.Add(1))
	null, omitted := patch.Null[time.Time](), patch.Field[time.Time]{}
	for _, step := range []struct {
		name    string
		next    *patch.Field[time.Time]
		changed bool
	}{{"the same instant", &same, false}, {"another", &later, true}, {"null", &null, true}, {"nothing", &omitted, false}, {"a value", &later, true}} {
		if got := a.Become(step.next); got != step.changed || a.Sent != step.next.Sent || a.Value != step.next.Value {
			t.Errorf("%s: %t, %+v", step.name, got, a)
		}
	}
}

func TestDest(t *testing.T) {
	var p patch.Field[string]
	to := p.Dest().(**string)
	if *to = new("x"); !p.IsSent() || p.Any() != "x" || p.OrZero() != "x" {
		t.Errorf("%+v", p)
	}
	*to = nil
	if !p.IsNull() || p.Any() != nil || p.OrZero() != "" {
		t.Errorf("%+v", p)
	}
}
