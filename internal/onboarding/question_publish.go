package onboarding

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// QuestionInput is a version of a question to publish.
type QuestionInput struct {
	// ItemUID is the question of which this is a new version; nil for a new question.
	ItemUID                          *string
	Sequence                         int
	Text                             string
	HelpText                         *string
	ResponseType                     string
	Choices, RequiresExplanationWhen []string
}

// PublishQuestion publishes a version of a question and retires the version before it, so
// only one version is published at a time. published is false if the published version is
// the same.
func (s *publishing) PublishQuestion(ctx context.Context, in QuestionInput) (q *Question, published bool, err error) {
	if err := in.check(); err != nil {
		return nil, false, err
	}
	err = s.publish(ctx, func(ctx context.Context, w *change.Writing) error {
		former, err := in.former(ctx, w)
		if err != nil {
			return err
		}
		q = in.question(former)
		fields := q.differs(former)
		if published = former == nil || former.RetiredAt != nil || len(fields) > 0; !published {
			q = former
			return nil
		}
		if err := replace(ctx, w, former); err != nil {
			return err
		}
		w.Changed(questionEntity, q.ItemUID, fields...)
		raisePublication(ctx, w, events.ConfigurationPublished, q.UID)
		return insertQuestion(ctx, w, q)
	})
	if err != nil {
		return nil, false, err
	}
	return q, published, nil
}

// RetireQuestion withdraws a question, and returns its last version. retired is false if
// it was already retired.
func (s *publishing) RetireQuestion(ctx context.Context, itemUID string) (q *Question, retired bool, err error) {
	err = s.publish(ctx, func(ctx context.Context, w *change.Writing) error {
		if q, err = lastVersion(ctx, w, itemUID); err != nil {
			return err
		}
		if retired = q.RetiredAt == nil; !retired {
			return nil
		}
		if err := retire(ctx, w, q); err != nil {
			return err
		}
		w.Changed(questionEntity, q.ItemUID, "retiredAt")
		raisePublication(ctx, w, events.ConfigurationPublished, q.UID)
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	return q, retired, nil
}

// former returns the version before the one to publish; nil for a new question.
func (in *QuestionInput) former(ctx context.Context, w *change.Writing) (*Question, error) {
	if in.ItemUID == nil {
		return nil, named(ctx, w, nil)
	}
	return lastVersion(ctx, w, *in.ItemUID)
}

// question returns the question to be published.
func (in *QuestionInput) question(former *Question) *Question {
	q := &Question{UID: newUID(), Sequence: in.Sequence, Text: in.Text, HelpText: in.HelpText, ResponseType: in.ResponseType,
		Choices: in.Choices, RequiresExplanationWhen: in.RequiresExplanationWhen}
	if former != nil {
		q.ItemUID = former.ItemUID
	} else {
		q.ItemUID = newUID()
	}
	return q
}

func newUID() string { return uuid.Must(uuid.NewV7()).String() }

// differs returns the names of the fields in which a version differs from the one before
// it; none for a new question.
func (q *Question) differs(former *Question) (fields []string) {
	if former == nil {
		return nil
	}
	for _, f := range []struct {
		name string
		same bool
	}{
		{"sequence", q.Sequence == former.Sequence}, {"text", q.Text == former.Text}, {"helpText", equal(q.HelpText, former.HelpText)},
		{"responseType", q.ResponseType == former.ResponseType}, {"choices", slices.Equal(q.Choices, former.Choices)},
		{"requiresExplanationWhen", slices.Equal(q.RequiresExplanationWhen, former.RequiresExplanationWhen)},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// lastVersion reads the last version of a question, published or retired. The next
// version gets a later time.
func lastVersion(ctx context.Context, w *change.Writing, itemUID string) (*Question, error) {
	unknown := problem.Missing(problem.NotFoundCode, "There is no such background question", "contentItemId")
	id, err := uuid.Parse(itemUID)
	if err != nil {
		return nil, unknown
	}
	found, err := store.Collect(ctx, w, scanQuestion, "SELECT "+questionColumns+
		" FROM onboarding_background_question WHERE tenant_id = $1 AND content_item_uid = $2 ORDER BY id DESC LIMIT 1", w.Tenant.ID, id.String())
	if err == nil && len(found) == 0 {
		err = unknown
	}
	if err != nil {
		return nil, err
	}
	return found[0], w.CheckVersion(ctx, found[0].PublishedAt)
}

// replace retires the version before a new one, or checks that one more question may be
// published. All published questions are one list without pages.
func replace(ctx context.Context, w *change.Writing, former *Question) error {
	if former != nil && former.RetiredAt == nil {
		return retire(ctx, w, former)
	}
	var n int
	if _, err := store.One(ctx, w, []any{&n}, "SELECT count(*) FROM onboarding_background_question WHERE tenant_id = $1 AND retired_at IS NULL", w.Tenant.ID); err != nil {
		return err
	}
	if n >= maxQuestions {
		return problem.Invalid(problem.OutOfRange, fmt.Sprintf("There are %d published questions; retire one first", maxQuestions))
	}
	return nil
}

func retire(ctx context.Context, w *change.Writing, q *Question) error {
	q.RetiredAt = &w.Now
	_, err := w.Exec(ctx, "UPDATE onboarding_background_question SET retired_at = $1 WHERE tenant_id = $2 AND id = $3", w.Now, w.Tenant.ID, q.ID)
	return err
}

func insertQuestion(ctx context.Context, w *change.Writing, q *Question) error {
	choices, err := json.Marshal(q.Choices)
	if err != nil {
		return err
	}
	explanations, err := json.Marshal(q.RequiresExplanationWhen)
	if err != nil {
		return err
	}
	q.PublishedAt = w.Now
	_, err = store.One(ctx, w, []any{&q.ID}, `INSERT INTO onboarding_background_question (tenant_id, uid, content_item_uid, sequence, text, help_text,
			response_type, choices, requires_explanation_when, published_at, published_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`, w.Tenant.ID, q.UID, q.ItemUID, q.Sequence, q.Text, q.HelpText,
		q.ResponseType, string(choices), string(explanations), q.PublishedAt, w.Initiator)
	return err
}

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
