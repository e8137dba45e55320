package onboarding_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/onboarding"
)

func asked(change ...func(*onboarding.QuestionInput)) onboarding.QuestionInput {
	in := onboarding.QuestionInput{Sequence: 10, Text: "Have you read it?", ResponseType: onboarding.BooleanResponse, RequiresExplanationWhen: []string{"false"}}
	for _, f := range change {
		f(&in)
	}
	return in
}

func (p *publisher) ask(in onboarding.QuestionInput) *onboarding.Question {
	p.t.Helper()
	p.clock.Move(time.Minute)
	q, published, err := p.PublishQuestion(p.ctx, in)
	must(p.t, err)
	if !published {
		p.t.Error("not published")
	}
	return q
}

// published are the versions of a question among those published.
func (p *publisher) published(itemUID string) []*onboarding.Question {
	p.t.Helper()
	all, err := p.Questions(p.ctx)
	must(p.t, err)
	return slices.DeleteFunc(all, func(q *onboarding.Question) bool { return q.ItemUID != itemUID })
}

// "contentItemVersionId identifies the published version of a question"
// (Application): a new version takes the place of the one before, and the
// question stays the same.
func TestQuestionVersionReplacesTheOneBefore(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		first := p.ask(asked())
		var second *onboarding.Question
		left := p.left(func() {
			second = p.ask(asked(func(in *onboarding.QuestionInput) {
				in.ItemUID, in.Text, in.ResponseType, in.Choices, in.RequiresExplanationWhen = &first.ItemUID, " Which? ", onboarding.SingleChoiceResponse, []string{" A", "B"}, []string{"B"}
			}))
		})
		if want := []string{"Platform.AgentOnboarding.Events.ConfigurationPublished " + second.UID + " publication compliance",
			`compliance BackgroundQuestion ["` + first.ItemUID + `"] [{text} {responseType} {choices} {requiresExplanationWhen}]`}; !slices.Equal(left, want) {
			t.Errorf("left %q, want %q", left, want)
		}
		if second.ItemUID != first.ItemUID || second.UID == first.UID {
			t.Errorf("the version %+v follows %+v", second, first)
		}
		now := p.published(first.ItemUID)
		if len(now) != 1 || now[0].UID != second.UID || now[0].Text != "Which?" || !slices.Equal(now[0].Choices, []string{"A", "B"}) || !now[0].PublishedAt.Equal(p.clock.Now()) {
			t.Errorf("published are %+v", now)
		}
	})
}

// What is published already is not published again; what was retired is.
func TestQuestionPublishedAgain(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		first := p.ask(asked())
		again := asked(func(in *onboarding.QuestionInput) { in.ItemUID = &first.ItemUID })
		p.leaves(func() {
			q, published, err := p.PublishQuestion(p.ctx, again)
			must(t, err)
			if published || q.UID != first.UID {
				t.Errorf("published %t: %+v", published, q)
			}
		})
		p.leaves(func() {
			q, retired, err := p.RetireQuestion(p.ctx, first.ItemUID)
			must(t, err)
			if !retired || q.UID != first.UID || q.RetiredAt == nil || len(p.published(first.ItemUID)) != 0 {
				t.Errorf("retired %t: %+v", retired, q)
			}
		}, "Platform.AgentOnboarding.Events.ConfigurationPublished "+first.UID+" publication compliance",
			`compliance BackgroundQuestion ["`+first.ItemUID+`"] [{retiredAt}]`)
		p.leaves(func() {
			q, retired, err := p.RetireQuestion(p.ctx, first.ItemUID)
			must(t, err)
			if retired || q.UID != first.UID {
				t.Errorf("retired again %t: %+v", retired, q)
			}
		})
		if q := p.ask(again); q.UID == first.UID || len(p.published(first.ItemUID)) != 1 {
			t.Errorf("after it was retired: %+v", q)
		}
	})
}

// Questions stand in their sequence, and those of the same place in the order in
// which they were published.
func TestQuestionsInSequence(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		for _, sequence := range []int{10000, 1, 10} {
			p.ask(asked(func(in *onboarding.QuestionInput) { in.Sequence = sequence }))
		}
		all, err := p.Questions(p.ctx)
		must(t, err)
		var got []int
		for _, q := range all {
			got = append(got, q.Sequence)
		}
		if !slices.Equal(got, []int{1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10000}) || all[1].Text != asked().Text {
			t.Errorf("sequence %v", got)
		}
	})
}

func TestQuestionIsChecked(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		unknown, noID := "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70", "7"
		for name, c := range map[string]struct {
			change func(in *onboarding.QuestionInput)
			want   []string
		}{
			"blank":            {func(in *onboarding.QuestionInput) { in.Text, in.Sequence = " \n", 0 }, []string{"REQUIRED text", "OUT_OF_RANGE sequence"}},
			"late":             {func(in *onboarding.QuestionInput) { in.Sequence = 10001 }, []string{"OUT_OF_RANGE sequence"}},
			"long":             {func(in *onboarding.QuestionInput) { in.Text = strings.Repeat("x", 2001); in.HelpText = &in.Text }, []string{"TOO_LONG text", "TOO_LONG helpText"}},
			"no type":          {func(in *onboarding.QuestionInput) { in.ResponseType = "" }, []string{"INVALID_FORMAT responseType"}},
			"choices of a yes": {func(in *onboarding.QuestionInput) { in.Choices = []string{"true", "false"} }, []string{"NOT_APPLICABLE choices"}},
			"no choices":       {func(in *onboarding.QuestionInput) { in.ResponseType, in.RequiresExplanationWhen = "SINGLE_CHOICE", nil }, []string{"REQUIRED choices"}},
			"one choice": {func(in *onboarding.QuestionInput) {
				in.ResponseType, in.Choices, in.RequiresExplanationWhen = "SINGLE_CHOICE", []string{"A"}, nil
			}, []string{"REQUIRED choices"}},
			"a choice twice": {func(in *onboarding.QuestionInput) {
				in.ResponseType, in.Choices, in.RequiresExplanationWhen = "SINGLE_CHOICE", []string{"A", "B", " a"}, nil
			}, []string{"INVALID_FORMAT choices.2"}},
			"a blank choice": {func(in *onboarding.QuestionInput) {
				in.ResponseType, in.Choices, in.RequiresExplanationWhen = "SINGLE_CHOICE", []string{"A", "B", " "}, nil
			}, []string{"REQUIRED choices.2"}},
			"a long choice": {func(in *onboarding.QuestionInput) {
				in.ResponseType, in.Choices, in.RequiresExplanationWhen = "SINGLE_CHOICE", []string{"A", strings.Repeat("b", 201)}, nil
			}, []string{"TOO_LONG choices.1"}},
			"51 choices": {func(in *onboarding.QuestionInput) { in.Choices = make([]string, 51) }, []string{"OUT_OF_RANGE choices", "NOT_APPLICABLE choices"}},
			"no such choice": {func(in *onboarding.QuestionInput) {
				in.ResponseType, in.Choices, in.RequiresExplanationWhen = "SINGLE_CHOICE", []string{"A", "B"}, []string{"B", "C"}
			}, []string{"NOT_APPLICABLE requiresExplanationWhen.1"}},
			"no such yes": {func(in *onboarding.QuestionInput) { in.RequiresExplanationWhen = []string{"maybe"} }, []string{"NOT_APPLICABLE requiresExplanationWhen.0"}},
			"a text beforehand": {func(in *onboarding.QuestionInput) {
				in.ResponseType, in.RequiresExplanationWhen = "TEXT", []string{"x"}
			}, []string{"NOT_APPLICABLE requiresExplanationWhen.0"}},
			"a day beforehand": {func(in *onboarding.QuestionInput) {
				in.ResponseType, in.RequiresExplanationWhen = "DATE", []string{"2026-01-01"}
			}, []string{"NOT_APPLICABLE requiresExplanationWhen.0"}},
			"an unknown one":     {func(in *onboarding.QuestionInput) { in.ItemUID = &unknown }, []string{"NOT_FOUND contentItemId"}},
			"what is no id":      {func(in *onboarding.QuestionInput) { in.ItemUID = &noID }, []string{"NOT_FOUND contentItemId"}},
			"control characters": {func(in *onboarding.QuestionInput) { in.Text = "a\x00b" }, []string{"INVALID_FORMAT text"}},
		} {
			p.leaves(func() {
				_, _, err := p.PublishQuestion(p.ctx, asked(c.change))
				refused(t, name, err, c.want...)
			})
		}
		for _, id := range []string{unknown, noID, ""} {
			_, _, err := p.RetireQuestion(p.ctx, id)
			refused(t, "retired "+id, err, "NOT_FOUND contentItemId")
		}
		if all, err := p.Questions(p.ctx); err != nil || len(all) != 9 {
			t.Errorf("%d questions, %v", len(all), err)
		}
	})
}

// Questions are listed without pages, so there are at most 100; a new version of
// one of them is no further one.
func TestAtMostAHundredQuestions(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		var last *onboarding.Question
		for range 91 {
			last = p.ask(asked())
		}
		_, _, err := p.PublishQuestion(p.ctx, asked())
		refused(t, "one more", err, "OUT_OF_RANGE")
		p.ask(asked(func(in *onboarding.QuestionInput) { in.ItemUID, in.Text = &last.ItemUID, "Other words" }))
	})
}

// Versions of a question that are published at the same time do not both stay
// published.
func TestQuestionsAtOnce(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		first := p.ask(asked())
		atOnce(t, 8, func(i int) error {
			_, _, err := p.PublishQuestion(p.ctx, asked(func(in *onboarding.QuestionInput) {
				in.ItemUID, in.Text = &first.ItemUID, strings.Repeat("?", i+1)
			}))
			return err
		})
		if now := p.published(first.ItemUID); len(now) != 1 || now[0].UID == first.UID {
			t.Errorf("published are %d versions", len(now))
		}
	})
}
