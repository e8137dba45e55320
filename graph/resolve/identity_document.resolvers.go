package resolve

import (
	"context"
	"encoding/json"

	"github.com/uplinehq/upline/graph/manifest"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) ClientDocuments(ctx context.Context, clientID string, first *int, after *string, last *int, before *string, offset *int) (*model.ClientDocumentConnection, error) {
	list, err := r.Identity.Documents(ctx, clientID)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, func(d *identity.Document) *model.ClientDocument { return &model.ClientDocument{Document: d} })
}

func (r queryResolver) SchemaUses(ctx context.Context, filter *model.SchemaUseFilter, first *int, after *string, last *int, before *string, offset *int) (*model.SchemaUseConnection, error) {
	var f identity.UseFilter
	if filter != nil {
		f = identity.UseFilter{ClientID: filter.ClientID.Value(), Coordinate: filter.Coordinate.Value(), From: filter.From.Value(), Through: filter.Through.Value()}
	}
	list, err := r.Identity.Uses(ctx, f)
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, func(u *identity.UsedCoordinate) *model.SchemaUse { return &model.SchemaUse{UsedCoordinate: u} })
}

func (r mutationResolver) ClientDocumentsAdd(ctx context.Context, input model.ClientDocumentsAddInput) (*model.ClientPayload, error) {
	text, err := json.Marshal(input.Manifest)
	if err != nil {
		return nil, err
	}
	all, err := manifest.Parse(text, r.Schema)
	if err != nil {
		return &model.ClientPayload{}, err
	}
	client, added, err := r.Identity.AddDocuments(ctx, input.ClientID, all)
	p, err := clientPayload(client, "", added > 0, err)
	p.Added = added
	return p, err
}

// documentsAtOnce is how many documents one request removes at most.
const documentsAtOnce = 1000

func (r mutationResolver) ClientDocumentsRemove(ctx context.Context, input model.ClientDocumentsRemoveInput) (*model.ClientPayload, error) {
	if n := len(input.DocumentIds); n == 0 || n > documentsAtOnce {
		return &model.ClientPayload{}, problem.Invalid(problem.OutOfRange, "must have 1 to 1000 ids", "documentIds")
	}
	client, err := r.Identity.RemoveDocuments(ctx, input.ClientID, input.DocumentIds)
	return clientPayload(client, "", true, err)
}
