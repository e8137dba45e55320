package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/problem"
)

// ReferenceImport imports reference data of one kind by its key: it creates what is
// not there, and changes what differs, by the operations of a single one.
type ReferenceImport struct {
	s       *Service
	columns bulk.Columns
	// key is the column of the key.
	key string
	put func(ctx context.Context, w *writing, r *rowReader) (bulk.Outcome, error)
}

// Columns are those that a file may have.
func (i *ReferenceImport) Columns() []bulk.Column { return i.columns.All }

// Apply creates and changes reference data, one row after the other: there is little
// of it, and what a row says counts for the next.
func (i *ReferenceImport) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	ctx, im, err := i.s.startImport(ctx, tx, rows, initiator)
	if err != nil {
		return nil, err
	}
	for n, row := range rows {
		r, w := readRow(i.columns, row), im.alone()
		var c inputCheck
		key := r.Field(i.key)
		if c.Kept(&key, maxName, i.key); len(c.List) == 0 {
			im.results[n].Key = r.Plain(i.key)
		}
		outcome, err := i.put(ctx, w, r)
		refused, fault := im.refuseErr(n, err)
		if fault != nil {
			return nil, fault
		}
		if im.refuse(n, r.List) || refused || outcome == bulk.Unchanged {
			continue
		}
		im.done(n, outcome)
		im.own = append(im.own, w)
	}
	return im.finish(ctx)
}

// putReference creates a row, or changes the one of the key; a nil key is none.
func putReference[K comparable, In any, Row any](ctx context.Context, w *writing, r *rowReader, t referenceTable, key *K, in In,
	checkNew func(*In) error, create func(context.Context, In) (Row, error),
	checkChanged func(*In, K) error, update func(context.Context, K, In) (Row, bool, error),
) (bulk.Outcome, error) {
	isNew := key == nil
	if !isNew {
		_, err := w.lockReference(ctx, t, *key)
		if isNew = problem.Has(err, problem.NotFoundCode); err != nil && !isNew {
			return "", err
		}
	}
	if isNew {
		if err := checkNew(&in); err != nil || len(r.List) > 0 {
			return "", err
		}
		_, err := create(ctx, in)
		if problem.Has(err, problem.DuplicateKey) { // somebody was faster
			err = store.Again(err)
		}
		return bulk.Created, err
	}
	if err := checkChanged(&in, *key); err != nil || len(r.List) > 0 {
		return "", err
	}
	_, changed, err := update(ctx, *key, in)
	if changed {
		return bulk.Updated, err
	}
	return bulk.Unchanged, err
}

// ImportPayStatusReference returns the import of the pay statuses that there are.
func (s *Service) ImportPayStatusReference() *ReferenceImport {
	return &ReferenceImport{s: s, key: "name", columns: bulk.NewColumns([]bulk.Column{
		bulk.Required("name", "the key"), bulk.Optional("description", "what it is for"),
		bulk.Required("isActive", "true or false: agents that have it are active"),
		bulk.Optional("canBePaid", "true or false; as isActive by default"), bulk.Optional("sortOrder", "its place in lists; 0 by default"),
	}), put: func(ctx context.Context, w *writing, r *rowReader) (bulk.Outcome, error) {
		in := PayStatusInput{Name: r.Field("name"), Description: r.Field("description"), IsActive: r.Flag("isActive"), CanBePaid: r.Flag("canBePaid"),
			SortOrder: r.Number("sortOrder"), Initiator: w.Initiator}
		return putReference(ctx, w, r, payStatusTable, in.Name.Value, in, checkNewPayStatus, w.createPayStatus, checkChangedPayStatus, w.updatePayStatus)
	}}
}

// ImportAgentLevels returns the import of the agent levels of the default team.
func (s *Service) ImportAgentLevels() *ReferenceImport {
	return &ReferenceImport{s: s, key: "value", columns: bulk.NewColumns([]bulk.Column{
		bulk.Required("value", "the key, a number from 0 to 1000000"), bulk.Required("name", "display name"),
		bulk.Optional("description", "what it is for"), bulk.Optional("isEnabled", "true or false; true by default"),
	}), put: func(ctx context.Context, w *writing, r *rowReader) (bulk.Outcome, error) {
		team, err := teamID(ctx, w, DefaultTeam)
		if err != nil {
			return "", err
		}
		in := AgentLevelInput{Value: r.Number("value"), Name: r.Field("name"), Description: r.Field("description"), IsEnabled: r.Flag("isEnabled"), Initiator: w.Initiator}
		return putReference(ctx, w, r, levelTable(team), in.Value.Value, in, checkNewAgentLevel,
			func(ctx context.Context, in AgentLevelInput) (*AgentLevel, error) {
				return w.createAgentLevel(ctx, team, in)
			}, checkChangedAgentLevel,
			func(ctx context.Context, value int, in AgentLevelInput) (*AgentLevel, bool, error) {
				return w.updateAgentLevel(ctx, team, value, in)
			})
	}}
}

// ImportCertificationTypes returns the import of certification types.
func (s *Service) ImportCertificationTypes() *ReferenceImport {
	return &ReferenceImport{s: s, key: "code", columns: bulk.NewColumns([]bulk.Column{
		bulk.Required("code", "the key"), bulk.Required("name", "display name"), bulk.Optional("description", "what it is for"),
		bulk.Optional("category", "LICENSE, APPOINTMENT, TRAINING or OTHER, as REST or GraphQL spell them; OTHER by default"),
		bulk.Optional("requiresJurisdiction", "true or false; false by default"), bulk.Optional("requiresProviderCompany", "true or false; false by default"),
		bulk.Optional("isEnabled", "true or false; true by default"),
	}), put: func(ctx context.Context, w *writing, r *rowReader) (bulk.Outcome, error) {
		category := r.Field("category")
		if category.Value != nil {
			category.Value = new(CertificationCategories.Written(*category.Value))
		}
		in := CertificationTypeInput{Code: r.Field("code"), Name: r.Field("name"), Description: r.Field("description"), Category: category,
			RequiresJurisdiction: r.Flag("requiresJurisdiction"), RequiresProviderCompany: r.Flag("requiresProviderCompany"), IsEnabled: r.Flag("isEnabled"), Initiator: w.Initiator}
		return putReference(ctx, w, r, certificationTypeTable, in.Code.Value, in, checkNewCertificationType, w.createCertificationType, checkChangedCertificationType, w.updateCertificationType)
	}}
}

// ImportJurisdictions returns the import of jurisdictions.
func (s *Service) ImportJurisdictions() *ReferenceImport {
	return &ReferenceImport{s: s, key: "code", columns: bulk.NewColumns([]bulk.Column{
		bulk.Required("code", "the key, in the form XX-XX"), bulk.Required("name", "display name"),
		bulk.Optional("country", "two-letter code; the part of the code before the dash by default"),
		bulk.Optional("kind", "State, Province, Territory or District; State by default"), bulk.Optional("isEnabled", "true or false; true by default"),
	}), put: func(ctx context.Context, w *writing, r *rowReader) (bulk.Outcome, error) {
		in := JurisdictionInput{Code: r.Field("code"), Name: r.Field("name"), Country: r.Field("country"), Kind: r.Field("kind"), IsEnabled: r.Flag("isEnabled"), Initiator: w.Initiator}
		return putReference(ctx, w, r, jurisdictionTable, in.Code.Value, in, checkNewJurisdiction, w.createJurisdiction, checkChangedJurisdiction, w.updateJurisdiction)
	}}
}

// ImportTags returns the import of tags.
func (s *Service) ImportTags() *ReferenceImport {
	return &ReferenceImport{s: s, key: "name", columns: bulk.NewColumns([]bulk.Column{
		bulk.Required("name", "the key"), bulk.Optional("description", "what it is for"), bulk.Optional("color", "# and six hexadecimal digits"),
	}), put: func(ctx context.Context, w *writing, r *rowReader) (bulk.Outcome, error) {
		in := TagInput{Name: r.Field("name"), Description: r.Field("description"), Color: r.Field("color"), Initiator: w.Initiator}
		return putReference(ctx, w, r, tagTable, in.Name.Value, in, checkNewTag, w.createTag, checkChangedTag, w.updateTag)
	}}
}

// ImportProviderCompanies returns the import of provider companies.
func (s *Service) ImportProviderCompanies() *ReferenceImport {
	return &ReferenceImport{s: s, key: "code", columns: bulk.NewColumns([]bulk.Column{
		bulk.Required("code", "the key"), bulk.Required("name", "display name"), bulk.Optional("naicCode", "number at the NAIC"),
		bulk.Optional("isEnabled", "true or false; true by default"),
	}), put: func(ctx context.Context, w *writing, r *rowReader) (bulk.Outcome, error) {
		in := ProviderCompanyInput{Code: r.Plain("code"), Name: r.Field("name"), NAICCode: r.Field("naicCode"), IsEnabled: r.Flag("isEnabled"), Initiator: w.Initiator}
		var c inputCheck
		if c.providerCompany(&in); len(c.List) > 0 || len(r.List) > 0 {
			return "", c.Err()
		}
		_, changed, isNew, err := w.upsertProviderCompany(ctx, in)
		switch {
		case isNew:
			return bulk.Created, err
		case changed:
			return bulk.Updated, err
		}
		return bulk.Unchanged, err
	}}
}
