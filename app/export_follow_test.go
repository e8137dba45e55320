package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// Who follows an export through another server sees how it stands, and its end.
func TestExportUpdated(t *testing.T) {
	onTwo(t, func(t *testing.T, r *replicas) {
		c := r.As(apptest.Acme)
		id := apptest.AskExport(t, c, apptest.Export(`{ agents { nodes { agentCode } } }`, "agents", "CSV"))
		document := fmt.Sprintf(`subscription { exportUpdated(id: %q) { status rowCount downloadUrl } }`, id)
		f := r.follow(t, c, document)
		f.expect(`"status":"QUEUED"`)
		events := r.stream(t, c, document)
		if first := <-events; !strings.Contains(first, `"status":"QUEUED"`) {
			t.Errorf("the stream begins with %s", first)
		}
		if _, err := r.Exports.WorkNext(t.Context()); err != nil {
			t.Fatal(err)
		}
		last := ""
		for event := range events { // it ends with the export
			if strings.Contains(event, "status") {
				last = event
			}
		}
		if !strings.Contains(last, `"status":"COMPLETED"`) || !strings.Contains(last, apptest.Issuer+"/exports/acme/") {
			t.Errorf("the stream ends with %s", last)
		}
		for got := ""; !strings.Contains(got, `"type":"complete"`); {
			var err error
			if got, err = f.next(); err != nil {
				t.Fatal(err)
			}
		}
		r.follow(t, c, document).expect(`"status":"COMPLETED"`, `"type":"complete"`)
		r.follow(t, r.As(apptest.Acme, allScopes...), document).expect(`There is no such export`)
	})
}
