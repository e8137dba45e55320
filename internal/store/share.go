package store

import (
	"context"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/uplinehq/upline/internal/admission"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/tenant"
)

// shared are the connections that statements outside a transaction take, each for
// itself, and transactions as a whole. It is nil inside a transaction, which has one.
type shared struct{ conns *admission.Connections }

func share(total int) *admission.Connections {
	return admission.NewConnections(total, clock.System{})
}

// take takes a connection for a statement, or for a transaction with an empty text.
func (s shared) take(ctx context.Context, text string) (*admission.Use, error) {
	owner := ""
	if t := tenant.From(ctx); t != nil {
		owner = t.Identifier
	}
	if tx, ok := ctx.Value(txKey{}).(*Tx); ok && !tx.ended.Load() {
		// A transaction that waits for one connection more must not wait for others
		// that do the same.
		ctx = admission.AsLookUp(ctx)
	}
	return s.conns.Take(ctx, owner, text)
}

// lentRows give their connection back when they are closed.
type lentRows struct {
	entsql.ColumnScanner
	use *admission.Use
}

func (r lentRows) Close() error {
	defer r.use.Done()
	return r.ColumnScanner.Close()
}

// lentTx gives its connection back when it ends.
type lentTx struct {
	dialect.Tx
	use *admission.Use
}

func (t lentTx) Commit() error {
	defer t.use.Done()
	return t.Tx.Commit()
}

func (t lentTx) Rollback() error {
	defer t.use.Done()
	return t.Tx.Rollback()
}
