package convert

import (
	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/words/patch"
)

// AppConfigurationView shows the configuration of applications.
func AppConfigurationView(c *onboarding.Configuration) *model.AppConfiguration {
	return &model.AppConfiguration{Configuration: c}
}

// BackgroundQuestionView shows a background question.
func BackgroundQuestionView(q *onboarding.Question) *model.BackgroundQuestion {
	return &model.BackgroundQuestion{Question: q}
}

// ContractView shows a version of the contract.
func ContractView(c *onboarding.Contract) *model.ContractVersion {
	return &model.ContractVersion{Contract: c}
}

// ConfigurationInput is the input of the configuration of applications, as the area takes it.
func ConfigurationInput(in model.AppConfigurationInput) onboarding.ConfigurationInput {
	return onboarding.ConfigurationInput{
		CollectTaxID: Field(in.CollectTaxID), CollectBirthDate: Field(in.CollectBirthDate), CollectMaritalInfo: Field(in.CollectMaritalInfo),
		CollectHomeAddress: Field(in.CollectHomeAddress), CollectCorrespondenceAddress: Field(in.CollectCorrespondenceAddress),
		CollectPrimaryPhone: Field(in.CollectPrimaryPhone), CollectCellPhone: Field(in.CollectCellPhone), CollectLicenseInfo: Field(in.CollectLicenseInfo),
		CollectEmploymentInfo: Field(in.CollectEmploymentInfo), CollectTaxInfo: Field(in.CollectTaxInfo), CollectContract: Field(in.CollectContract),
		CollectPersonalHistory: Field(in.CollectPersonalHistory), RequiresPayment: Field(in.RequiresPayment),
		DefaultPayStatus: Field(in.DefaultPayStatus), DefaultAgentLevel: Field(in.DefaultAgentLevel), Products: products(in.Products),
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

// QuestionInput is the input of a background question, as the area takes it.
func QuestionInput(in model.BackgroundQuestionInput) onboarding.QuestionInput {
	return onboarding.QuestionInput{ItemUID: Value(in.ContentItemID), Sequence: in.Sequence, Text: in.Text, HelpText: Value(in.HelpText),
		ResponseType: string(in.ResponseType), Choices: in.Choices.Value(), RequiresExplanationWhen: in.RequiresExplanationWhen.Value()}
}

// ContractInput is the input of a contract, as the area takes it.
func ContractInput(in model.ContractInput) onboarding.ContractInput {
	covenants := make([]onboarding.CovenantInput, len(in.Covenants))
	for i, c := range in.Covenants {
		covenants[i] = onboarding.CovenantInput{ItemUID: Value(c.ContentItemID), Sequence: c.Sequence, Title: Value(c.Title), Text: c.Text}
	}
	return onboarding.ContractInput{Title: in.Title, Body: in.Body, BodyFormat: in.BodyFormat, Covenants: covenants}
}
