package doors_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/idempotency"
)

// "Permanently removes the agent and related data" (Endpoints, Agents): no
// repeated request is answered with it, and none makes the agent anew.
func TestDeletedAgentIsNotAnsweredAgain(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := withToken(t, w)
		registration := strings.Replace(fmt.Sprintf(newAgent, "Diaz"), "{", `{"agentCode":"X1",`, 1)
		requests := []struct{ path, body string }{
			{"/agents", registration},
			{"/payees/w9s", `{"agentCode":"X1","w9":{"name":"Ana","taxClassification":"Individual","taxpayerIdentifier":"900-12-3456"},"effectiveFrom":"2020-01-01","initiator":"hr"}`},
			{"/certifications", `{"agentCode":"X1","type":"AML","isResidentCertification":true,"isVerified":false,"initiator":"hr"}`},
			{"/agents/X1/aliases", `{"identifier":"x","initiator":"hr"}`},
		}
		for i, r := range requests {
			if status, _, answer := send(t, c, "POST", r.path, r.body, "Idempotency-Key", fmt.Sprint(i)); status != 201 {
				t.Fatalf("%s: %d %s", r.path, status, answer)
			}
		}
		if status, _, answer := send(t, c, "DELETE", "/agents/X1?initiator=hr", ""); status != 204 {
			t.Fatalf("%d %s", status, answer)
		}
		for i, r := range requests {
			status, _, answer := send(t, c, "POST", r.path, r.body, "Idempotency-Key", fmt.Sprint(i))
			if status != 409 || !strings.Contains(answer, "IDEMPOTENCY_ANSWER_LOST") || strings.Contains(answer, "3456") {
				t.Errorf("%s: %d %s", r.path, status, answer)
			}
		}
		if n := count(t, w, "agency_agent"); n != 0 {
			t.Errorf("there are %d agents", n)
		}
	})
}

// Answers go when their time is over, also of a tenant that asks for nothing
// more.
func TestJobsSweepAnswers(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		if status, _, answer := send(t, withToken(t, w), "POST", "/agents", fmt.Sprintf(newAgent, "Diaz"), "Idempotency-Key", "k1"); status != 201 {
			t.Fatalf("%d %s", status, answer)
		}
		w.Clock.Move(idempotency.Kept + time.Second)
		jobs, err := w.Jobs()
		if err == nil {
			err = jobs.Start(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		defer jobs.Stop(t.Context())
		for range 6000 {
			if count(t, w, "idempotent_request") == 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Error("the answer is still there")
	})
}
