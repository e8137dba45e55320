package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// ProductInput is a new or changed product: what agents may sell if they meet its rules.
type ProductInput struct {
	Code            patch.Field[string] `name:"code" column:"code" as:"code" needed:"true" about:"the key"`
	Name            patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	Description     patch.Field[string] `name:"description" column:"description" as:"note" about:"what it is"`
	LineOfAuthority patch.Field[string] `name:"lineOfAuthority" column:"line_of_authority" as:"text" about:"line of authority at the NAIC"`
	IsWatched       patch.Field[bool]   `name:"isWatched" column:"is_watched" always:"true" default:"false" about:"true or false: changes of who may sell it are told; false by default"`
	IsEnabled       patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator       string
}

var products = referenceKind[ProductInput]{
	ReferenceTable: record.ProductTable, fields: fields.Of[ProductInput](),
	by: func(in *ProductInput) *string { return &in.Initiator },
}

// CreateProduct defines a product, and returns its id.
func (s *Service) CreateProduct(ctx context.Context, in ProductInput) (id int64, err error) {
	return products.add(ctx, s, in)
}

// DefineProduct is CreateProduct as a part of a write.
func DefineProduct(ctx context.Context, w *record.Writing, in ProductInput) error {
	err := products.check(&in, true, nil)
	if err == nil {
		_, err = products.insert(ctx, w, in)
	}
	return err
}

// UpdateProduct changes the product with a code, and returns its id. changed is false, and
// nothing is written, if everything sent was already so.
func (s *Service) UpdateProduct(ctx context.Context, code string, in ProductInput) (id int64, changed bool, err error) {
	return products.change(ctx, s, code, in)
}

// DeleteProduct removes the product with a code unless it has rules, and returns its id.
func (s *Service) DeleteProduct(ctx context.Context, code, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.ProductTable, code, initiator)
}
