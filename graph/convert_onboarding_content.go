package graph

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/words/patch"
)

func appConfigurationView(c *onboarding.Configuration) *model.AppConfiguration {
	return &model.AppConfiguration{Configuration: c}
}

func backgroundQuestionView(q *onboarding.Question) *model.BackgroundQuestion {
	return &model.BackgroundQuestion{Question: q}
}

func contractView(c *onboarding.Contract) *model.ContractVersion {
	return &model.ContractVersion{Contract: c}
}

func configurationInput(in model.AppConfigurationInput) onboarding.ConfigurationInput {
	return onboarding.ConfigurationInput{
		CollectTaxID: field(in.CollectTaxID), CollectBirthDate: field(in.CollectBirthDate), CollectMaritalInfo: field(in.CollectMaritalInfo),
		CollectHomeAddress: field(in.CollectHomeAddress), CollectCorrespondenceAddress: field(in.CollectCorrespondenceAddress),
		CollectPrimaryPhone: field(in.CollectPrimaryPhone), CollectCellPhone: field(in.CollectCellPhone), CollectLicenseInfo: field(in.CollectLicenseInfo),
		CollectEmploymentInfo: field(in.CollectEmploymentInfo), CollectTaxInfo: field(in.CollectTaxInfo), CollectContract: field(in.CollectContract),
		CollectPersonalHistory: field(in.CollectPersonalHistory), RequiresPayment: field(in.RequiresPayment),
		DefaultPayStatus: field(in.DefaultPayStatus), DefaultAgentLevel: field(in.DefaultAgentLevel), Products: products(in.Products),
	}
}

func products(o graphql.Omittable[[]*model.OnboardingProductInput]) patch.Field[[]onboarding.Product] {
	if !o.IsSet() || o.Value() == nil {
		return patch.Field[[]onboarding.Product]{Sent: o.IsSet()}
	}
	all := make([]onboarding.Product, len(o.Value()))
	for i, p := range o.Value() {
		all[i] = onboarding.Product{ID: p.ID, Name: p.Name, Price: p.Price, Currency: p.Currency}
	}
	return patch.Set(all)
}

func questionInput(in model.BackgroundQuestionInput) onboarding.QuestionInput {
	return onboarding.QuestionInput{ItemUID: value(in.ContentItemID), Sequence: in.Sequence, Text: in.Text, HelpText: value(in.HelpText),
		ResponseType: string(in.ResponseType), Choices: in.Choices.Value(), RequiresExplanationWhen: in.RequiresExplanationWhen.Value()}
}

func contractInput(in model.ContractInput) onboarding.ContractInput {
	covenants := make([]onboarding.CovenantInput, len(in.Covenants))
	for i, c := range in.Covenants {
		covenants[i] = onboarding.CovenantInput{ItemUID: value(c.ContentItemID), Sequence: c.Sequence, Title: value(c.Title), Text: c.Text}
	}
	return onboarding.ContractInput{Title: in.Title, Body: in.Body, BodyFormat: in.BodyFormat, Covenants: covenants}
}
