package apptest

import "maps"

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
