package app

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/onboarding"
)

// Every field of an application reaches the agent, or stands in the table of what does not,
// which docs/onboarding.md repeats. Each field is changed alone.
func TestEveryFieldOfAnApplicationReachesTheAgent(t *testing.T) {
	agentOf := func(f *onboarding.Form) any {
		return []any{registration(onboarding.Recruit{Form: f, Level: f.AgentLevelValue}), certifications(f.Licenses, date.Date(20000))}
	}
	full := func() *onboarding.Form {
		f := new(onboarding.Form)
		fill(reflect.ValueOf(f).Elem(), "1")
		f.W9.Classification = new(onboarding.LLC)
		return f
	}
	untold := map[string]bool{}
	for path := range staysInApplication {
		untold[path] = true
	}
	walk(reflect.TypeFor[onboarding.Form](), nil, nil, func(names []string, index []int) {
		changed := full()
		if fill(at(reflect.ValueOf(changed).Elem(), index), "2"); names[len(names)-1] == "ein" {
			changed.W9.SSN = nil // which goes first
		}
		was := full()
		if names[len(names)-1] == "ein" {
			was.W9.SSN = nil
		}
		reaches := !reflect.DeepEqual(agentOf(was), agentOf(changed))
		why := ""
		for n := range names {
			if path := strings.Join(names[:n+1], "."); staysInApplication[path] != "" {
				why = staysInApplication[path]
				delete(untold, path)
			}
		}
		if reaches == (why != "") {
			t.Errorf("%s: reaches the agent: %v; the table says %q", strings.Join(names, "."), reaches, why)
		}
	})
	for path := range untold {
		t.Errorf("%s is no field of an application", path)
	}
	page, err := os.ReadFile("../docs/onboarding.md")
	if err != nil {
		t.Fatal(err)
	}
	for path, why := range staysInApplication {
		if line := fmt.Sprintf("| `%s` | %s |", path, why); !strings.Contains(string(page), line) {
			t.Errorf("docs/onboarding.md lacks the line %s", line)
		}
	}
}

// walk calls f with the names in JSON, and the place, of every field of a type that has no
// fields of its own.
func walk(of reflect.Type, names []string, index []int, f func(names []string, index []int)) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		f(names, index)
		return
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			name = strings.ToLower(field.Name[:1]) + field.Name[1:]
		}
		walk(field.Type, append(names[:len(names):len(names)], name), append(index[:len(index):len(index)], i), f)
	}
}

// at is the field at a place, in the first element of each list.
func at(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		v = inner(v).Field(i)
	}
	return v
}

func inner(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Slice {
		if v.Kind() == reflect.Slice {
			v = v.Index(0)
		} else {
			v = v.Elem()
		}
	}
	return v
}

// fill gives a value, and all that is in it, something that ends with a mark.
func fill(v reflect.Value, mark string) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), mark)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), mark)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), mark)
		}
	case reflect.String:
		v.SetString("value-" + mark)
	case reflect.Bool:
		v.SetBool(mark == "2")
	default:
		v.SetInt(int64(20000 + len(mark) + int(mark[0])))
	}
}
