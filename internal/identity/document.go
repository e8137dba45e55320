package identity

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// DocumentMode says what happens to a GraphQL document that a client sends as a text,
// instead of the id of one of its trusted documents.
type DocumentMode string

// The modes: the text runs; it runs, and the log says so; it is refused.
const (
	DocumentsOff     DocumentMode = "OFF"
	DocumentsLog     DocumentMode = "LOG"
	DocumentsEnforce DocumentMode = "ENFORCE"
)

// DocumentModes are all of them.
var DocumentModes = enum.Of(DocumentsOff, DocumentsLog, DocumentsEnforce)

// Document is a trusted document of a client: GraphQL that its program was built with.
type Document struct {
	// ID is the id by which the client asks for it, such as the hash of its text. "sha256:"
	// in front does not count.
	ID, Body  string
	CreatedAt time.Time
}

const (
	// MaxDocuments is the maximum number of trusted documents of a client.
	MaxDocuments = 5000
	// maxDocumentID bounds the length of an id, in bytes.
	maxDocumentID = 200
)

// AddDocuments adds trusted documents of a client, whose texts the caller has checked, and
// returns how many are new. All are added or none. Those it has stay: an older version of
// the program still asks for them. An id of another text is refused.
func (s *clients) AddDocuments(ctx context.Context, clientID string, all []Document) (client *Client, added int, err error) {
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if client, err = w.lockClient(ctx, clientID); err != nil {
			return err
		}
		added, err = client.addDocuments(ctx, w.Tx, all, w.Now)
		if err == nil && added > 0 {
			w.changed(clientEntity, clientID, "documents")
		}
		return err
	})
	return client, added, err
}

func (c *Client) addDocuments(ctx context.Context, tx *store.Tx, all []Document, now time.Time) (added int, err error) {
	if c.tenantID == nil {
		return 0, problem.Invalid(problem.InvalidFormat, "is a client of the platform, which has no trusted documents", "clientId")
	}
	stored, err := c.documentTexts(ctx, tx)
	if err != nil {
		return 0, err
	}
	var missing []Document
	for _, d := range all {
		d.ID = plainDocumentID(d.ID)
		switch body, has := stored[d.ID]; {
		case !isDocumentID(d.ID):
			return 0, problem.Invalid(problem.InvalidFormat, "must be an id of 1 to 200 bytes of UTF-8 without U+0000", "manifest", d.ID)
		case !has:
			stored[d.ID] = d.Body
			missing = append(missing, d)
		case body != d.Body:
			return 0, problem.Clash(problem.DuplicateKey, "The client has another document with this id", "manifest", d.ID)
		}
	}
	if len(stored) > MaxDocuments {
		return 0, problem.Clash(problem.OutOfRange, "A client has at most 5000 trusted documents: remove those that no version of its program asks for", "manifest").With("max", MaxDocuments)
	}
	return len(missing), tx.CopyFrom(ctx, "identity_document", []string{"tenant_id", "client_id", "document_id", "body", "created_at"}, func(yield func([]any) bool) {
		for _, d := range missing {
			if !yield([]any{*c.tenantID, c.ID, d.ID, d.Body, now}) {
				return
			}
		}
	})
}

// plainDocumentID is an id without the name of the hash, which some tools write before it.
func plainDocumentID(id string) string { return strings.TrimPrefix(id, "sha256:") }

func isDocumentID(id string) bool {
	return id != "" && len(id) <= maxDocumentID && utf8.ValidString(id) && !strings.ContainsRune(id, 0)
}

// documentTexts reads the texts of the client's documents, by their ids.
func (c *Client) documentTexts(ctx context.Context, tx *store.Tx) (map[string]string, error) {
	texts := map[string]string{}
	_, err := store.Collect(ctx, tx, func(row store.Scanner) (struct{}, error) {
		var id, body string
		err := row.Scan(&id, &body)
		texts[id] = body
		return struct{}{}, err
	}, "SELECT document_id, body FROM identity_document WHERE tenant_id = $1 AND client_id = $2", *c.tenantID, c.ID)
	return texts, err
}

// RemoveDocuments removes trusted documents of a client. It refuses an id that the client
// has no document of, and then removes none.
func (s *clients) RemoveDocuments(ctx context.Context, clientID string, ids []string) (client *Client, err error) {
	plain := make([]string, len(ids))
	for i, id := range ids {
		plain[i] = plainDocumentID(id)
	}
	slices.Sort(plain)
	ids = slices.Compact(plain)
	err = s.write(ctx, func(ctx context.Context, w *writing) error {
		if client, err = w.lockClient(ctx, clientID); err != nil || len(ids) == 0 {
			return err
		}
		removed, err := store.Collect(ctx, w, store.ScanOne[string], "DELETE FROM identity_document WHERE tenant_id = $1 AND client_id = $2 AND "+w.InTexts("document_id", "$3")+" RETURNING document_id",
			w.Tenant.ID, client.ID, w.Texts(ids))
		if err != nil {
			return err
		}
		for _, id := range ids {
			if !slices.Contains(removed, id) {
				return problem.Missing(problem.NotFoundCode, "The client has no document with this id", "documentIds", id)
			}
		}
		w.changed(clientEntity, clientID, "documents")
		return nil
	})
	return client, err
}
