package identity

import (
	"context"

	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Documents is the list of the trusted documents of a client, by their ids; the client must
// be one of the tenant.
func (s *clients) Documents(ctx context.Context, clientID string) (listing.List[*Document], error) {
	client, err := s.Client(ctx, clientID)
	if err == nil && client == nil {
		err = unknownClient()
	}
	if err != nil {
		return listing.List[*Document]{}, err
	}
	return listing.List[*Document]{
		Rows: listing.Rows{
			Store: s.store, Name: "clientDocuments", Default: pageSize, Max: maxPageSize,
			Keys: []page.Key{{Name: "id", SQL: "d.document_id", Kind: page.Text}},
			From: func(q *store.SQL) {
				q.Write("identity_document d WHERE d.tenant_id = ? AND d.client_id = ?", *client.tenantID, client.ID)
			},
		},
		Columns: "d.document_id, d.body, d.created_at",
		Scan: func(row store.Scanner) (*Document, error) {
			d := new(Document)
			return d, row.Scan(&d.ID, &d.Body, &d.CreatedAt)
		},
		Place: func(d *Document, _ string) any { return d.ID },
	}, nil
}

// DocumentMode is the mode of the caller's client: DocumentsOff for one of the platform,
// such as the workbench. A change by another process counts within ten seconds.
func (s *remembered) DocumentMode(ctx context.Context) (DocumentMode, error) {
	key, err := ownDocument(ctx, "")
	if err != nil {
		return DocumentsOff, err
	}
	return s.modes.get(key, func() (DocumentMode, error) {
		mode := DocumentsOff
		_, err := store.One(ctx, s.store, []any{&mode}, "SELECT trusted_documents FROM identity_client WHERE tenant_id = $1 AND client_id = $2", key.tenantID, key.client)
		return mode, err
	})
}

// MayBring refuses a document that the caller's client brings as the text of a field, such
// as the query of an export, if it may run its trusted documents only.
func (s *remembered) MayBring(ctx context.Context, field ...string) error {
	mode, err := s.DocumentMode(ctx)
	if err == nil && mode == DocumentsEnforce {
		err = problem.Invalid(problem.NotApplicable, "is a text, and this client may run its trusted documents only", field...)
	}
	return err
}

// Document returns the text of a trusted document of the caller's client; false if it has
// none with this id. A change by another process counts within ten seconds.
func (s *remembered) Document(ctx context.Context, id string) (body string, ok bool, err error) {
	id = plainDocumentID(id)
	key, err := ownDocument(ctx, id)
	if err != nil || !isDocumentID(id) {
		return "", false, err
	}
	d, err := s.documents.get(key, func() (d documentText, err error) {
		d.ok, err = store.One(ctx, s.store, []any{&d.body}, `SELECT d.body FROM identity_document d JOIN identity_client c ON c.id = d.client_id
			WHERE d.tenant_id = $1 AND c.tenant_id = $1 AND c.client_id = $2 AND d.document_id = $3`, key.tenantID, key.client, key.document)
		return d, err
	})
	return d.body, d.ok, err
}

func ownDocument(ctx context.Context, id string) (documentKey, error) {
	tenantID, err := tenant.ID(ctx)
	caller, _ := tenant.CallerFrom(ctx)
	return documentKey{tenantID, caller.ClientID, id}, err
}
