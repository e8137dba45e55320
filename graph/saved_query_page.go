package graph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/value"
)

// variables returns the variables of a run: those of the recipe, replaced by those that
// the run gives, and the page and the day.
func (c *savedCheck) variables(in insights.Request) (map[string]any, error) {
	var refused problem.List
	names := []string{}
	for _, v := range c.operation.VariableDefinitions {
		if v.Variable != firstVariable && v.Variable != afterVariable && v.Variable != onDateVariable {
			names = append(names, v.Variable)
		}
	}
	all, given := map[string]any{}, in.Parameters
	maps.Copy(all, c.query.Variables)
	if in.Texts != nil {
		given = c.fromTexts(in.Texts)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			refused.Add(problem.Invalid(problem.UnknownField, "is not a variable of this query", in.Given(), problem.NameOf(name)).With("allowed", names))
		}
		all[name] = given[name]
	}
	all[firstVariable] = json.Number(strconv.Itoa(*in.First))
	if in.After != nil {
		all[afterVariable] = *in.After
	}
	switch knows := c.operation.VariableDefinitions.ForName(asKnownAtVariable) != nil; {
	case in.AsKnownAt != nil && knows:
		all[asKnownAtVariable] = in.AsKnownAt.Format(time.RFC3339Nano)
	case in.AsKnownAt != nil:
		refused.Add(problem.Invalid(problem.NotApplicable, "The query has no variable asKnownAt", asKnownAtVariable))
	}
	if day := c.day(in); day != nil {
		all[onDateVariable] = day.String()
	} else if in.OnDate != nil {
		refused.Add(problem.Invalid(problem.NotApplicable, "The query has no variable onDate", onDateVariable))
	}
	return all, refused.Err()
}

// fromTexts returns the variables that texts stand for. A text that stands for no value
// stays as it is, so that the type of the variable refuses it.
func (c *savedCheck) fromTexts(texts map[string]any) map[string]any {
	given := maps.Clone(texts)
	for _, v := range c.operation.VariableDefinitions {
		if text, ok := texts[v.Variable].(string); ok {
			given[v.Variable] = fromText(v.Type, text)
		}
	}
	return given
}

// fromText returns the value of a type that a text stands for; the values of a list
// have commas between them.
func fromText(t *ast.Type, text string) any {
	switch {
	case t.Elem != nil:
		list := []any{}
		for part := range strings.SplitSeq(text, ",") {
			list = append(list, fromText(t.Elem, strings.TrimSpace(part)))
		}
		return list
	case t.NamedType == "Int" && json.Valid([]byte(text)):
		return json.Number(text)
	case t.NamedType == "Boolean" && (text == "true" || text == "false"):
		return text == "true"
	}
	return text
}

// day is the variable onDate of a run; nil if the query does not have it or the run gives
// no day.
func (c *savedCheck) day(in insights.Request) *date.Date {
	if c.operation.VariableDefinitions.ForName(onDateVariable) == nil {
		return nil
	}
	return cmp.Or(in.OnDate, in.DefaultDay)
}

// inForce returns the parameters of a run, defaults included: its variables without those
// for paging.
func (c *savedCheck) inForce(variables map[string]any) map[string]any {
	all := map[string]any{}
	for _, v := range c.operation.VariableDefinitions {
		if v.Variable == firstVariable || v.Variable == afterVariable {
			continue
		}
		value, given := variables[v.Variable]
		if !given && v.DefaultValue != nil {
			var err error
			value, err = v.DefaultValue.Value(nil)
			given = err == nil
		}
		if given {
			all[v.Variable] = value
		}
	}
	return all
}

var errNotConnection = errors.New("graph: a saved query answered no connection")

// page takes the rows out of a response.
func (c *savedCheck) page(data []byte) (out *insights.Result, err error) {
	root, err := value.Object(data)
	if err != nil {
		return nil, err
	}
	out = &insights.Result{}
	connection := value.At(root, strings.Split(c.query.Path, "."))
	if connection == nil { // an object on the way is null, and so has no rows
		return out, nil
	}
	at := func(path ...string) any { return value.At(connection, path) }
	nodes, ok := at("nodes").([]any)
	total, ok2 := at("totalCount").(json.Number)
	if !ok || !ok2 {
		return nil, errNotConnection
	}
	for _, node := range nodes {
		row := insights.Row{Values: make([]any, len(c.query.Columns))}
		for i, column := range c.query.Columns {
			row.Values[i] = cell(node, strings.Split(column.Key, "."))
		}
		out.Rows = append(out.Rows, row)
	}
	out.HasNext, _ = at("pageInfo", "hasNextPage").(bool)
	if end, ok := at("pageInfo", "endCursor").(string); ok {
		out.End = &end
	}
	out.TotalCount, err = strconv.Atoi(total.String())
	return out, err
}

// cell returns the value at a path of a node, or those of lists as one text.
func cell(node any, path []string) any {
	v := value.At(node, path)
	if _, isList := v.([]any); v == nil || isList {
		if all := valuesAt(node, path); len(all) > 0 {
			return strings.Join(all, ", ")
		}
		return nil
	}
	return v
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
