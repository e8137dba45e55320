package doors_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// Every event that the service wrote fits the published schema of its type.
func TestEventsFitTheirSchemas(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 5)
		fitSchemas(t, w)
	})
}

func fitSchemas(t *testing.T, w *apptest.World) {
	t.Helper()
	all := feed(t, w)
	if len(all) == 0 {
		t.Error("no events")
	}
	for _, e := range all {
		body, err := e.Body(apptest.Acme)
		if err != nil {
			t.Fatal(err)
		}
		var parts struct{ Data json.RawMessage }
		if err := json.Unmarshal(body, &parts); err != nil {
			t.Fatal(err)
		}
		published, ok := events.Lookup(e.Type)
		if !ok {
			t.Errorf("%s is not in the catalogue", e.Type)
			continue
		}
		if err := schemaOf(t, published).Validate(jsonOf(t, parts.Data)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func schemaOf(t *testing.T, e events.Type) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("data.json", jsonOf(t, e.Schema)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("data.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func jsonOf(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// A feed that nobody reads is numbered by a job.
func TestJobNumbersEvents(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 5)
		jobs, err := w.Jobs()
		if err == nil {
			err = jobs.Start(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		defer jobs.Stop(t.Context())
		db := dbtest.Owner(t, w.Store)
		for range 6000 { // whoever is elected to start periodic jobs may take a while
			var waiting, all int
			_, err := store.One(t.Context(), db, []any{&all, &waiting}, "SELECT count(*), count(*) - count(position) FROM outbox_event WHERE tenant_id = $1", w.Tenants[apptest.Acme].ID)
			if err != nil {
				t.Fatal(err)
			}
			if all > waiting { // other jobs may raise events after it looked
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Error("the events have no positions")
	})
}
