package export

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/tail"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// Limits bound exports; a zero value means the default.
type Limits struct {
	// Rows and Bytes bound a file: a million, and 256 MiB, by default.
	Rows  int
	Bytes int64
	// Time bounds how long a run may take; an hour by default.
	Time time.Duration
	// Keep is how long a file is kept; a day by default.
	Keep time.Duration
}

func (l Limits) withDefaults() Limits {
	if l.Rows == 0 {
		l.Rows = 1_000_000
	}
	if l.Bytes == 0 {
		l.Bytes = 256 << 20
	}
	if l.Time == 0 {
		l.Time = time.Hour
	}
	if l.Keep == 0 {
		l.Keep = 24 * time.Hour
	}
	return l
}

// Asked is who asked for an export, as the token said at that time.
type Asked struct {
	UserID            int64
	Subject, ClientID string
	Scopes            []string
	At                time.Time
}

// Config sets up a Service.
type Config struct {
	Store *store.Store
	Clock clock.Clock
	Vault *vault.Vault
	Log   *slog.Logger
	Limits
	// Find returns the tenant of an id.
	Find func(ctx context.Context, id int64) (*tenant.Tenant, error)
	// Caller returns whoever asked with the rights of now: the scopes of that time that
	// the caller still holds, and the present limit. It returns a problem when the caller
	// may not act any more.
	Caller func(ctx context.Context, asked Asked) (tenant.Caller, error)
	// Turn waits until a page may be read, in the queue of the requests. An error says
	// that the server is busy.
	Turn func(ctx context.Context) (done func(), err error)
	// URL is the address of the server as its clients see it.
	URL string
	// TraceID returns the trace id of a request's context.
	TraceID func(context.Context) string
	// Passed is called after each chunk; tests kill the process there. It may be nil.
	Passed func(point string)
}

// Service holds the operations of the area. It is safe for concurrent use.
type Service struct {
	Config
	source    Source
	writer    *change.Writer
	followers *tail.Hub[*Export, versions]

	stopOnce sync.Once
	stopped  chan struct{}
}

// New returns the service. Read must be called before anything is exported.
func New(c Config) *Service {
	c.Limits = c.Limits.withDefaults()
	s := &Service{Config: c, writer: change.New(c.Store, c.Clock, c.Vault), stopped: make(chan struct{})}
	s.followers = s.newFollowers()
	return s
}

// Read sets where queries are read.
func (s *Service) Read(from Source) { s.source = from }

// Stop gives back what is being written, for another process to begin anew.
func (s *Service) Stop() { s.stopOnce.Do(func() { close(s.stopped) }) }

// write runs f in a transaction, for limited callers too: it changes only what belongs to
// the caller, and the audit trail.
func (s *Service) write(ctx context.Context, f func(ctx context.Context, w *change.Writing) error) error {
	caller, _ := tenant.CallerFrom(ctx)
	return s.writer.Write(tenant.Whole(ctx, "writes the caller's own export, and the end of the audit trail"), caller.Subject, f)
}

func (s *Service) passed(point string) {
	if s.Passed != nil {
		s.Passed(point)
	}
}
