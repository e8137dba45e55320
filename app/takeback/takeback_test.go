package takeback

import (
	"strings"

	"pgregory.net/rapid"
)

// often are mutations that ledgers draw more often than others: there is more to tell of them.
var often = []string{"agentUpdate", "agentContactUpdate", "payStatusPeriodApply", "levelPeriodApply", "uplinePeriodApply", "w9PeriodApply", "agentPayeeUpdate", "agentMembershipUpdate",
	"certificationUpsert", "certificationUpdate", "certificationPeriodApply", "certificationPeriodApply", "agentTagsUpdate", "aliasCreate", "aliasDelete", "reorgApply", "bulkImport", "bulkImport", "bulkImport", "agentRegister", "agentRegister", "productRuleApply"}

// tell tells a ledger.
func tell(l *ledger) {
	for _, in := range []object{
		{"agentCode": "A1", "firstName": "Ann", "lastName": "Lee", "status": "Active", "startDate": "2026-06-01T12:00:00Z", "teams": list(object{"membership": object{"level": 20}})},
		{"agentCode": "A2", "firstName": "Bea", "lastName": "Diaz", "status": "Active", "startDate": "2026-06-01T12:00:00Z", "teams": list(object{"membership": object{"level": 10, "directUpline": "A1"}})},
	} {
		l.send("agentRegister", in, nil)
	}
	l.send("certificationUpsert", object{"agentCode": "A1", "type": "AML", "isResidentCertification": true, "isVerified": false, "effectiveFrom": "2026-06-01"}, nil)
	write := func() { l.draw(often) }
	actions := []func(){write, write, func() { l.draw(l.mutations()) }}
	switch l.watched {
	case "undo", "changes", "explain":
		actions = append(actions, func() { l.takeBack(l.someWrites()...) }, func() { l.takeBack(l.numbered()[len(l.numbered())-1]) })
	}
	if l.watched == "undo" {
		actions = append(actions, l.backAndForth)
	}
	all := l.r
	all.Repeat(map[string]func(*rapid.T){"go on": func(t *rapid.T) {
		l.T, l.r = t, t
		oneOf(t, "action", actions)()
	}})
	l.T, l.r = all, all
	l.w.RebuildNow(l.T, l.tenant)
	switch l.watched {
	case "undo":
		l.silent()
	case "explain":
		l.explained()
	case "known":
		for _, w := range l.log {
			l.asKnown(w)
		}
	}
}

// mutations are those that a ledger makes.
func (l *ledger) mutations() (all []string) {
	for _, f := range l.schema.Mutation.Fields {
		if !strings.HasPrefix(f.Name, "__") && unmade[f.Name] == "" {
			all = append(all, f.Name)
		}
	}
	return all
}

// draw sends a mutation that is drawn.
func (l *ledger) draw(from []string) {
	l.Helper()
	g := &draws{T: l.r, l: l, mutation: oneOf(l.r, "mutation", from)}
	if g.mutation == "bulkImport" {
		entity := oneOf(l.r, "entity", entities)
		if rows := g.rows(entity); rows != nil {
			l.send(g.mutation, object{"entity": entity}, rows)
		}
		return
	}
	in := g.input(l.schema.Types[l.schema.Mutation.Fields.ForName(g.mutation).Arguments.ForName("input").Type.Name()])
	if in == nil {
		return
	}
	if shape := shapes[g.mutation]; shape != nil && !shape(g, in) {
		return
	}
	l.send(g.mutation, in, nil)
}

// unmade are the mutations that no ledger makes, with the reason.
var unmade = map[string]string{
	"changeUndo":           "takeBack makes it",
	"bulkUnderstand":       "it reads a file, and writes nothing",
	"exportCreate":         "it writes a file, and nothing of the agency",
	"exportDelete":         "it deletes a file",
	"scenarioReview":       "users make it, and this is a client: TestScenarioIsReviewed takes it back",
	"webhookTest":          "it sends, and changes nothing",
	"webhookDeliveryRetry": "it sends again",
	"webhookReplay":        "it sends again",
	"userSessionsEnd":      "it ends sessions, of which there are none",
	"viewerSessionsEnd":    "it ends sessions, of which there are none",
	"reportRecipeCreate":   "it is of the platform",
	"reportRecipeReplace":  "it is of the platform",
	"reportRecipeDelete":   "it is of the platform",
	"signInProviderCreate": "it asks the provider, over the network",
	"signInProviderUpdate": "there is no provider without a network",
	"signInProviderDelete": "there is no provider without a network",
	"presetCreate":         "it is its caller's, who is a client here, and keeps none",
	"presetReplace":        "it is its caller's, who is a client here, and keeps none",
	"presetDelete":         "it is its caller's, who is a client here, and keeps none",
}
