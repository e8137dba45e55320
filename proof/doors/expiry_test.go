package doors_test

import (
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// CertificationExpiring is told by a job, to every tenant, and fits its schema.
func TestJobsTellOfExpiringCertifications(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		ends := w.Clock.Now().AddDate(0, 0, 20).Format(time.DateOnly)
		for _, identifier := range []string{apptest.Acme, apptest.Umbra} {
			c := w.As(identifier)
			change(t, c, "POST", "/agents", object{"agentCode": "E1", "firstName": "A", "lastName": "B", "status": "Active", "teams": object{"default": object{"level": 10}}})
			change(t, c, "POST", "/certifications", object{"agentCode": "E1", "type": "AML", "isResidentCertification": true, "isVerified": false, "effectiveThrough": ends})
		}
		jobs, err := w.Jobs()
		if err == nil {
			err = jobs.Start(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		defer jobs.Stop(t.Context())
		var told int
		db := dbtest.Owner(t, w.Store)
		for range 6000 {
			_, err := store.One(t.Context(), db, []any{&told}, "SELECT count(DISTINCT tenant_id) FROM outbox_event WHERE type = $1 AND tenant_id IN ($2, $3)",
				events.CertificationExpiring, w.Tenants[apptest.Acme].ID, w.Tenants[apptest.Umbra].ID)
			if err != nil {
				t.Fatal(err)
			}
			if told == 2 {
				fitSchemas(t, w)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d tenants were told, want 2", told)
	})
}
