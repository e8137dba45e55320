package webhooks

import (
	"context"
	"fmt"
	"slices"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// content is what is sent for an event: the same to every subscription, each time.
type content struct {
	id, eventType string
	agentCode     *string
	body          []byte
	// err is the reason why there is no body.
	err error
}

func contentOf(t *tenant.Tenant, e *events.Stored) *content {
	c := &content{id: e.ID, eventType: e.Type, agentCode: e.AgentCode}
	c.body, c.err = e.Body(t.Identifier)
	return c
}

// contentsKept limits the contents in memory; most are smaller than a kilobyte.
const contentsKept = 2048

// contents keeps recently sent contents: all subscriptions that want an event want it at
// about the same time.
type contents struct {
	kept *lru.Cache[contentKey, *content]
}

type contentKey struct {
	tenantID int64
	eventID  string
}

func newContents() contents {
	kept, err := lru.New[contentKey, *content](contentsKept)
	if err != nil {
		panic(err) // the size is positive
	}
	return contents{kept}
}

// of returns the contents of events of a tenant, in the order of the ids.
func (c contents) of(ctx context.Context, q store.Querier, t *tenant.Tenant, ids []string) ([]*content, error) {
	all, missing := make([]*content, len(ids)), []string{}
	for i, id := range ids {
		found, kept := c.kept.Get(contentKey{t.ID, id})
		if all[i] = found; !kept {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return all, nil
	}
	read, err := readContents(ctx, q, t, missing)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		if all[i] != nil {
			continue
		}
		if all[i] = read[id]; all[i] == nil { // an event is deleted only after its messages
			return nil, fmt.Errorf("webhooks: the event %s is missing", id)
		}
		c.kept.Add(contentKey{t.ID, id}, all[i])
	}
	return all, nil
}

// readContents reads events by their ids. The limits are for PostgreSQL: without
// statistics it would read all events of the tenant for a list.
func readContents(ctx context.Context, q store.Querier, t *tenant.Tenant, ids []string) (map[string]*content, error) {
	slices.Sort(ids)
	found, err := store.Collect(ctx, q, events.Scan, "SELECT "+events.Columns+` FROM outbox_event e
		WHERE e.tenant_id = $1 AND e.id >= $2 AND e.id <= $3 AND `+q.InUUIDs("e.id", "$4"), t.ID, ids[0], ids[len(ids)-1], q.Texts(ids))
	read := make(map[string]*content, len(found))
	for _, e := range found {
		read[e.ID] = contentOf(t, e)
	}
	return read, err
}
