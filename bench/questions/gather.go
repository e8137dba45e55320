package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// known is what there is to be asked about: values by the name of what takes them, and agents by how
// many are below.
type known struct {
	values map[string][]string
	// agents are some without a downline, with a small, a middle, a large one, and the topmost.
	agents   [][]string
	insights []insight
}

type insight struct {
	slug       string
	parameters []insightParameter
	columns    []string
}

type insightParameter struct {
	name, kind string
	required   bool
	allowed    []string
}

// sources name what takes the values that a document finds.
var sources = map[string]string{
	"jurisdiction":    `{ jurisdictions { value: code } }`,
	"type":            `{ certificationTypes { value: code } }`,
	"payStatus":       `{ payStatuses { value: name } }`,
	"level":           `{ agentLevels { value } }`,
	"tag":             `{ tags { value: name } }`,
	"providerCompany": `{ providerCompanies { value: code } }`,
	"product":         `{ products { value: code } }`,
	"role":            `{ roles(first: 20) { nodes { value: name } } }`,
	"username":        `{ users(first: 20) { nodes { value: username } } }`,
	"applicationId":   `{ applications(first: 50) { nodes { value: id } } }`,
	"certificationId": `{ certifications(first: 50) { nodes { value: id } } }`,
	"scenarioId":      `{ scenarios(first: 20) { nodes { value: id } } }`,
	"aliasId":         `{ aliases(first: 20) { nodes { value: id } } }`,
	"recipeId":        `{ reportRecipes(first: 50) { nodes { value: id } } agencyRecipes(first: 50) { nodes { value: id } } }`,
	"subscriptionId":  `{ webhookSubscriptions(first: 20) { nodes { value: id } } }`,
	"clientId":        `{ clients { value: clientId } }`,
	"identifier":      `{ certifications(first: 50) { nodes { value: identifier } } }`,
	"initiator":       `{ auditLog(first: 50) { nodes { value: initiator } } }`,
	"traceId":         `{ auditLog(first: 50) { nodes { value: traceId } } }`,
	"firstName":       `{ agents(last: 100) { nodes { value: firstName } } }`,
	"lastName":        `{ agents(last: 100) { nodes { value: lastName } } }`,
	"email":           `{ agents(last: 100) { nodes { value: email } } }`,
	"npn":             `{ agents(last: 100) { nodes { value: npn } } }`,
	"agentId":         `{ agents(last: 50) { nodes { value: id } } }`,
}

// gather asks for what questions are drawn from.
func (a *asker) gather() (*known, error) {
	k := &known{values: map[string][]string{}}
	for name, document := range sources {
		for _, of := range a.query(document) {
			k.values[name] = append(k.values[name], valuesIn(of)...)
		}
		slices.Sort(k.values[name])
		k.values[name] = slices.Compact(k.values[name])
	}
	for i, first := range k.values["firstName"] { // one word, two, and the beginning of one
		last := k.values["lastName"][i%len(k.values["lastName"])]
		k.values["query"] = append(k.values["query"], last, first+" "+last, last[:min(2, len(last))], first)
	}
	for _, of := range list(a.query(`{ insightQueries { slug parameters { name type required allowedValues } columns { key } } }`)["insightQueries"]) {
		q := insight{slug: text(of, "slug")}
		for _, p := range list(of["parameters"]) {
			required, _ := p["required"].(bool)
			q.parameters = append(q.parameters, insightParameter{text(p, "name"), text(p, "type"), required, valuesIn(p["allowedValues"])})
		}
		for _, c := range list(of["columns"]) {
			q.columns = append(q.columns, text(c, "key"))
		}
		k.insights = append(k.insights, q)
	}
	return k, a.gatherAgents(k)
}

// gatherAgents sorts some agents and all of their uplines by how many are below.
func (a *asker) gatherAgents(k *known) error {
	below := map[string]int{}
	for _, page := range []string{`first: 60`, `last: 60`, `first: 60, orderBy: [{field: LAST_NAME}]`} {
		for _, node := range list(nested(a.query(`{ agents(`+page+`) { nodes { agentCode uplineChain { agent { agentCode } } } } }`), "agents", "nodes")) {
			below[text(node, "agentCode")] = -1
			for _, up := range list(node["uplineChain"]) {
				agent, _ := up["agent"].(map[string]any)
				below[text(agent, "agentCode")] = -1
			}
		}
	}
	var codes []string
	for code := range below {
		count, ok := nested(a.query(fmt.Sprintf(`{ agent(agentCode: %q) { downline { totalCount } } }`, code)), "agent", "downline", "totalCount").(float64)
		if ok {
			below[code], codes = int(count), append(codes, code)
		}
	}
	if len(codes) < 10 {
		return errors.New("the agency has too few agents, or the client may not read them")
	}
	slices.SortFunc(codes, func(x, y string) int { return cmp.Or(below[x]-below[y], strings.Compare(x, y)) })
	most := below[codes[len(codes)-1]]
	k.agents = make([][]string, 5)
	for _, code := range codes {
		class := 0
		for _, least := range []int{1, 1 + most/1000, 1 + most/50, 1 + most/2} {
			if below[code] >= least {
				class++
			}
		}
		k.agents[class] = append(k.agents[class], code)
	}
	k.agents = slices.DeleteFunc(k.agents, func(some []string) bool { return len(some) == 0 })
	return nil
}

func list(v any) (all []map[string]any) {
	some, _ := v.([]any)
	for _, one := range some {
		if m, ok := one.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

func text(of map[string]any, name string) string {
	s, _ := of[name].(string)
	return s
}

// nested is what is below some names; nil if nothing is.
func nested(of any, names ...string) any {
	for _, name := range names {
		m, _ := of.(map[string]any)
		of = m[name]
	}
	return of
}

// valuesIn are all texts and numbers within an answer.
func valuesIn(v any) (all []string) {
	switch v := v.(type) {
	case map[string]any:
		for _, of := range v {
			all = append(all, valuesIn(of)...)
		}
	case []any:
		for _, one := range v {
			all = append(all, valuesIn(one)...)
		}
	case string:
		all = append(all, v)
	case float64:
		all = append(all, fmt.Sprint(v))
	}
	return all
}

// day is a day so many days from today.
func day(days int) string { return time.Now().AddDate(0, 0, days).Format(time.DateOnly) }
