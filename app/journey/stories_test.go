package journey

import "github.com/uplinehq/upline/app/apptest"

// stories are told one after the other, on one server: each makes agents and names
// of its own (unique), and leaves the tenants able to go on.
var stories = []story{
	{"nothing has happened", func(*scene) {}},
	{"an agent with every part, by REST", func(s *scene) { s.changed(s.agent(everything())) }},
	{"an agent with the least, by GraphQL", func(s *scene) {
		s.mutate("agentRegister", object{"firstName": "O", "lastName": "B", "status": "Pending", "teams": []any{object{"team": "default", "membership": object{}}}, "initiator": "hr"}, "agent { agentCode }")
	}},
	{"a change is taken back", func(s *scene) {
		code := s.agent(nil)
		s.rest("PATCH", "/agents/"+code, object{"lastName": "Changed", "initiator": "hr", "reason": "by mistake"})
		made := s.gql(`query($key: String!) { changes(first: 1, filter: {entityType: "Agent", entityKey: $key}) { nodes { sequence } } }`, object{"key": code})
		s.mutate("changeUndo", object{"sequence": apptest.At(apptest.At(made, "changes.nodes").([]any)[0], "sequence"), "initiator": "hr"}, "undone { field }")
	}},
	{"a W9 of every tax classification", func(s *scene) {
		for _, c := range s.values("W9TaxClassification") {
			s.rest("POST", "/payees/w9s", object{"agentCode": s.agent(nil), "w9": w9(c), "effectiveFrom": "2026-01-01", "initiator": "hr"})
		}
	}},
	{"bank details of every country and kind", func(s *scene) {
		for _, kind := range s.values("BankAccountType") {
			s.agent(object{"directDeposit": object{"country": "US", "accountHolderName": "A", "accountType": restName(kind), "routingNumber": routing, "accountNumber": account()}})
			s.agent(object{"directDeposit": object{"country": "CA", "accountHolderName": "A", "accountType": restName(kind), "institutionNumber": "003", "transitNumber": "00123", "accountNumber": account()}})
		}
	}},
	{"a certification of every status and category", func(s *scene) {
		for _, category := range s.values("CertificationCategory") {
			code := unique("TYPE")
			s.rest("POST", "/certification-types", object{"code": code, "name": "Kind " + code, "category": restName(category), "initiator": "hr"})
			for _, status := range s.values("CertificationStatus") {
				s.rest("POST", "/certifications", object{"agentCode": s.agent(nil), "type": code, "jurisdiction": "US-TX", "identifier": "007", "isResidentCertification": true, "isVerified": true,
					"status": restName(status), "effectiveFrom": "2026-01-01", "initiator": "hr"})
			}
		}
	}},
	{"a certification is renewed, suspended, and ends", func(s *scene) {
		id := s.licensed(s.agent(nil), "US-FL")
		for i, status := range []string{"Suspended", "Active", "Expired"} {
			s.rest("POST", "/certifications/"+id+"/history", object{"status": status, "effectiveFrom": []string{"2026-02-01", "2026-03-01", "2027-01-01"}[i], "initiator": "hr"})
		}
		s.rest("DELETE", "/certifications/"+s.licensed(s.agent(nil), "US-TX"), nil)
	}},
	{"a recruit of every W9 classification becomes an agent", func(s *scene) {
		for _, c := range s.values("ApplicationW9Classification") {
			form := application()
			form["w9"] = object{"taxpayerName": "Rosa", "classification": c, "ssn": ssn(), "otherClassification": "a club", "address": "1 Main St", "city": "Boise", "jurisdiction": "US-TX", "postalCode": "01234"}
			for _, llc := range s.llcs(c) {
				form["w9"].(object)["llcClassification"], form["w9"].(object)["ssn"], form["governmentIdentifier"], form["emailAddress"] = llc, ssn(), ssn(), unique("r")+"@example.com"
				s.processed(s.applies(form))
			}
		}
	}},
	{"a recruit of every gender and marital status becomes an agent", func(s *scene) {
		for _, gender := range s.values("ApplicationGender") {
			form := application()
			form["gender"] = gender
			s.processed(s.applies(form))
		}
		for _, status := range s.values("ApplicationMaritalStatus") {
			form := application()
			form["maritalStatus"] = status
			s.processed(s.applies(form))
		}
	}},
	{"an application in every state", func(s *scene) {
		for _, ways := range [][]string{{}, {"Hold"}, {"Submit"}, {"Submit", "Hold"}, {"Submit", "Hold", "Resume"}, {"Reject"}, {"Submit", "Reject"}} {
			id := s.applies(application())
			s.mutate("applicationUpdate", object{"id": id, "homeAddress": object{"address1": "2 Main St"}, "commonName": nil}, "applied")
			for _, way := range ways {
				step := object{"id": id}
				if way == "Hold" || way == "Reject" {
					step["reason"] = "Because"
				}
				s.mutate("application"+way, step, "applied")
			}
		}
	}},
	{"a recruit pays before it becomes an agent", func(s *scene) {
		s.configured(object{"requiresPayment": true})
		defer s.configured(object{"requiresPayment": false})
		id := s.applies(application())
		s.mutate("applicationSubmit", object{"id": id}, "applied")
		s.mutate("applicationMarkPaid", object{"id": id, "orderId": "000-1"}, "applied")
		s.become(id)
	}},
	{"questions of every kind are asked, answered and retired", func(s *scene) {
		for i, kind := range s.values("QuestionResponseType") {
			question := object{"sequence": i + 2, "text": "Question " + kind, "responseType": kind}
			if kind == "SINGLE_CHOICE" {
				question["choices"] = []any{"one", "two"}
			}
			made := s.mutate("backgroundQuestionPublish", question, "backgroundQuestion { contentItemId }")
			s.processed(s.applies(application()))
			s.mutate("backgroundQuestionRetire", object{"contentItemId": at(made, "backgroundQuestion.contentItemId").(string)}, "applied")
		}
	}},
	{"from recruit to takeover", fromRecruitToTakeover},
	{"an agent moves in the past, today and in the future", func(s *scene) {
		code, upline := s.agent(nil), s.agent(nil)
		for _, from := range []string{"2021-01-01", "2026-06-15", "2030-01-01"} {
			s.rest("POST", "/teams/default/assigned-uplines", object{"agentCode": code, "uplineAgentCode": upline, "effectiveFrom": from, "initiator": "hr"})
			s.rest("POST", "/teams/default/assigned-uplines", object{"agentCode": code, "uplineAgentCode": nil, "effectiveFrom": from, "effectiveThrough": from, "initiator": "hr"})
		}
	}},
	{"a product gets rules, and is watched", func(s *scene) {
		code, gone := unique("P"), unique("P")
		s.mutate("productCreate", object{"code": code, "name": "Term life", "initiator": "hr"}, "product { code }")
		s.mutate("productRuleApply", object{"product": code, "rule": "Licence", "certificationTypes": []any{"LIFE"}, "requiresActiveStatus": true, "uplineDepth": 1, "effectiveFrom": "2026-01-01", "initiator": "hr"}, "applied")
		s.mutate("productUpdate", object{"code": code, "isWatched": true, "initiator": "hr"}, "product { isWatched }")
		s.mutate("productCreate", object{"code": gone, "name": "Nothing", "initiator": "hr"}, "applied")
		s.mutate("productDelete", object{"code": gone, "initiator": "hr"}, "applied")
	}},
	{"a branch is reorganised", func(s *scene) {
		top, other := s.agent(nil), s.agent(nil)
		moves := []any{}
		for range 5 {
			below := s.agent(object{"teams": object{"default": object{"directUpline": top, "level": 10}}})
			moves = append(moves, object{"agentCode": below, "newUplineAgentCode": other, "newLevel": 20})
		}
		s.mutate("reorgApply", object{"moves": moves, "effectiveFrom": "2026-06-15", "initiator": "hr"}, "affectedAgentCount")
	}},
	{"scenarios are thought through: one is applied, another discarded", func(s *scene) {
		top, other := s.agent(nil), s.agent(nil)
		below := s.agent(object{"teams": object{"default": object{"directUpline": top, "level": 10}}})
		move := object{"agentCode": below, "newUplineAgentCode": other, "newLevel": 20, "newPayStatus": "Suspended"}
		const shown = "scenario { id lastModified evaluation { versions affectedAgentCount conflicts { code } } }"
		made := s.mutate("scenarioCreate", object{"name": unique("Spring "), "effectiveFrom": "2026-06-16", "moves": []any{move}}, shown)
		s.mutate("scenarioApply", object{"id": at(made, "scenario.id"), "versions": at(made, "scenario.evaluation.versions"), "initiator": "hr"}, "affectedAgentCount")
		made = s.mutate("scenarioCreate", object{"name": unique("Autumn "), "effectiveFrom": "2026-09-01", "moves": []any{object{"agentCode": top, "newUplineAgentCode": other}}}, shown)
		role, name := unique("Planner "), unique("planner")
		s.mutate("roleCreate", object{"name": role, "scopes": []any{"read:agents"}}, "applied")
		reviewer := *s
		reviewer.Caller = s.world.AsUser(s, s.tenant, s.world.AddUser(s, s.tenant, name, "", role))
		made = s.mutate("scenarioUpdate", object{"id": at(made, "scenario.id"), "lastModified": at(made, "scenario.lastModified"), "reviewers": []any{name}}, shown)
		reviewer.mutate("scenarioReview", object{"id": at(made, "scenario.id"), "lastModified": at(made, "scenario.lastModified"), "verdict": "DECLINED", "comment": "Not in autumn."}, "applied")
		s.mutate("scenarioUpdate", object{"id": at(made, "scenario.id"), "lastModified": at(made, "scenario.lastModified"), "isDiscarded": true}, "applied")
	}},
	{"production and commissions, at their bounds", func(s *scene) {
		code := s.agent(nil)
		for _, premium := range []string{"0", "0.01", "1234567.89"} {
			s.produced(code, premium)
		}
		for _, amount := range []string{"-1.00", "0.01", "1234567.89"} {
			s.paid(code, amount)
		}
	}},
	{"reports of every dataset are saved, changed and deleted", reports},
	{"tags and aliases come and go", func(s *scene) {
		code, tag := s.agent(nil), unique("Tag ")
		s.rest("POST", "/tags", object{"name": tag, "color": "#00ff00", "initiator": "hr"})
		alias := s.rest("POST", "/agents/"+code+"/aliases", object{"identifier": unique("00"), "providerCompany": "ACO", "initiator": "hr"})
		for _, operation := range s.values("TagOperation") {
			s.rest("PATCH", "/agents/"+code+"/tags", object{"tags": []any{object{"operation": restName(operation), "tag": tag}}, "initiator": "hr"})
		}
		s.rest("DELETE", "/aliases/"+text(alias["id"]), nil)
		s.rest("DELETE", "/tags/"+escaped(tag), nil)
	}},
	{"users of every status, who are agents that are deleted", func(s *scene) {
		role := unique("Role ")
		s.mutate("roleCreate", object{"name": role, "scopes": []any{"read:agents"}, "limitedToDownline": true}, "applied")
		for _, status := range s.values("UserStatus") {
			code, name := s.agent(nil), unique("user")
			s.mutate("userCreate", object{"username": name, "email": name + "@example.com", "agentCode": code, "roles": []any{role}, "status": status}, "applied")
			s.rest("DELETE", "/agents/"+code, nil)
		}
	}},
	{"the recruiter is deleted", func(s *scene) {
		form, recruiter := application(), s.agent(nil)
		form["recruiterAgentCode"] = recruiter
		s.applies(form)
		s.rest("DELETE", "/agents/"+recruiter, nil)
	}},
	{"webhooks are subscribed, delivered and given up", webhooks},
	{"clients and keys come and go", func(s *scene) {
		name := unique("crm")
		s.mutate("clientCreate", object{"name": name, "description": "A client", "scopes": []any{"read:agents"}}, "applied")
		s.mutate("apiKeyCreate", object{"clientId": "acme." + name, "name": "A key", "scopes": []any{"read:agents"}}, "applied")
	}},
	{"dry runs and repeated requests", func(s *scene) {
		code := s.agent(nil)
		body := object{"agentCode": code, "status": "Suspended", "effectiveFrom": "2026-06-01", "initiator": "hr"}
		for _, path := range []string{"/payees/assigned-statuses?dryRun=true", "/payees/assigned-statuses", "/payees/assigned-statuses"} {
			s.rest("POST", path, body)
		}
	}},
	{"reference data is renamed and deleted", func(s *scene) {
		s.rest("POST", "/teams/default/agent-levels", object{"value": 777, "name": "Lucky", "initiator": "hr"})
		s.rest("PATCH", "/teams/default/agent-levels/777", object{"name": "Luckier", "initiator": "hr"})
		s.rest("DELETE", "/teams/default/agent-levels/777", nil)
		s.rest("POST", "/pay-statuses", object{"name": "On leave", "isActive": false, "initiator": "hr"})
		s.rest("DELETE", "/pay-statuses/On%20leave", nil)
		s.rest("POST", "/jurisdictions", object{"id": "ZZ-ZZ", "name": "Nowhere", "initiator": "hr"})
		s.rest("DELETE", "/jurisdictions/ZZ-ZZ", nil)
	}},
	{"text of every kind in every place", texts},
	{"the bounds of numbers and dates", bounds},
	{"leading zeros stay", zeros},
	{"one agency's export is another's import", imported},
	{"an administrator's day", administers},
	{"twenty writers on one agent", writers},
	{"a downline is taken over", func(s *scene) {
		top := s.agent(nil)
		for range 3 {
			s.agent(object{"teams": object{"default": object{"directUpline": top, "level": 10}}})
		}
		s.rest("DELETE", "/agents/"+top+"?newUplineAgentCode="+root, nil)
	}},
}
