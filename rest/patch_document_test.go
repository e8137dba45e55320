package rest_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

func decode(data []byte, to any) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	return d.Decode(to)
}

// nestedBody is the body that sets one property, by its path.
func nestedBody(path string, value any) object {
	names := strings.Split(path, ".")
	for i := len(names) - 1; i > 0; i-- {
		value = object{names[i]: value}
	}
	return object{names[0]: value, "initiator": "x"}
}

func merge(into, from object) {
	for name, value := range from {
		if inner, ok := into[name].(object); ok {
			merge(inner, value.(object))
			continue
		}
		into[name] = value
	}
}

// covers reports whether a value holds all that was sent.
func covers(got, sent any) bool {
	parts, ok := sent.(object)
	if !ok {
		return reflect.DeepEqual(got, sent)
	}
	for name, value := range parts {
		if !covers(apptest.At(got, name), value) {
			return false
		}
	}
	return true
}

// leaves are the values of a document by path.
func leaves(v any, path string) object {
	all := object{}
	if o, ok := v.(object); ok {
		for name, value := range o {
			maps.Copy(all, leaves(value, strings.TrimPrefix(path+"."+name, ".")))
		}
		return all
	}
	all[path] = v
	return all
}

func merged(a, b object) object {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

var openAPI = func() object {
	document, err := printed()
	if err != nil {
		panic(err)
	}
	var parsed object
	if err := json.Unmarshal(document, &parsed); err != nil {
		panic(err)
	}
	return parsed
}()

// bodySchema is the schema of the body of an operation.
func bodySchema(t *testing.T, path string) object {
	t.Helper()
	method, path, _ := strings.Cut(path, " ")
	operation := openAPI["paths"].(object)[path].(object)[strings.ToLower(method)].(object)
	content := operation["requestBody"].(object)["content"].(object)["application/json"].(object)
	return resolve(t, content["schema"].(object))
}

// resolve follows a reference, also of a schema that may be null.
func resolve(t *testing.T, schema object) object {
	t.Helper()
	for _, choice := range []string{"anyOf", "oneOf"} {
		if list, ok := schema[choice].([]any); ok {
			return resolve(t, list[0].(object))
		}
	}
	ref, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	name := ref[strings.LastIndex(ref, "/")+1:]
	return resolve(t, openAPI["components"].(object)["schemas"].(object)[name].(object))
}
