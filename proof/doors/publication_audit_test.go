package doors_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// onboardingScopes are those of what an agency publishes for its recruits.
var onboardingScopes = []string{"agent-onboarding:app-configuration:read", "agent-onboarding:app-configuration:write"}

// publications are the mutations that publish something of onboarding, with
// arguments. They have no initiator: it is the token's subject.
var publications = map[string]string{
	"appConfigurationUpdate":    `input: {collectTaxInfo: false}`,
	"backgroundQuestionPublish": `input: {contentItemId: "<item>", sequence: 1, text: "Other words", responseType: TEXT}`,
	"backgroundQuestionRetire":  `input: {contentItemId: "<item>"}`,
	"contractPublish":           `input: {title: "Other", body: "words", covenants: []}`,
}

// Each publication leaves one audit entry and one event, of the operation; the
// same request again changes nothing and leaves neither, and so does one that
// another tenant's ids are sent with.
func TestPublicationsAreAudited(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, append([]string{"read:agents"}, onboardingScopes...)...)
		item := func(tenant string) string {
			return apptest.At(w.As(tenant, onboardingScopes...).Query(t, `{ backgroundQuestions { contentItemId } }`, nil), "backgroundQuestions.0.contentItemId").(string)
		}
		send := func(mutation, item string) any {
			data := c.Query(t, "mutation { result: "+mutation+"("+strings.ReplaceAll(publications[mutation], "<item>", item)+") { applied } }", nil)
			return apptest.At(data, "result.applied")
		}
		foreign, ours := item(apptest.Umbra), item(apptest.Acme)
		var want []string
		for _, step := range []struct{ mutation, entity, event, fields string }{
			{"appConfigurationUpdate", "AppConfiguration", "ConfigurationPublished", "[collectTaxInfo]"},
			{"backgroundQuestionPublish", "BackgroundQuestion", "ConfigurationPublished", "[text helpText responseType requiresExplanationWhen]"},
			{"backgroundQuestionRetire", "BackgroundQuestion", "ConfigurationPublished", "[retiredAt]"},
			{"contractPublish", "Contract", "ContractPublished", "[title body covenants]"},
		} {
			if strings.Contains(publications[step.mutation], "<item>") {
				if got := emitted(t, w, func() { send(step.mutation, foreign) }); got != "" {
					t.Errorf("%s of another tenant's question: events %q", step.mutation, got)
				}
			}
			if got := emitted(t, w, func() { send(step.mutation, ours) }); got != step.event {
				t.Errorf("%s: events %q", step.mutation, got)
			}
			if got := emitted(t, w, func() {
				if applied := send(step.mutation, ours); applied != false {
					t.Errorf("%s once more: applied %v", step.mutation, applied)
				}
			}); got != "" {
				t.Errorf("%s once more: events %q", step.mutation, got)
			}
			want = append(want, fmt.Sprint(step.mutation, " ", step.entity, " ", step.fields))
		}
		data := c.Query(t, `{ auditLog { nodes { operation entityType changes { field } } } }`, nil)
		var got []string
		for _, node := range apptest.At(data, "auditLog.nodes").([]any) {
			entry := fmt.Sprint(apptest.At(node, "operation"), " ", apptest.At(node, "entityType"), " ", apptest.Each(node, "changes", "field"))
			got = append([]string{entry}, got...)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("entries\n%q; want\n%q", got, want)
		}
		fitSchemas(t, w)
	})
}
