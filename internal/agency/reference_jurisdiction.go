package agency

import (
	"context"
	"regexp"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/jurisdiction"
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/patch"
)

// Jurisdiction is a state, province or territory: "used by certifications,
// addresses, agent filters" (Reference data).
type Jurisdiction = db.Jurisdiction

// JurisdictionInput is a new or changed jurisdiction.
type JurisdictionInput struct {
	Code, Name, Country, Kind patch.Field[string]
	IsEnabled                 patch.Field[bool]
	Initiator                 string
}

var (
	countryPattern = regexp.MustCompile(`^[A-Z]{2}$`)
)

// Jurisdictions reads all jurisdictions, by code.
func (s *Service) Jurisdictions(ctx context.Context) ([]*Jurisdiction, error) {
	return s.store.Ent().Jurisdiction.Query().Order(jurisdiction.ByCode()).All(ctx)
}

func (c *inputCheck) jurisdiction(in *JurisdictionInput) {
	in.Initiator = c.Initiator(in.Initiator)
	c.Kept(&in.Name, maxName, "name")
	c.NotNull(in.Country, "country")
	if in.Country.Value != nil {
		c.Form(*in.Country.Value, countryPattern, "must be a country code of two capital letters", "country")
	}
	c.NotNull(in.Kind, "kind")
	if in.Kind.Value != nil {
		check.One(c, JurisdictionKinds, *in.Kind.Value, "kind")
	}
	c.NotNull(in.IsEnabled, "isEnabled")
}

// jurisdictionCode checks the key of a new jurisdiction.
func (c *inputCheck) jurisdictionCode(code patch.Field[string]) {
	needed(c, code, "code")
	c.NotNull(code, "code")
	if code.Value != nil { // "id in the form XX-XX" (Reference data)
		c.Jurisdiction(*code.Value, "code")
	}
}

// CreateJurisdiction defines a jurisdiction.
func (s *Service) CreateJurisdiction(ctx context.Context, in JurisdictionInput) (row *Jurisdiction, err error) {
	if err := checkNewJurisdiction(&in); err != nil {
		return nil, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, err = w.createJurisdiction(ctx, in)
		return err
	})
	return row, err
}

func checkNewJurisdiction(in *JurisdictionInput) error {
	var c inputCheck
	c.jurisdictionCode(in.Code)
	needed(&c, in.Name, "name")
	c.jurisdiction(in)
	return c.Err()
}

func (w *writing) createJurisdiction(ctx context.Context, in JurisdictionInput) (*Jurisdiction, error) {
	code := *in.Code.Value
	row, err := w.Jurisdiction.Create().SetCode(code).SetName(*in.Name.Value).SetCountry(or(in.Country, code[:2])).
		SetKind(or(in.Kind, string(stateKind))).SetIsEnabled(or(in.IsEnabled, true)).
		SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
	return row, jurisdictionTable.added(w, code, err)
}

// UpdateJurisdiction changes the jurisdiction of a code. changed is false when
// everything sent was already so; nothing is then written.
func (s *Service) UpdateJurisdiction(ctx context.Context, code string, in JurisdictionInput) (row *Jurisdiction, changed bool, err error) {
	if err := checkChangedJurisdiction(&in, code); err != nil {
		return nil, false, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, changed, err = w.updateJurisdiction(ctx, code, in)
		return err
	})
	return row, changed, err
}

func checkChangedJurisdiction(in *JurisdictionInput, code string) error {
	var c inputCheck
	fixed(&c, in.Code, code, "code")
	c.jurisdiction(in)
	return c.Err()
}

func (w *writing) updateJurisdiction(ctx context.Context, code string, in JurisdictionInput) (row *Jurisdiction, changed bool, err error) {
	id, err := w.lockReference(ctx, jurisdictionTable, code)
	if err != nil {
		return nil, false, err
	}
	row, err = w.Jurisdiction.Query().Where(jurisdiction.ID(id)).Only(ctx)
	if err != nil {
		return nil, false, err
	}
	r := &revision{table: jurisdictionTable, key: code, id: id, at: &row.LastModified, by: &row.LastModifiedBy}
	revise(r, "name", "name", &row.Name, in.Name)
	revise(r, "country", "country", &row.Country, in.Country)
	revise(r, "kind", "kind", &row.Kind, in.Kind)
	revise(r, "isEnabled", "is_enabled", &row.IsEnabled, in.IsEnabled)
	changed, err = r.save(ctx, w)
	return row, changed, err
}

// DeleteJurisdiction removes the jurisdiction of a code, unless it is in use,
// and returns its id.
func (s *Service) DeleteJurisdiction(ctx context.Context, code, initiator string) (int64, error) {
	return s.deleteReference(ctx, jurisdictionTable, code, initiator)
}
