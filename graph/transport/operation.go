package transport

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/internal/text"
)

// ending is why a stream of responses ends by itself.
type ending struct {
	mu  sync.Mutex
	err *gqlerror.Error
}

type endingKey struct{}

// End names the reason for which a subscription is about to end by itself. The
// resolver calls it, with the context it was given, before it closes its
// channel; without it the subscription is complete.
func End(ctx context.Context, err *gqlerror.Error) {
	if e, ok := ctx.Value(endingKey{}).(*ending); ok {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.err = err
	}
}

// create makes an operation of a request, or the answer that refuses it.
func (h *handler) create(ctx context.Context, params *graphql.RawParams) (*graphql.OperationContext, *answer) {
	if text.HalfPair([]byte(params.Query)) {
		return nil, refuse(http.StatusBadRequest, "the query "+text.ErrHalfPair.Error())
	}
	op, errs := h.exec.CreateOperationContext(ctx, params)
	if len(errs) > 0 {
		Explain(op, errs)
		return nil, fromResponse(h.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs), badUserInput)
	}
	return op, nil
}

// stream runs a subscription. It calls begun when the operation is under way: from then
// on the subscription misses nothing. It passes each response to send and waits for it.
// It returns the errors that ended the subscription; nil when it is complete.
func (h *handler) stream(ctx context.Context, op *graphql.OperationContext, begun func() error, send func(*answer) error) *answer {
	why := &ending{}
	next, ctx := h.exec.DispatchOperation(context.WithValue(ctx, endingKey{}, why), op)
	if begun() != nil {
		return nil
	}
	for response := next(ctx); response != nil; response = next(ctx) {
		a := fromResponse(response, internalServerError)
		h.complete(ctx, a)
		if len(a.data) == 0 { // refused, by its scope for one
			return a
		}
		if err := send(a); err != nil || op.Operation.Operation != ast.Subscription {
			return nil
		}
	}
	why.mu.Lock()
	defer why.mu.Unlock()
	switch {
	case why.err != nil:
		return h.completed(ctx, &answer{errors: gqlerror.List{why.err}, code: internalServerError})
	case errors.Is(context.Cause(ctx), errExpired):
		return h.completed(ctx, requestError(unauthenticated, expired))
	}
	return nil
}

func (h *handler) completed(ctx context.Context, a *answer) *answer {
	h.complete(ctx, a)
	return a
}

// expired tells a client that the credentials of its stream are no longer accepted: they
// expired or were revoked.
const expired = "the token is accepted no longer"

// errExpired is the cause of a context that ended because the credentials did.
var errExpired = errors.New(expired)

// whileAuthorized returns a context that ends with the token of ctx.
func (h *handler) whileAuthorized(ctx context.Context) (context.Context, context.CancelFunc) {
	if h.Remaining == nil {
		return context.WithCancel(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	h.whenExpired(ctx, ctx, func() { cancel(errExpired) })
	return ctx, func() { cancel(nil) }
}

// askAgain is how long to wait before Renew is asked again after a fault of the server.
const askAgain = time.Second

// whenExpired calls f when the token of a context is no longer good, unless the stream
// has ended before.
func (h *handler) whenExpired(stream, ctx context.Context, f func()) {
	timer := time.NewTimer(h.Remaining(ctx))
	go func() {
		defer timer.Stop()
		for {
			select {
			case <-stream.Done():
				return
			case <-timer.C:
			}
			more, err := h.renew(ctx)
			switch {
			case err != nil: // it says nothing of the token
				more = askAgain
			case more <= 0:
				f()
				return
			}
			timer.Reset(more)
		}
	}()
}

func (h *handler) renew(ctx context.Context) (time.Duration, error) {
	if h.Renew == nil {
		return 0, nil
	}
	return h.Renew(ctx)
}

// checkAgain checks the token again before an operation of a connection, as for every
// request, and refuses the operation if the token is no longer good. ended is true if the
// connection has to end.
func (h *handler) checkAgain(ctx context.Context) (refused *answer, ended bool) {
	if h.Renew == nil {
		return nil, false
	}
	more, err := h.Renew(ctx)
	switch {
	case err != nil:
		return requestError(unavailable, "the token could not be checked"), false
	case more <= 0:
		return requestError(unauthenticated, expired), true
	}
	return nil, false
}
