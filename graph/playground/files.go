package playground

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

//go:embed page assets
var embedded embed.FS

// file is one embedded file with both of its representations.
type file struct {
	contentType string
	plain       []byte
	zipped      []byte // nil for a file that is not stored compressed
	etag        string // without quotes
}

// pageFiles returns the files by the pattern they are served under: their name,
// and for the page itself also the folder.
func pageFiles() map[string]file {
	files := map[string]file{}
	for _, dir := range []string{"page", "assets"} {
		entries, err := fs.ReadDir(embedded, dir)
		if err != nil {
			panic(err) // Cannot happen: the folder is compiled in.
		}
		for _, e := range entries {
			f := readFile(path.Join(dir, e.Name()))
			files[strings.TrimSuffix(e.Name(), ".gz")] = f
		}
	}
	files["{$}"] = files["index.html"]
	delete(files, "index.html")
	return files
}

func readFile(name string) file {
	content, err := embedded.ReadFile(name)
	if err != nil {
		panic(err) // Cannot happen: the name came from the same file system.
	}
	f := file{plain: content}
	if base, ok := strings.CutSuffix(name, ".gz"); ok {
		name, f.zipped, f.plain = base, content, unzip(content)
	}
	sum := sha256.Sum256(f.plain)
	f.etag = hex.EncodeToString(sum[:12])
	f.contentType = contentTypes[path.Ext(name)]
	return f
}

// contentTypes are fixed here because the mime package asks the machine, and
// with nosniff a machine that calls a script plain text breaks the page.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".txt":  "text/plain; charset=utf-8",
}

func unzip(content []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		panic(err) // Cannot happen: a test reads every asset.
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return plain
}

// ServeHTTP answers the file. A browser may keep it, but asks every time
// whether it is still the same, so a new version of the server is seen at once.
func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", "no-cache")
	body, etag := f.plain, f.etag
	if f.zipped != nil {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body, etag = f.zipped, f.etag+"-gzip"
		}
	}
	h.Set("ETag", strconv.Quote(etag))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip reports whether a request names gzip, with a weight above zero
// (RFC 9110, section 12.5.3).
func acceptsGzip(headers []string) bool {
	for coding := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, params, err := mime.ParseMediaType(coding)
		if err != nil || name != "gzip" {
			continue
		}
		weight, err := strconv.ParseFloat(params["q"], 64)
		return err != nil || weight > 0
	}
	return false
}
