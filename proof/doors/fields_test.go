package doors_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// Values of fields that were not asked for are not revealed: the entry of a request names
// only the sensitive ones among its fields, and there is none without one.
func TestFieldsNotAskedForAreNotRevealed(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		count := len(a.entries(t, "REVEAL"))
		for _, path := range []string{"/agents", "/agents/R1", "/agents/R1/on-date/2026-06-15"} {
			answer := a.read(t, path+"?fields=agentCode,firstName,status,homeAddress", "application/json")
			if slices.ContainsFunc(secrets, func(secret string) bool { return strings.Contains(answer, secret) }) {
				t.Errorf("%s shows %s", path, answer)
			}
		}
		if n := len(a.entries(t, "REVEAL")); n != count {
			t.Errorf("fields without sensitive values left %d entries", n-count)
		}
		a.read(t, "/agents?fields=agentCode,governmentIdentifier", "application/json")
		entries := a.entries(t, "REVEAL")
		if len(entries) != count+1 {
			t.Fatalf("a sensitive field left %d entries; want 1", len(entries)-count)
		}
		changes := entries[0].(object)["changes"].([]any)
		if len(changes) != 1 || apptest.At(changes[0], "field") != "governmentIdentifier" {
			t.Errorf("the entry names %v", changes)
		}
	})
}

// The ETag of some fields of a record has the record's version, so that it holds a change,
// and is none of other fields: 304 means that the client has these fields.
func TestETagOfFields(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		a := newTrail(t, w, "REST")
		registerWithSecrets(t, a.Caller)
		const path = "/agency-management/{tenant}/agents/R1"
		tags := map[string]string{}
		for _, query := range []string{"", "?fields=firstName", "?fields=lastName", "?fields=lastModified"} {
			tags[query] = a.Send(t, http.MethodGet, path+query, nil, nil).Header().Get("ETag")
		}
		for query := range tags {
			for sent, tag := range tags {
				want := http.StatusOK
				if sent == query {
					want = http.StatusNotModified
				}
				if answer := a.Send(t, http.MethodGet, path+query, http.Header{"If-None-Match": {tag}}, nil); tag == "" || answer.Code != want {
					t.Errorf("%q with the ETag %s of %q: %d, want %d", query, tag, sent, answer.Code, want)
				}
			}
		}
		change := []byte(`{"firstName": "Bea", "initiator": "hr"}`)
		for _, want := range []int{http.StatusOK, http.StatusPreconditionFailed} {
			w.Clock.Move(time.Second)
			header := http.Header{"If-Match": {tags["?fields=firstName"]}, "Content-Type": {"application/json"}}
			if answer := a.Send(t, http.MethodPatch, path, header, change); answer.Code != want {
				t.Errorf("If-Match: %d %s, want %d", answer.Code, answer.Body, want)
			}
		}
	})
}
