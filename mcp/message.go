package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/uplinehq/upline/rest"
)

// message is a message of JSON-RPC 2.0, as far as its form is checked before the SDK reads
// it: the SDK answers what it cannot read with a text, without the id.
type message struct {
	Version, Method string
	ID, Params      json.RawMessage
}

// errForm is the error of a message that is not one of JSON-RPC, with its code.
type errForm struct {
	code int64
	text string
}

func (e errForm) Error() string { return e.text }

// readMessage reads the message of a request, with its bytes. The message has what could
// be read of it, also with an error.
func readMessage(w http.ResponseWriter, r *http.Request) (m message, body []byte, err error) {
	body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, rest.DefaultMaxBody))
	if err != nil {
		return m, body, err
	}
	var members map[string]json.RawMessage
	switch head := bytes.TrimLeft(body, " \t\r\n"); {
	case !json.Valid(body):
		return m, body, errForm{jsonrpc.CodeParseError, "The body must be one JSON object"}
	case head[0] == '[': // each request is admitted and counted as one
		return m, body, errForm{jsonrpc.CodeInvalidRequest, "Send one message in a request: batches are not served"}
	case head[0] != '{':
		return m, body, errForm{jsonrpc.CodeInvalidRequest, "The body must be one JSON object"}
	}
	if err := json.Unmarshal(body, &members); err != nil {
		return m, body, err
	}
	if id := members["id"]; len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
		m.ID = id
	}
	return m, body, m.read(members)
}

// read takes the members of a message other than its id.
func (m *message) read(members map[string]json.RawMessage) error {
	m.Params = members["params"]
	switch {
	case members["id"] != nil && (m.ID == nil || m.ID[0] != '"' && bytes.ContainsAny(m.ID, ".eE")):
		return errForm{jsonrpc.CodeInvalidRequest, "id must be a text or an integer"}
	case json.Unmarshal(members["jsonrpc"], &m.Version) != nil || m.Version != "2.0":
		return errForm{jsonrpc.CodeInvalidRequest, `jsonrpc must be "2.0"`}
	case members["method"] == nil && (members["result"] != nil || members["error"] != nil):
		return nil // the answer of a client
	case json.Unmarshal(members["method"], &m.Method) != nil || m.Method == "":
		return errForm{jsonrpc.CodeInvalidRequest, "method must be a text"}
	case len(m.Params) > 0 && m.Params[0] != '{' && string(m.Params) != "null":
		return errForm{jsonrpc.CodeInvalidParams, "params must be an object"}
	}
	return nil
}

// refused writes an error of JSON-RPC.
func refused(w http.ResponseWriter, status int, id json.RawMessage, code int64, text string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}) // nothing in it fails
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// refuseForm answers a message that could not be read.
func refuseForm(w http.ResponseWriter, m message, err error) {
	var form errForm
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &form):
		refused(w, http.StatusBadRequest, m.ID, form.code, form.text)
	case errors.As(err, &tooLarge):
		refused(w, http.StatusRequestEntityTooLarge, m.ID, jsonrpc.CodeInvalidRequest, fmt.Sprintf("The body must not be larger than %d bytes", tooLarge.Limit))
	default:
		refused(w, http.StatusBadRequest, m.ID, jsonrpc.CodeParseError, "The body could not be read")
	}
}

// answer rewrites what the SDK refuses: a text becomes an error of JSON-RPC, and an error
// that speaks of the program's types one that speaks of the message.
type answer struct {
	http.ResponseWriter
	message message
	// status is kept back until the body decides; 0 once it was sent.
	status int
}

// WriteHeader keeps the status back.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write sends the head with the first part of the body.
func (a *answer) Write(body []byte) (int, error) {
	if a.status == 0 { // the rest of what was begun
		return a.ResponseWriter.Write(body)
	}
	if a.status < http.StatusBadRequest && !unreadParams(body, maxHead+len(a.message.ID)) {
		a.head()
		return a.ResponseWriter.Write(body)
	}
	code, text := int64(jsonrpc.CodeInvalidRequest), strings.TrimSpace(string(body))
	switch status := a.status; {
	case status < http.StatusBadRequest:
		code, text = jsonrpc.CodeInvalidParams, "The params do not fit the method "+a.message.Method
	case strings.HasPrefix(a.Header().Get("Content-Type"), "application/json"):
		a.head()
		return a.ResponseWriter.Write(body)
	case strings.HasPrefix(text, unhandled):
		code, text = jsonrpc.CodeMethodNotFound, fmt.Sprintf("There is no method %q", a.message.Method)
	}
	refused(a.ResponseWriter, a.status, a.message.ID, code, text)
	a.status = 0
	return len(body), nil
}

// head sends the status, unless it was sent.
func (a *answer) head() {
	if a.status != 0 {
		a.ResponseWriter.WriteHeader(a.status)
		a.status = 0
	}
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// unhandled begins the text of the SDK about a method that it does not know.
const unhandled = "JSON RPC not handled"

// unreadParams reports whether an answer is the SDK's error about params that are not
// those of the method: the only errors which it begins with "handling".
func unreadParams(body []byte, head int) bool {
	if !bytes.Contains(body[:min(len(body), head)], []byte(`"error":{`)) {
		return false
	}
	var failed struct{ Error struct{ Message string } }
	return json.Unmarshal(body, &failed) == nil && strings.HasPrefix(failed.Error.Message, "handling '")
}

// maxHead is more bytes than stand before the error of an answer, besides its id.
const maxHead = 64
