package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	// MaxHeader bounds the head of a request, in bytes, for http.Server: beyond it
	// the answer is 431.
	MaxHeader = 64 << 10
	// maxURL bounds the URL, in bytes: beyond it the answer is 414.
	maxURL = 16 << 10
	// maxFields bounds the header fields: beyond them the answer is 431.
	maxFields = 100

	// requestPeriod and costPeriod say how much a bucket holds: what flows back in that
	// time.
	requestPeriod = 10 * time.Second
	costPeriod    = time.Minute
)

// guard holds the limits of a server (specification, Limits: "request rate
// limits: not shown").
type guard struct {
	admission.Limits
	clients, tenants, addresses, costs *admission.Buckets
	// operations is the gate for what the doors run. tokens is the gate for the token
	// endpoint and for API keys: whoever guesses secrets takes nothing from those who
	// have one.
	operations, tokens *admission.Gate
	// requests and streams are seats for authenticated requests and streams; reading
	// holds the authenticated requests whose body is still arriving. arriving holds
	// requests that have credentials in their head and are about to be authenticated.
	// strangers and greeting hold requests without credentials in their head, so that
	// their body has to be read first, and WebSockets without, whose first message has to
	// be.
	requests, reading, streams, arriving, strangers, greeting *admission.Seats
	notes                                                     *admission.Notes
	metrics                                                   *admissionMetrics
	log                                                       *slog.Logger
}

// tokenShare is the share of the token endpoint: a fourth of the operations' concurrency,
// in addition to it.
const tokenShare = 4

func newGuard(c Config, registry *prometheus.Registry) (*guard, error) {
	l, err := c.Limits.WithDefaults(max(c.Store.Parallel(), 2*runtime.GOMAXPROCS(0)), limits.MaxCost)
	if err != nil {
		return nil, err
	}
	forTokens, err := admission.Limits{Wait: l.Wait}.WithDefaults(max(2, l.Concurrency/tokenShare), 0)
	if err != nil {
		return nil, err
	}
	g := &guard{
		Limits:    l,
		clients:   admission.NewBuckets(l.ClientRate, requestPeriod, c.Clock),
		tenants:   admission.NewBuckets(l.TenantRate, requestPeriod, c.Clock),
		addresses: admission.NewBuckets(l.AddressRate, requestPeriod, c.Clock),
		costs:     admission.NewBuckets(l.ClientCost, costPeriod, c.Clock),
		requests:  admission.NewSeats(l.Requests()), reading: admission.NewSeats(l.Requests()), streams: admission.NewSeats(l.Streams),
		arriving: admission.NewSeats(l.Requests()), strangers: l.Strangers(), greeting: l.Strangers(),
		notes: admission.NewNotes(c.Clock), log: c.Log,
	}
	g.metrics = newAdmissionMetrics(registry, g, c.Store)
	g.operations = admission.NewGate(l, c.Clock, g.metrics.waited)
	g.tokens = admission.NewGate(forTokens, c.Clock, nil)
	return g, nil
}

// enter authorizes a request and counts it for its client and its tenant. A request that
// fails to authenticate is counted for its address: beyond the limit the answer does not
// even say that the token is wrong. A good token is never refused because of its address,
// which many clients may share.
func (a *App) enter(r *http.Request, identifier *string, authenticate authentication) (context.Context, error) {
	v := visitOf(r.Context())
	if strings.Contains(r.Header.Get("Authorization"), " "+oauth.APIKeyPrefix) {
		leave, err := a.guard.tokens.Enter(r.Context(), v.address, "", v.connection)
		if err != nil {
			return nil, a.guard.refused(r.Context(), err)
		}
		defer leave()
	}
	ctx, err := a.authorize(r, identifier, authenticate)
	var refused *problem.Error
	if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		if limited := a.guard.fromAddress(r.Context(), v); limited != nil {
			return nil, limited
		}
	}
	if err != nil {
		return nil, a.guard.refused(r.Context(), err)
	}
	caller, _ := tenant.CallerFrom(ctx)
	v.caller = nameOf(caller)
	v.tenant.Store(&tenant.From(ctx).Identifier)
	v.client.Store(&caller.ClientID)
	if err := a.guard.seated(ctx, v, r.ContentLength != 0); err != nil {
		return nil, err
	}
	if v.socket {
		return ctx, nil
	}
	return ctx, a.guard.charge(ctx, v.header)
}

// admit waits until an operation may run. The body has been read by then. The operation
// must run with the returned context. done may be called more than once.
func (g *guard) admit(ctx context.Context) (admitted context.Context, done func(), err error) {
	v, owner := visitOf(ctx), tenant.From(ctx).Identifier
	if v.isReading {
		if v.isReading = false; !v.sit(g.requests, owner) {
			return nil, nil, g.refuse(ctx, &admission.Refusal{Reason: admission.Requests})
		}
	}
	if v.socket {
		if err := g.charge(ctx, http.Header{}); err != nil {
			return nil, nil, err
		}
	}
	leave, err := g.operations.Enter(ctx, owner, callerKey(ctx), v.connection)
	if err != nil {
		return nil, nil, g.refused(ctx, err)
	}
	ctx, operation := admission.WithOperation(ctx, leave)
	return ctx, func() {
		if operation.End() && !g.costIsFree(ctx) {
			g.costs.Owe(callerKey(ctx), owed(operation.Used(), operation.Paid()))
		}
	}, nil
}

const (
	// usedSecond is the cost of a second of statements, in points. By default as much
	// flows back into the budget in a second, so that no client uses more than one
	// processor.
	usedSecond = limits.MaxCost
	// usedFree is how long the statements of an operation may take without further cost,
	// however low the estimate was: on a busy machine even those of a cheap operation
	// take long.
	usedFree = 50 * time.Millisecond
)

// owed is the cost of an operation's statements beyond what was paid for it.
func owed(used time.Duration, paid int) int {
	if used <= usedFree {
		return 0
	}
	return max(0, int(used*usedSecond/time.Second)-paid)
}

// fromAddress counts an attempt from an address; an error says that there were too many.
func (g *guard) fromAddress(ctx context.Context, v *visit) error {
	if level, ok := g.addresses.Take(v.address, 1); !ok {
		return g.refuse(ctx, &admission.Refusal{Reason: admission.AddressRate, After: level.Next})
	}
	return nil
}

// charge counts a request for the client and the tenant in ctx. It writes into header
// what is left of the two rates, for the one that has less left.
func (g *guard) charge(ctx context.Context, header http.Header) error {
	key, owner := callerKey(ctx), tenant.From(ctx).Identifier
	byClient, byTenant := g.operations.OthersNeed(owner, key)
	client, ok := take(g.clients, key, 1, g.Yields.ClientRate && !byClient)
	if !ok {
		writeLevel(header, "client", client)
		return g.refuse(ctx, &admission.Refusal{Reason: admission.ClientRate, After: client.Next})
	}
	all, ok := take(g.tenants, owner, 1, g.Yields.TenantRate && !byTenant)
	if g.tenants != nil && (g.clients == nil || !ok || all.Remaining < client.Remaining) {
		writeLevel(header, "tenant", all)
	} else {
		writeLevel(header, "client", client)
	}
	if !ok {
		return g.refuse(ctx, &admission.Refusal{Reason: admission.TenantRate, After: all.Next})
	}
	return nil
}

// take takes from a bucket, or if it is free only looks how full the bucket is.
func take(from *admission.Buckets, key string, n int, isFree bool) (admission.Level, bool) {
	if isFree {
		level, _ := from.Level(key, n)
		return level, true
	}
	return from.Take(key, n)
}

// costHeader is the header with the cost of the operations of a request, in points.
const costHeader = "Operation-Cost"

// chargeCost takes the cost of an operation from the budget of its caller, and reports it
// in the header.
func (g *guard) chargeCost(ctx context.Context, points int64) *limits.Budget {
	v := visitOf(ctx)
	all := v.cost.Add(points)
	if !v.socket { // its head was sent before
		v.header.Set(costHeader, strconv.FormatInt(all, 10))
	}
	if g.costs == nil {
		return nil
	}
	level, ok := take(g.costs, callerKey(ctx), int(points), g.costIsFree(ctx))
	b := &limits.Budget{Limit: int64(level.Limit), Remaining: int64(level.Remaining), RestoreRate: level.Second}
	if !ok {
		refusal := &admission.Refusal{Reason: admission.ClientCost, After: level.Next}
		_ = g.refuse(ctx, refusal)
		b.RetryAfter = refusal.Seconds()
	} else {
		admission.Pay(ctx, int(points))
	}
	return b
}

// costIsFree reports whether nobody else needs what the operations of a context take.
func (g *guard) costIsFree(ctx context.Context) bool {
	needed, _ := g.operations.OthersNeed(tenant.From(ctx).Identifier, callerKey(ctx))
	return g.Yields.ClientCost && !needed
}

// callerKey names whose rate a request counts for: a client's, or that of one of its
// users.
func callerKey(ctx context.Context) string {
	if v := visitOf(ctx); v.caller != "" {
		return v.caller
	}
	caller, _ := tenant.CallerFrom(ctx) // work that no request waits for
	return nameOf(caller)
}

func nameOf(c tenant.Caller) string { return c.ClientID + "\x00" + c.Subject }

// writeLevel writes the two fields of the IETF draft
// draft-ietf-httpapi-ratelimit-headers-11: whose rate it is, how many requests it allows in
// how many seconds, how many are left, and when all of them are there again.
func writeLevel(header http.Header, whose string, l admission.Level) {
	if l.Limit == 0 {
		return
	}
	values := make([]string, 2)
	values[0] = rateField(whose, ";q=", l.Limit, ";w=", wholeSeconds(l.Window()))
	values[1] = rateField(whose, ";r=", l.Remaining, ";t=", wholeSeconds(l.Full))
	header["Ratelimit-Policy"], header["Ratelimit"] = values[:1:1], values[1:]
}

// rateField writes a field of the draft: whose rate it is, with two parameters.
func rateField(whose, first string, a int, second string, b int) string {
	var room [48]byte
	text := strconv.AppendInt(append(strconv.AppendQuote(room[:0], whose), first...), int64(a), 10)
	return string(strconv.AppendInt(append(text, second...), int64(b), 10))
}

func wholeSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// refused counts err if it is a refusal or an outage of the database, and returns it.
func (g *guard) refused(ctx context.Context, err error) error {
	refusal := dberror.Outage(err)
	if refusal == nil || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	return g.refuse(ctx, refusal, slog.Any("error", err))
}

// refuse counts a refusal, and writes it into the log now and then.
func (g *guard) refuse(ctx context.Context, refusal *admission.Refusal, more ...slog.Attr) error {
	visitOf(ctx).refused.Store(true)
	g.metrics.refused.WithLabelValues(string(refusal.Reason)).Inc()
	count, due := g.notes.Due(refusal.Reason)
	if !due {
		return refusal
	}
	attributes := append(more, slog.String("reason", string(refusal.Reason)), slog.Int("count", count), slog.String("traceId", traceID(ctx)))
	if caller, ok := tenant.CallerFrom(ctx); ok && !refusal.Overload() {
		attributes = append(attributes, slog.String("client", caller.ClientID), slog.String("tenant", tenant.From(ctx).Identifier))
	}
	level := slog.LevelWarn
	if refusal.Reason == admission.Database || refusal.Reason == admission.Disk {
		level = slog.LevelError
	}
	g.log.LogAttrs(ctx, level, "requests refused", attributes...)
	return refusal
}
