package transport

import (
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/clock"
)

const mediaMultipart = "multipart/form-data"

const (
	// DefaultMaxUpload is the limit of a file when Config sets none: 64 MiB.
	DefaultMaxUpload = 64 << 20
	// uploadWithin is how long a file may take to come in.
	uploadWithin = 2 * time.Minute
	// answerWithin is how long the operation and its answer may take after the file has
	// arrived. graph bounds the operation of an import with a minute.
	answerWithin = 90 * time.Second
	// uploadsAtOnce bounds the files on the disk, and uploadsOfOne those of one tenant,
	// so that its slow uploads do not keep out those of others.
	uploadsAtOnce = 4
	uploadsOfOne  = uploadsAtOnce / 2
	// maxMap bounds the part of the request that says where the file belongs.
	maxMap = 4 << 10
)

// uploads counts the files that are arriving.
type uploads struct {
	mu    sync.Mutex
	taken int
	of    map[string]int
}

// enter takes an upload for a tenant, and leave ends it; ok is false when no more are
// allowed now.
func (u *uploads) enter(tenant string) (leave func(), ok bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.taken >= uploadsAtOnce || u.of[tenant] >= uploadsOfOne {
		return nil, false
	}
	u.taken++
	u.of[tenant]++
	return func() { u.leave(tenant) }, true
}

func (u *uploads) leave(tenant string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.taken--
	if u.of[tenant]--; u.of[tenant] == 0 {
		delete(u.of, tenant)
	}
}

// readUpload reads a multipart request (GraphQL multipart request specification) of
// one file: the parts operations and map, in this order, and the file, which waits
// on the disk, without a name, until end is called. A batch or several files are
// refused.
func (h *handler) readUpload(w http.ResponseWriter, r *http.Request, boundary string, params *graphql.RawParams) (end func(), refused *answer) {
	if h.MayUpload == nil || !h.MayUpload(r.Context()) {
		return nil, requestError("FORBIDDEN", "the token holds no scope that takes a file")
	}
	tenant := ""
	if h.Tenant != nil {
		tenant = h.Tenant(r.Context())
	}
	leave, ok := h.uploads.enter(tenant)
	if !ok {
		return nil, requestError(unavailable, "other files are coming in: try again in a moment")
	}
	u := &upload{handler: h, params: params, end: leave}
	if refused := u.read(w, r, boundary); refused != nil {
		u.end()
		return nil, refused
	}
	return u.end, nil
}

// upload is a multipart request being read.
type upload struct {
	*handler
	params *graphql.RawParams
	end    func()
}

func (u *upload) read(w http.ResponseWriter, r *http.Request, boundary string) *answer {
	defer patience(w)()
	body := http.MaxBytesReader(w, r.Body, u.MaxUpload+u.MaxBody+2*maxMap)
	parts := multipart.NewReader(body, boundary)
	operations, refused := small(parts, "operations", u.MaxBody)
	if refused != nil {
		return refused
	}
	if refused := parseRequest(operations, u.params); refused != nil {
		return refused
	}
	where, refused := small(parts, "map", maxMap)
	if refused != nil {
		return refused
	}
	key, variable, refused := parseMap(where, u.params.Variables)
	if refused != nil {
		return refused
	}
	return u.file(parts, key, variable)
}

// patience lets the body take longer than that of other requests, and the answer come
// later. A client that does not read the answer still cannot hold anything for ever.
// Deadlines of a connection follow the clock of the machine.
func patience(w http.ResponseWriter) (end func()) {
	c := http.NewResponseController(w)
	_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(clock.System{}.Now().Add(uploadWithin+answerWithin))
	late := time.AfterFunc(uploadWithin, func() { _ = c.SetReadDeadline(time.Unix(1, 0)) })
	return func() { late.Stop() }
}

func badParts() *answer {
	return refuse(http.StatusBadRequest, `a multipart request must have the parts "operations", "map" and one file, in this order`)
}

// small reads a part that is not a file.
func small(parts *multipart.Reader, name string, limit int64) ([]byte, *answer) {
	part, err := parts.NextPart()
	if err != nil || part.FormName() != name {
		return nil, badParts()
	}
	text, err := io.ReadAll(io.LimitReader(part, limit+1))
	switch {
	case err != nil:
		return nil, refuse(http.StatusBadRequest, "the request body could not be read")
	case int64(len(text)) > limit:
		return nil, refuse(http.StatusRequestEntityTooLarge, "the request body is too large")
	}
	return text, nil
}

// place is a variable, or a field in one, that a file is put into.
type place struct {
	in   map[string]any
	name string
}

// parseMap finds where the file belongs: {"0": ["variables.input.file"]}.
func parseMap(text []byte, variables map[string]any) (key string, at place, refused *answer) {
	wrong := refuse(http.StatusBadRequest, `the part "map" must name one file, and one variable that is null`)
	var files map[string][]string
	if err := json.Unmarshal(text, &files); err != nil || len(files) != 1 {
		return "", place{}, wrong
	}
	var path []string
	for k, paths := range files {
		if len(paths) != 1 {
			return "", place{}, wrong
		}
		key, path = k, strings.Split(paths[0], ".")
	}
	if len(path) < 2 || path[0] != "variables" {
		return "", place{}, wrong
	}
	at = place{in: variables, name: path[len(path)-1]}
	for _, name := range path[1 : len(path)-1] {
		inner, ok := at.in[name].(map[string]any)
		if !ok {
			return "", place{}, wrong
		}
		at.in = inner
	}
	if given, ok := at.in[at.name]; !ok || given != nil {
		return "", place{}, wrong
	}
	return key, at, nil
}

// file writes the file to the disk and gives it to its variable.
func (u *upload) file(parts *multipart.Reader, key string, at place) *answer {
	part, err := parts.NextPart()
	if err != nil || part.FormName() != key {
		return badParts()
	}
	file, err := os.CreateTemp("", "upline-upload-")
	if err != nil {
		return u.failed()
	}
	// Nobody else can open it from here on, and it is gone when it is closed.
	_ = os.Remove(file.Name())
	leave := u.end
	u.end = func() {
		_ = file.Close()
		leave()
	}
	size, err := io.Copy(file, io.LimitReader(part, u.MaxUpload+1))
	var (
		tooLarge *http.MaxBytesError
		onDisk   *os.PathError
	)
	switch {
	case errors.As(err, &tooLarge), size > u.MaxUpload:
		return refuse(http.StatusRequestEntityTooLarge, "the file is too large")
	case errors.As(err, &onDisk):
		return u.failed()
	case err != nil:
		return refuse(http.StatusBadRequest, "the request body could not be read")
	}
	if _, err := parts.NextPart(); !errors.Is(err, io.EOF) {
		return badParts()
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return u.failed()
	}
	at.in[at.name] = graphql.Upload{File: file, Size: size, Filename: part.FileName()}
	return nil
}

func (*upload) failed() *answer {
	return requestError(internalServerError, "the file could not be kept")
}
