package journey

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// schema is what introspection says of the types.
type schema map[string]*typeDef

type typeDef struct {
	Name          string
	Kind          string
	Fields        []*fieldDef
	EnumValues    []struct{ Name string }
	PossibleTypes []struct{ Name string }
}

type fieldDef struct {
	Name string
	Args []struct {
		Name         string
		Type         *typeRef
		DefaultValue *string
	}
	Type *typeRef
}

type typeRef struct {
	Kind, Name string
	OfType     *typeRef
}

const introspection = `{ __schema { types { name kind enumValues { name } possibleTypes { name }
	fields { name args { name defaultValue type { ...t } } type { ...t } } } } }
	fragment t on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`

// types is the schema, which is the same for every server and caller.
var (
	types   schema
	typesMu sync.Mutex
)

func introspect(t testing.TB, c *apptest.Caller) schema {
	t.Helper()
	typesMu.Lock()
	defer typesMu.Unlock()
	if types != nil {
		return types
	}
	encoded, err := json.Marshal(apptest.At(c.Query(t, introspection, nil), "__schema.types"))
	if err != nil {
		t.Fatal(err)
	}
	var all []*typeDef
	if err := json.Unmarshal(encoded, &all); err != nil {
		t.Fatal(err)
	}
	types = schema{}
	for _, def := range all {
		types[def.Name] = def
	}
	return types
}

func (s schema) field(typeName, name string) *fieldDef {
	i := slices.IndexFunc(s[typeName].Fields, func(f *fieldDef) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return s[typeName].Fields[i]
}

// named is the type without what is around it.
func (r *typeRef) named() string {
	for r.OfType != nil {
		r = r.OfType
	}
	return r.Name
}

// required are the arguments that a request must give.
func (f *fieldDef) required() (names []string) {
	for _, a := range f.Args {
		if a.Type.Kind == "NON_NULL" && a.DefaultValue == nil {
			names = append(names, a.Name)
		}
	}
	return names
}

func (f *fieldDef) isConnection() bool { return strings.HasSuffix(f.Type.named(), "Connection") }

// nodes is the type of the rows of a connection.
func (s schema) nodes(f *fieldDef) string { return s.field(f.Type.named(), "nodes").Type.named() }

// selection selects of a type whatever takes no argument, objects so many levels
// down; connections are left to queries of their own.
func (s schema) selection(typeName string, levels int) string {
	def := s[typeName]
	if def.Kind == "SCALAR" || def.Kind == "ENUM" {
		return ""
	}
	if levels == 0 {
		return " { __typename }"
	}
	parts := []string{"__typename"}
	for _, f := range def.Fields {
		object := s[f.Type.named()].Kind != "SCALAR" && s[f.Type.named()].Kind != "ENUM"
		if len(f.required()) > 0 || f.isConnection() || object && levels == 1 {
			continue
		}
		parts = append(parts, f.Name+s.selection(f.Type.named(), levels-1))
	}
	return " { " + strings.Join(parts, " ") + " }"
}

// check holds a value of an answer against its type and returns what is wrong:
// above all a stored value that an enumeration does not have.
func (s schema) check(path string, r *typeRef, v any) []string {
	if r.Kind == "NON_NULL" {
		if v == nil {
			return []string{path + " is null"}
		}
		return s.check(path, r.OfType, v)
	}
	if v == nil {
		return nil
	}
	if r.Kind == "LIST" {
		var wrong []string
		for i, element := range v.([]any) {
			wrong = append(wrong, s.check(fmt.Sprintf("%s.%d", path, i), r.OfType, element)...)
		}
		return wrong
	}
	def := s[r.named()]
	switch def.Kind {
	case "ENUM":
		if !slices.ContainsFunc(def.EnumValues, func(e struct{ Name string }) bool { return e.Name == v }) {
			return []string{fmt.Sprintf("%s is %q, which no %s is", path, v, def.Name)}
		}
		return nil
	case "SCALAR":
		if wrong := checkScalar(def.Name, v); wrong {
			return []string{fmt.Sprintf("%s is %v, which is no %s", path, v, def.Name)}
		}
		return nil
	}
	return s.checkObject(path, def.Name, v.(object))
}

func (s schema) checkObject(path, typeName string, fields object) (wrong []string) {
	if actual, ok := fields["__typename"].(string); ok {
		typeName = actual
	}
	for name, v := range fields {
		if f := s.field(typeName, name); f != nil {
			wrong = append(wrong, s.check(path+"."+name, f.Type, v)...)
		}
	}
	return wrong
}

var decimal = regexp.MustCompile(`^-?\d+(\.\d+)?$`)

func checkScalar(name string, v any) (wrong bool) {
	text, isText := v.(string)
	var err error
	switch name {
	case "Int":
		_, err = strconv.ParseInt(fmt.Sprint(v), 10, 32)
	case "Float":
		_, err = strconv.ParseFloat(fmt.Sprint(v), 64)
	case "Boolean":
		_, isBool := v.(bool)
		return !isBool
	case "Date":
		_, err = time.Parse(time.DateOnly, text)
	case "DateTime":
		_, err = time.Parse(time.RFC3339Nano, text)
	case "Decimal":
		return !decimal.MatchString(text)
	case "String", "ID":
		return !isText
	}
	return err != nil
}
