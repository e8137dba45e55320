// Package scim is the door through which another system provisions users and groups: SCIM
// 2.0 (RFC 7643, RFC 7644). Users are those of the agency, groups its roles; every request
// goes through the functions of the identity area.
package scim

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/rest/input"
)

const (
	// Path is where the tenants are, below the server's URL.
	Path = "/scim/v2/"
	// Scope is what a caller needs.
	Scope = "provision:users"

	mediaType = "application/scim+json"
	// maxBody limits the body of a request, in bytes, pageSize a page, in resources, and
	// maxStart where one begins.
	maxBody  = 1 << 20
	pageSize = 100
	maxStart = 1 << 30

	userSchema   = "urn:ietf:params:scim:schemas:core:2.0:User"
	groupSchema  = "urn:ietf:params:scim:schemas:core:2.0:Group"
	listSchema   = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	patchSchema  = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
	errorSchema  = "urn:ietf:params:scim:api:messages:2.0:Error"
	schemaSchema = "urn:ietf:params:scim:schemas:core:2.0:Schema"
)

// object is a JSON object.
type object = map[string]any

// Door serves the resources of tenants to callers who were authorized.
type Door struct {
	Identity *identity.Service
	// PublicURL is that of the server.
	PublicURL string
	// Failed notes a fault of the server.
	Failed func(r *http.Request, err error)
}

// refusal is an error of RFC 7644 §3.12.
type refusal struct {
	status       int
	kind, detail string
}

// Error implements error.
func (e *refusal) Error() string { return e.detail }

var (
	errNotFound    = &refusal{http.StatusNotFound, "", "There is no such resource"}
	errUnsupported = &refusal{http.StatusNotImplemented, "", "This server does not support the operation"}
)

func invalid(kind, detail string) error { return &refusal{http.StatusBadRequest, kind, detail} }

// request is a request under way: its kind of resource and id, query, and body, if it has
// one.
type request struct {
	*http.Request
	door     *Door
	kind, id string
	query    url.Values
	body     object
}

// resource is an answer with one resource.
type resource struct {
	status  int
	version string
	body    object
}

// ServeHTTP implements http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer, err := d.serve(r)
	if err != nil {
		answer = d.refused(r, err)
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if answer.version != "" {
		h.Set("ETag", answer.version)
	}
	if location, _ := at(answer.body, "meta")["location"].(string); location != "" {
		h.Set("Location", location)
		if answer.status == http.StatusOK && r.Method == http.MethodGet && slices.Contains(tags(r.Header.Get("If-None-Match")), answer.version) {
			answer = resource{status: http.StatusNotModified}
		}
	}
	if answer.body != nil {
		h.Set("Content-Type", mediaType+"; charset=utf-8")
	}
	w.WriteHeader(answer.status)
	if answer.body != nil {
		_ = json.NewEncoder(w).Encode(answer.body) // this fails only if the caller has left
	}
}

func at(body object, name string) object {
	found, _ := body[name].(object)
	return found
}

func (d *Door) serve(r *http.Request) (resource, error) {
	if caller, _ := tenant.CallerFrom(r.Context()); !caller.HasScope(Scope) {
		return resource{}, &refusal{http.StatusForbidden, "", "The token does not hold the scope " + Scope}
	}
	kind, id, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Path+r.PathValue("tenantIdentifier")+"/"), "/")
	q := request{Request: r, door: d, kind: kind, id: id, query: r.URL.Query()}
	serve, ok := resources[kind]
	switch {
	case !ok || strings.Contains(id, "/"):
		return resource{}, errNotFound
	case len(serve) == 0:
		return resource{}, errUnsupported
	}
	handle := serve[r.Method+has[id != ""]]
	if handle == nil {
		return resource{}, &refusal{http.StatusMethodNotAllowed, "", "The resource does not support the method"}
	}
	if err := q.read(); err != nil {
		return resource{}, err
	}
	answer, err := q.answer(handle)
	if err != nil {
		return answer, q.stillDeactivated(err)
	}
	q.choose(answer.body)
	return answer, nil
}

// stillDeactivated lets a request that was refused take the access of its user all the same,
// and returns the refusal, which then says so. One for another version, or of no resource,
// changes nothing.
func (q *request) stillDeactivated(refused error) error {
	told := refusalOf(refused)
	if told == nil || told.status == http.StatusNotFound || told.status == http.StatusPreconditionFailed || !q.deactivates() {
		return refused
	}
	if _, err := q.answer(deactivate); err != nil {
		return err
	}
	return &refusal{told.status, told.kind, "The user is not active any more, but nothing else was changed: " + told.detail}
}

// answer calls a handler. What a request writes is written together: a group, its name and
// its members.
func (q *request) answer(handle func(*request) (resource, error)) (answer resource, err error) {
	if q.Method == http.MethodGet {
		return handle(q)
	}
	err = q.door.Identity.Together(q.Context(), func(ctx context.Context) (err error) {
		one := *q
		one.Request = q.WithContext(ctx)
		answer, err = handle(&one)
		return err
	})
	return answer, err
}

// has is appended to a method whose path names a resource.
var has = map[bool]string{true: " id"}

// resources are the handlers by path and method. Those without any are optional in RFC
// 7644 §3 and refused with 501: "If the service provider does not support" …
var resources = map[string]map[string]func(*request) (resource, error){}

func init() {
	for kind, handlers := range map[string]map[string]func(*request) (resource, error){
		"Users":                 {"GET": listUsers, "POST": createUser, "GET id": getUser, "PUT id": putUser, "PATCH id": patchUser, "DELETE id": deleteUser},
		"Groups":                {"GET": listGroups, "POST": createGroup, "GET id": getGroup, "PUT id": putGroup, "PATCH id": patchGroup, "DELETE id": deleteGroup},
		"ServiceProviderConfig": {"GET": serviceProviderConfig},
		"ResourceTypes":         {"GET": resourceTypes, "GET id": resourceTypes},
		"Schemas":               {"GET": schemas, "GET id": schemas},
		"Bulk":                  nil, "Me": nil, ".search": nil,
	} {
		resources[kind] = handlers
	}
}

// read reads the body, and what If-Match demands.
func (q *request) read() error {
	if q.Method == http.MethodGet {
		return nil
	}
	if match := q.Header.Get("If-Match"); match == "*" {
		q.Request = q.WithContext(version.ExpectAny(q.Context()))
	} else if match != "" {
		var versions []string
		for _, tag := range tags(match) {
			versions = append(versions, strings.Trim(strings.TrimPrefix(tag, "W/"), `"`))
		}
		q.Request = q.WithContext(version.Expect(q.Context(), versions))
	}
	if q.Method == http.MethodDelete {
		return nil
	}
	if media, _, err := mime.ParseMediaType(q.Header.Get("Content-Type")); err != nil || media != mediaType && media != "application/json" {
		return &refusal{http.StatusUnsupportedMediaType, "", "The body must be " + mediaType}
	}
	text, err := io.ReadAll(io.LimitReader(q.Body, maxBody+1))
	if len(text) > maxBody {
		return &refusal{http.StatusRequestEntityTooLarge, "", "The body is too large"}
	}
	body, twice, bad := input.ParseBody(text)
	sent, _ := body.(object)
	if q.body = lowered(sent); err != nil || bad != nil || len(twice) > 0 || len(q.body) < len(sent) {
		return invalid("invalidSyntax", "The body must be a JSON object that names no attribute twice")
	}
	return nil
}

// lowered returns an object with the names of its attributes in lower case, which does not
// count (RFC 7643 §2.1).
func lowered(o object) object {
	low := make(object, len(o))
	for name, value := range o {
		low[strings.ToLower(name)] = value
	}
	return low
}

func tags(header string) (all []string) {
	for tag := range strings.SplitSeq(header, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			all = append(all, tag)
		}
	}
	return all
}

func etag(v string) string { return `W/"` + v + `"` }

// choose leaves out attributes (RFC 7644 §3.9) of a resource, or of those of a list.
func (q *request) choose(body object) {
	if listed, ok := body["Resources"].([]object); ok {
		for _, one := range listed {
			q.choose(one)
		}
		return
	}
	names := func(parameter string) []string {
		return strings.FieldsFunc(strings.ToLower(q.query.Get(parameter)), func(r rune) bool { return r == ',' || r == ' ' })
	}
	only, without := names("attributes"), names("excludedAttributes")
	for name := range body {
		if name == "id" || name == "schemas" || name == "meta" {
			continue
		}
		in := func(all []string) bool {
			return slices.ContainsFunc(all, func(asked string) bool {
				top, _, _ := strings.Cut(asked[strings.LastIndex(asked, ":")+1:], ".")
				return top == strings.ToLower(name)
			})
		}
		if len(only) > 0 && !in(only) || in(without) {
			delete(body, name)
		}
	}
}

// page returns startIndex, from 1, and count.
func (q *request) page() (start, count int) {
	number := func(name string, otherwise int) int {
		n, err := strconv.Atoi(q.query.Get(name))
		if err != nil {
			return otherwise
		}
		return n
	}
	return min(maxStart, max(1, number("startIndex", 1))), min(pageSize, max(0, number("count", pageSize))) // RFC 7644 §3.4.2.4
}

// idOf reads the id of a user or group, which has one spelling.
func idOf(text string) (id int64, ok bool) {
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && strconv.FormatInt(id, 10) == text
}

func list(total, start int, found []object) resource {
	return resource{status: http.StatusOK, body: object{"schemas": []string{listSchema}, "totalResults": total, "startIndex": start, "itemsPerPage": len(found), "Resources": found}}
}

func (q *request) location(kind, id string) string {
	return strings.TrimSuffix(q.door.PublicURL+Path+tenant.From(q.Context()).Identifier+"/"+kind+"/"+id, "/")
}

// refusalOf returns what to tell a caller about an error; nil for a fault of the server.
func refusalOf(err error) *refusal {
	told := new(refusal)
	if errors.As(err, &told) {
		return told
	}
	list := problem.From(err)
	if len(list) == 0 {
		return nil
	}
	p := list[0]
	told = &refusal{p.HTTPStatus(), "", strings.TrimLeft(strings.Join(p.Field, ".")+" "+p.Message, " ")}
	switch {
	case p.Code == problem.DuplicateKey:
		told.kind = "uniqueness"
	case p.Category == problem.Validation:
		told.status, told.kind = http.StatusBadRequest, "invalidValue"
	}
	return told
}

// refused turns an error into the answer of RFC 7644 §3.12.
func (d *Door) refused(r *http.Request, err error) resource {
	told := refusalOf(err)
	if told == nil {
		d.Failed(r, err)
		told = &refusal{http.StatusInternalServerError, "", "The server could not answer"}
	}
	body := object{"schemas": []string{errorSchema}, "status": strconv.Itoa(told.status), "detail": told.detail}
	if told.kind != "" {
		body["scimType"] = told.kind
	}
	return resource{status: told.status, body: body}
}
