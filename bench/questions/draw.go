package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// question is a document, or a path of REST.
type question struct{ text, path string }

// drawer draws questions. It draws as often from an agency of one size as from another, so that the
// same seed draws the same forms.
type drawer struct {
	*rand.Rand
	schema  *ast.Schema
	openAPI []path
	known   *known
	tenant  string
	// pages leaves out whatever counts or adds up all that there is.
	pages bool
	// broken is the first value that there is none for.
	broken string
}

// leftOut are root fields that are no questions about the agency, or check all of it by design.
var leftOut = []string{"_service", "_entities", "export", "auditTrailCheck", "signInProviderCheck", "node", "nodes", "bulkColumns", "playground"}

func (d *drawer) question() question {
	for {
		d.broken = ""
		var q question
		switch n := d.IntN(10); {
		case d.pages:
			q.text = d.document()
		case n < 2:
			q.path = d.rest()
			q.text = "GET " + q.path
		case n == 2:
			q.text = d.insight()
		default:
			q.text = d.document()
		}
		if d.broken == "" {
			return q
		}
	}
}

// document draws a root field: lists of agents and certifications more often than others.
func (d *drawer) document() string {
	roots := slices.DeleteFunc(slices.Clone(d.schema.Query.Fields), func(f *ast.FieldDefinition) bool {
		return strings.HasPrefix(f.Name, "__") || slices.Contains(leftOut, f.Name) || d.pages && adds(f.Name)
	})
	f := roots[d.IntN(len(roots))]
	if d.IntN(2) == 0 {
		f = d.schema.Query.Fields.ForName(d.one("agent", "agents", "agents", "certifications", "certificationPeriods", "salesAuthorizations", "changes", "team", "downlineMembers", "reportRecipe"))
		if d.pages && adds(f.Name) {
			f = d.schema.Query.Fields.ForName("agents")
		}
	}
	return "{ " + d.field(f, 3, true) + " }"
}

// adding are parts of the names of what is about all that there is, however little is shown.
var adding = []string{"count", "groups", "summary", "tree", "insight", "run", "diff", "history", "evaluation", "expirations", "leaderboard", "authorizations", "scenario", "explain", "check"}

func adds(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(adding, func(part string) bool { return strings.Contains(name, part) })
}

func (d *drawer) one(of ...string) string { return of[d.IntN(len(of))] }

// often is true in so many of a hundred.
func (d *drawer) often(percent int) bool { return d.IntN(100) < percent }

// field draws a field with arguments and what is asked for below.
func (d *drawer) field(f *ast.FieldDefinition, depth int, root bool) string {
	text := f.Name + d.arguments(f, root)
	of := d.schema.Types[f.Type.Name()]
	if of.IsLeafType() {
		return text
	}
	return text + " { " + d.selection(of, depth) + " }"
}

func (d *drawer) selection(of *ast.Definition, depth int) string {
	var chosen []string
	if of.Kind == ast.Union || of.Kind == ast.Interface {
		return "__typename"
	}
	for _, i := range d.Perm(len(of.Fields)) {
		f := of.Fields[i]
		to := d.schema.Types[f.Type.Name()]
		name := f.Name
		switch {
		case strings.HasPrefix(name, "__"), d.pages && adds(name), name == "edges", name == "reveal", len(chosen) > 5, to.Kind == ast.Union:
			continue
		case name == "nodes" && strings.HasSuffix(of.Name, "Connection"): // a page is about its nodes
			continue
		case !to.IsLeafType() && (depth == 0 || d.often(60)):
			continue
		}
		chosen = append(chosen, d.field(f, depth-1, false))
	}
	if nodes := of.Fields.ForName("nodes"); nodes != nil && (d.often(85) || len(chosen) == 0) {
		chosen = append(chosen, d.field(nodes, depth, false))
	}
	return strings.Join(append(chosen, "__typename")[:max(1, len(chosen))], " ")
}

// arguments draws those of a field: a page of it, and few of the others.
func (d *drawer) arguments(f *ast.FieldDefinition, root bool) string {
	var all []string
	if f.Arguments.ForName("first") != nil {
		all = append(all, "first: "+map[bool]string{true: d.one("1", "10", "50", "100"), false: d.one("1", "3", "10")}[root])
		if f.Arguments.ForName("last") != nil && d.often(25) {
			all[0] = "last" + strings.TrimPrefix(all[0], "first")
		}
	}
	for _, a := range f.Arguments {
		required := a.Type.NonNull && a.DefaultValue == nil
		if slices.Contains([]string{"first", "last", "after", "before", "reveal", "team", "head", "afterAgentCode"}, a.Name) || !required && !d.often(40) {
			continue
		}
		if !required && a.Name == "offset" && d.often(80) {
			continue
		}
		all = append(all, a.Name+": "+d.value(f.Name, a.Name, a.Type))
	}
	if len(all) == 0 {
		return ""
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// value draws a value of a type for what takes it, which is of a field or an input.
func (d *drawer) value(of, name string, t *ast.Type) string {
	if t.Elem != nil {
		all := []string{d.value(of, name, t.Elem)}
		if d.often(40) {
			all = append(all, d.value(of, name, t.Elem))
		}
		if name == "orderBy" || name == "or" && all[0] == "{}" {
			all = all[:1]
		}
		slices.Sort(all)
		return "[" + strings.Join(slices.Compact(all), ", ") + "]"
	}
	def := d.schema.Types[t.Name()]
	switch {
	case def.Kind == ast.Enum:
		return def.EnumValues[d.IntN(len(def.EnumValues))].Name
	case def.Kind == ast.InputObject:
		return d.input(def)
	case def.Name == "Boolean":
		return d.one("true", "false")
	case def.Name == "Int", def.Name == "Long":
		return d.number(name)
	case def.Name == "JSON":
		return "{}"
	}
	return strconv.Quote(d.scalar(of, name, def.Name))
}

// input draws one or two fields of an input, and what it needs.
func (d *drawer) input(def *ast.Definition) string {
	var all []string
	order := d.Perm(len(def.Fields))
	wanted := 1 + d.IntN(3)
	for _, i := range order {
		f := def.Fields[i]
		if f.Name == "governmentIdentifier" || f.Type.Name() == def.Name && d.often(70) {
			continue
		}
		if len(all) < wanted || f.Type.NonNull {
			all = append(all, f.Name+": "+d.value(def.Name, f.Name, f.Type))
		}
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func (d *drawer) number(name string) string {
	switch name {
	case "level", "value":
		return d.pick("level")
	case "maxNodes", "maxChanges":
		return d.one("50", "500")
	case "offset":
		return d.one("0", "500", "1000")
	case "withinDays", "days":
		return d.one("7", "90", "365")
	}
	return d.one("1", "2", "5", "25")
}

// named says what other names are another's values.
var named = map[string]string{
	"homeJurisdiction": "jurisdiction", "jurisdictions": "jurisdiction", "products": "product", "name": "", "tagName": "tag", "by": "initiator",
	"certificationType": "type", "licenseType": "type", "state": "jurisdiction", "emailAddress": "email", "types": "",
}

// scalar draws a text, a day, an instant or an id.
func (d *drawer) scalar(of, name, kind string) string {
	lower := strings.ToLower(name)
	switch {
	case strings.Contains(lower, "agentcode"), lower == "downlineof", lower == "agent":
		class := d.known.agents[d.IntN(len(d.known.agents))]
		return class[d.IntN(len(class))]
	case kind == "Date", kind == "date":
		return day([]int{-1500, -400, -100, -31, -1, 0, 30, 90, 400}[d.IntN(9)])
	case kind == "DateTime", kind == "date-time":
		return time.Now().Add(-[]time.Duration{30 * time.Second, time.Minute, 10 * time.Minute, 24 * time.Hour}[d.IntN(4)]).UTC().Format(time.RFC3339)
	case lower == "country":
		return "US"
	case lower == "team":
		return "default"
	case lower == "entitytype":
		return d.one("Agent", "Certification", "User")
	case lower == "entitykey":
		return d.scalar(of, "agentCode", kind)
	case lower == "field":
		return d.one("firstName", "payStatus.value", "membership.level", "email")
	case lower == "coordinate":
		return "Agent.firstName"
	}
	if to, ok := named[name]; ok {
		name = to
	}
	switch {
	case name == "" && slices.Contains([]string{"payStatus", "tag", "role"}, of):
		name = of
	case name == "id", name == "of", name == "code" && of != "":
		name = map[string]string{"certification": "certificationId", "alias": "aliasId", "application": "applicationId", "scenario": "scenarioId", "reportRecipe": "recipeId", "changes": "agentId", "explain": "agentId",
			"webhookSubscription": "subscriptionId", "product": "product", "certificationType": "type", "jurisdiction": "jurisdiction"}[of]
	}
	return d.pick(name)
}

// pick draws one of the values that a name has; the question is drawn again if it has none.
func (d *drawer) pick(name string) string {
	n := d.Uint64()
	all := d.known.values[name]
	if len(all) == 0 {
		d.broken = name
		return ""
	}
	return all[n%uint64(len(all))]
}

// insight draws one with its parameters.
func (d *drawer) insight() string {
	q := d.known.insights[d.IntN(len(d.known.insights))]
	parameters := d.parameters(q)
	var fields []string
	for _, name := range sortedKeys(parameters) {
		value, _ := json.Marshal(parameters[name])
		fields = append(fields, name+": "+string(value))
	}
	sort := ""
	if d.often(40) && len(q.columns) > 0 {
		sort = ", sort: " + strconv.Quote(d.one(q.columns...)+d.one(",asc", ",desc"))
	}
	return fmt.Sprintf("{ insight(slug: %q, parameters: {%s}%s, first: %s) { rows totalCount } }", q.slug, strings.Join(fields, ", "), sort, d.one("10", "50"))
}

func (d *drawer) parameters(q insight) map[string]any {
	all := map[string]any{}
	for _, p := range q.parameters {
		if !p.required && d.often(60) {
			continue
		}
		switch {
		case len(p.allowed) > 0:
			all[p.name] = d.one(p.allowed...)
		case strings.EqualFold(p.kind, "integer"), strings.EqualFold(p.kind, "int"):
			n, _ := strconv.Atoi(d.number(p.name))
			all[p.name] = n
		case strings.EqualFold(p.kind, "boolean"):
			all[p.name] = d.often(50)
		case strings.HasPrefix(p.name, "from"):
			all[p.name] = day(-d.IntN(400) - 1)
		case strings.HasPrefix(p.name, "through"), strings.HasPrefix(p.name, "to"):
			all[p.name] = day(0)
		default:
			all[p.name] = d.scalar("insight", p.name, p.kind)
		}
	}
	return all
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// rest draws a path with some of its parameters.
func (d *drawer) rest() string {
	slices.SortFunc(d.openAPI, func(a, b path) int { return strings.Compare(a.path, b.path) })
	p := d.openAPI[d.IntN(len(d.openAPI))]
	in, query := map[string]string{}, url.Values{}
	for _, a := range p.parameters {
		switch {
		case a.Name == "tenantIdentifier":
			in[a.Name] = d.tenant
		case a.In == "path":
			in[a.Name] = d.restValue(p.path, a)
		case a.In != "query", slices.Contains([]string{"after", "before", "fields", "governmentIdentifier"}, a.Name):
		case a.Name == "pageIndex", a.Name == "page":
			if d.often(20) {
				query.Set(a.Name, d.one("1", "5"))
			}
		case a.Name == "pageSize":
			query.Set(a.Name, d.one("10", "50", "100"))
		case a.Required || d.often(20):
			query.Set(a.Name, d.restValue(p.path, a))
		}
	}
	return escaped(p.path, in, query)
}

func (d *drawer) restValue(path string, a parameter) string {
	enum := append(a.Schema.Enum, a.Schema.Items.Enum...)
	switch {
	case a.Name == "slug":
		return d.known.insights[d.IntN(len(d.known.insights))].slug
	case a.Name == "parameters":
		q := d.known.insights[d.IntN(len(d.known.insights))]
		text, _ := json.Marshal(d.parameters(q))
		return string(text)
	case len(enum) > 0:
		return fmt.Sprint(enum[d.IntN(len(enum))])
	case a.Name == "sort":
		d.broken = "sort"
		return ""
	case a.Schema.Type == "integer":
		return d.number(a.Name)
	case a.Schema.Type == "boolean":
		return d.one("true", "false")
	case a.Name == "id":
		for part, of := range map[string]string{"/aliases/": "aliasId", "/certifications/": "certificationId", "/applications/": "applicationId", "/report-recipes/": "recipeId", "/subscriptions/": "subscriptionId", "/jurisdictions/": "jurisdiction"} {
			if strings.Contains(path, part) {
				return d.pick(of)
			}
		}
	case a.Name == "name":
		if strings.Contains(path, "pay-statuses") {
			return d.pick("payStatus")
		}
		return d.pick("tag")
	case a.Name == "value":
		return d.pick("level")
	}
	return d.scalar("", a.Name, a.Schema.Format)
}
