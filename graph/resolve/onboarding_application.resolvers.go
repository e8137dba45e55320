package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/lists"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/onboarding"
)

func (r queryResolver) Application(ctx context.Context, id string) (*model.Application, error) {
	if row := model.GlobalRowOf(model.ApplicationNode, id); row != 0 {
		return r.applicationByID(ctx, row)
	}
	a, err := r.Onboarding.Application(ctx, id)
	return found(a, err, r.applicationView(r.Read.AsOf(ctx, nil, nil)))
}

func (r queryResolver) Applications(ctx context.Context, filter *onboarding.ApplicationFilter, orderBy []*model.Order, first *int, after *string, last *int, before *string, offset *int) (*model.ApplicationConnection, error) {
	list, err := r.Onboarding.ApplicationList(ctx, convert.Given(filter), lists.Orders(orderBy))
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, r.applicationView(r.Read.AsOf(ctx, nil, nil)))
}

func (r mutationResolver) ApplicationCreate(ctx context.Context, input onboarding.Form) (*model.ApplicationPayload, error) {
	a, err := r.Onboarding.Create(ctx, input)
	return r.applicationPayload(ctx, a, true, err)
}

func (r mutationResolver) ApplicationReplace(ctx context.Context, input model.ApplicationReplaceInput) (*model.ApplicationPayload, error) {
	uid, err := r.applicationUID(ctx, input.ID)
	if err != nil {
		return &model.ApplicationPayload{}, err
	}
	a, changed, err := r.Onboarding.Replace(ctx, uid, input.Form)
	return r.applicationPayload(ctx, a, changed, err)
}

func (r mutationResolver) ApplicationUpdate(ctx context.Context, input model.ApplicationUpdateInput) (*model.ApplicationPayload, error) {
	uid, err := r.applicationUID(ctx, input.ID)
	if err != nil {
		return &model.ApplicationPayload{}, err
	}
	a, changed, err := r.Onboarding.Update(ctx, uid, input.Form, SentInput(ctx))
	return r.applicationPayload(ctx, a, changed, err)
}

func (r *Resolver) applicationPayload(ctx context.Context, a *onboarding.Application, applied bool, err error) (*model.ApplicationPayload, error) {
	if err != nil {
		return &model.ApplicationPayload{}, err
	}
	return &model.ApplicationPayload{Application: r.applicationView(r.Read.AsOf(ctx, nil, nil))(a), Outcome: model.Outcome{Applied: applied}}, nil
}

func (r applicationResolver) Recruiter(ctx context.Context, obj *model.Application) (*model.Object, error) {
	id, err := r.recruiters(ctx).Load(ctx, obj.ID)
	if id == 0 || err != nil {
		return nil, err
	}
	return model.Agent(id, obj.At), nil
}

func (r applicationResolver) GovernmentIdentifier(ctx context.Context, obj *model.Application, reveal bool) (*string, error) {
	f, err := obj.Form(ctx)
	if err != nil {
		return nil, err
	}
	return sensitive.Applicant["governmentIdentifier"].ShownOf(ctx, obj.UID, f.GovernmentIdentifier, reveal), nil
}

func (r applicationResolver) Agent(ctx context.Context, obj *model.Application) (*model.Object, error) {
	if obj.AgentID == nil {
		return nil, nil
	}
	return model.Agent(*obj.AgentID, obj.At), nil
}

// AgentCode needs no scope of its own, unlike the agent: whoever may read the application
// may see the code.
func (r applicationResolver) AgentCode(ctx context.Context, obj *model.Application) (*string, error) {
	if obj.AgentID == nil {
		return nil, nil
	}
	code, err := r.agentCodes(ctx).Load(ctx, *obj.AgentID)
	if code == "" || err != nil {
		return nil, err
	}
	return &code, nil
}

func (r applicationW9Resolver) AccountNumbers(ctx context.Context, obj *model.ApplicationW9, reveal bool) (*string, error) {
	return sensitive.Applicant["w9.accountNumbers"].ShownOf(ctx, obj.ApplicationID, obj.AccountNumbers, reveal), nil
}

func (r applicationW9Resolver) Ssn(ctx context.Context, obj *model.ApplicationW9, reveal bool) (*string, error) {
	return sensitive.Applicant["w9.ssn"].ShownOf(ctx, obj.ApplicationID, obj.SSN, reveal), nil
}

func (r applicationW9Resolver) Ein(ctx context.Context, obj *model.ApplicationW9, reveal bool) (*string, error) {
	return sensitive.Applicant["w9.ein"].ShownOf(ctx, obj.ApplicationID, obj.EIN, reveal), nil
}

func (r applicationW9Resolver) Signature(ctx context.Context, obj *model.ApplicationW9, reveal bool) (*string, error) {
	return sensitive.Applicant["w9.signature"].ShownOf(ctx, obj.ApplicationID, obj.Signature, reveal), nil
}

func (r applicationContractResolver) Signature(ctx context.Context, obj *model.ApplicationContract, reveal bool) (string, error) {
	return sensitive.Applicant["contract.signature"].Shown(ctx, obj.ApplicationID, obj.Signature, reveal), nil
}

func (r applicationResponseResolver) IsPublished(ctx context.Context, obj *onboarding.Response) (bool, error) {
	return r.isPublished(ctx, obj.ContentItemVersionID)
}

func (r agentResolver) Application(ctx context.Context, obj *model.Object) (*model.Application, error) {
	a, err := r.applicationsOf(ctx).Load(ctx, obj.ID)
	return found(a, err, r.applicationView(obj.At))
}

func (r agentResolver) Recruits(ctx context.Context, obj *model.Object, filter *onboarding.ApplicationFilter, orderBy []*model.Order, first *int, after *string, last *int, before *string, offset *int) (*model.ApplicationConnection, error) {
	n := r.recruitsOf(convert.Given(filter), orderBy, paging(ctx))
	return connection(ctx, n, obj.ID, r.applicationView(obj.At))
}
