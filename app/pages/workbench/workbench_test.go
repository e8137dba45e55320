package workbench

import (
	"embed"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/asset"
)

func get(t *testing.T, target string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	Handler(Config{Playground: true}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	r := w.Result()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r, string(text)
}

// Whatever names no file is a view of the page, and answers with the page.
func TestPage(t *testing.T) {
	_, page := get(t, Path)
	if !strings.Contains(page, `<div id="root">`) {
		t.Fatalf("the page is %s", page)
	}
	for target, status := range map[string]int{Path + "demo/agents/A1000": 200, Path + "demo/hierarchy?day=2026-01-01": 200, Path + "config.json": 200,
		Path + "assets/nothing.js": 404, Path + "index.html.gz": 404, "/elsewhere": 404} {
		r, text := get(t, target)
		if r.StatusCode != status {
			t.Errorf("%s: %d", target, r.StatusCode)
		}
		if strings.Contains(target, "demo/") && text != page {
			t.Errorf("%s is another page", target)
		}
	}
}

// The policy lets no script in that is not a file of the page, and the page has none.
func TestPolicy(t *testing.T) {
	for _, target := range []string{Path, Path + "config.json", Path + "assets/nothing.js"} {
		r, _ := get(t, target)
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'; script-src 'self';") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: %s", target, policy)
		}
		if strings.Contains(strings.Replace(policy, "style-src 'self' 'unsafe-inline'", "", 1), "unsafe") || strings.Contains(policy, "http") {
			t.Errorf("%s: %s", target, policy)
		}
	}
	_, page := get(t, Path)
	if regexp.MustCompile(`<script(>| [^>]*[^>]>[^<])|\son[a-z]+=|<style|\sstyle=`).MatchString(page) {
		t.Error("the page holds inline script or style")
	}
}

// The licences of the scripts are behind a link of the page, as text.
func TestLicences(t *testing.T) {
	r, text := get(t, Path+"licenses.txt")
	if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") || !strings.Contains(text, "\n## react - ") {
		t.Errorf("%d %s: %.100s", r.StatusCode, r.Header.Get("Content-Type"), text)
	}
	linked := false
	for _, f := range asset.Read(embedded, "dist/assets") {
		w := httptest.NewRecorder()
		f.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
		linked = linked || strings.Contains(w.Body.String(), `"`+Path+`licenses.txt"`) || strings.Contains(w.Body.String(), "`"+Path+"licenses.txt`")
	}
	if !linked {
		t.Error("nothing leads to the licences")
	}
}

// What the page asks for is there, and is kept for ever, since its name says what is
// in it; the page itself is asked for every time.
func TestAssets(t *testing.T) {
	r, page := get(t, Path)
	if got := r.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("the page: %s", got)
	}
	found := regexp.MustCompile(`(?:src|href)="(/workbench/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(found) < 2 {
		t.Fatalf("the page asks for %v", found)
	}
	for _, m := range found {
		r, _ := get(t, m[1])
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") == "" || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", m[1], r.StatusCode, r.Header)
		}
	}
}

// mostBytes bounds what is committed, and what a first visit may have to load.
const mostBytes = 2 << 20

func TestSize(t *testing.T) {
	total := size(t, embedded)
	if total == 0 || total > mostBytes {
		t.Errorf("%d bytes", total)
	}
}

func size(t *testing.T, files embed.FS) (total int64) {
	t.Helper()
	err := fs.WalkDir(files, "dist", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !strings.HasSuffix(name, ".gz") {
			t.Errorf("%s is not compressed", name)
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}
