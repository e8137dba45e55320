package rest

import (
	"net/http"
	"testing"
)

// "GET /background-questions: published background questions" (specification,
// Agent Onboarding) is no paged list: it answers all of them, as an array, and
// its enums are spelled as everywhere in REST.
func TestShortListIsAnArray(t *testing.T) {
	b := newBench(t)
	b.Data(`{"backgroundQuestions":[{"sequence":1,"responseType":"SINGLE_CHOICE","choices":["A"]},{"sequence":2,"responseType":"BOOLEAN","choices":[]}]}`)
	const path = "/agent-onboarding/demo/background-questions"
	w := b.send(http.MethodGet, path, "", "If-None-Match", `"x-y"`)
	const want = `[{"sequence":1,"responseType":"SingleChoice","choices":["A"]},{"sequence":2,"responseType":"Boolean","choices":[]}]`
	if w.Code != 200 || w.Body.String() != want || w.Header().Get("Content-Type") != jsonMediaType || w.Header().Get("Api-Version") != "1" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
	b.Data(`{"backgroundQuestions":[]}`)
	if w := b.send(http.MethodGet, path, ""); w.Code != 200 || w.Body.String() != "[]" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if p := problemOf(t, b.send(http.MethodGet, path, "", "Accept", "text/csv")); p.Status != 406 {
		t.Errorf("as CSV: %+v", p)
	}
}

// "current published contract" (specification, Agent Onboarding): 404 while none
// was published, but covenants are none.
func TestNoContractIsPublished(t *testing.T) {
	b := newBench(t)
	b.Data(`{"contract":null,"contractCovenants":[]}`)
	if p := problemOf(t, b.send(http.MethodGet, "/agent-onboarding/demo/contract", "")); p.Status != 404 || p.Code != "NOT_FOUND" {
		t.Errorf("%+v", p)
	}
	b.Data(`{"contractCovenants":[]}`)
	if w := b.send(http.MethodGet, "/agent-onboarding/demo/contract-covenants", ""); w.Code != 200 || w.Body.String() != "[]" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
