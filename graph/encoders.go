package graph

import (
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/encode"
	"github.com/uplinehq/upline/graph/loader"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/page"
	"github.com/uplinehq/upline/internal/vault"
)

// encoders are the types whose selections compile. They read relations that
// were read ahead (prime.go), and nothing else.
type encoders struct {
	r             *Resolver
	agent         encode.Type[*model.Agent]
	certification encode.Type[*model.Certification]
	downlines     encode.Type[*model.DownlineConnection]
	downlineEdge  encode.Type[model.DownlineEdge]
	pageInfo      encode.Type[*model.PageInfo]
	payee         encode.Type[*model.Agent]
}

func newEncoders(r *Resolver) *encoders {
	e := &encoders{r: r}
	e.pageInfo = encode.Type[*model.PageInfo]{Names: []string{"PageInfo"}, Fields: map[string]encode.Compile[*model.PageInfo]{
		"hasNextPage":     encode.Bool(func(p *model.PageInfo) bool { return p.HasNextPage }),
		"hasPreviousPage": encode.Bool(func(p *model.PageInfo) bool { return p.HasPreviousPage }),
		"startCursor":     encode.OptionalText(func(p *model.PageInfo) *string { return p.StartCursor }),
		"endCursor":       encode.OptionalText(func(p *model.PageInfo) *string { return p.EndCursor }),
	}}
	e.certification = encode.Type[*model.Certification]{Names: []string{"Certification", "Node", "Audited"}, Fields: e.certificationFields()}
	e.downlines = encode.Type[*model.DownlineConnection]{Names: []string{"DownlineConnection"}, Fields: e.downlineFields()}
	e.downlineEdge = encode.Type[model.DownlineEdge]{Names: []string{"DownlineEdge"}, Fields: e.downlineEdgeFields()}
	e.payee = encode.Type[*model.Agent]{Names: []string{"Payee"}, Fields: e.payeeFields()}
	e.agent = encode.Type[*model.Agent]{Names: agentTypes, Fields: e.agentFields()}
	return e
}

func (e *encoders) agentFields() map[string]encode.Compile[*model.Agent] {
	type view = *model.Agent
	return map[string]encode.Compile[view]{
		"id":             encode.Text(view.GlobalID),
		"agentCode":      encode.Text(func(a view) string { return a.AgentCode }),
		"asOf":           encode.Day(view.AsOf),
		"asKnownAt":      encode.OptionalInstant(view.AsKnownAt),
		"firstName":      encode.Text(func(a view) string { return a.FirstName }),
		"middleName":     encode.OptionalText(func(a view) *string { return a.MiddleName }),
		"lastName":       encode.Text(func(a view) string { return a.LastName }),
		"commonName":     encode.OptionalText(func(a view) *string { return a.CommonName }),
		"displayName":    encode.Text(func(a view) string { return a.DisplayName() }),
		"email":          encode.OptionalText(func(a view) *string { return a.Email }),
		"birthDate":      encode.OptionalDay(func(a view) *date.Date { return a.BirthDate }),
		"gender":         encode.OptionalText(func(a view) *string { return a.Gender }),
		"npn":            encode.OptionalText(func(a view) *string { return a.NPN }),
		"customerId":     encode.OptionalText(func(a view) *string { return a.CustomerID }),
		"isDedicated":    encode.Bool(func(a view) bool { return a.IsDedicated }),
		"startDate":      encode.Instant(func(a view) time.Time { return a.StartDate }),
		"createdAt":      encode.Instant(func(a view) time.Time { return a.CreatedAt }),
		"createdBy":      encode.Text(func(a view) string { return a.CreatedBy }),
		"lastModified":   encode.Instant(func(a view) time.Time { return a.LastModified }),
		"lastModifiedBy": encode.Text(func(a view) string { return a.LastModifiedBy }),
		"payStatus":      e.payStatus,
		"payee":          encode.Object(&e.payee, func(a view) view { return a }),
		"governmentIdentifier": sensitive(e.r, governmentIdentifier, func(a view) (string, *vault.Sealed) {
			return a.AgentCode, &a.GovernmentIdentifier
		}),
		"isActive":    e.isActive,
		"homeAddress": e.address(agency.HomeAddress), "businessAddress": e.address(agency.BusinessAddress),
		"cellPhone": e.phone(agency.CellPhone), "homePhone": e.phone(agency.HomePhone),
		"businessPhone": e.phone(agency.BusinessPhone), "fax": e.phone(agency.Fax),
		"upline":         e.upline,
		"certifications": e.certifications,
		"downline":       e.downline,
		"tags":           e.tags,
	}
}

func (e *encoders) certificationFields() map[string]encode.Compile[*model.Certification] {
	type view = *model.Certification
	return map[string]encode.Compile[view]{
		"id":                      encode.Text(view.GlobalID),
		"databaseId":              encode.Int(func(c view) int64 { return c.ID }),
		"asOf":                    encode.Day(view.AsOf),
		"asKnownAt":               encode.OptionalInstant(view.AsKnownAt),
		"type":                    onlyKeyOf("CertificationType", "code", func(c view) *string { return &c.Certification.Type }),
		"providerCompany":         onlyKeyOf("ProviderCompany", "code", func(c view) *string { return c.Certification.ProviderCompany }),
		"jurisdiction":            onlyKeyOf("Jurisdiction", "code", func(c view) *string { return c.Certification.Jurisdiction }),
		"identifier":              encode.OptionalText(func(c view) *string { return c.Identifier }),
		"isResidentCertification": encode.Bool(func(c view) bool { return c.IsResidentCertification }),
		"isVerified":              encode.Bool(func(c view) bool { return c.IsVerified }),
		"status":                  encode.OptionalEnum(agency.CertificationStatuses, func(c view) *agency.CertificationStatus { return (*agency.CertificationStatus)(c.Certification.Status) }),
		"effectiveFrom":           encode.OptionalDay(func(c view) *date.Date { return c.EffectiveFrom }),
		"effectiveThrough":        encode.OptionalDay(func(c view) *date.Date { return c.EffectiveThrough }),
		"daysRemaining":           encode.OptionalInt(view.DaysRemaining),
		"note":                    encode.OptionalText(func(c view) *string { return c.Note }),
		"createdAt":               encode.Instant(func(c view) time.Time { return c.CreatedAt }),
		"createdBy":               encode.Text(func(c view) string { return c.CreatedBy }),
		"lastModified":            encode.Instant(func(c view) time.Time { return c.LastModified }),
		"lastModifiedBy":          encode.Text(func(c view) string { return c.LastModifiedBy }),
	}
}

// onlyKeyOf encodes a reference of which nothing but the key is asked for:
// there is then nothing to read.
func onlyKeyOf[V any](typeName, key string, get func(V) *string) encode.Compile[V] {
	object := &encode.Type[*string]{Names: []string{typeName, "Node", "Audited"}, Fields: map[string]encode.Compile[*string]{
		key: encode.OptionalText(func(s *string) *string { return s }),
	}}
	return func(c *encode.Compiler, f *ast.Field) encode.Append[V] {
		encodeObject := object.Compile(c, f.SelectionSet)
		if encodeObject == nil {
			return nil
		}
		return func(b []byte, v V, r *encode.Run) []byte {
			s := get(v)
			if s == nil {
				return encode.Null(b)
			}
			return encodeObject(b, s, r)
		}
	}
}

// read returns a relation that was read ahead.
func read[R any](r *encode.Run, batch *loader.Batch[R], id int64) R {
	v, ok := batch.Primed(id)
	if !ok {
		r.Fail(encode.ErrNotRead)
	}
	return v
}

func (e *encoders) payStatus(c *encode.Compiler, f *ast.Field) encode.Append[*model.Agent] {
	slot := c.Slot()
	object := onlyKeyOf("PayStatus", "name", func(s *agency.PayStatusOn) *string {
		if s == nil {
			return nil
		}
		return &s.Status
	})(c, f)
	if object == nil {
		return nil
	}
	return func(b []byte, a *model.Agent, r *encode.Run) []byte {
		batch := encode.Once(r, slot, func() *loader.Batch[*agency.PayStatusOn] { return e.r.payStatuses(r.Ctx, a.At) })
		return object(b, read(r, batch, a.ID), r)
	}
}

func (e *encoders) isActive(c *encode.Compiler, _ *ast.Field) encode.Append[*model.Agent] {
	slot := c.Slot()
	return func(b []byte, a *model.Agent, r *encode.Run) []byte {
		batch := encode.Once(r, slot, func() *loader.Batch[*agency.PayStatusOn] { return e.r.payStatuses(r.Ctx, a.At) })
		if s := read(r, batch, a.ID); s != nil && s.IsActive {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	}
}

func (e *encoders) upline(c *encode.Compiler, f *ast.Field) encode.Append[*model.Agent] {
	slot := c.Slot()
	object := e.agent.Compile(c, f.SelectionSet)
	if object == nil {
		return nil
	}
	return func(b []byte, a *model.Agent, r *encode.Run) []byte {
		batch := encode.Once(r, slot, func() *loader.Batch[*agency.UplineOn] {
			name, _ := f.ArgumentMap(r.Variables)["team"].(string)
			team, err := e.r.Agency.Team(r.Ctx, name)
			if err != nil {
				r.Fail(err)
			}
			return e.r.uplines(r.Ctx, team, a.At)
		})
		u := read(r, batch, a.ID)
		if u == nil || u.Upline == nil {
			return encode.Null(b)
		}
		return object(b, &model.Agent{Agent: u.Upline, At: a.At}, r)
	}
}

// certificationPage is a page of an agent's certifications, with what it was
// read as of.
type certificationPage struct {
	page.Page[*agency.Certification]
	at history.AsOf
}

func (p certificationPage) views() []*model.Certification {
	views := make([]*model.Certification, len(p.Items))
	rows := make([]model.Certification, len(p.Items))
	for i, c := range p.Items {
		rows[i] = model.Certification{Certification: c, At: p.at}
		views[i] = &rows[i]
	}
	return views
}

func (e *encoders) certifications(c *encode.Compiler, f *ast.Field) encode.Append[*model.Agent] {
	connection := encode.Type[certificationPage]{Names: []string{"CertificationConnection"}, Fields: map[string]encode.Compile[certificationPage]{
		"nodes":    encode.List(&e.certification, certificationPage.views),
		"pageInfo": encode.Object(&e.pageInfo, func(p certificationPage) *model.PageInfo { return model.PageInfoOf(p.Page) }),
	}}
	slot := c.Slot()
	object := connection.Compile(c, f.SelectionSet)
	if object == nil {
		return nil
	}
	return func(b []byte, a *model.Agent, r *encode.Run) []byte {
		batch := encode.Once(r, slot, func() *loader.Batch[page.Page[*agency.Certification]] {
			args, ok := onlyFirst(graphql.CollectedField{Field: f}, r.Variables)
			if !ok {
				r.Fail(encode.ErrNotRead)
			}
			return e.r.certificationsOf(a.At, agency.CertificationFilter{}, nil, args).pages(r.Ctx)
		})
		return object(b, certificationPage{read(r, batch, a.ID), a.At}, r)
	}
}
