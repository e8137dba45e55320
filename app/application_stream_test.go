package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
)

// What happens to an application through one server arrives at the followers of
// another, on both transports, in order: as it stands then, of one recruiter where
// that was asked for, of a limited user those of its downline, never another
// tenant's, and nothing without the scope.
func TestApplicationsAcrossReplicas(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		r.register(t, "TOP", "")
		r.register(t, "MID", "TOP")
		r.register(t, "LOW", "MID")
		_, err := r.Identity.CreateRole(r.Context(t, apptest.Acme, allScopes...), identity.RoleInput{Name: "Below",
			Scopes: patch.Set([]string{"read:agents", "agent-onboarding:applications:read"}), LimitedToDownline: patch.Set(true)})
		if err != nil {
			t.Fatal(err)
		}
		ours := r.As(apptest.Acme, allScopes...)
		apply := func(c *apptest.Caller, recruiter, email string) string {
			t.Helper()
			return apptest.CreateApplication(t, c, object{"recruiterAgentCode": recruiter, "firstName": "Ana", "lastName": "Diaz", "emailAddress": email})
		}
		top, low := apply(ours, "TOP", "top@example.com"), apply(ours, "LOW", "low@example.com")
		theirs := r.As(apptest.Umbra, allScopes...)
		if status, _, body := theirs.REST(t, "POST", "/agents", apptest.Registration("LOW", "")); status != 201 {
			t.Fatalf("%d %s", status, body)
		}
		foreign := apply(theirs, "LOW", "foreign@example.com")

		const all = `subscription { applicationStatusChanged { status recruiterAgentCode statusHistory { toStatus reason } } }`
		f := r.follow(t, ours, all)
		lines := r.stream(t, ours, all)
		one := r.follow(t, ours, `subscription { applicationStatusChanged(recruiterAgentCode: "LOW") { status recruiterAgentCode } }`)
		mid := r.AsUser(t, apptest.Acme, r.AddUser(t, apptest.Acme, "mid", "MID", "Below"))
		limited := r.follow(t, mid, `subscription { applicationStatusChanged { status recruiterAgentCode } }`)
		r.listening(t, 4)
		r.follow(t, r.As(apptest.Acme, "read:agents"), all).expect(`"type":"error","payload":[{"message":"The token does not hold the scope agent-onboarding:applications:read"`)

		step := func(c *apptest.Caller, field, arguments string) {
			t.Helper()
			data := c.Query(t, fmt.Sprintf(`mutation { result: %s(input: {%s}) { applied userErrors { code } } }`, field, arguments), nil)
			if apptest.At(data, "result.applied") != true {
				t.Fatalf("%s: %v", field, data)
			}
		}
		step(theirs, "applicationHold", fmt.Sprintf(`id: %q, reason: "foreign"`, foreign))
		step(ours, "applicationHold", fmt.Sprintf(`id: %q, reason: "on leave"`, top))
		step(ours, "applicationReject", fmt.Sprintf(`id: %q, reason: "no reply"`, low))

		held := `{"applicationStatusChanged":{"status":"HOLD","recruiterAgentCode":"TOP","statusHistory":[{"toStatus":"ACTIVE","reason":null},{"toStatus":"HOLD","reason":"on leave"}]}}`
		rejected := `{"applicationStatusChanged":{"status":"REJECTED","recruiterAgentCode":"LOW"`
		f.expect(held, rejected)
		for _, want := range []string{held, rejected} {
			if got := <-lines; !strings.Contains(got, want) {
				t.Errorf("received %s, want %s", got, want)
			}
		}
		one.expect(rejected)
		limited.expect(rejected)
	})
}
