package reference

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

// The page and all that it names come from this server, under a policy that lets no
// other script in.
func TestPage(t *testing.T) {
	page := get(Path)
	if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), `id="reference"`) {
		t.Fatalf("%d %s", page.Code, page.Body)
	}
	named := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page.Body.String(), -1)
	if len(named) < 3 {
		t.Fatalf("the page names %v", named)
	}
	for _, m := range named {
		if m[1] == "/openapi.json" || m[1] == "data:," {
			continue // the server has the one, and there is no icon
		}
		if w := get(m[1]); w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/") {
			t.Errorf("%s: %d %v", m[1], w.Code, w.Header())
		}
	}
	if regexp.MustCompile(`<script>|<script [^>]*>[^<]|\son[a-z]+=|<style`).MatchString(page.Body.String()) {
		t.Error("the page holds inline script or style")
	}
	for _, target := range []string{Path, Path + "scalar.js", Path + "nothing"} {
		policy := get(target).Header().Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self';") || strings.Contains(policy, "http") {
			t.Errorf("%s: %s", target, policy)
		}
	}
}

// The collection for Postman is JSON, and set to the demo.
func TestCollection(t *testing.T) {
	w := get(Path + "upline.postman_collection.json")
	var collection struct {
		Info     struct{ Schema string }
		Variable []struct{ Key, Value string }
		Item     []struct{ Item []struct{ Name string } }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &collection); err != nil || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v: %v", w.Code, w.Header(), err)
	}
	if !strings.Contains(collection.Info.Schema, "/v2.1.0/") || len(collection.Item) < 5 || len(collection.Item[0].Item) < 10 {
		t.Errorf("a collection of %d folders, %s", len(collection.Item), collection.Info.Schema)
	}
	if v := collection.Variable[0]; v.Key != "baseUrl" || v.Value != "http://127.0.0.1:8080" {
		t.Errorf("it is set to %+v", v)
	}
}

// A viewer of a megabyte is what a first visit loads, and the binary holds.
func TestSize(t *testing.T) {
	viewer, err := embedded.ReadFile("page/scalar.js.gz")
	if err != nil || len(viewer) > 1<<20 {
		t.Errorf("%d bytes, %v", len(viewer), err)
	}
}
