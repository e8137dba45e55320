package app

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
	"github.com/uplinehq/upline/internal/text"
	"github.com/uplinehq/upline/rest/input"
)

// visit is what the server knows of a request, from its head to its line in the log.
type visit struct {
	header http.Header
	// trace is the id of the trace, caller whose rates the request counts for.
	trace, caller string
	// rows counts the rows that the database has sent.
	rows    atomic.Int64
	address string
	// connection is the client's address with its port.
	connection string
	seat       admission.Seat
	// isReading is set while the seat is one of a request whose body is arriving.
	isReading bool
	stream    bool
	// socket is a connection of many operations: each is charged, not the request.
	socket  bool
	refused atomic.Bool
	// What the log says of the request, once it is known: of a socket the first
	// operation. The cost is that of all of them.
	operation, tenant, client atomic.Pointer[string]
	cost                      atomic.Int64
}

// text returns a part of a visit; empty while it is not known.
func (v *visit) text(part *atomic.Pointer[string]) string {
	if known := part.Load(); known != nil {
		return *known
	}
	return ""
}

// sit takes a seat and gives back the one before. It returns false when none is free.
func (v *visit) sit(seats *admission.Seats, owner string) bool {
	seat, ok := seats.Take(owner)
	if !ok {
		return false
	}
	v.leave()
	v.seat = seat
	return true
}

func (v *visit) leave() { v.seat.Leave() }

type visitKey struct{}

func visitOf(ctx context.Context) *visit {
	if v, ok := ctx.Value(visitKey{}).(*visit); ok {
		return v
	}
	return &visit{header: http.Header{}}
}

// newVisit begins the visit of a request.
func newVisit(w http.ResponseWriter, r *http.Request, door string) *visit {
	v := &visit{header: w.Header(), address: edge.Address(r), connection: r.RemoteAddr}
	if door == "graphql" {
		v.stream, v.socket = transport.IsStream(r), transport.IsWebSocket(r)
	}
	return v
}

// limited bounds the heads of requests, and how many unauthenticated requests are in
// hand. A refusal here costs next to nothing.
func (g *guard) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := visitOf(r.Context())
		if refused := checkHead(r); refused != nil {
			refuse(w, r, refused)
			return
		}
		seats, reason := g.arriving, admission.Requests
		switch {
		case !slices.Contains(edge.TokenDoors, edge.Door(r.URL.Path)):
			seats, reason = g.strangers, admission.Strangers
		case edge.Door(r.URL.Path) == "graphql" && transport.TokenFollows(r):
			seats, reason = g.greeting, admission.Strangers
		}
		if !v.sit(seats, v.address) {
			w.Header().Set("Connection", "close") // and its body is not waited for
			refuse(w, r, turnedAway(g.refuse(r.Context(), &admission.Refusal{Reason: reason})))
			return
		}
		defer v.leave()
		next.ServeHTTP(w, r)
	})
}

// seated moves an authorized request to a seat of its tenant.
func (g *guard) seated(ctx context.Context, v *visit, hasBody bool) error {
	seats, reason := g.requests, admission.Requests
	switch {
	case v.stream:
		seats, reason = g.streams, admission.Streams
	case hasBody:
		seats, v.isReading = g.reading, true
	}
	if !v.sit(seats, tenant.From(ctx).Identifier) {
		if hasBody {
			v.header.Set("Connection", "close") // or the answer would wait for the body
		}
		return g.refuse(ctx, &admission.Refusal{Reason: reason})
	}
	return nil
}

// checkHead refuses a head that is too large, and a path or a query with a text that no
// database holds. No field of the head reaches a statement before its own form is checked.
func checkHead(r *http.Request) *problem.Error {
	fields := 0
	for _, values := range r.Header {
		fields += len(values)
	}
	switch {
	case len(r.RequestURI) > maxURL:
		return problem.Refused(http.StatusRequestURITooLong, "The URL is too long")
	case fields > maxFields:
		return problem.Refused(http.StatusRequestHeaderFieldsTooLarge, "The request has too many header fields")
	case !text.Fit(r.URL.Path):
		return unfit("path")
	}
	return checkForm(r.URL.RawQuery)
}

// checkForm refuses a query or a form with a text that no database holds. What is wrong
// with its form, whoever reads it says.
func checkForm(encoded string) *problem.Error {
	if !strings.Contains(encoded, "%") && text.Fit(encoded) {
		return nil
	}
	values, _ := url.ParseQuery(encoded)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !text.Fit(name) || slices.ContainsFunc(values[name], func(s string) bool { return !text.Fit(s) }) {
			return unfit(input.NameOrNot(name))
		}
	}
	return nil
}

// unfit refuses a part of a request.
func unfit(part string) *problem.Error {
	return problem.Invalid(problem.InvalidFormat, text.ErrUnfit.Error(), part)
}
