package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/uplinehq/upline/internal/date"
)

// postgresConns is the size of the pool unless the URL has pool_max_conns. On two cores,
// 8 connections were measured to be faster than 4 and 16.
const postgresConns = 8

// connectWithin bounds the time to open a connection, unless the URL does. So a server
// that is away is noticed before the operation runs out of its own time.
const connectWithin = 5 * time.Second

// configure reads the URL of a server and sets up its connections; isPooled is true for a
// pooler in transaction mode.
func (o Options) configure(url string) (cfg *pgxpool.Config, isPooled bool, err error) {
	if cfg, err = pgxpool.ParseConfig(url); err != nil {
		return nil, false, errors.New("the PostgreSQL URL cannot be read") // pgx's error repeats the URL
	}
	if !hasParam(url, "pool_max_conns") {
		cfg.MaxConns = postgresConns
	}
	params := cfg.ConnConfig.RuntimeParams
	params["timezone"] = "UTC"
	if isPooled, err = pooled(cfg); err != nil {
		return nil, false, err
	}
	if !isPooled {
		setPlanning(params)
		o.boundStatements(params)
	}
	if !hasParam(url, "connect_timeout") {
		cfg.ConnConfig.ConnectTimeout = connectWithin
	}
	if cfg.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		cfg.ConnConfig.DescriptionCacheCapacity = 0 // not used in this mode, and 30 KiB for each connection
	}
	cfg.AfterConnect = sendsDays
	return cfg, isPooled, nil
}

// setPlanning says how the server plans the statements of a connection, unless the URL
// did.
func setPlanning(params map[string]string) {
	for name, value := range map[string]string{
		// Otherwise PostgreSQL would plan "= ANY($1)" anew at every execution.
		"plan_cache_mode": "force_generic_plan",
		// Just-in-time compilation would take up to two seconds at every execution of
		// statements that take milliseconds.
		"jit": "off",
		// Look-ups by keys of which each is asked for once are not worth remembering: a page
		// of a downline takes a seventh less.
		"enable_memoize": "off",
	} {
		if _, set := params[name]; !set {
			params[name] = value
		}
	}
}

// boundStatements sets the time limits of a connection, unless the URL did.
func (o Options) boundStatements(params map[string]string) {
	if o.StatementTimeout == 0 {
		return
	}
	for _, name := range []string{"statement_timeout", "idle_in_transaction_session_timeout"} {
		if _, set := params[name]; !set {
			params[name] = strconv.FormatInt(o.StatementTimeout.Milliseconds(), 10)
		}
	}
}

// sendsDays makes a connection encode a date.Date directly as a number of days. pgx would
// format each argument as text and parse it again.
func sendsDays(_ context.Context, c *pgx.Conn) error {
	m := c.TypeMap()
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{dayPlan}, m.TryWrapEncodePlanFuncs...)
	return nil
}

func dayPlan(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
	d, ok := value.(date.Date)
	if !ok {
		return nil, nil, false
	}
	return &encodeDay{}, pgDay(d), true
}

// encodeDay gives a date to the plan for the type of its column.
type encodeDay struct{ next pgtype.EncodePlan }

// SetNext implements pgtype.WrappedEncodePlanNextSetter.
func (p *encodeDay) SetNext(next pgtype.EncodePlan) { p.next = next }

// Encode implements pgtype.EncodePlan.
func (p *encodeDay) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(pgDay(value.(date.Date)), buf)
}

// pgDay is a date as pgx knows them.
type pgDay date.Date

// DateValue implements pgtype.DateValuer.
func (d pgDay) DateValue() (pgtype.Date, error) {
	return pgtype.Date{Time: date.Date(d).Time(), Valid: true}, nil
}
