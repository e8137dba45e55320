package outside_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/app/clientstest"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// inspector is the folder of the command line of the official inspector of MCP. It runs
// nowhere else: it looks for a file of its own from where it is.
const inspector = "node_modules/@modelcontextprotocol/inspector-cli/build"

// The inspector lists the tools and calls one.
func TestInspector(t *testing.T) {
	node := clientstest.Node(t, "", "@modelcontextprotocol/inspector-cli")
	t.Parallel()
	w := apptest.New(t, dbtest.SQLite(t), apptest.Options{})
	apptest.Register(t, w.As(apptest.Acme), "A1", nil)
	c := w.As(apptest.Acme, "read:agents")
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	inspect := func(into any, arguments ...string) {
		t.Helper()
		arguments = append([]string{"index.js", server.URL + "/mcp/" + apptest.Acme, "--transport", "http", "--header", "Authorization: Bearer " + c.Token(t)}, arguments...)
		out := clientstest.Run(t, inspector, []string{"NO_PROXY=127.0.0.1"}, node, arguments...)
		if err := json.Unmarshal(out, into); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var list struct{ Tools []struct{ Name string } }
	inspect(&list, "--method", "tools/list")
	if len(list.Tools) < 10 {
		t.Errorf("the tools are %v", list)
	}
	var called struct {
		Content []struct{ Text string }
		IsError bool
	}
	inspect(&called, "--method", "tools/call", "--tool-name", "agent", "--tool-arg", "agentCode=A1")
	if called.IsError || len(called.Content) == 0 || !strings.Contains(called.Content[0].Text, `"lastName":"Lee"`) {
		t.Errorf("the agent is %+v", called)
	}
}
