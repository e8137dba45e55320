package graph_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/graph"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

var updateRounds = flag.Int("updates", 1, "how often each field of each update is changed alone")

// updated is a record that an update changes.
type updated struct {
	// made makes it, and answers the fields of the input that name it.
	made func(u *updates) object
	// read is the root field that answers it, of those fields.
	read string
	// below is where in it fields of the input stand that are not named alike.
	below map[string]string
	// follows are other fields that change together with one of the input, by its name.
	follows map[string][]string
}

// updates changes records field by field.
type updates struct {
	*apptest.Caller
	t      *testing.T
	schema *ast.Schema
	random *rand.Rand
	name   string
	key    object
	codes  []string // of agents that it may name
}

func (u *updates) did(mutation, path string) any {
	u.t.Helper()
	return apptest.At(succeed(u.t, u.Caller, "mutation { made: "+mutation+" }", nil), "made."+path)
}

// agent registers an agent, with two others.
func (u *updates) agent() string {
	for _, letter := range "ABC" {
		code := fmt.Sprintf("%c%d%s", letter, len(u.name), u.name[5:9])
		newAgent(u.t, u.Caller, code, "", "2025-01-01")
		u.codes = append(u.codes, code)
	}
	return u.codes[0]
}

func anAgent(u *updates) object { return object{"agentCode": u.agent()} }

// keyed makes a record whose key is x, or another text.
func keyed(key, mutation string, value any) func(*updates) object {
	return func(u *updates) object {
		u.did(mutation+" { applied userErrors { code field } }", "applied")
		return object{key: value}
	}
}

// updatable has a record for every update but those that notUpdatable excuses.
var updatable = map[string]updated{
	"agentUpdate":        {made: anAgent, read: "agent(agentCode: $agentCode)", follows: map[string][]string{"": {"displayName"}}},
	"agentContactUpdate": {made: anAgent, read: "agent(agentCode: $agentCode)"},
	"agentPayeeUpdate": {made: anAgent, read: "agent(agentCode: $agentCode)", below: map[string]string{"status": "payee.status", "w9": "payee.w9", "directDeposit": "payee.directDeposit"},
		follows: map[string][]string{"": {"payee.isPayable", "payee.missing"}, "status": {"payStatus", "isActive"}}},
	"agentMembershipUpdate": {made: anAgent, read: "agent(agentCode: $agentCode)", below: map[string]string{"membership.directUpline": "membership.directUplineCode"},
		follows: map[string][]string{"membership.directUpline": {"membership.directUpline", "membership.uplineSince"}, "membership.level": {"membership.levelSince"}}},
	"certificationUpdate": {made: func(u *updates) object {
		return object{"id": u.did(`certificationUpsert(input: {agentCode: "`+u.agent()+`", type: "LIFE", jurisdiction: "US-TX", isResidentCertification: true, isVerified: false, status: ACTIVE, effectiveFrom: "2026-01-01"}) { certification { id } userErrors { code field } }`, "certification.id")}
	}, read: "certification(id: $id)", follows: map[string][]string{"status": {"effectiveFrom", "effectiveThrough", "daysRemaining"}}},
	"productUpdate":           {made: keyed("code", `productCreate(input: {code: "x", name: "x"})`, "x"), read: "product(code: $code)"},
	"certificationTypeUpdate": {made: keyed("code", `certificationTypeCreate(input: {code: "x", name: "x", requiresJurisdiction: true, requiresProviderCompany: false})`, "x"), read: "certificationType(code: $code)"},
	"jurisdictionUpdate":      {made: keyed("code", `jurisdictionCreate(input: {code: "XX-XX", name: "x", country: "XX"})`, "XX-XX"), read: "jurisdiction(code: $code)"},
	"payStatusUpdate":         {made: keyed("name", `payStatusCreate(input: {name: "x", isActive: true})`, "x"), read: "payStatus(name: $name)"},
	"agentLevelUpdate":        {made: keyed("value", `agentLevelCreate(input: {value: 777, name: "x"})`, 777), read: "agentLevel(value: $value)"},
	"tagUpdate":               {made: keyed("name", `tagCreate(input: {name: "x"})`, "x"), read: "tag(name: $name)"},
	"clientUpdate": {made: func(u *updates) object {
		return object{"clientId": u.did(`clientCreate(input: {name: "x", scopes: ["read:agents"]}) { client { clientId } userErrors { code field } }`, "client.clientId")}
	}, read: "client(clientId: $clientId)"},
	"userUpdate": {made: func(u *updates) object {
		u.agent()
		return keyed("username", `userCreate(input: {username: "x", status: APPROVED, password: "Tulip-bucket-91-and-more"})`, "x")(u)
	}, read: "user(username: $username)", follows: map[string][]string{"agentCode": {"agent"}}},
	"roleUpdate": {made: keyed("name", `roleCreate(input: {name: "x", scopes: ["read:agents"]})`, "x"), read: "role(name: $name)"},
	"applicationUpdate": {made: func(u *updates) object {
		return object{"id": u.did(`applicationCreate(input: {recruiterAgentCode: "A1", firstName: "x", lastName: "y", emailAddress: "x@example.com"}) { application { id } userErrors { code field } }`, "application.id")}
	}, read: "application(id: $id)", follows: map[string][]string{"": {"validation"}}},
	"appConfigurationUpdate": {made: func(*updates) object { return object{} }, read: "appConfiguration", follows: map[string][]string{"": {"version", "publishedAt"}}},
	"tenantSettingsUpdate":   {made: func(*updates) object { return object{} }, read: "tenantSettings"},
	"webhookSubscriptionUpdate": {made: func(u *updates) object {
		return object{"id": u.did(`webhookSubscriptionCreate(input: {url: "https://hooks.example.com/x", events: ["`+aType+`"]}) { webhookSubscription { id } userErrors { code field } }`, "webhookSubscription.id")}
	}, read: "webhookSubscription(id: $id)", follows: map[string][]string{"maxRetries": {"retrySchedule"}, "retryDelayMinutes": {"retrySchedule"}}},
}

const aType = "Platform.AgencyManagement.Events.AgentUpdated"

// notUpdatable are the updates that this test leaves out, and why.
var notUpdatable = map[string]string{
	"agentTagsUpdate":      "takes steps, no fields",
	"scenarioUpdate":       "names the version that it changes",
	"signInProviderUpdate": "asks the provider",
}

// notAlone are fields that cannot be given alone, or not here, and why.
var notAlone = map[string]string{
	"clientUpdate.publicKeys":             "are keys, which take the place of the secret",
	"tenantSettingsUpdate.passwordSignIn": "needs a sign-in provider before it is turned off",
	"userUpdate.password":                 "is not answered",
}

// An update changes what it names and nothing else: of every field of every update a
// random value, its mask and null are sent alone, and the whole record is read before and
// after.
func TestUpdatesChangeOnlyWhatTheyName(t *testing.T) {
	for _, m := range graph.Schema().Mutation.Fields {
		if _, isTried := updatable[m.Name]; strings.HasSuffix(m.Name, "Update") && isTried == (notUpdatable[m.Name] != "") {
			t.Errorf("%s is to be tried, or left out for a reason", m.Name)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	onEach(t, func(t *testing.T, w *apptest.World) {
		for _, name := range slices.Sorted(maps.Keys(updatable)) {
			t.Run(name, func(t *testing.T) {
				u := &updates{w.As(apptest.Acme, bearer.TenantScopes()...), t, w.Graph.Schema(), rand.New(rand.NewPCG(seed, 0)), name, nil, nil}
				u.key = updatable[name].made(u)
				fields := u.fields(u.input(), nil)
				u.fill(fields)
				for range *updateRounds {
					u.random.Shuffle(len(fields), func(i, k int) { fields[i], fields[k] = fields[k], fields[i] })
					for _, f := range fields {
						u.alone(f)
					}
				}
			})
		}
	})
}

// sent is a field of an input that is given as a whole.
type sent struct {
	path string
	def  *ast.FieldDefinition
}

func (u *updates) input() *ast.Definition {
	return u.schema.Types[strings.ToUpper(u.name[:1])+u.name[1:]+"Input"]
}

// fields are what an input can change: an object that can be given in part is its fields.
func (u *updates) fields(input *ast.Definition, path []string) (all []sent) {
	for _, f := range input.Fields {
		at := append(slices.Clip(path), f.Name)
		below := u.schema.Types[f.Type.Name()]
		switch _, isKey := u.key[f.Name]; {
		case len(path) == 0 && (isKey || slices.Contains([]string{"initiator", "reason", "team"}, f.Name)):
		case notAlone[u.name+"."+strings.Join(at, ".")] != "":
		case below.Kind == ast.InputObject && f.Type.Elem == nil && !slices.ContainsFunc(below.Fields, func(f *ast.FieldDefinition) bool { return f.Type.NonNull }):
			all = append(all, u.fields(below, at)...)
		default:
			all = append(all, sent{strings.Join(at, "."), f})
		}
	}
	return all
}

// fill gives all fields at once, so that none is empty.
func (u *updates) fill(fields []sent) {
	given := map[string]any{}
	for _, f := range fields {
		given[f.path] = u.value(f.def.Name, f.def.Type)
	}
	if refused := u.send(given); refused != nil {
		u.t.Fatalf("all fields at once are refused: %v", refused)
	}
}

// alone changes one field, and reads the record before and after.
func (u *updates) alone(f sent) {
	value := u.value(f.def.Name, f.def.Type)
	masked := apptest.At(u.record(false), u.placeOf(f.path))
	before := u.record(true)
	step := func(what string, value any) bool {
		refused := u.send(map[string]any{f.path: value})
		after := u.record(true)
		for _, path := range differences("", before, after) {
			if refused != nil || what == "its mask" || !u.mayChange(f.path, path) {
				u.t.Errorf("%s of %s changed %s, too: from %v to %v", what, f.path, path, apptest.At(before, path), apptest.At(after, path))
			}
		}
		before = after
		return refused == nil
	}
	if !step("a value", value) {
		u.t.Errorf("%s: a value is refused", f.path)
	} else if got := apptest.At(before, u.placeOf(f.path)); !holds(got, value) {
		u.t.Errorf("%s is %v after it became %v", f.path, got, value)
	}
	if text, isText := masked.(string); isText && f.def.Directives.ForName("sensitive") != nil {
		if !strings.HasPrefix(text, "*") {
			u.t.Errorf("%s is not masked", f.path)
		}
		step("its mask", apptest.At(u.record(false), u.placeOf(f.path)))
	}
	if !f.def.Type.NonNull && step("null", nil) {
		step("a value", value)
	}
}

// send sends fields by their paths, and answers what was refused.
func (u *updates) send(given map[string]any) any {
	input := maps.Clone(u.key)
	for path, value := range given {
		at, names := input, strings.Split(path, ".")
		for _, name := range names[:len(names)-1] {
			if at[name] == nil {
				at[name] = object{}
			}
			at = at[name].(object)
		}
		at[names[len(names)-1]] = value
	}
	data := u.Query(u.t, "mutation($input: "+u.input().Name+"!) { m: "+u.name+"(input: $input) { userErrors { code message field } } }", object{"input": input})
	if refused := apptest.At(data, "m.userErrors").([]any); len(refused) > 0 {
		return refused
	}
	return nil
}

// record reads all of the record.
func (u *updates) record(revealed bool) any {
	read := updatable[u.name].read
	field, _, _ := strings.Cut(read, "(")
	declared := ""
	for name := range u.key {
		declared += "$" + name + ": " + u.input().Fields.ForName(name).Type.String()
	}
	if declared != "" {
		declared = "(" + declared + ")"
	}
	return apptest.At(u.Query(u.t, "query"+declared+" { r: "+read+" { "+u.selection(u.schema.Query.Fields.ForName(field).Type.Name(), 0, revealed)+" } }", u.key), "r")
}

// selection selects all of a type that needs no argument; of another record, its key.
func (u *updates) selection(typeName string, depth int, revealed bool) string {
	var all []string
	for _, f := range u.schema.Types[typeName].Fields {
		below := u.schema.Types[f.Type.Name()]
		arguments, isSensitive := "", f.Arguments.ForName("reveal") != nil
		if isSensitive && revealed {
			arguments = "(reveal: true)"
		}
		switch isRecord := depth > 0 && slices.Contains(u.schema.Types[typeName].Interfaces, "Node"); {
		case len(f.Arguments) > 0 && !isSensitive && f.Name != "membership", isRecord && !slices.Contains([]string{"code", "value", "name", "agentCode"}, f.Name), depth > 4:
		case !below.IsCompositeType():
			all = append(all, f.Name+arguments)
		default:
			all = append(all, f.Name+" { __typename "+u.selection(below.Name, depth+1, revealed)+" }")
		}
	}
	return strings.Join(all, " ")
}

// placeOf is where the record has a field of the input.
func (u *updates) placeOf(path string) string {
	for at, place := range updatable[u.name].below {
		if rest, isBelow := strings.CutPrefix(path+".", at+"."); isBelow {
			return strings.TrimSuffix(place+"."+rest, ".")
		}
	}
	return path
}

// mayChange reports whether a field of the record may change together with one of the input.
func (u *updates) mayChange(given, changed string) bool {
	may := []string{u.placeOf(given), "lastModified", "lastModifiedBy"}
	may = append(append(may, updatable[u.name].follows[""]...), updatable[u.name].follows[given]...)
	return strings.HasSuffix(changed, ".lastModified") || slices.ContainsFunc(may, func(at string) bool { return changed == at || strings.HasPrefix(changed, at+".") })
}

// differences are the paths at which two answers differ; a list differs as a whole.
func differences(path string, a, b any) (all []string) {
	x, isX := a.(object)
	y, isY := b.(object)
	if !isX || !isY {
		if same(a, b) {
			return nil
		}
		return []string{path}
	}
	for name := range x {
		all = append(all, differences(strings.TrimPrefix(path+"."+name, "."), x[name], y[name])...)
	}
	return all
}

// holds reports whether an answer says what was sent: of a record, its key.
func holds(got, sent any) bool {
	switch want := sent.(type) {
	case object:
		of, isObject := got.(object)
		for name, value := range want {
			if !isObject || !holds(of[name], value) {
				return false
			}
		}
		return true
	case []any:
		of, isList := got.([]any)
		for i, value := range want {
			if !isList || len(of) != len(want) || !holds(of[i], value) {
				return false
			}
		}
		return true
	}
	if of, isObject := got.(object); isObject {
		return slices.ContainsFunc([]string{"code", "value", "name"}, func(key string) bool { return of[key] != nil && holds(of[key], sent) })
	}
	text := fmt.Sprint(got)
	return text == fmt.Sprint(sent) || strings.HasPrefix(text, "*") || strings.ReplaceAll(text, "-", "") == strings.ReplaceAll(fmt.Sprint(sent), "-", "")
}

// value is a random value of a type, which a field of that name can have.
func (u *updates) value(name string, t *ast.Type) any {
	pick := func(values ...any) any { return values[u.random.IntN(len(values))] }
	if t.Elem != nil {
		values := []any{u.value(name, t.Elem)}
		if other := u.value(name, t.Elem); !same(values[0], other) && u.schema.Types[t.Name()].Kind != ast.InputObject {
			values = append(values, other)
		}
		slices.SortFunc(values, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) // scopes and roles are sets
		return values
	}
	n := func(from, to int) int { return from + u.random.IntN(to-from+1) }
	switch definition := u.schema.Types[t.NamedType]; {
	case t.NamedType == "DirectDepositInput":
		return object{"country": "US", "accountHolderName": fmt.Sprint("x", n(1, 9999)), "accountType": pick("CHECKING", "SAVINGS"), "routingNumber": "021000021", "accountNumber": fmt.Sprint(n(10000, 99999999))}
	case t.NamedType == "WebhookHeaderInput":
		return object{"name": fmt.Sprint("X-Test-", n(1, 99)), "value": fmt.Sprint("x", n(1, 9999))}
	case definition.Kind == ast.Enum:
		return definition.EnumValues[n(0, len(definition.EnumValues)-1)].Name
	case definition.Kind == ast.InputObject:
		all := object{}
		for _, f := range definition.Fields {
			all[f.Name] = u.value(f.Name, f.Type)
		}
		return all
	}
	switch t.NamedType {
	case "Boolean":
		return pick(true, false)
	case "Date":
		year := n(1960, 2005)
		if name == "expiresOn" || name == "endDate" {
			year = n(2006, 2020)
		}
		return fmt.Sprintf("%d-%02d-%02d", year, n(1, 12), n(1, 28))
	case "DateTime":
		year := 2024
		if name == "expiresAt" {
			year = 2030
		}
		return fmt.Sprintf("%d-%02d-%02dT12:00:00Z", year, n(1, 12), n(1, 28))
	case "Decimal":
		return fmt.Sprintf("%d.50", n(1, 99))
	case "Int":
		switch name {
		case "level", "defaultAgentLevel":
			return pick(10, 20, 30)
		case "maxPageSize":
			return n(60, 100)
		}
		return n(8, 20)
	}
	switch name {
	case "email", "emailAddress":
		return fmt.Sprintf("r%d@example.com", n(1, 99999))
	case "governmentIdentifier", "ssn", "taxpayerIdentifier":
		return fmt.Sprintf("5%02d-45-%04d", len(u.name), n(1, 9999)) // no applicant is an agent
	case "ein":
		return fmt.Sprintf("98-%07d", n(1, 9999999))
	case "jurisdiction":
		return pick("US-TX", "US-CA", "US-NY")
	case "country":
		return pick("US", "CA", "MX")
	case "currency":
		return pick("USD", "CAD", "MXN")
	case "kind":
		return pick("State", "Province", "Territory")
	case "countryCode":
		return pick("1", "44", "49")
	case "areaCode":
		return fmt.Sprint(n(200, 999))
	case "phoneNumber":
		return fmt.Sprint(n(2000000, 9999999))
	case "color":
		return fmt.Sprintf("#%06x", n(0, 0xffffff))
	case "url", "redirectUris":
		return fmt.Sprintf("https://h%d.example.com/x", n(1, 9999))
	case "events":
		return pick(aType, "Platform.AgencyManagement.Events.AgentCreated")
	case "scopes":
		return pick("read:agents", "read:users")
	case "roles":
		return pick("Recruiter", "Analyst")
	case "status", "defaultPayStatus":
		return pick("Active", "Suspended")
	case "directUpline":
		return pick(u.codes[1], u.codes[2])
	case "agentCode":
		if u.name == "userUpdate" {
			return pick(u.codes[1], u.codes[2])
		}
	case "clientIpAddress":
		return fmt.Sprint("203.0.113.", n(1, 254))
	case "exemptPayee":
		return fmt.Sprint(n(1, 9))
	case "timeZone":
		return pick("UTC", "Europe/Berlin", "America/Chicago")
	case "npn":
		return fmt.Sprint(n(1000, 9999999))
	}
	return fmt.Sprintf("Ü %d", n(1, 9999))
}
