package reference

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/jurisdiction"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Jurisdiction is a state, province or territory: "used by certifications,
// addresses, agent filters" (Reference data).
type Jurisdiction = db.Jurisdiction

// JurisdictionInput is a new or changed jurisdiction.
type JurisdictionInput struct {
	Code      patch.Field[string] `name:"code" column:"code" as:"jurisdiction" needed:"true" about:"the key, in the form XX-XX"`
	Name      patch.Field[string] `name:"name" column:"name" as:"name" needed:"true" about:"display name"`
	Country   patch.Field[string] `name:"country" column:"country" as:"country" always:"true" about:"two-letter code; the part of the code before the dash by default"`
	Kind      patch.Field[string] `name:"kind" column:"kind" as:"kind" always:"true" default:"State" about:"State, Province, Territory or District; State by default"`
	IsEnabled patch.Field[bool]   `name:"isEnabled" column:"is_enabled" always:"true" default:"true" about:"true or false; true by default"`
	Initiator string
}

var jurisdictions = referenceKind[JurisdictionInput, Jurisdiction]{
	ReferenceTable: record.JurisdictionTable, fields: fields.Of[JurisdictionInput](),
	by: func(in *JurisdictionInput) *string { return &in.Initiator },
	complete: func(in *JurisdictionInput) {
		if in.Country.Value == nil {
			in.Country = patch.Set((*in.Code.Value)[:2])
		}
	},
	read: func(ctx context.Context, w *record.Writing, id int64) (*Jurisdiction, error) {
		return w.Jurisdiction.Get(ctx, id)
	},
}

// Jurisdictions reads all jurisdictions, by code.
func (s *Service) Jurisdictions(ctx context.Context) ([]*Jurisdiction, error) {
	return s.store.Ent().Jurisdiction.Query().Order(jurisdiction.ByCode()).All(ctx)
}

// CreateJurisdiction defines a jurisdiction.
func (s *Service) CreateJurisdiction(ctx context.Context, in JurisdictionInput) (*Jurisdiction, error) {
	return jurisdictions.add(ctx, s, in)
}

// UpdateJurisdiction changes the jurisdiction with a code. changed is false, and nothing
// is written, if everything sent was already so.
func (s *Service) UpdateJurisdiction(ctx context.Context, code string, in JurisdictionInput) (row *Jurisdiction, changed bool, err error) {
	return jurisdictions.change(ctx, s, code, in)
}

// DeleteJurisdiction removes the jurisdiction with a code unless it is in use, and
// returns its id.
func (s *Service) DeleteJurisdiction(ctx context.Context, code, initiator string) (int64, error) {
	return s.deleteReference(ctx, record.JurisdictionTable, code, initiator)
}
