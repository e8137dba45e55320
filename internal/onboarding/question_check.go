package onboarding

import (
	"slices"

	"github.com/uplinehq/upline/internal/problem"
)

// The answers to a question of the type BOOLEAN.
const (
	answerTrue  = "true"
	answerFalse = "false"
)

// check checks and normalises the input. Afterwards no list is nil.
func (in *QuestionInput) check() error {
	var c contentCheck
	in.Text = c.Required(in.Text, maxContentText, "text")
	in.HelpText = c.Optional(in.HelpText, maxContentText, "helpText")
	c.sequence(in.Sequence, "sequence")
	in.Choices = c.texts(in.Choices, "choices")
	in.RequiresExplanationWhen = c.texts(in.RequiresExplanationWhen, "requiresExplanationWhen")
	if _, err := ResponseTypes.Parse(in.ResponseType, "responseType"); err != nil {
		c.Add(problem.From(err)...)
		return c.Err()
	}
	var answers []string
	switch in.ResponseType {
	case SingleChoiceResponse:
		answers = in.Choices
		if len(in.Choices) < 2 {
			c.Refuse(problem.Required, "must be at least two for a question of this response type", "choices")
		}
	case BooleanResponse:
		answers = []string{answerTrue, answerFalse}
	}
	if in.ResponseType != SingleChoiceResponse && len(in.Choices) > 0 {
		c.Refuse(problem.NotApplicable, "only a question with a single choice has choices", "choices")
	}
	for i, answer := range in.RequiresExplanationWhen {
		if answer != "" && !slices.Contains(answers, answer) {
			c.Refuse(problem.NotApplicable, "is no answer that can be told beforehand", element("requiresExplanationWhen", i)...)
		}
	}
	return c.Err()
}

// texts returns short texts without the blanks around them, and refuses duplicates.
func (c *contentCheck) texts(given []string, list string) []string {
	texts := make([]string, len(given))
	if !c.AtMost(len(given), maxChoices, "texts", list) {
		return texts
	}
	for i, s := range given {
		texts[i] = c.Required(s, maxChoice, element(list, i)...)
	}
	c.unique(texts, func(i int) []string { return element(list, i) })
	return texts
}
