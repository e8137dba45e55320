// Package asset serves the files of web pages that are compiled in, compressed or
// not, with what a browser needs to keep them.
package asset

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// File is one embedded file with both of its representations.
type File struct {
	contentType string
	open        func() io.ReadSeeker // what is stored, where it is compiled in
	zipped      bool                 // whether that is compressed
	plain       func() []byte        // takes the time to unzip when first called
	etag        string               // without quotes
	caching     string
}

// Read returns the files of a folder and those below it, by their names in the
// folder. A name that ends in .gz is that of a file stored compressed, and goes
// without the ending.
func Read(fsys fs.FS, dir string) map[string]*File {
	files := map[string]*File{}
	err := fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(fsys, name)
		open := func() io.ReadSeeker {
			stored, err := fsys.Open(name)
			if err != nil {
				panic(err) // Cannot happen: it was read before.
			}
			return stored.(io.ReadSeeker) // as every file of embed.FS is
		}
		files[strings.TrimPrefix(strings.TrimSuffix(name, ".gz"), dir+"/")] = newFile(name, content, open)
		return err
	})
	if err != nil {
		panic(err) // Cannot happen: the folder is compiled in.
	}
	return files
}

func newFile(name string, content []byte, open func() io.ReadSeeker) *File {
	f := &File{open: open, caching: "no-cache"}
	if base, ok := strings.CutSuffix(name, ".gz"); ok {
		name, f.zipped = base, true
		f.plain = sync.OnceValue(func() []byte { return unzip(open()) })
	}
	sum := sha256.Sum256(content)
	f.etag = hex.EncodeToString(sum[:12])
	f.contentType = contentTypes[path.Ext(name)]
	return f
}

// Forever says that the file's name changes with its content, so that a browser
// need not ask again.
func (f *File) Forever() { f.caching = "public, max-age=31536000, immutable" }

// contentTypes are fixed here because the mime package asks the machine, and
// with nosniff a machine that calls a script plain text breaks the page.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

func unzip(stored io.Reader) []byte {
	r, err := gzip.NewReader(stored)
	if err != nil {
		panic(err) // Cannot happen: a test reads every asset.
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		panic(err)
	}
	return plain
}

// ServeHTTP answers the file. A browser may keep it, but, unless it is there
// Forever, asks every time whether it is still the same, so a new version of the
// server is seen at once.
func (f *File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Cache-Control", f.caching)
	body, etag := f.open, f.etag
	if f.zipped {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			etag += "-gzip"
		} else {
			body = func() io.ReadSeeker { return bytes.NewReader(f.plain()) }
		}
	}
	h.Set("ETag", strconv.Quote(etag))
	http.ServeContent(w, r, "", time.Time{}, body())
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

// Secured sets the headers that every answer carries, a 404 included: what the browser may
// load and run, that it takes an answer for nothing else than its media type says, and that
// it tells nobody where it was. The values are shared by all answers: a handler may replace
// them, but not write into them.
func Secured(contentSecurityPolicy string, next http.Handler) http.Handler {
	policy, nosniff, referrer := []string{contentSecurityPolicy}, []string{"nosniff"}, []string{"no-referrer"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Content-Security-Policy"], h["X-Content-Type-Options"], h["Referrer-Policy"] = policy, nosniff, referrer
		next.ServeHTTP(w, r)
	})
}
