package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/text"
)

// params reads the GraphQL request out of r, or says why there is none. No message
// repeats a part of the request. end releases what the request holds until it is
// answered.
func (h *handler) params(w http.ResponseWriter, r *http.Request) (params *graphql.RawParams, end func(), refused *answer) {
	params, end = &graphql.RawParams{Headers: r.Header}, func() {}
	if r.Method == http.MethodGet {
		refused = h.readURL(r.URL, params)
	} else if boundary, multipart := boundaryOf(r.Header); multipart {
		end, refused = h.readUpload(w, r, boundary, params)
	} else {
		refused = h.readBody(w, r, params)
	}
	if refused != nil {
		return nil, nil, refused
	}
	// A stored document is sent by its id or its hash; the executor finds its text.
	if params.Query == "" && params.Extensions["persistedQuery"] == nil && params.Extensions[DocumentID] == nil {
		end()
		return nil, nil, refuse(http.StatusBadRequest, `the parameter "query" is missing`)
	}
	return params, end, nil
}

// boundaryOf returns the boundary between the parts of a multipart request.
func boundaryOf(header http.Header) (boundary string, multipart bool) {
	mediaType, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	return parameters["boundary"], err == nil && mediaType == mediaMultipart && parameters["boundary"] != ""
}

func (h *handler) readURL(u *url.URL, params *graphql.RawParams) *answer {
	if int64(len(u.RawQuery)) > h.MaxBody {
		return refuse(http.StatusRequestURITooLong, "the query string is too long")
	}
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil || !utf8.ValidString(u.RawQuery) {
		return refuse(http.StatusBadRequest, "the query string is malformed")
	}
	params.Query = values.Get("query")
	params.OperationName = values.Get("operationName")
	documentID := values.Get(DocumentID)
	if !decodeParameter(values.Get("variables"), &params.Variables) {
		return refuse(http.StatusBadRequest, `the parameter "variables" must be a JSON object`)
	}
	if !decodeParameter(values.Get("extensions"), &params.Extensions) {
		return refuse(http.StatusBadRequest, `the parameter "extensions" must be a JSON object`)
	}
	setDocumentID(params, documentID)
	return nil
}

// DocumentID is the parameter with the id of a trusted document, which a request has
// instead of a query (GraphQL over HTTP, appendix "Persisted Documents"). The executor gets
// it as an extension, since its parameters have no place for it.
const DocumentID = "documentId"

func setDocumentID(params *graphql.RawParams, id string) {
	delete(params.Extensions, DocumentID)
	if id == "" {
		return
	}
	if params.Extensions == nil {
		params.Extensions = map[string]any{}
	}
	params.Extensions[DocumentID] = id
}

// decodeParams reads the JSON of a request's parameters.
func decodeParams(data []byte, params *graphql.RawParams) error {
	sent := struct {
		*graphql.RawParams
		DocumentID string `json:"documentId"`
	}{RawParams: params}
	err := decode(data, &sent)
	setDocumentID(params, sent.DocumentID)
	return err
}

func decodeParameter(value string, into *map[string]any) bool {
	return value == "" || decode([]byte(value), into) == nil
}

func (h *handler) readBody(w http.ResponseWriter, r *http.Request, params *graphql.RawParams) *answer {
	if refused := refuseContent(r.Header); refused != nil {
		return refused
	}
	body := bodies.Get().(*bytes.Buffer)
	defer keepBody(body)
	_, err := body.ReadFrom(http.MaxBytesReader(w, r.Body, h.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "the request body is too large")
	case err != nil:
		return refuse(http.StatusBadRequest, "the request body could not be read")
	}
	return parseRequest(body.Bytes(), params)
}

// bodies are buffers for reading bodies and for putting answers together. What is decoded
// does not refer to them.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// keptBody bounds the size of the buffers that are kept.
const keptBody = 64 << 10

func keepBody(b *bytes.Buffer) {
	if b.Cap() <= keptBody {
		b.Reset()
		bodies.Put(b)
	}
}

// parseRequest reads the JSON of a request.
func parseRequest(body []byte, params *graphql.RawParams) *answer {
	switch {
	case !utf8.Valid(body):
		return refuse(http.StatusBadRequest, "the request body is not UTF-8")
	case bytes.HasPrefix(bytes.TrimLeft(body, " \t\r\n"), []byte("[")):
		return refuse(http.StatusBadRequest, "batches are not served: send one request at a time")
	}
	if err := decodeParams(body, params); err != nil {
		return refuse(http.StatusBadRequest, jsonFault(err))
	}
	return nil
}

// refuseContent refuses a body that is not JSON in UTF-8, or is compressed.
func refuseContent(header http.Header) *answer {
	mediaType, parameters, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || mediaType != mediaJSON {
		return refuse(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
	}
	if charset, ok := parameters["charset"]; ok && !isUTF8(charset) {
		return refuse(http.StatusUnsupportedMediaType, "the request must be encoded in UTF-8")
	}
	if coding := header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return refuse(http.StatusUnsupportedMediaType, "the request body must not be compressed")
	}
	return nil
}

// decode reads exactly one JSON value. Numbers stay as written, so that a
// large integer in a variable is not rounded.
func decode(data []byte, into any) error {
	if text.HalfPair(data) {
		return text.ErrHalfPair
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	return nil
}

// jsonFault says what is wrong with a body in words of our own: the messages
// of encoding/json repeat parts of it.
func jsonFault(err error) string {
	var wrong *json.UnmarshalTypeError
	if errors.Is(err, text.ErrHalfPair) {
		return "the request body " + err.Error()
	}
	if !errors.As(err, &wrong) {
		return "the request body is not valid JSON"
	}
	switch wrong.Field {
	case "query", "operationName", DocumentID:
		return `the parameter "` + wrong.Field + `" must be a string`
	case "variables", "extensions":
		return `the parameter "` + wrong.Field + `" must be an object`
	}
	return "the request body must be a JSON object"
}
