package ledger_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// A server that is killed while it writes leaves nothing that is served; the next
// one writes the whole file.
func TestKilledExport(t *testing.T) {
	t.Parallel() // it waits
	dbtest.EachURL(t, func(t *testing.T, url string) {
		t.Parallel()
		s := openStore(t, url)
		w := apptest.New(t, s, apptest.Options{Now: clock.System{}.Now()})
		w.LoadDemo(t, apptest.Acme, 1000)
		c := w.As(apptest.Acme)
		var wide strings.Builder // a row is a kilobyte
		for i := range 28 {
			fmt.Fprintf(&wide, "n%d: displayName ", i)
		}
		in := apptest.Export(`{ agents { nodes { id agentCode `+wide.String()+` payStatus { name } uplineChain { agent { agentCode displayName } } } } }`, "agents", "JSONL")
		_, state := apptest.Exported(t, w, c, in)
		want := apptest.Download(t, c, state).Body.Bytes()
		if len(want) < 3*256<<10 {
			t.Fatalf("%d bytes are no test of chunks", len(want))
		}
		id := apptest.AskExport(t, c, in)
		_ = startChild(t, url, childPoint+"=chunk 2 1").cmd.Wait() // it kills itself
		state = apptest.At(c.Query(t, apptest.ExportState, object{"id": id}), "export")
		n, err := store.Collect(w.Context(t, apptest.Acme), s, store.ScanOne[int], "SELECT count(*) FROM export_chunk WHERE export_id = (SELECT max(id) FROM export)")
		if err != nil || n[0] != 2 || apptest.At(state, "status") != "RUNNING" || apptest.At(state, "downloadUrl") != nil {
			t.Fatalf("killed, it is %v with %d chunks, %v", state, n, err)
		}
		child := startChild(t, url, childAhead+"=2m")
		defer child.kill()
		for range 1200 {
			if state = apptest.At(c.Query(t, apptest.ExportState, object{"id": id}), "export"); apptest.At(state, "status") == "COMPLETED" {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if got := apptest.Download(t, c, state).Body.Bytes(); !bytes.Equal(got, want) {
			t.Errorf("the next server wrote %d bytes; want %d", len(got), len(want))
		}
	})
}
