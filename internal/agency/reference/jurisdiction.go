package reference

import (
	"context"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// JurisdictionInput is a new or changed jurisdiction, a state, province or territory: "used
// by certifications, addresses, agent filters" (Reference data).
type JurisdictionInput struct {
	Code      patch.Field[string] `name:"code" column:"code" as:"jurisdiction" needed:"true" about:"the key, in the form XX-XX"`
	Name      patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	Country   patch.Field[string] `name:"country" column:"country" as:"country" always:"true" about:"two-letter code; the part of the code before the dash by default"`
	Kind      patch.Field[string] `name:"kind" column:"kind" as:"kind" always:"true" default:"State" about:"State, Province, Territory or District; State by default"`
	IsEnabled patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator string
}

var jurisdictions = referenceKind[JurisdictionInput]{
	ReferenceTable: record.JurisdictionTable, fields: fields.Of[JurisdictionInput](),
	by: func(in *JurisdictionInput) *string { return &in.Initiator },
	complete: func(in *JurisdictionInput) {
		if in.Country.Value == nil {
			in.Country = patch.Set((*in.Code.Value)[:2])
		}
	},
}

// CreateJurisdiction defines a jurisdiction, and returns its id.
func (s *Service) CreateJurisdiction(ctx context.Context, in JurisdictionInput) (id int64, err error) {
	return jurisdictions.add(ctx, s, in)
}

// UpdateJurisdiction changes the jurisdiction with a code, and returns its id. changed
// is false, and nothing is written, if everything sent was already so.
func (s *Service) UpdateJurisdiction(ctx context.Context, code string, in JurisdictionInput) (id int64, changed bool, err error) {
	return jurisdictions.change(ctx, s, code, in)
}

// DeleteJurisdiction removes the jurisdiction with a code unless it is in use, and
// returns its id.
func (s *Service) DeleteJurisdiction(ctx context.Context, code, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.JurisdictionTable, code, initiator)
}
