package graph_test

import (
	"context"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

const (
	readContent  = "agent-onboarding:app-configuration:read"
	writeContent = "agent-onboarding:app-configuration:write"
)

// node needs read:agents. A contract also needs the scope of its own paths, so
// that its global id is no way around it (specification, Authentication, 1).
func TestContractByGlobalIDNeedsItsScope(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		id := apptest.At(w.As(apptest.Acme, readContent).Query(t, `{ contract { id } }`, nil), "contract.id")
		for _, query := range []string{`query($id: ID!) { node(id: $id) { id } }`, `query($id: ID!) { nodes(ids: [$id]) { id } }`} {
			data, errs := w.As(apptest.Acme, "read:agents").GraphQL(t, query, object{"id": id})
			if len(errs) != 1 || errs[0].Extensions["code"] != "FORBIDDEN" || errs[0].Extensions["requiredScope"] != readContent {
				t.Errorf("%s answered %v, %v", query, data, errs)
			}
		}
	})
}

// A version of the contract is found by the versionId that a signed contract
// names, and by its global id.
func TestContractVersionByEitherID(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readContent)
		now := apptest.At(c.Query(t, `{ contract { id versionId } }`, nil), "contract").(object)
		const read = `query($id: ID!) { contractVersion(id: $id) { id versionId } }`
		for _, id := range []any{now["id"], now["versionId"]} {
			equal(t, "the contract", apptest.At(c.Query(t, read, object{"id": id}), "contractVersion"), now)
		}
		for _, id := range []string{"", "1", "QWdlbnQ6MQ", "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70"} {
			equal(t, "no contract "+id, apptest.At(c.Query(t, read, object{"id": id}), "contractVersion"), nil)
		}
		equal(t, "another tenant's", apptest.At(w.As(apptest.Umbra, readContent).Query(t, read, object{"id": now["versionId"]}), "contractVersion"), nil)
	})
}

// While nothing was published nothing is collected, and there is nothing to
// answer or to sign; the first publications are versions 1.
func TestNothingIsPublished(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		err := w.Store.InTx(w.Context(t, apptest.Acme), func(ctx context.Context, tx *store.Tx) error {
			for _, table := range []string{"onboarding_contract_covenant", "onboarding_contract_version", "onboarding_background_question", "onboarding_app_configuration"} {
				if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE tenant_id = $1", w.Tenants[apptest.Acme].ID); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		c := w.As(apptest.Acme, readContent, writeContent)
		equal(t, "published", c.Query(t, `{ appConfiguration { version collectTaxId products { id } publishedAt } backgroundQuestions { text } contract { title } contractCovenants { text } }`, nil),
			object{"appConfiguration": object{"version": number("0"), "collectTaxId": false, "products": []any{}, "publishedAt": nil}, "backgroundQuestions": []any{}, "contract": nil, "contractCovenants": []any{}})
		first := c.Query(t, `mutation { appConfigurationUpdate(input: {collectTaxId: true}) { appConfiguration { version } }
			contractPublish(input: {title: "A", body: "B", covenants: []}) { contract { versionNumber } } }`, nil)
		equal(t, "configuration", apptest.At(first, "appConfigurationUpdate.appConfiguration.version"), number("1"))
		equal(t, "contract", apptest.At(first, "contractPublish.contract.versionNumber"), number("1"))
	})
}

// What GraphQL sends reaches the area: each input has one place.
func TestContentRoundTrip(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, readContent, writeContent)
		configuration := object{"collectTaxId": false, "collectBirthDate": false, "collectMaritalInfo": false, "collectHomeAddress": false,
			"collectCorrespondenceAddress": true, "collectPrimaryPhone": false, "collectCellPhone": false, "collectLicenseInfo": false,
			"collectEmploymentInfo": false, "collectTaxInfo": false, "collectContract": false, "collectPersonalHistory": false, "requiresPayment": true,
			"defaultPayStatus": "Active", "defaultAgentLevel": number("20"), "products": list(object{"id": "kit", "name": "Kit", "price": "49.90", "currency": "USD"})}
		const fields = `collectTaxId collectBirthDate collectMaritalInfo collectHomeAddress collectCorrespondenceAddress collectPrimaryPhone collectCellPhone
			collectLicenseInfo collectEmploymentInfo collectTaxInfo collectContract collectPersonalHistory requiresPayment defaultPayStatus defaultAgentLevel
			products { id name price currency }`
		answer := c.Query(t, `mutation($input: AppConfigurationUpdateInput!) { appConfigurationUpdate(input: $input) { appConfiguration { `+fields+` } applied } }`, object{"input": configuration})
		equal(t, "applied", apptest.At(answer, "appConfigurationUpdate.applied"), true)
		equal(t, "answered", apptest.At(answer, "appConfigurationUpdate.appConfiguration"), configuration)
		equal(t, "read", apptest.At(c.Query(t, `{ appConfiguration { `+fields+` } }`, nil), "appConfiguration"), configuration)

		question := object{"sequence": number("99"), "text": "Which?", "helpText": "Choose one.", "responseType": "SINGLE_CHOICE", "choices": list("A", "B"), "requiresExplanationWhen": list("B")}
		answer = c.Query(t, `mutation($input: BackgroundQuestionPublishInput!) { backgroundQuestionPublish(input: $input) { backgroundQuestion {
			sequence text helpText responseType choices requiresExplanationWhen } } }`, object{"input": question})
		equal(t, "question", apptest.At(answer, "backgroundQuestionPublish.backgroundQuestion"), question)
	})
}
