package doors_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// changedIn are objects and the fields in which all of them change.
type changedIn struct{ keys, fields []string }

// audited is a mutation as a client sends it, with what its audit entry says.
type audited struct {
	mutation string
	// arguments are those of the mutation but dryRun. The text #certification or
	// #alias stands for the id of the only one.
	arguments object
	// wrong are fields of the input that are refused.
	wrong object
	// entity is the type of the object, keys the codes of all.
	entity string
	keys   []string
	// fields are the paths of what changes; those of sensitive values end in #.
	fields []string
	// more are the entries before that one, of objects that change in other fields.
	more []changedIn
	// method and path are the twin in REST; empty when it has none.
	method, path string
	// renamed is a property that REST names otherwise: code, id.
	renamed [2]string
}

// trail sends mutations through one door and reads what they left.
type trail struct {
	*apptest.Caller
	surface string
	client  string
}

func newTrail(t *testing.T, w *apptest.World, surface string) *trail {
	t.Helper()
	c := w.As(apptest.Acme, slices.DeleteFunc(slices.Clone(allScopes), func(scope string) bool { return scope == "read:agents:sensitive" })...)
	claims := c.Query(t, "{ viewer { subject } }", nil)
	return &trail{Caller: c, surface: surface, client: apptest.At(claims, "viewer.subject").(string)}
}

// entries are all entries of a kind, newest first.
func (a *trail) entries(t *testing.T, kind string) []any {
	t.Helper()
	data := a.Query(t, `query($kind: AuditKind) { auditLog(first: 100, filter: {kind: $kind}) { nodes {
		sequence operation surface initiator subject clientId entityType entityKeys changes { field fingerprint } } } }`, object{"kind": kind})
	return apptest.At(data, "auditLog.nodes").([]any)
}

// send sends a mutation with other fields of its input instead of its own, and reports
// whether it was refused.
func (a *trail) send(t *testing.T, m audited, instead object, dryRun bool) (refused bool, answer string) {
	t.Helper()
	arguments := a.filled(t, m, instead)
	if a.surface == "REST" && m.path != "" {
		return a.sendREST(t, m, arguments, dryRun)
	}
	data := a.mutate(t, m, arguments, dryRun, "applied")
	return len(apptest.At(data, "m.userErrors").([]any)) > 0, fmt.Sprint(data)
}

// mutate sends a mutation over GraphQL and returns what it selects, as m.
func (a *trail) mutate(t *testing.T, m audited, arguments object, dryRun bool, selected string) any {
	t.Helper()
	return a.Query(t, a.document(t, m, arguments, dryRun, selected), arguments)
}

// document is the text of a mutation that selects something of its payload, as m.
func (a *trail) document(t *testing.T, m audited, arguments object, dryRun bool, selected string) string {
	t.Helper()
	definition := a.definition(t, m.mutation)
	var declared, passed []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		declared = append(declared, fmt.Sprintf("$%s: %s", name, definition[name]))
		passed = append(passed, fmt.Sprintf("%s: $%s", name, name))
	}
	if definition["dryRun"] != "" {
		passed = append(passed, fmt.Sprintf("dryRun: %v", dryRun))
	}
	fragment := ""
	if strings.Contains(selected, "...P") {
		fragment = "\nfragment P on PlannedPeriod { effectiveFrom effectiveThrough value }"
	}
	return fmt.Sprintf("mutation(%s) { m: %s(%s) { %s userErrors { code field } } }",
		strings.Join(declared, ", "), m.mutation, strings.Join(passed, ", "), selected) + fragment
}

func (a *trail) sendREST(t *testing.T, m audited, arguments object, dryRun bool) (refused bool, answer string) {
	t.Helper()
	path, body := m.asREST(arguments, dryRun)
	status, _, text := a.REST(t, m.method, path, body)
	return status >= http.StatusBadRequest, fmt.Sprintf("%d %s", status, text)
}

// asREST returns the path, with its query, and the body of the twin in REST.
func (m audited) asREST(arguments object, dryRun bool) (target string, body any) {
	path, query := m.path, "?"
	input := maps.Clone(arguments["input"].(object))
	for name, value := range input {
		if strings.Contains(path, "{"+name+"}") {
			path = strings.ReplaceAll(path, "{"+name+"}", strings.ReplaceAll(fmt.Sprint(value), " ", "%20"))
			delete(input, name)
		} else if m.method == http.MethodDelete {
			query += fmt.Sprintf("%s=%v&", name, value)
		}
	}
	if dryRun {
		query += "dryRun=true"
	}
	if m.method != http.MethodDelete {
		body = asREST(input)
		if m.renamed[0] != "" {
			body.(object)[m.renamed[1]] = body.(object)[m.renamed[0]]
			delete(body.(object), m.renamed[0])
		}
	}
	return path + strings.TrimRight(query, "?&"), body
}

// filled returns the arguments with what stands instead of others, and with ids.
func (a *trail) filled(t *testing.T, m audited, instead object) object {
	t.Helper()
	text, err := json.Marshal(m.arguments)
	if err != nil {
		t.Fatal(err)
	}
	for mark, list := range map[string]string{"#certification": "certifications", "#alias": "aliases"} {
		if strings.Contains(string(text), mark) {
			data := a.Query(t, "{ list: "+list+"(first: 1) { nodes { databaseId } } }", nil)
			id := apptest.At(data, "list.nodes.0.databaseId")
			if id == nil { // deleted
				id = 1
			}
			text = []byte(strings.ReplaceAll(string(text), mark, fmt.Sprint(id)))
		}
	}
	var filled object
	if err := json.Unmarshal(text, &filled); err != nil {
		t.Fatal(err)
	}
	maps.Copy(filled["input"].(object), instead)
	return filled
}

// definition returns the types of a mutation's arguments.
func (a *trail) definition(t *testing.T, mutation string) map[string]string {
	t.Helper()
	data := a.Query(t, `{ __type(name: "Mutation") { fields { name args { name type { kind name ofType { name } } } } } }`, nil)
	types := map[string]string{}
	for _, field := range apptest.At(data, "__type.fields").([]any) {
		if apptest.At(field, "name") != mutation {
			continue
		}
		for _, arg := range apptest.At(field, "args").([]any) {
			typ, required := apptest.At(arg, "type.name"), ""
			if apptest.At(arg, "type.kind") == "NON_NULL" {
				typ, required = apptest.At(arg, "type.ofType.name"), "!"
			}
			types[apptest.At(arg, "name").(string)] = fmt.Sprint(typ, required)
		}
	}
	return types
}

// asREST returns an input as REST has it: enum values spelled otherwise, and the
// teams by their names.
func asREST(input object) object {
	made := object{}
	for name, value := range input {
		switch v := value.(type) {
		case object:
			made[name] = asREST(v)
		case []any:
			if name == "teams" {
				made[name] = object{"default": asREST(v[0].(object)["membership"].(object))}
				continue
			}
			list := make([]any, len(v))
			for i, element := range v {
				list[i] = asREST(element.(object))
			}
			made[name] = list
		case string:
			made[name] = v
			if slices.Contains([]string{"status", "taxClassification", "accountType", "operation", "category"}, name) {
				made[name] = enumAsREST(v)
			}
		default:
			made[name] = v
		}
	}
	return made
}

// enumAsREST spells LLC_S as LlcS; what is no enum value stays.
func enumAsREST(v string) string {
	if v != strings.ToUpper(v) {
		return v
	}
	var b strings.Builder
	for word := range strings.SplitSeq(v, "_") {
		b.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return b.String()
}
