// Package idempotency lets a client repeat a request whose answer it did not get, without
// making its change twice (draft-ietf-httpapi-idempotency-key-header).
//
// The key of a request is stored in the transaction of its change, so neither exists
// without the other; the answer is stored afterwards. If a process dies in between, the
// change is made and the answer lost; the next request with the key is told so.
package idempotency

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	// Kept is how long an answer can be repeated.
	Kept = 24 * time.Hour
	// answerTime is how long after the change its answer may still arrive: well above the
	// time limit of an operation.
	answerTime = 30 * time.Second
	// swept limits the old rows that are deleted together with storing an answer.
	swept = 100
	// forgotten is the status of an answer that was deleted: 410 Gone.
	forgotten = 410

	table = "idempotent_request"
)

// The errors of keys.
var (
	ErrReused     = errors.New("idempotency: another request had the key")
	ErrInProgress = errors.New("idempotency: a request with the key is under way")
	ErrAnswerLost = errors.New("idempotency: the change was made and its answer is lost")
)

// Answer is the answer to a request, as its door writes it.
type Answer struct {
	Status   int
	Response []byte
}

// Service stores keys and answers. It is safe for concurrent use.
type Service struct {
	store *store.Store
	clock clock.Clock
	vault *vault.Vault
}

// New returns the service.
func New(s *store.Store, c clock.Clock, v *vault.Vault) *Service { return &Service{s, c, v} }

// Attempt is a request with a key, under way.
type Attempt struct {
	service      *Service
	tenantID     int64
	subject, key string
	// since is when the caller was created: an earlier one of the same name had keys of
	// its own.
	since       time.Time
	fingerprint []byte
	taken       atomic.Bool
}

// Taken reports whether the change was refused because another request with the key made
// its change first; Begin then tells what became of that one.
func (a *Attempt) Taken() bool { return a.taken.Load() }

// Begin starts a request with a key, of the tenant and the caller in ctx; a key belongs
// to the subject of a token. It returns the answer if the request was answered before,
// one of the errors of this package, or an attempt with which to run the request. request
// is everything that decides whether two requests are the same.
func (s *Service) Begin(ctx context.Context, key, request string) (*Attempt, *Answer, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	a := &Attempt{service: s, tenantID: tenantID, subject: caller.Subject, since: caller.Since, key: key}
	if a.fingerprint, err = s.vault.BlindIndex(ctx, tenantID, table, "fingerprint", request); err != nil {
		return nil, nil, err
	}
	answer, err := a.find(ctx)
	return a, answer, err
}

type attemptKey struct{}

// With returns a context whose change belongs to an attempt.
func With(ctx context.Context, a *Attempt) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// Record stores the key of the attempt in ctx, if there is one. It is called first in the
// transaction of the change: a second request with the key waits here for the first one,
// and is then refused before it has done anything.
func Record(ctx context.Context, tx *store.Tx) error {
	a, _ := ctx.Value(attemptKey{}).(*Attempt)
	if a == nil {
		return nil
	}
	now := a.service.clock.Now()
	rows, err := tx.Exec(ctx, `INSERT INTO idempotent_request (tenant_id, subject, key, fingerprint, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, subject, key) DO UPDATE SET fingerprint = $4, created_at = $5, status = NULL, response = NULL, agent_id = NULL
		WHERE idempotent_request.created_at < $6`, a.tenantID, a.subject, a.key, a.fingerprint, now, a.from(now))
	if err == nil && rows == 0 {
		a.taken.Store(true)
		err = problem.Clash(problem.DuplicateKey, "Another request has this Idempotency-Key")
	}
	return err
}

// from is the time from which on rows belong to the attempt's caller and count.
func (a *Attempt) from(now time.Time) time.Time {
	if kept := now.Add(-Kept); kept.After(a.since) {
		return kept
	}
	return a.since
}

// Finish stores the answer to a request, unless the request was refused or a dry run and so
// has no row. It also deletes some rows of the tenant that are too old.
func (s *Service) Finish(ctx context.Context, a *Attempt, answer Answer) error {
	sealed, err := s.vault.Encrypt(ctx, a.field(), string(answer.Response))
	if err != nil {
		return err
	}
	return s.store.InTx(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE idempotent_request SET status = $1, response = $2
			WHERE tenant_id = $3 AND subject = $4 AND key = $5 AND fingerprint = $6 AND status IS NULL`,
			answer.Status, sealed, a.tenantID, a.subject, a.key, a.fingerprint)
		if err != nil {
			return err
		}
		_, err = sweep(ctx, tx, a.tenantID, s.clock.Now().Add(-Kept))
		return err
	})
}
