package graph

import (
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/onboarding"
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
