package agency

import (
	"context"

	"github.com/uplinehq/upline/ent/db"
	"github.com/uplinehq/upline/ent/db/certificationtype"
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/patch"
)

// CertificationType is a kind of certification the agency uses; "a
// certification's type must be one of these" (Reference data).
type CertificationType = db.CertificationType

// CertificationTypeInput is a new or changed certification type.
type CertificationTypeInput struct {
	Code, Name, Description, Category                        patch.Field[string]
	RequiresJurisdiction, RequiresProviderCompany, IsEnabled patch.Field[bool]
	Initiator                                                string
}

// CertificationTypes reads all certification types, by code.
func (s *Service) CertificationTypes(ctx context.Context) ([]*CertificationType, error) {
	return s.store.Ent().CertificationType.Query().Order(certificationtype.ByCode()).All(ctx)
}

func (c *inputCheck) certificationType(in *CertificationTypeInput) {
	in.Initiator = c.Initiator(in.Initiator)
	c.Kept(&in.Name, maxName, "name")
	c.Clearable(&in.Description, maxNote, "description")
	c.NotNull(in.Category, "category")
	if in.Category.Value != nil {
		check.One(c, CertificationCategories, *in.Category.Value, "category")
	}
	c.NotNull(in.RequiresJurisdiction, "requiresJurisdiction")
	c.NotNull(in.RequiresProviderCompany, "requiresProviderCompany")
	c.NotNull(in.IsEnabled, "isEnabled")
}

// CreateCertificationType defines a certification type.
func (s *Service) CreateCertificationType(ctx context.Context, in CertificationTypeInput) (row *CertificationType, err error) {
	if err := checkNewCertificationType(&in); err != nil {
		return nil, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, err = w.createCertificationType(ctx, in)
		return err
	})
	return row, err
}

func checkNewCertificationType(in *CertificationTypeInput) error {
	var c inputCheck
	c.referenceCode(&in.Code, "code")
	needed(&c, in.Name, "name")
	c.certificationType(in)
	return c.Err()
}

func (w *writing) createCertificationType(ctx context.Context, in CertificationTypeInput) (*CertificationType, error) {
	row, err := w.CertificationType.Create().SetCode(*in.Code.Value).SetName(*in.Name.Value).SetNillableDescription(in.Description.Value).
		SetCategory(or(in.Category, string(otherCategory))).SetRequiresJurisdiction(or(in.RequiresJurisdiction, false)).
		SetRequiresProviderCompany(or(in.RequiresProviderCompany, false)).SetIsEnabled(or(in.IsEnabled, true)).
		SetCreatedAt(w.Now).SetCreatedBy(w.Initiator).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
	return row, certificationTypeTable.added(w, *in.Code.Value, err)
}

// UpdateCertificationType changes the certification type of a code. changed is
// false when everything sent was already so; nothing is then written.
func (s *Service) UpdateCertificationType(ctx context.Context, code string, in CertificationTypeInput) (row *CertificationType, changed bool, err error) {
	if err := checkChangedCertificationType(&in, code); err != nil {
		return nil, false, err
	}
	err = s.write(ctx, in.Initiator, false, func(ctx context.Context, w *writing) error {
		row, changed, err = w.updateCertificationType(ctx, code, in)
		return err
	})
	return row, changed, err
}

func checkChangedCertificationType(in *CertificationTypeInput, code string) error {
	var c inputCheck
	fixed(&c, in.Code, code, "code")
	c.certificationType(in)
	return c.Err()
}

func (w *writing) updateCertificationType(ctx context.Context, code string, in CertificationTypeInput) (row *CertificationType, changed bool, err error) {
	id, err := w.lockReference(ctx, certificationTypeTable, code)
	if err != nil {
		return nil, false, err
	}
	row, err = w.CertificationType.Query().Where(certificationtype.ID(id)).Only(ctx)
	if err != nil {
		return nil, false, err
	}
	r := &revision{table: certificationTypeTable, key: code, id: id, at: &row.LastModified, by: &row.LastModifiedBy}
	revise(r, "name", "name", &row.Name, in.Name)
	reviseOptional(r, "description", "description", &row.Description, in.Description)
	revise(r, "category", "category", &row.Category, in.Category)
	revise(r, "requiresJurisdiction", "requires_jurisdiction", &row.RequiresJurisdiction, in.RequiresJurisdiction)
	revise(r, "requiresProviderCompany", "requires_provider_company", &row.RequiresProviderCompany, in.RequiresProviderCompany)
	revise(r, "isEnabled", "is_enabled", &row.IsEnabled, in.IsEnabled)
	changed, err = r.save(ctx, w)
	return row, changed, err
}

// DeleteCertificationType removes the certification type of a code, unless it
// is in use, and returns its id.
func (s *Service) DeleteCertificationType(ctx context.Context, code, initiator string) (int64, error) {
	return s.deleteReference(ctx, certificationTypeTable, code, initiator)
}
