package onboarding

import (
	"slices"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// contract demands "a signed contract (versionId, agreementDate, signature) with every
// published covenant affirmed".
func (v *validation) contract() {
	current, signed := v.published.Contract, v.form.Contract
	switch {
	case current == nil:
		v.refuse(problem.Required, "cannot be signed: no contract is published", "contract")
		return
	case signed == nil:
		v.missing("contract")
	default:
		v.signature(current, signed)
	}
	answers := responses(signed.answers())
	for _, covenant := range current.Covenants {
		if affirmed(answers[covenant.UID]) {
			continue
		}
		v.add(problem.Invalid(problem.Required, "must be affirmed: the covenant is published since "+day(current),
			"contract", "responses", covenant.UID).With("contractVersionId", current.UID))
	}
}

// signature checks which version was signed. Whether there are a versionId and a
// signature is checked in any case.
func (v *validation) signature(current *Contract, signed *Signed) {
	if blank(&signed.VersionID) || strings.EqualFold(signed.VersionID, current.UID) {
		return
	}
	v.add(problem.Invalid(problem.ContractOutdated, "is not the current version of the contract, which was published on "+day(current),
		"contract", "versionId").With("currentVersionId", current.UID).With("currentVersionNumber", current.VersionNumber))
}

func day(c *Contract) string { return c.PublishedAt.UTC().Format(time.DateOnly) }

func (s *Signed) answers() []Response {
	if s == nil {
		return nil
	}
	return s.Responses
}

// affirmed reports whether an answer affirms a covenant.
func affirmed(answer string) bool {
	return slices.Contains([]string{"true", "yes", "agree", "affirmed", "1"}, strings.ToLower(answer))
}

// responses are the answers by the version that they answer, the last of several. Answers
// to versions that are not published are never looked up: "responses to versions that are
// no longer published are ignored during validation" (Application).
func responses(all []Response) map[string]string {
	byVersion := make(map[string]string, len(all))
	for _, r := range all {
		if r.ResponseValue != nil {
			byVersion[strings.ToLower(r.ContentItemVersionID)] = text.Trim(*r.ResponseValue)
		}
	}
	return byVersion
}

// personalHistory demands "an answer to every published background question; and, if
// background.requiresApproval is true, the approval".
func (v *validation) personalHistory() {
	background := v.form.Background
	if background == nil {
		background = new(Background)
	}
	answers := responses(background.Responses)
	var explain []string
	for _, q := range v.published.Questions {
		answer := answers[q.UID]
		switch {
		case answer == "":
			v.add(problem.Invalid(problem.Required, "must be answered: this version of the question is published since "+q.PublishedAt.UTC().Format(time.DateOnly),
				"background", "responses", q.UID).With("contentItemId", q.ItemUID))
		case !q.accepts(answer):
			v.refuse(problem.InvalidFormat, "is not "+answerForms[q.ResponseType], "background", "responses", q.UID)
		case q.needsExplanation(answer):
			explain = append(explain, q.UID)
		}
	}
	if len(explain) > 0 && blank(background.Notes) {
		v.add(problem.Invalid(problem.Required, "must explain the answers that ask for it", "background", "notes").With("explains", explain))
	}
	if background.RequiresApproval && !background.Approved {
		v.add(unapproved())
	}
}

func unapproved() *problem.Error {
	return problem.Invalid(problem.Required, "The agency has to approve the background first", "background", "approved")
}

// answerForms describe the answers of each type.
var answerForms = map[string]string{
	BooleanResponse: "an answer to this question, which asks for yes or no", TextResponse: "an answer to this question",
	DateResponse: "a date in the form YYYY-MM-DD", SingleChoiceResponse: "one of the choices of this question",
}

// accepts reports whether an answer that is not blank is valid for the type of
// the question.
func (q *Question) accepts(answer string) bool {
	switch q.ResponseType {
	case BooleanResponse:
		return yesOrNo(answer) != ""
	case DateResponse:
		_, err := date.Parse(answer)
		return err == nil
	case SingleChoiceResponse:
		return slices.ContainsFunc(q.Choices, func(choice string) bool { return strings.EqualFold(text.Trim(choice), answer) })
	}
	return true
}

// needsExplanation reports whether the question demands an explanation in
// background.notes for an answer.
func (q *Question) needsExplanation(answer string) bool {
	return slices.ContainsFunc(q.RequiresExplanationWhen, func(when string) bool {
		when = text.Trim(when)
		return strings.EqualFold(when, answer) || q.ResponseType == BooleanResponse && yesOrNo(when) == yesOrNo(answer)
	})
}

// yesOrNo turns the different ways to write yes or no into yes or no; anything else
// becomes empty.
func yesOrNo(answer string) string {
	switch strings.ToLower(answer) {
	case "true", "yes", "1":
		return "yes"
	case "false", "no", "0":
		return "no"
	}
	return ""
}
