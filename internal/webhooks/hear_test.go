package webhooks_test

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/webhooks"
)

// withScopes is the context of a caller who holds scopes alone.
func (w *world) withScopes(scopes ...string) context.Context {
	return tenant.WithCaller(w.ctx, tenant.Caller{Subject: "agents only", Scopes: scopes})
}

// refusedFor reports whether an error refuses for want of a scope, naming a field.
func refusedFor(err error, field, scope string) bool {
	return slices.ContainsFunc(problem.From(err), func(p *problem.Error) bool {
		return p.Code == problem.ForbiddenCode && strings.Join(p.Field, ".") == field && strings.Contains(p.Message, scope)
	})
}

// Events that wait, or were sent, go to no URL that is set by somebody who may not
// hear them, however it goes about it.
func TestQueuedEventsAreNotSentElsewhere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		theirs, mine := receive(t, status(http.StatusInternalServerError)), receive(t, nil)
		sub := w.subscribe(theirs.URL, func(in *webhooks.Input) { in.Events = patch.Set([]string{"UserCreated", "AgentUpdated"}) })
		w.raiseAll(events.UserEvent(events.UserCreated, events.UserChange{Username: "ana", Operation: "userCreate", Initiator: "hr"}))
		w.raise("A1")
		w.deliver(sub)
		sent := w.deliveries(sub)
		slices.SortFunc(sent, func(a, b *webhooks.Delivery) int { return cmp.Compare(b.Event.Type, a.Event.Type) })
		if len(sent) != 2 || sent[0].Event.Type != events.UserCreated {
			t.Fatalf("sent %v", sent)
		}
		w.raiseAll(events.UserEvent(events.UserCreated, events.UserChange{Username: "eva", Operation: "userCreate", Initiator: "hr"})) // not yet queued
		agents := w.withScopes("read:agents")
		moved := webhooks.Input{URL: patch.Set(mine.URL)}
		narrowed := webhooks.Input{Events: patch.Set([]string{"AgentUpdated"})}
		both := webhooks.Input{Events: narrowed.Events, URL: moved.URL}
		refused := func(what string, err error, field string) {
			t.Helper()
			if !refusedFor(err, field, "read:users") {
				t.Errorf("%s: %v, want a refusal of %s", what, err, field)
			}
		}
		update := func(ctx context.Context, in webhooks.Input) error {
			_, _, err := w.Update(ctx, sub.UID, in)
			return err
		}
		refused("narrowed and moved at once", update(agents, both), "url")
		if err := update(agents, narrowed); err != nil {
			t.Fatal(err)
		}
		refused("moved after that", update(agents, moved), "url")
		if err := update(agents, webhooks.Input{IsActive: patch.Set(false)}); err != nil {
			t.Fatal(err)
		}
		refused("switched on", update(agents, webhooks.Input{IsActive: patch.Set(true)}), "isActive")
		_, err := w.Retry(agents, sent[0].UID)
		refused("sent again", err, "id")
		if _, err := w.Retry(agents, sent[1].UID); err != nil {
			t.Errorf("an event of agents: %v", err)
		}
		if err := update(w.ctx, webhooks.Input{Events: patch.Set([]string{"UserCreated", "AgentUpdated"}), IsActive: patch.Set(true)}); err != nil {
			t.Fatal(err)
		}
		replay := webhooks.Replay{From: start.Add(-time.Hour), Through: start.Add(time.Hour)}
		_, _, err = w.Replay(agents, sub.UID, replay)
		refused("replayed", err, "eventTypes")
		replay.EventTypes = []string{"AgentUpdated"}
		if _, _, err = w.Replay(agents, sub.UID, replay); err != nil {
			t.Errorf("a replay of what it may hear: %v", err)
		}
		if got := len(mine.received()); got != 0 {
			t.Fatalf("%d events went elsewhere", got)
		}
		if err := update(w.ctx, moved); err != nil {
			t.Errorf("by somebody who may hear them: %v", err)
		}
		w.clock.Move(24 * time.Hour)
		if w.deliver(sub); len(mine.received()) < 3 {
			t.Errorf("%d events arrived", len(mine.received()))
		}
	})
}
