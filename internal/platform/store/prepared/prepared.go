// Package prepared is the driver of SQLite with statements that stay prepared.
package prepared

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"modernc.org/sqlite"
)

// statementsKept bounds the prepared statements of a connection.
const statementsKept = 256

// Open opens a database whose connections keep their statements prepared:
// to read the text of one takes SQLite longer than to find a row by its key.
func Open(dsn string) (*sql.DB, error) {
	opens, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(keeping{opens}), nil
}

// keeping opens connections that keep their statements.
type keeping struct{ driver.Connector }

// Connect opens a connection.
func (k keeping) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := opened.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("store: SQLite's connections are %T", opened), opened.Close())
	}
	kept, err := simplelru.NewLRU(statementsKept, func(_ string, s *keptStatement) { s.leave() })
	return &keepingConn{sqliteConn: conn, kept: kept}, err
}

// sqliteConn is what database/sql uses of a connection.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// keepingConn is a connection; database/sql lets one goroutine at a time use it.
type keepingConn struct {
	sqliteConn
	kept *simplelru.LRU[string, *keptStatement]
}

// ExecContext runs a statement that returns no rows.
func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s.isRead {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

// QueryContext runs a statement that returns rows.
func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s.isRead {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.isRead = true
	return &keptRows{rows, s}, nil
}

// statement returns the prepared statement of a text.
func (c *keepingConn) statement(ctx context.Context, query string) (*keptStatement, error) {
	if s, ok := c.kept.Get(query); ok {
		return s, nil
	}
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	typed, ok := prepared.(sqliteStatement)
	if !ok {
		return nil, errors.Join(fmt.Errorf("store: SQLite's statements are %T", prepared), prepared.Close())
	}
	s := &keptStatement{sqliteStatement: typed}
	c.kept.Add(query, s)
	return s, nil
}

// Close closes the connection and its statements.
func (c *keepingConn) Close() error {
	c.kept.Purge()
	return c.sqliteConn.Close()
}

type sqliteStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// keptStatement is a statement of a connection. It has one result at a time:
// while that is read, the same text runs as another statement.
type keptStatement struct {
	sqliteStatement
	isRead bool
	left   bool // to be closed after it was read
}

// leave closes the statement, now or when nobody reads its rows.
func (s *keptStatement) leave() {
	if s.left = true; !s.isRead {
		_ = s.Close()
	}
}

// keptRows are the rows of a kept statement.
type keptRows struct {
	driver.Rows
	statement *keptStatement
}

// Close ends the reading; the statement can be used again. database/sql may call
// it twice.
func (r *keptRows) Close() error {
	s := r.statement
	if s == nil {
		return nil
	}
	err := r.Rows.Close()
	if r.statement, s.isRead = nil, false; s.left {
		err = errors.Join(err, s.Close())
	}
	return err
}
