package edge

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressFrom is the size in bytes from which answers are compressed: smaller ones fit
// into a packet as they are.
const compressFrom = 1 << 10

// Compressed compresses the answers of a door, with zstd or gzip, whichever the client
// accepts. Answers about tokens and pages with forms do not pass through it: whoever can
// add text to such an answer could learn its secrets from its compressed size.
func Compressed(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressFrom), gzhttp.ContentTypeFilter(isCompressible), gzhttp.SuffixETag("-gzip"))
	if err != nil {
		panic(err) // only for settings that contradict each other
	}
	return wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if plain, ok := w.(*gzhttp.NoGzipResponseWriter); ok { // which hides the connection, that streams need
			w = plain.ResponseWriter
		}
		next.ServeHTTP(w, r)
	}))
}

// isCompressible reports whether answers of a media type are text that is sent in one
// piece. Streams send their events one by one.
func isCompressible(contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.HasSuffix(media, "json") || strings.HasPrefix(media, "text/") && media != "text/event-stream"
}
