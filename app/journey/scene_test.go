package journey

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// scene is where a story is told: the calls of one caller of one tenant, each of
// which has to succeed.
type scene struct {
	*testing.T
	world *apptest.World
	*apptest.Caller
	tenant string
}

// newScene returns the scene of the tenant acme.
func newScene(t *testing.T, w *apptest.World) *scene {
	return (&scene{T: t, world: w}).in(apptest.Acme)
}

// in is the scene in another tenant.
func (s *scene) in(tenant string) *scene {
	other := *s
	other.tenant = tenant
	other.Caller = s.world.WithToken(tenant, s.world.As(tenant, allScopes...).Token(s))
	return &other
}

// gql sends a mutation or a query. Neither errors nor userErrors are expected, and
// null in the place of a payload is an error.
func (s *scene) gql(text string, variables object) object {
	s.Helper()
	data, ok := s.Query(s, text, variables).(object)
	if !ok {
		s.Fatalf("no data: %s", text)
	}
	for name, payload := range data {
		if refused, _ := apptest.At(payload, "userErrors").([]any); len(refused) > 0 {
			s.Fatalf("%s was refused: %v", name, refused)
		}
	}
	return data
}

// mutate sends a mutation of one field.
func (s *scene) mutate(field string, input object, shown string) any {
	s.Helper()
	data := s.gql("mutation($input: "+strings.ToUpper(field[:1])+field[1:]+"Input!) { "+field+"(input: $input) { userErrors { code field message } "+shown+" } }", object{"input": input})
	return data[field]
}

// rest sends a request to a path below agency-management, or to a whole path, and
// returns its answer.
func (s *scene) rest(method, path string, body any) object {
	s.Helper()
	if !strings.HasPrefix(path, "/agent-onboarding") && !strings.HasPrefix(path, "/identity-management") && !strings.HasPrefix(path, "/webhooks") && !strings.HasPrefix(path, "/business-insights") {
		path = "/agency-management/{tenant}" + path
	}
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			s.Fatal(err)
		}
	}
	w := s.Send(s, method, path, nil, encoded)
	var answer object
	_ = json.Unmarshal(w.Body.Bytes(), &answer) // lists and nothing are no objects
	if w.Code >= http.StatusMultipleChoices {
		s.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
	}
	return answer
}

// numbers makes names that no other story has; agents counts registrations.
var numbers, agents atomic.Int64

func unique(prefix string) string { return fmt.Sprint(prefix, numbers.Add(1)) }

// agent registers an agent, below the root or, every second, below branch, and returns
// its code. More is what the registration has besides.
func (s *scene) agent(more object) string {
	s.Helper()
	upline := []string{root, branch}[agents.Add(1)%2]
	code := unique("A")
	body := object{"agentCode": code, "firstName": "Ana", "lastName": "Low", "status": "Active", "startDate": "2020-01-01T12:00:00Z", "initiator": "hr",
		"teams": object{"default": object{"directUpline": upline, "level": 10}}}
	for name, v := range more {
		body[name] = v
	}
	s.rest("POST", "/agents", body)
	return body["agentCode"].(string)
}

// furnish gives a tenant what the stories refer to.
func (s *scene) furnish() {
	s.Helper()
	s.rest("POST", "/agents", object{"agentCode": root, "firstName": "Rita", "lastName": "Root", "status": "Active", "startDate": "2019-01-01T12:00:00Z", "initiator": "hr",
		"teams": object{"default": object{"level": 50}}})
	s.mutate("providerCompanyUpsert", object{"code": "ACO", "name": "A Company", "initiator": "hr"}, "applied")
	s.mutate("backgroundQuestionPublish", object{"sequence": 1, "text": "Any debts?", "responseType": "BOOLEAN"}, "applied")
	s.mutate("contractPublish", object{"title": "Agent contract", "body": "Text", "covenants": []any{object{"sequence": 1, "text": "I agree"}}}, "applied")
	s.agent(object{"agentCode": branch, "teams": object{"default": object{"directUpline": root, "level": 10}}})
	s.addLimited()
	s.agent(everything())
	s.agent(everything())
}

// everything is a registration with every part.
func everything() object {
	return object{
		"middleName": "M.", "commonName": "Annie", "email": unique("a") + "@example.com", "npn": "0012345", "customerId": "00042", "isDedicated": true,
		"governmentIdentifier": ssn(), "birthDate": "1980-02-29", "gender": "F",
		"homeAddress":     object{"line1": "1 Main St", "line2": "Apt 2", "city": "Boise", "jurisdiction": "US-TX", "postalCode": "01234", "country": "US"},
		"businessAddress": object{"line1": "2 Main St", "city": "Austin", "jurisdiction": "US-FL", "postalCode": "99999"},
		"cellPhone":       object{"areaCode": "208", "phoneNumber": "5550100"}, "homePhone": object{"countryCode": "44", "phoneNumber": "2079460000"},
		"businessPhone": object{"areaCode": "208", "phoneNumber": "5550101"}, "fax": object{"areaCode": "208", "phoneNumber": "5550102"},
		"w9":            w9("LLC_S"),
		"directDeposit": object{"country": "US", "accountHolderName": "Ana Low", "bankName": "Bank", "accountType": "Checking", "routingNumber": routing, "accountNumber": account()},
	}
}

func w9(classification string) object {
	return object{"name": "Ana Low", "businessName": "Low & Co.", "taxClassification": restName(classification), "exemptPayee": "4", "taxpayerIdentifier": ssn(), "accountNumber": account(),
		"address": object{"streetAddress": "1 Main St", "city": "Boise", "state": "ID", "zipCode": "01234"}, "signature": "Ana Low", "signatureDate": "2020-01-01"}
}

// restName is a value of an enumeration as REST spells it.
func restName(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "_") {
		b.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return b.String()
}

// ssn is a tax id that nobody else has.
func ssn() string { return fmt.Sprintf("9%08d", numbers.Add(1)) }

// account is the number of an account that nobody else has.
func account() string { return fmt.Sprintf("000%08d", numbers.Add(1)) }

// routing is the routing number of a bank.
const routing = "021000021"

// values are those of an enumeration of the schema.
func (s *scene) values(enumeration string) (names []string) {
	s.Helper()
	for _, v := range introspect(s, s.Caller)[enumeration].EnumValues {
		names = append(names, v.Name)
	}
	return names
}
