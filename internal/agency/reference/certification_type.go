package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// CertificationTypeInput is a new or changed certification type; "a certification's type
// must be one of these" (Reference data).
type CertificationTypeInput struct {
	Code                    patch.Field[string] `name:"code" column:"code" as:"code" needed:"true" about:"the key"`
	Name                    patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	Description             patch.Field[string] `name:"description" column:"description" as:"note" about:"what it is for"`
	Category                patch.Field[string] `name:"category" column:"category" as:"category" always:"true" default:"OTHER" about:"LICENSE, APPOINTMENT, TRAINING or OTHER, as REST or GraphQL spell them; OTHER by default"`
	RequiresJurisdiction    patch.Field[bool]   `name:"requiresJurisdiction" column:"requires_jurisdiction" always:"true" default:"false" about:"true or false; false by default"`
	RequiresProviderCompany patch.Field[bool]   `name:"requiresProviderCompany" column:"requires_provider_company" always:"true" default:"false" about:"true or false; false by default"`
	IsEnabled               patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator               string
}

var certificationTypes = referenceKind[CertificationTypeInput]{
	ReferenceTable: record.CertificationTypeTable, fields: fields.Of[CertificationTypeInput](),
	by: func(in *CertificationTypeInput) *string { return &in.Initiator },
}

// CreateCertificationType defines a certification type, and returns its id.
func (s *Service) CreateCertificationType(ctx context.Context, in CertificationTypeInput) (id int64, err error) {
	return certificationTypes.add(ctx, s, in)
}

// UpdateCertificationType changes the certification type with a code, and returns its
// id. changed is false, and nothing is written, if everything sent was already so.
func (s *Service) UpdateCertificationType(ctx context.Context, code string, in CertificationTypeInput) (id int64, changed bool, err error) {
	return certificationTypes.change(ctx, s, code, in)
}

// DeleteCertificationType removes the certification type with a code unless it is in use,
// and returns its id.
func (s *Service) DeleteCertificationType(ctx context.Context, code, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.CertificationTypeTable, code, initiator)
}
