package apptest

import (
	"encoding/json"
	"maps"
)

// Registration is what REST takes of a new agent at level 10; an empty upline is none.
func Registration(code, upline string) map[string]any {
	membership := map[string]any{"level": 10}
	if upline != "" {
		membership["directUpline"] = upline
	}
	return map[string]any{"agentCode": code, "firstName": "Ann", "lastName": "Lee", "status": "Active", "initiator": "hr",
		"teams": map[string]any{"default": membership}}
}

// Register adds an agent at the top, with more or other members of the request.
func Register(t T, c *Caller, code string, more map[string]any) {
	t.Helper()
	body := Registration(code, "")
	maps.Copy(body, more)
	if status, _, answer := c.REST(t, "POST", "/agents", body); status != 201 {
		t.Fatalf("register %s: %d %s", code, status, answer)
	}
}

// AddDocuments adds a manifest to a client.
const AddDocuments = `mutation($client: String!, $manifest: JSON!) { m: clientDocumentsAdd(input: {clientId: $client, manifest: $manifest}) {
	added applied userErrors { code field } client { trustedDocuments } } }`

// CreateApplication creates an application, and returns its id.
func CreateApplication(t T, c *Caller, body map[string]any) string {
	t.Helper()
	sent, err := json.Marshal(body)
	if err != nil {
		t.Fatalf("%v", err)
	}
	answer := c.Send(t, "POST", "/agent-onboarding/{tenant}/applications", nil, sent)
	var made struct{ ID string }
	if err := json.Unmarshal(answer.Body.Bytes(), &made); answer.Code != 201 || err != nil {
		t.Fatalf("POST /applications: %d %s %v", answer.Code, answer.Body, err)
	}
	return made.ID
}
