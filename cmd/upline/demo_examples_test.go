package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Every example of the demo's playground shows something: uplines, a downline, what a
// change would do, rows of the curated queries.
func TestDemoExamplesShowSomething(t *testing.T) {
	base := serveDemo(t, "", 300)
	var page struct {
		Examples []struct{ Name, Query, Variables string }
	}
	ask(t, "GET", base+"/playground/config.json", "", "", &page)
	var token struct {
		Token string `json:"access_token"`
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {"demo"}, "client_secret": {"demo-secret"}}
	ask(t, "POST", base+"/oauth2/token", "", form.Encode(), &token)
	if len(page.Examples) < 20 {
		t.Errorf("only %d examples", len(page.Examples))
	}
	for _, e := range page.Examples {
		var variables json.RawMessage
		if e.Variables != "" {
			variables = json.RawMessage(e.Variables)
		}
		body, err := json.Marshal(map[string]any{"query": e.Query, "variables": variables})
		if err != nil {
			t.Fatal(err)
		}
		var answer struct {
			Data   json.RawMessage
			Errors []struct{ Message string }
		}
		ask(t, "POST", base+"/graphql/demo", token.Token, string(body), &answer)
		if len(answer.Errors) > 0 {
			t.Errorf("%s: %v", e.Name, answer.Errors)
		}
		if strings.Contains(e.Query, "downlineTree") && strings.Count(string(answer.Data), `"parentAgentCode":"`) < 3 {
			t.Errorf("%s shows hardly anybody: %s", e.Name, answer.Data)
		}
		for _, nothing := range []string{`"uplineChain":[]`, `"totalCount":0`, `"operations":[]`, `"userErrors":[{`} {
			if strings.Contains(string(answer.Data), nothing) {
				t.Errorf("%s shows nothing: %.300s", e.Name, answer.Data)
			}
		}
	}
}

// ask sends a request and reads the JSON that it is answered with.
func ask(t *testing.T, method, address, token, body string, into any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	} else if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %d %v", address, answer.StatusCode, err)
	}
}
