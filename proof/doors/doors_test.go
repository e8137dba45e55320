package doors_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
)

// Both doors say the same of the same agent on the same date, for every agent of
// a demo agency.
func TestDoorsAgree(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		agency := w.LoadDemo(t, apptest.Acme, 300)
		c := w.As(apptest.Acme)
		today := clock.Today(w.Clock, w.Tenants[apptest.Acme].Zone)
		rapid.Check(t, func(t *rapid.T) {
			code := rapid.SampledFrom(agency.Agents).Draw(t, "agent").Code
			on := today + date.Date(rapid.IntRange(-4000, 400).Draw(t, "days"))
			data := c.Query(t, bothDoors, object{"code": code, "on": on.String()})
			agent, ok := apptest.At(data, "agent").(object)
			if !ok {
				t.Fatalf("no agent %s", code)
			}
			certifications := apptest.At(agent, "certifications.nodes")
			delete(agent, "certifications")
			same(t, "agent", inREST(agent), read(t, c, "/agents/"+code+"/on-date/"+on.String()))
			same(t, "certifications", certificationsInREST(certifications),
				apptest.At(read(t, c, "/certifications?pageSize=100&agentCode="+code+"&onDate="+on.String()), "items"))
		})
	})
}

func same(t apptest.T, what string, graphql, rest any) {
	t.Helper()
	if !reflect.DeepEqual(graphql, rest) {
		t.Fatalf("%s: GraphQL says\n%v\nREST says\n%v", what, graphql, rest)
	}
}

func read(t apptest.T, c *apptest.Caller, path string) (body any) {
	t.Helper()
	status, _, answer := c.REST(t, http.MethodGet, path, nil)
	decode := json.NewDecoder(strings.NewReader(string(answer)))
	decode.UseNumber()
	if err := decode.Decode(&body); err != nil || status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, status, answer)
	}
	return body
}

const bothDoors = `query($code: String!, $on: Date!) { agent(agentCode: $code, onDate: $on) {
	agentCode firstName middleName lastName commonName suffix status: payStatus { name } isActive startDate onDate: asOf
	governmentIdentifier(reveal: true) birthDate gender email npn customerId isDedicated
	homeAddress { ...address } businessAddress { ...address } cellPhone { ...phone } homePhone { ...phone } businessPhone { ...phone } fax { ...phone }
	teams: membership { directUpline { agentCode } level { value } }
	payee { w9 { name businessName taxClassification exemptPayee address { streetAddress city state zipCode } accountNumber(reveal: true)
			taxpayerIdentifier(reveal: true) signature(reveal: true) signatureDate }
		directDeposit { country accountHolderName bankName accountType routingNumber(reveal: true) institutionNumber(reveal: true)
			transitNumber(reveal: true) accountNumber(reveal: true) lastModified lastModifiedBy } }
	tags { name } createdAt createdBy lastModified lastModifiedBy
	certifications(first: 100) { nodes { id: databaseId agent { agentCode } type { code } providerCompany { code } jurisdiction { code } identifier
		isResidentCertification isVerified status effectiveFrom effectiveThrough note lastModified lastModifiedBy } }
} }
fragment address on Address { line1 line2 city jurisdiction { code } postalCode country }
fragment phone on Phone { countryCode areaCode phoneNumber }`

// inREST turns an agent of GraphQL into what the specification shows.
func inREST(agent object) any {
	payee := agent["payee"].(object)
	delete(agent, "payee")
	agent["w9"], agent["directDeposit"] = spelled(payee["w9"], "taxClassification"), spelled(payee["directDeposit"], "accountType")
	agent["status"] = only(agent["status"])
	membership := agent["teams"].(object)
	agent["teams"] = object{"default": object{"directUpline": only(membership["directUpline"]), "level": only(membership["level"])}}
	for _, name := range []string{"homeAddress", "businessAddress"} {
		if a, ok := agent[name].(object); ok {
			a["jurisdiction"] = only(a["jurisdiction"])
		}
	}
	tags := []any{}
	for _, tag := range agent["tags"].([]any) {
		tags = append(tags, only(tag))
	}
	agent["tags"] = tags
	return agent
}

// certificationsInREST leaves out what is "present only when it has a value".
func certificationsInREST(nodes any) any {
	for _, node := range nodes.([]any) {
		c := node.(object)
		c["agentCode"] = only(c["agent"])
		delete(c, "agent")
		for _, name := range []string{"type", "providerCompany", "jurisdiction"} {
			c[name] = only(c[name])
		}
		spelled(c, "status")
		for _, name := range []string{"providerCompany", "effectiveThrough", "note"} {
			if c[name] == nil {
				delete(c, name)
			}
		}
	}
	return nodes
}

// only is the one value of an object.
func only(v any) any {
	if o, ok := v.(object); ok {
		for _, value := range o {
			return value
		}
	}
	return v
}

// spelled writes an enum value as the specification does: ADMINISTRATIVE_SUSPENSION
// is AdministrativeSuspension.
func spelled(v any, name string) any {
	o, ok := v.(object)
	if !ok || o[name] == nil {
		return v
	}
	var word strings.Builder
	for part := range strings.SplitSeq(o[name].(string), "_") {
		word.WriteString(part[:1] + strings.ToLower(part[1:]))
	}
	o[name] = word.String()
	return o
}
