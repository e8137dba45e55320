package resolve

import (
	"context"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/generated"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/patch"
)

func (r queryResolver) AppConfiguration(ctx context.Context) (*model.AppConfiguration, error) {
	c, err := r.Onboarding.Configuration(ctx)
	return found(c, err, convert.AppConfigurationView)
}

func (r queryResolver) BackgroundQuestions(ctx context.Context) ([]*model.BackgroundQuestion, error) {
	rows, err := r.Onboarding.Questions(ctx)
	return views(rows, convert.BackgroundQuestionView), err
}

func (r queryResolver) Contract(ctx context.Context) (*model.ContractVersion, error) {
	c, err := r.Onboarding.Contract(ctx)
	return found(c, err, convert.ContractView)
}

func (r queryResolver) ContractVersion(ctx context.Context, id string) (*model.ContractVersion, error) {
	if row := model.GlobalRowOf(model.ContractVersionNode, id); row != 0 {
		return r.contractByRow(ctx, row)
	}
	c, err := r.Onboarding.ContractVersion(ctx, id)
	return found(c, err, convert.ContractView)
}

func (r queryResolver) ContractCovenants(ctx context.Context) ([]*model.ContractCovenant, error) {
	c, err := r.Onboarding.Contract(ctx)
	if c == nil || err != nil {
		return []*model.ContractCovenant{}, err
	}
	return convert.ContractView(c).Covenants(), nil
}

// contractByRow reads a contract for node. node only needs the scope of agents, so
// contractByRow checks the scope of contracts.
func (r *Resolver) contractByRow(ctx context.Context, id int64) (*model.ContractVersion, error) {
	if _, err := HasScope(ctx, nil, nothing, configurationScope, nil); err != nil {
		return nil, err
	}
	c, err := r.Onboarding.ContractByRow(ctx, id)
	return found(c, err, convert.ContractView)
}

const configurationScope = "agent-onboarding:app-configuration:read"

func nothing(context.Context) (any, error) { return nil, nil }

func (r mutationResolver) AppConfigurationUpdate(ctx context.Context, input onboarding.ConfigurationInput) (*model.AppConfigurationUpdatePayload, error) {
	c, published, err := r.Onboarding.PublishConfiguration(ctx, input)
	shown, err := found(c, err, convert.AppConfigurationView)
	return &model.AppConfigurationUpdatePayload{AppConfiguration: shown, Applied: published}, err
}

func (r mutationResolver) BackgroundQuestionPublish(ctx context.Context, input model.BackgroundQuestionPublishInput) (*model.BackgroundQuestionPayload, error) {
	return backgroundQuestionPayload(r.Onboarding.PublishQuestion(ctx, convert.QuestionInput(input)))
}

func (r mutationResolver) BackgroundQuestionRetire(ctx context.Context, input model.BackgroundQuestionRetireInput) (*model.BackgroundQuestionPayload, error) {
	return backgroundQuestionPayload(r.Onboarding.RetireQuestion(ctx, input.ContentItemID))
}

func backgroundQuestionPayload(q *onboarding.Question, changed bool, err error) (*model.BackgroundQuestionPayload, error) {
	shown, err := found(q, err, convert.BackgroundQuestionView)
	return &model.BackgroundQuestionPayload{BackgroundQuestion: shown, Outcome: model.Outcome{Applied: changed}}, err
}

func (r mutationResolver) ContractPublish(ctx context.Context, input model.ContractPublishInput) (*model.ContractPublishPayload, error) {
	c, published, err := r.Onboarding.PublishContract(ctx, convert.ContractInput(input))
	shown, err := found(c, err, convert.ContractView)
	return &model.ContractPublishPayload{Contract: shown, Applied: published}, err
}

// AppConfigurationUpdateInput implements generated.ResolverRoot.
func (*Resolver) AppConfigurationUpdateInput() generated.AppConfigurationUpdateInputResolver {
	return appConfigurationInputResolver{}
}

type appConfigurationInputResolver struct{}

// Products takes the products that were sent. Null leaves none.
func (appConfigurationInputResolver) Products(_ context.Context, obj *onboarding.ConfigurationInput, data []*onboarding.Product) error {
	all := make([]onboarding.Product, len(data))
	for i, p := range data {
		all[i] = *p
	}
	obj.Products = patch.Set(all)
	return nil
}
