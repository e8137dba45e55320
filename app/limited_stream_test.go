package app_test

import (
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
)

// A limited subscriber is told of its downline only, and shares the reader of the
// tenant with others, who are told of everybody, whoever came first.
func TestLimitedSubscriber(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		r.register(t, "TOP", "")
		r.register(t, "MID", "TOP")
		r.register(t, "LOW", "MID")
		r.register(t, "ELSE", "TOP")
		user := r.AddUser(t, apptest.Acme, "mid", "MID", "Agent")
		const changed = `subscription { agentChanged { agentCode } }`
		limited := r.follow(t, r.AsUser(t, apptest.Acme, user), changed)
		r.listening(t, 1)
		whole := r.follow(t, r.As(apptest.Acme), changed)
		r.listening(t, 2)
		for _, code := range []string{"TOP", "ELSE", "LOW", "MID"} {
			r.change(t, apptest.Acme, events.AgentUpdated, code)
		}
		limited.expect(`"agentCode":"LOW"`, `"agentCode":"MID"`)
		whole.expect(`"agentCode":"TOP"`, `"agentCode":"ELSE"`, `"agentCode":"LOW"`, `"agentCode":"MID"`)
	})
}
