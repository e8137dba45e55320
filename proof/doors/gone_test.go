package doors_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
)

// A record that somebody else deletes after a change is committed, and before it is read for
// the answer, is not there: 404, and no fault of the server.
func TestRecordDeletedBeforeItsAnswer(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := withToken(t, w)
		for _, code := range []string{"A1", "A2"} {
			if status, _, body := c.REST(t, "POST", "/agents", apptest.Registration(code, "")); status != 201 {
				t.Fatalf("%d %s", status, body)
			}
		}
		certification := object{"agentCode": "A1", "type": "LIFE", "jurisdiction": "US-TX", "isResidentCertification": true, "isVerified": false, "initiator": "hr"}
		for _, r := range []struct {
			name, method, path string
			body               object
		}{
			{"a certification that is added", "POST", "/certifications", certification},
			{"one that is updated by its key", "POST", "/certifications", certification},
			{"an agent", "PATCH", "/agents/A2", object{"firstName": "B", "initiator": "hr"}},
		} {
			if r.name == "one that is updated by its key" { // it was deleted by the row before
				c.REST(t, "POST", "/certifications", certification)
				r.body["note"] = "again"
			}
			committed, once := false, sync.Once{}
			ctx := store.WithFault(t.Context(), func(moment string) error {
				if moment == store.Committed {
					committed = true
				} else if committed {
					once.Do(func() { deleteOnly(t, c, r.path) })
				}
				return nil
			})
			body, err := json.Marshal(r.body)
			if err != nil {
				t.Fatal(err)
			}
			sent := httptest.NewRequestWithContext(ctx, r.method, "/agency-management/acme"+r.path, bytes.NewReader(body))
			sent.Header = http.Header{"Authorization": {"Bearer " + c.Token(t)}, "Content-Type": {"application/json"}}
			got := httptest.NewRecorder()
			w.ServeHTTP(got, sent)
			if got.Code != http.StatusNotFound || !strings.Contains(got.Body.String(), `"NOT_FOUND"`) {
				t.Errorf("%s: %d %s", r.name, got.Code, got.Body)
			}
		}
	})
}

// deleteOnly deletes the record of a path, or the only certification.
func deleteOnly(t *testing.T, c *apptest.Caller, path string) {
	if path == "/certifications" {
		data := c.Query(t, `{ certifications { nodes { databaseId } } }`, nil)
		path += "/" + fmt.Sprint(apptest.At(data, "certifications.nodes.0.databaseId"))
	}
	if status, _, body := c.REST(t, "DELETE", path, nil); status != http.StatusNoContent {
		t.Errorf("%d %s", status, body)
	}
}
