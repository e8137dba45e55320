package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// lens is how the graph is asked for the value that a path of the audit trail names.
type lens struct {
	// masked and whole are how the value is asked for as people see it, and in full; path is
	// what leads from the object to it.
	masked, whole question
	path          []string
	// dated is true if path leads to a list of periods. The value of one has the parts that
	// lie at these paths.
	dated bool
	value [][]string
}

// root is the field of Query that answers an object of the audit trail by its key.
type root struct {
	field, argument string
	isNumber        bool
	// label is the field that stands for the object.
	label string
	// update is the mutation that sets fields of the object; empty for one that Undo cannot
	// set back.
	update string
}

var roots = map[string]root{
	"Agent":               {field: "agent", argument: "agentCode", label: "agentCode", update: "agentUpdate"},
	"CertificationType":   {field: "certificationType", argument: "code", label: "code", update: "certificationTypeUpdate"},
	"Jurisdiction":        {field: "jurisdiction", argument: "code", label: "code", update: "jurisdictionUpdate"},
	"PayStatus":           {field: "payStatus", argument: "name", label: "name", update: "payStatusUpdate"},
	"AgentLevel":          {field: "agentLevel", argument: "value", isNumber: true, label: "value", update: "agentLevelUpdate"},
	"ProviderCompany":     {field: "providerCompany", argument: "code", label: "code", update: "providerCompanyUpsert"},
	"Product":             {field: "product", argument: "code", label: "code", update: "productUpdate"},
	"Tag":                 {field: "tag", argument: "name", label: "name", update: "tagUpdate"},
	"User":                {field: "user", argument: "username", label: "username", update: "userUpdate"},
	"Role":                {field: "role", argument: "name", label: "name", update: "roleUpdate"},
	"Client":              {field: "client", argument: "clientId", label: "clientId", update: "clientUpdate"},
	"WebhookSubscription": {field: "webhookSubscription", argument: "id", label: "url"},
}

// labels are the fields that stand for an object where it is a value.
var labels = map[string]string{
	"Agent": "agentCode", "CertificationType": "code", "Jurisdiction": "code", "PayStatus": "name", "AgentLevel": "value", "ProviderCompany": "code",
	"Product": "code", "Tag": "name", "Role": "name", "Alias": "identifier", "User": "username", "Certification": "databaseId", "DirectDeposit": "bankName",
}

// mostPeriods is how many periods of a history are compared.
const mostPeriods = 100

// lensOf returns how the value of a field is asked for; false for one that the graph has
// not under that name.
func (s *Server) lensOf(entity, key, field string) (l lens, ok bool) {
	r, ok := roots[entity]
	if !ok {
		return l, false
	}
	if field == "" { // the object itself, which was deleted
		field = r.label
	}
	path := strings.Split(field, ".")
	if entity == "Agent" {
		if path[0] == "certifications" && len(path) > 1 {
			return s.lensOfCertification(path[1], path[2:])
		}
		path = placeOf(path)
	}
	argument := strconv.Quote(key)
	if r.isNumber {
		argument = key
	}
	of := question{root: r.field + "(" + r.argument + ": " + argument + ")"}
	if entity == "Agent" {
		of.agentCode = key
	}
	return s.look(of, s.schema.Types[entity], path)
}

func (s *Server) lensOfCertification(id string, path []string) (lens, bool) {
	if _, err := strconv.ParseInt(id, 10, 64); err != nil {
		return lens{}, false
	}
	switch {
	case len(path) == 0:
		path = []string{"type"}
	case path[0] == "status":
		path = []string{"periods", "status"}
	}
	return s.look(question{root: "certification(id: " + strconv.Quote(id) + ")"}, s.schema.Types["Certification"], path)
}

// placeOf is where an agent has what the audit trail names by its path in REST.
func placeOf(path []string) []string {
	switch {
	case path[0] == "teams" && len(path) == 3 && path[2] == "level":
		return []string{"levelPeriods", "level"}
	case path[0] == "teams" && len(path) == 3 && path[2] == "directUpline":
		return []string{"uplinePeriods", "uplineAgentCode"}
	case path[0] == "status" || path[0] == "payStatus":
		return []string{"payStatusPeriods", "status"}
	case path[0] == "w9" && len(path) == 1:
		return []string{"w9Periods", "w9"}
	case path[0] == "w9" || path[0] == "directDeposit":
		return append([]string{"payee"}, path...)
	}
	return path
}

// look writes the selection that leads along a path.
func (s *Server) look(of question, def *ast.Definition, path []string) (l lens, ok bool) {
	open, closing, shown := "", "", ""
	asked := func(selection string) question { return question{of.root, selection, of.agentCode} }
	for i, name := range path {
		f := def.Fields.ForName(name)
		if f == nil {
			return l, false
		}
		l.path, def = append(l.path, name), s.schema.Types[f.Type.Name()]
		if f.Arguments.ForName("reveal") != nil {
			shown = "(reveal: true)"
		}
		if strings.HasSuffix(def.Name, "Connection") {
			def = s.schema.Types[def.Fields.ForName("nodes").Type.Name()]
			l.path = append(l.path, "nodes")
			open, closing = open+" { "+name+"(first: "+strconv.Itoa(mostPeriods)+") { nodes", " } }"+closing
			if strings.HasSuffix(def.Name, "Period") {
				of, ok := s.look(question{}, def, path[i+1:])
				if of.value == nil {
					of.value = [][]string{of.path}
				}
				period := func(value question) question {
					return asked(open + " { effectiveFrom effectiveThrough" + strings.TrimPrefix(value.selection, " {") + closing)
				}
				return lens{masked: period(of.masked), whole: period(of.whole), path: l.path, dated: true, value: of.value}, ok
			}
			continue
		}
		open, closing = open+" { "+name, " }"+closing
	}
	if def.IsLeafType() {
		l.masked, l.whole = asked(open+closing), asked(open+shown+closing)
		return l, true
	}
	label, ok := labels[def.Name]
	if !ok && of.root == "" { // the value of a period
		masked, whole, parts := s.everything(def, path)
		l.masked, l.whole, l.value = asked(open+masked+closing), asked(open+whole+closing), parts
		return l, true
	}
	l.path = append(l.path, label)
	l.masked = asked(open + " { " + label + " }" + closing)
	l.whole = l.masked
	return l, ok
}

// everything selects all fields of an object that has no label, masked and in full, and
// returns the paths of its values below that of the object.
func (s *Server) everything(def *ast.Definition, path []string) (masked, whole string, parts [][]string) {
	for _, f := range def.Fields {
		at := append(slices.Clone(path), f.Name)
		switch of := s.schema.Types[f.Type.Name()]; {
		case !of.IsLeafType():
			some, all, below := s.everything(of, at)
			masked, whole, parts = masked+" "+f.Name+some, whole+" "+f.Name+all, append(parts, below...)
		case f.Arguments.ForName("reveal") != nil:
			masked, whole, parts = masked+" "+f.Name, whole+" "+f.Name+"(reveal: true)", append(parts, at)
		default:
			masked, whole, parts = masked+" "+f.Name, whole+" "+f.Name, append(parts, at)
		}
	}
	return " {" + masked + " }", " {" + whole + " }", parts
}

// valuesAt returns what lies at the end of a path in an answer: one, or those of a list.
func valuesAt(data any, path []string) (all []string) {
	switch v := data.(type) {
	case nil:
		return nil
	case []any:
		for _, one := range v {
			all = append(all, valuesAt(one, path)...)
		}
		return all
	case map[string]any:
		if len(path) == 0 {
			return nil
		}
		return valuesAt(v[path[0]], path[1:])
	case json.Number:
		return []string{v.String()}
	}
	return []string{fmt.Sprint(data)}
}

// raw returns the values of a lens at an instant, in full.
func (l lens) raw(in *look) []string { return valuesAt(in.value(l), l.path) }

// isSame reports whether a lens shows the same at two instants, in full.
func (l lens) isSame(a, b *look) bool {
	if l.dated {
		return len(history.Differences(l.periods(a.value(l)), l.periods(b.value(l)))) == 0
	}
	return slices.Equal(l.raw(a), l.raw(b))
}

// valueAt returns the values at the ends of paths as one text; nil for none.
func valueAt(data any, paths ...[]string) *string {
	var all []string
	for _, path := range paths {
		all = append(all, valuesAt(data, path)...)
	}
	if len(all) == 0 {
		return nil
	}
	return new(strings.Join(all, ", "))
}

// nodes returns the periods that lie at the end of a lens, as they were answered.
func (l lens) nodes(data any) []any {
	for _, name := range l.path {
		of, _ := data.(map[string]any)
		data = of[name]
	}
	nodes, _ := data.([]any)
	return nodes
}

// periods returns the history that lies at the end of a lens.
func (l lens) periods(data any) (all []history.Period[string]) {
	for _, node := range l.nodes(data) {
		p := history.Period[string]{From: dayOf(node, "effectiveFrom")}
		if through := valueAt(node, []string{"effectiveThrough"}); through != nil {
			p.Through = new(dayOf(node, "effectiveThrough"))
		}
		if value := valueAt(node, l.value...); value != nil {
			p.Value = *value
		}
		all = append(all, p)
	}
	return all
}

func dayOf(node any, field string) (d date.Date) {
	if text := valueAt(node, []string{field}); text != nil {
		d, _ = date.Parse(*text)
	}
	return d
}
