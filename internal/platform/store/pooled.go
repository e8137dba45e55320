package store

import (
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errPooled refuses work that needs a session of PostgreSQL for itself.
var errPooled = errors.New("the database's URL says pool_mode=transaction: migrate on PostgreSQL itself, not through its pooler")

// pooled reports whether a URL leads to a pooler in transaction mode, by
// pool_mode=transaction, and if so adapts the connections. Each transaction may then run
// on another connection of the server. So statements are not prepared by name, and a
// connection sets only the time zone, which such a pooler keeps for each client.
func pooled(cfg *pgxpool.Config) (bool, error) {
	params := cfg.ConnConfig.RuntimeParams
	mode := params["pool_mode"]
	delete(params, "pool_mode")
	switch mode {
	case "", "session":
		return false, nil
	case "transaction":
		if cfg.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement { // pgx's default
			cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		return true, nil
	}
	return false, errors.New("pool_mode of the database's URL must be session or transaction")
}
