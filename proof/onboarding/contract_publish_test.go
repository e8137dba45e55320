package onboarding_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/onboarding"
)

func agreement(change ...func(*onboarding.ContractInput)) onboarding.ContractInput {
	in := onboarding.ContractInput{Title: "Agreement", Body: " Be fair.\n", BodyFormat: onboarding.MarkdownBody,
		Covenants: []onboarding.CovenantInput{{Sequence: 2, Text: "I am fair."}, {Sequence: 1, Text: "I have read it."}}}
	for _, f := range change {
		f(&in)
	}
	return in
}

func (p *publisher) contract(in onboarding.ContractInput) *onboarding.Contract {
	p.t.Helper()
	p.clock.Move(time.Minute)
	c, published, err := p.PublishContract(p.ctx, in)
	must(p.t, err)
	if !published {
		p.t.Error("not published")
	}
	return c
}

// "Publishing makes a new version id; old ones stay readable": all covenants get
// new version ids, and one that goes on from before keeps its content item.
func TestContractVersions(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		starter, err := p.Contract(p.ctx)
		must(t, err)
		first := p.contract(agreement())
		if first.VersionNumber != 2 || !first.IsCurrent || first.Covenants[0].Text != "I have read it." {
			t.Errorf("%+v", first)
		}
		kept := first.Covenants[1]
		var second *onboarding.Contract
		left := p.left(func() {
			second = p.contract(agreement(func(in *onboarding.ContractInput) {
				upper := strings.ToUpper(kept.ItemUID)
				in.Title, in.Covenants[0].ItemUID = "Agreement of 2026", &upper
			}))
		})
		if want := []string{"Platform.AgentOnboarding.Events.ContractPublished " + second.UID + " publication compliance",
			`compliance Contract ["` + second.UID + `"] [{title} {covenants}]`}; !slices.Equal(left, want) {
			t.Errorf("left %q, want %q", left, want)
		}
		affirmed := second.Covenants[1]
		if affirmed.ItemUID != kept.ItemUID || affirmed.UID == kept.UID || second.Covenants[0].ItemUID == first.Covenants[0].ItemUID {
			t.Errorf("covenants %+v after %+v", affirmed, kept)
		}
		for _, c := range []struct {
			uid     string
			number  int
			current bool
		}{{starter.UID, 1, false}, {first.UID, 2, false}, {second.UID, 3, true}} {
			read, err := p.ContractVersion(p.ctx, c.uid)
			must(t, err)
			if read.VersionNumber != c.number || read.IsCurrent != c.current || len(read.Covenants) == 0 {
				t.Errorf("read %+v, want version %d", read, c.number)
			}
			if read, err = p.ContractByRow(p.ctx, read.ID); err != nil || read.UID != c.uid {
				t.Errorf("by its row: %+v, %v", read, err)
			}
		}
	})
}

func (p *publisher) current() *onboarding.Contract {
	p.t.Helper()
	c, err := p.Contract(p.ctx)
	must(p.t, err)
	return c
}

// bodySha256 is that of the body as it was sent, so that a recruit's copy can be
// compared with it.
func TestContractDigest(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		p.contract(agreement())
		digest := sha256.Sum256([]byte(" Be fair.\n"))
		if c := p.current(); c.Body != " Be fair.\n" || c.BodySHA256 != hex.EncodeToString(digest[:]) {
			t.Errorf("body %q with the digest %s", c.Body, c.BodySHA256)
		}
	})
}

// same returns what has to be sent to publish a contract as it is.
func same(c *onboarding.Contract) onboarding.ContractInput {
	in := onboarding.ContractInput{Title: c.Title, Body: c.Body, BodyFormat: c.BodyFormat}
	for _, v := range c.Covenants {
		in.Covenants = append(in.Covenants, onboarding.CovenantInput{ItemUID: &v.ItemUID, Sequence: v.Sequence, Title: v.Title, Text: v.Text})
	}
	return in
}

// What is current already is not published again. A covenant without its id is a
// new one, even in the same words.
func TestContractPublishedAgain(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		current := p.contract(agreement())
		p.leaves(func() {
			in := same(current)
			slices.Reverse(in.Covenants)
			c, published, err := p.PublishContract(p.ctx, in)
			must(t, err)
			if published || c.UID != current.UID {
				t.Errorf("published %t: %+v", published, c)
			}
		})
		p.contract(agreement())
	})
}

func TestContractIsChecked(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		unknown, noID, known := "0198c5b2-3a54-7e11-8f0a-6b2f9d4c1e70", "7", p.current().Covenants[0].ItemUID
		for name, c := range map[string]struct {
			change func(in *onboarding.ContractInput)
			want   []string
		}{
			"blank": {func(in *onboarding.ContractInput) { in.Title, in.Body, in.BodyFormat = " ", "\n", "" }, []string{"REQUIRED title", "REQUIRED body", "INVALID_FORMAT bodyFormat"}},
			"long": {func(in *onboarding.ContractInput) {
				in.Title, in.Body = strings.Repeat("t", 201), strings.Repeat("b", 200_001)
			}, []string{"TOO_LONG title", "TOO_LONG body"}},
			"another form":   {func(in *onboarding.ContractInput) { in.BodyFormat = "html" }, []string{"INVALID_FORMAT bodyFormat"}},
			"101 covenants":  {func(in *onboarding.ContractInput) { in.Covenants = make([]onboarding.CovenantInput, 101) }, []string{"OUT_OF_RANGE covenants"}},
			"blank covenant": {func(in *onboarding.ContractInput) { in.Covenants[1].Text, in.Covenants[1].Sequence = "", 0 }, []string{"REQUIRED covenants.1.text", "OUT_OF_RANGE covenants.1.sequence"}},
			"long covenant": {func(in *onboarding.ContractInput) {
				in.Covenants[0].Text = strings.Repeat("x", 2001)
				in.Covenants[0].Title = &in.Covenants[0].Text
			}, []string{"TOO_LONG covenants.0.text", "TOO_LONG covenants.0.title"}},
			"unknown items": {func(in *onboarding.ContractInput) { in.Covenants[0].ItemUID, in.Covenants[1].ItemUID = &unknown, &noID }, []string{"NOT_FOUND covenants.0.contentItemId", "NOT_FOUND covenants.1.contentItemId"}},
			"an item twice": {func(in *onboarding.ContractInput) { in.Covenants[0].ItemUID, in.Covenants[1].ItemUID = &known, &known }, []string{"INVALID_FORMAT covenants.1.contentItemId"}},
			"an unreadable": {func(in *onboarding.ContractInput) { in.Body = "a\x1bb" }, []string{"INVALID_FORMAT body"}},
		} {
			p.leaves(func() {
				_, _, err := p.PublishContract(p.ctx, agreement(c.change))
				refused(t, name, err, c.want...)
			})
		}
		if c := p.current(); c.VersionNumber != 1 {
			t.Errorf("version %d", c.VersionNumber)
		}
		if c, err := p.ContractVersion(p.ctx, noID); c != nil || err != nil {
			t.Errorf("%v, %v", c, err)
		}
	})
}

// Contracts that are published at the same time get numbers one after the other.
func TestContractsAtOnce(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		atOnce(t, 8, func(i int) error {
			_, _, err := p.PublishContract(p.ctx, agreement(func(in *onboarding.ContractInput) { in.Title += strings.Repeat("!", i) }))
			return err
		})
		if c := p.current(); c.VersionNumber != 9 {
			t.Errorf("version %d", c.VersionNumber)
		}
	})
}

// What every tenant begins with keeps the rules of what is published later:
// published once more as it is, it is refused nowhere and changes nothing.
func TestStarterContentKeepsTheRules(t *testing.T) {
	publishers(t, func(t *testing.T, p *publisher) {
		p.leaves(func() {
			_, published, err := p.PublishContract(p.ctx, same(p.current()))
			if err != nil || published {
				t.Errorf("the contract: published %t, %v", published, err)
			}
			all, err := p.Questions(p.ctx)
			must(t, err)
			if len(all) != len(directory.StarterOnboarding().Questions) || len(all) != 9 {
				t.Errorf("%d questions", len(all))
			}
			for _, q := range all {
				_, published, err := p.PublishQuestion(p.ctx, onboarding.QuestionInput{ItemUID: &q.ItemUID, Sequence: q.Sequence, Text: q.Text, HelpText: q.HelpText,
					ResponseType: q.ResponseType, Choices: q.Choices, RequiresExplanationWhen: q.RequiresExplanationWhen})
				if err != nil || published {
					t.Errorf("question %d: published %t, %v", q.Sequence, published, err)
				}
			}
		})
	})
}
