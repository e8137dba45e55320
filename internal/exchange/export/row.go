package export

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	table      = "export"
	chunkTable = "export_chunk"
)

const columns = `e.id, e.uid, e.status, e.format, e.connection_path, e.on_date, e.row_count, e.row_total, e.size, e.created_at, e.finished_at, e.expires_at, e.error,
	e.user_id, e.subject, e.client_id, e.limit_agent_id, e.version, e.attempts`

func scan(row store.Scanner) (*Export, error) {
	e := &Export{}
	err := row.Scan(&e.ID, &e.UID, &e.Status, &e.Format, &e.ConnectionPath, &e.OnDate, &e.RowCount, &e.RowTotal, &e.Size, &e.CreatedAt, &e.FinishedAt, &e.ExpiresAt, &e.Error,
		&e.owner.userID, &e.owner.subject, &e.owner.clientID, &e.limit, &e.version, &e.attempts)
	if !e.IsOver() {
		e.Size = nil // it is that of what is stored so far
	}
	if e.owner.userID != 0 {
		e.owner = owner{userID: e.owner.userID}
	}
	return e, err
}

// Export returns an export of the context's caller by its id; nil when there is none, or
// when somebody else asked for it.
func (s *Service) Export(ctx context.Context, id int64) (*Export, error) {
	return s.own(ctx, "e.id = $2", id)
}

// own returns an export of the context's caller.
func (s *Service) own(ctx context.Context, condition string, key any) (*Export, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	found, err := store.Collect(ctx, s.Store, scan, "SELECT "+columns+" FROM export e WHERE e.tenant_id = $1 AND "+condition, tenantID, key)
	if err != nil || len(found) == 0 || found[0].owner != ownerOf(caller) || found[0].CreatedAt.Before(caller.Since) {
		return nil, err
	}
	return found[0], nil
}

func unknown(field ...string) error {
	return problem.Missing(problem.NotFoundCode, "There is no such export", field...)
}

// request is what a run needs besides the row of the export. It is encrypted, since a
// filter may hold a tax id.
type request struct {
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables"`
	TraceID   string          `json:"traceId"`
	Heads     []*Head         `json:"heads,omitempty"`
	asked     Asked
}

// requestField is the vault field of a request. It is bound to a key that no other row
// has.
func requestField(tenantID int64, uid string) vault.Field {
	return vault.Field{TenantID: tenantID, Table: table, Column: "request", RowKey: uid}
}

func chunkField(tenantID int64, uid string, number int) vault.Field {
	return vault.Field{TenantID: tenantID, Table: chunkTable, Column: "data", RowKey: uid + " " + strconv.Itoa(number)}
}

func (s *Service) seal(ctx context.Context, tenantID int64, uid string, r request) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return s.Vault.Encrypt(ctx, requestField(tenantID, uid), string(text))
}

// requestOf reads the request of an export.
func (s *Service) requestOf(ctx context.Context, tenantID int64, e *Export) (r request, err error) {
	var (
		sealed []byte
		scopes string
	)
	found, err := store.One(ctx, s.Store, []any{&sealed, &scopes, &r.asked.UserID, &r.asked.Subject, &r.asked.ClientID, &r.asked.At},
		"SELECT e.request, e.caller_scopes, e.user_id, e.subject, e.client_id, e.created_at FROM export e WHERE e.tenant_id = $1 AND e.id = $2", tenantID, e.ID)
	if err != nil {
		return r, err
	}
	if !found {
		return r, errLost
	}
	r.asked.Scopes = strings.Fields(scopes)
	text, err := s.Vault.Decrypt(ctx, requestField(tenantID, e.UID), sealed)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(text), &r)
}
