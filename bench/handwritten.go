package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// byHand is the server to compare with: net/http and pgx, one tuned statement
// per question, whose JSON PostgreSQL builds. It has no authentication, no
// tenants but one, no limits, no traces and no choice of fields.
type byHand struct {
	pool     *pgxpool.Pool
	tenantID int64
	teamID   int64
	zone     *time.Location
}

func newByHand(ctx context.Context, database string) (*byHand, error) {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 8 // as the store has
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	h := &byHand{}
	if h.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, err
	}
	var zone string
	if err := h.pool.QueryRow(ctx, "SELECT t.id, m.id, t.time_zone FROM tenant t JOIN agency_team m ON m.tenant_id = t.id WHERE t.identifier = $1", tenantIdentifier).
		Scan(&h.tenantID, &h.teamID, &zone); err != nil {
		return nil, err
	}
	h.zone, err = time.LoadLocation(zone)
	return h, err
}

func (h *byHand) today() time.Time {
	y, m, d := time.Now().In(h.zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}

func (h *byHand) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /agent", h.read(agentSQL, func(v url.Values) []any { return []any{h.tenantID, v.Get("agentCode")} }))
	ofAgent := func(v url.Values) []any { return []any{h.tenantID, h.today(), h.teamID, v.Get("agentCode")} }
	mux.HandleFunc("GET /agentStatus", h.read(agentStatusSQL, ofAgent))
	mux.HandleFunc("GET /uplines", h.read(uplinesSQL, ofAgent))
	mux.HandleFunc("GET /page", h.read(pageSQL, func(v url.Values) []any { return []any{h.tenantID, h.today(), h.teamID, v.Get("after")} }))
	mux.HandleFunc("GET /downlines", h.read(downlinesSQL, ofAgent))
	mux.HandleFunc("GET /flattened", h.read(flattenedSQL, ofAgent))
	mux.HandleFunc("POST /write", h.write)
	return mux
}

// read answers with the one JSON value of a statement.
func (h *byHand) read(statement string, args func(url.Values) []any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rows, err := h.pool.Query(r.Context(), statement, args(r.URL.Query())...)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		defer rows.Close()
		if !rows.Next() {
			http.Error(w, "no row", http.StatusNotFound)
			return
		}
		answer(w, rows.RawValues()[0])
	}
}

func answer(w http.ResponseWriter, data []byte) {
	const before, after = `{"data":`, `}`
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(before)+len(data)+len(after)))
	_, _ = w.Write([]byte(before))
	_, _ = w.Write(data)
	_, _ = w.Write([]byte(after))
}

// write adds a certification: begin, two inserts, an update, commit.
func (h *byHand) write(w http.ResponseWriter, r *http.Request) {
	var in struct {
		AgentCode, Type, Jurisdiction, Identifier, Status, EffectiveFrom, Initiator string
		IsResidentCertification, IsVerified                                         bool
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	now := time.Now()
	err := pgx.BeginFunc(r.Context(), h.pool, func(tx pgx.Tx) error {
		var id, agentID int64
		if err := tx.QueryRow(r.Context(), insertCertificationSQL, h.tenantID, in.AgentCode, in.Type, in.Jurisdiction, in.Identifier,
			in.IsResidentCertification, in.IsVerified, now, in.Initiator).Scan(&id, &agentID); err != nil {
			return err
		}
		if _, err := tx.Exec(r.Context(), insertPeriodSQL, h.tenantID, id, in.Status, in.EffectiveFrom, now, in.Initiator); err != nil {
			return err
		}
		_, err := tx.Exec(r.Context(), touchAgentSQL, now, in.Initiator, h.tenantID, agentID)
		return err
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	data, err := json.Marshal(map[string]any{"certificationUpsert": map[string]any{
		"applied": true, "isNew": true, "userErrors": []any{},
		"certification": map[string]any{
			"type": map[string]any{"code": in.Type}, "jurisdiction": map[string]any{"code": in.Jurisdiction},
			"status": in.Status, "effectiveFrom": in.EffectiveFrom, "identifier": in.Identifier,
		},
	}})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, data)
}
