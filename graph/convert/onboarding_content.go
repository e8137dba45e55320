package convert

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/onboarding"
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

// QuestionInput is the input of a background question, as the area takes it.
func QuestionInput(in model.BackgroundQuestionPublishInput) onboarding.QuestionInput {
	return onboarding.QuestionInput{ItemUID: Value(in.ContentItemID), Sequence: in.Sequence, Text: in.Text, HelpText: Value(in.HelpText),
		ResponseType: string(in.ResponseType), Choices: in.Choices.Value(), RequiresExplanationWhen: in.RequiresExplanationWhen.Value()}
}

// ContractInput is the input of a contract, as the area takes it.
func ContractInput(in model.ContractPublishInput) onboarding.ContractInput {
	covenants := make([]onboarding.CovenantInput, len(in.Covenants))
	for i, c := range in.Covenants {
		covenants[i] = onboarding.CovenantInput{ItemUID: Value(c.ContentItemID), Sequence: c.Sequence, Title: Value(c.Title), Text: c.Text}
	}
	return onboarding.ContractInput{Title: in.Title, Body: in.Body, BodyFormat: in.BodyFormat, Covenants: covenants}
}
