package agency

import (
	"bytes"
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// AgentUpdate holds the changes of an agent's core details. Omitted fields stay as they
// are.
type AgentUpdate struct {
	Details
	GovernmentIdentifier patch.Field[string]
	Initiator            string
}

// editor changes what is known of agents. It is safe for concurrent use.
type editor struct {
	clock  clock.Clock
	vault  *vault.Vault
	writer *record.Writer
}

// UpdateAgent changes core details. changed is false when everything sent was
// already so; nothing is then written.
func (e *editor) UpdateAgent(ctx context.Context, code string, in AgentUpdate) (changed bool, err error) {
	if err := e.checkAgentUpdate(&in, e.writer.Today(ctx)); err != nil {
		return false, err
	}
	err = e.writer.Write(ctx, in.Initiator, false, func(ctx context.Context, w *record.Writing) error {
		id, err := w.LockAgent(ctx, code)
		if err != nil {
			return err
		}
		rows, err := readAgents(ctx, w, w.Tenant.ID, []int64{id})
		if err != nil {
			return err
		}
		changed, err = e.writeAgentUpdate(ctx, w, rows[id], in)
		return err
	})
	return changed, err
}

// storedAgent is what an update of an agent is compared with.
type storedAgent struct {
	id   int64
	code string
	Details
	identifier      vault.Sealed
	identifierIndex []byte // of identifier
}

// readAgents reads agents by id.
func readAgents(ctx context.Context, q store.Querier, tenantID int64, ids []int64) (map[int64]*storedAgent, error) {
	byID := make(map[int64]*storedAgent, len(ids))
	_, err := store.Collect(ctx, q, func(r store.Scanner) (struct{}, error) {
		a := new(storedAgent)
		err := r.Scan(append(AgentDetails.Dest(&a.Details), &a.id, &a.code, a.identifier.From("agency_agent", "government_identifier", &a.id), &a.identifierIndex)...)
		byID[a.id] = a
		return struct{}{}, err
	}, "SELECT "+strings.Join(detailColumns, ", ")+", id, code, government_identifier, government_identifier_index FROM agency_agent WHERE tenant_id = $1 AND "+q.In("id", "$2"),
		tenantID, q.List(ids))
	return byID, err
}

func (e *editor) checkAgentUpdate(in *AgentUpdate, today date.Date) error {
	var c record.Check
	in.Initiator = c.Initiator(in.Initiator)
	checkDetails(&c, &in.Details, e.clock.Now(), today)
	if in.GovernmentIdentifier.Sent {
		in.GovernmentIdentifier.Value = checkGovernmentIdentifier(&c, in.GovernmentIdentifier.Value)
	}
	return c.Err()
}

// updateAgentSQL writes all details.
var updateAgentSQL = record.UpdateSQL("agency_agent", writtenDetails)

// writeAgentUpdate writes the details that differ from those of the row.
func (e *editor) writeAgentUpdate(ctx context.Context, w *record.Writing, row *storedAgent, in AgentUpdate) (bool, error) {
	next := row.Details
	differ := AgentDetails.Become(&next, &in.Details)
	identifierChanged, err := e.identifierDiffers(ctx, w, row, in.GovernmentIdentifier)
	if err != nil || (!identifierChanged && len(differ) == 0) {
		return false, err
	}
	w.NoteAgent(row.id, row.code, record.Revised, differ...)
	if err := w.ChangeKeys(ctx, row.id, 0, keysOfAgent(row.code, &row.Details), keysOfAgent(row.code, &next)); err != nil {
		return false, err
	}
	err = w.Later(ctx, updateAgentSQL, append(next.written(nil), w.Now, w.Initiator, w.Tenant.ID, row.id)...)
	if err == nil && identifierChanged {
		err = storeGovernmentIdentifier(ctx, e.vault, w, row.id, in.GovernmentIdentifier.Value)
	}
	return true, err
}

// identifierDiffers reports whether a sent SSN or SIN differs from the stored one. Equal
// blind indexes are not enough: "12-34" and "1234" have the same index, and are stored as
// they are written.
func (e *editor) identifierDiffers(ctx context.Context, w *record.Writing, row *storedAgent, sent patch.Field[string]) (bool, error) {
	if !sent.Sent {
		return false, nil
	}
	if sent.Value == nil || !row.identifier.Present() {
		return sent.Value != nil || row.identifier.Present(), nil
	}
	index, err := governmentIdentifierIndex(ctx, e.vault, w.Tenant.ID, *sent.Value)
	if err != nil {
		return false, err
	}
	if !bytes.Equal(index, row.identifierIndex) {
		return true, nil
	}
	stored, err := e.vault.Unseal(ctx, w.Tenant.ID, &row.identifier)
	if vault.Unreadable(err) { // it can be written anew
		return true, nil
	}
	return err == nil && stored.Reveal() != *sent.Value, err
}
