package app

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/uplinehq/upline/app/edge"
	"github.com/uplinehq/upline/graph/transport"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/rest"
)

// told is the problem that tells a client why its request was not admitted.
func told(refusal *admission.Refusal) *problem.Error {
	p := problem.TooMany()
	switch {
	case refusal.Reason == admission.Database || refusal.Reason == admission.Disk:
		p = problem.Refused(http.StatusServiceUnavailable, "The server cannot reach its data; try again later")
	case refusal.Overload():
		p = problem.Busy()
	case refusal.Reason == admission.TenantRate:
		p.Message = "The agency sends too many requests; try again later"
	}
	p.RetryAfter = refusal.Seconds()
	return p
}

// refusalOf returns the problem in err; nil when err is a fault of the server.
func refusalOf(err error) *problem.Error {
	var refusal *admission.Refusal
	if errors.As(err, &refusal) {
		return told(refusal)
	}
	if problems := problem.From(err); problems != nil {
		return problems[0]
	}
	return nil
}

// turnedAway is the problem of a request that was not admitted. When the client is gone,
// there is nobody to tell.
func turnedAway(err error) *problem.Error {
	return cmp.Or(refusalOf(err), told(&admission.Refusal{Reason: admission.Waited}))
}

// refuse answers a request in the form of its door.
func refuse(w http.ResponseWriter, r *http.Request, refused *problem.Error) {
	w.Header().Set("Cache-Control", "no-store")
	switch edge.Door(r.URL.Path) {
	case "graphql":
		transport.RefuseWith(w, r, transport.Config{TraceID: traceID}, refused)
	case "oauth2":
		oauth.Refuse(w, refused)
	default:
		rest.Refuse(w, refused, traceID(r.Context()))
	}
}

// maxTokenRequest bounds what is read of the body of a request to the token endpoints or
// a page before it waits. None needs as much.
const maxTokenRequest = 16 << 10

// limitedTokens bounds requests for tokens: by address, and how many run at once.
func (g *guard) limitedTokens(next http.Handler) http.Handler {
	gated := g.gatedTokens(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.fromAddress(r.Context(), visitOf(r.Context())); err != nil {
			refuse(w, r, turnedAway(err))
			return
		}
		gated.ServeHTTP(w, r)
	})
}

// gatedTokens bounds how many requests about tokens run at once. It does not count by
// address: resource servers ask about one token after the other from the same one.
func (g *guard) gatedTokens(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leave, err := g.tokens.Enter(r.Context(), visitOf(r.Context()).address, "", r.RemoteAddr)
		if err != nil {
			refuse(w, r, turnedAway(g.refused(r.Context(), err)))
			return
		}
		defer leave()
		next.ServeHTTP(w, r)
	})
}

// bodyWithin is how long the body of an unauthenticated request may take. Honest ones are
// a few hundred bytes.
const bodyWithin = 5 * time.Second

// promptly reads the body, a form, before anything else, so that a slow sender delays
// nobody, gives up on one that trickles in, and checks its texts. It also bounds the
// look-ups for the answer. Deadlines of a connection follow the clock of the machine.
func promptly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		connection := http.NewResponseController(w)
		_ = connection.SetReadDeadline(clock.System{}.Now().Add(bodyWithin))
		head, err := io.ReadAll(io.LimitReader(r.Body, maxTokenRequest))
		if errors.Is(err, os.ErrDeadlineExceeded) {
			w.Header().Set("Connection", "close") // or the answer would wait for the rest of the body
			refuse(w, r, problem.Refused(http.StatusRequestTimeout, "The body did not come in time"))
			return
		}
		_ = connection.SetReadDeadline(time.Time{})
		if refused := checkForm(string(head)); refused != nil {
			refuse(w, r, refused)
			return
		}
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(head), failing{err}, r.Body), r.Body}
		ctx, cancel := context.WithTimeout(admission.AsLookUp(r.Context()), answerWithin)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// answerWithin bounds the answer to a request for a page or about a token.
const answerWithin = 10 * time.Second

// failing reads nothing, and fails when there is an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// admitted is admit, with the errors that the doors report.
func (g *guard) admitted(ctx context.Context) (admitted context.Context, done func(), refused *problem.Error) {
	admitted, done, err := g.admit(ctx)
	if err != nil {
		return nil, nil, turnedAway(err)
	}
	return admitted, done, nil
}

// admitExport is admit for work that no client waits for.
func (g *guard) admitExport(ctx context.Context) (done func(), err error) {
	_, done, err = g.admit(ctx)
	return done, err
}

// outage is the problem of a request during which the database was away; nil for any
// other error.
func (g *guard) outage(ctx context.Context, err error) *problem.Error {
	var refusal *admission.Refusal
	if errors.As(g.refused(ctx, err), &refusal) {
		return told(refusal)
	}
	return nil
}
