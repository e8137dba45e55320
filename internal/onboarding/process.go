package onboarding

import (
	"context"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/problem"
)

// Processing are the arguments of Process.
type Processing struct {
	// AgentCode is nil if the agency is to find or generate the code.
	AgentCode *string
	// PayStatus is nil for the default of the configuration.
	PayStatus *string
	Initiator string
}

// Process turns an application into an agent: "Processed (processed into an agent)"
// (Application statuses). One transaction registers the agent and sets the status, with
// the application locked. So there is one agent however many requests ask for it, and
// none if the process dies in between.
func (s *Service) Process(ctx context.Context, uid string, in Processing) error {
	var c check.Problems
	in.Initiator = c.Initiator(in.Initiator)
	if err := c.Err(); err != nil {
		return err
	}
	if err := s.agency.PrepareRecruit(ctx); err != nil {
		return err
	}
	return s.writer.Write(ctx, in.Initiator, func(ctx context.Context, w *change.Writing) error { return s.process(ctx, w, uid, in) })
}

func (s *Service) process(ctx context.Context, w *change.Writing, uid string, in Processing) error {
	m, err := locked(ctx, w, uid, process, nil)
	if err != nil {
		return err
	}
	p, err := published(ctx, w)
	if err != nil {
		return err
	}
	f, err := s.Form(ctx, m.application)
	if err != nil {
		return err
	}
	recruit, err := recruitOf(f, &p.Configuration, in, validate(f, p, w.Today))
	if err != nil {
		return err
	}
	if err := s.refuseAgent(ctx, w, f); err != nil {
		return err
	}
	id, code, err := s.agency.Recruit(ctx, w.Tx, w.Now, recruit)
	if err != nil {
		return err
	}
	m.agentID, m.agentCode = &id, code
	m.fields = append(m.fields, "agentCode")
	return m.write(ctx, w)
}

// refuseAgent refuses to register a second agent for a person: somebody may have been
// registered with the tax id since the application was checked. It locks the tenant's
// applicants, so that two applications of one person cannot both pass.
func (s *Service) refuseAgent(ctx context.Context, w *change.Writing, f *Form) error {
	if err := lockPeople(ctx, w); err != nil {
		return err
	}
	known, err := s.hasTaxID(ctx, w, f)
	if err == nil && known {
		err = agentExists()
	}
	return err
}

// recruitOf returns the agent to be registered from an application; refused are the
// problems of its validation now.
func recruitOf(f *Form, c *Configuration, in Processing, refused problem.List) (Recruit, error) {
	r := Recruit{Form: f, AgentCode: in.AgentCode, Level: f.AgentLevelValue, Initiator: in.Initiator}
	if b := f.Background; b != nil && b.RequiresApproval && !b.Approved && !c.CollectPersonalHistory {
		refused.Add(unapproved())
	}
	if f.W9 != nil && f.W9.lacksLLCClassification() && !c.CollectTaxInfo {
		refused.Add(unclassifiedLLC())
	}
	if r.Level == nil {
		r.Level = c.DefaultAgentLevel
	}
	status := in.PayStatus
	if blank(status) {
		status = c.DefaultPayStatus
	}
	if blank(status) {
		refused.Add(problem.Invalid(problem.Required, "is required: the configuration has no default pay status", "payStatus"))
		return r, refused.Err()
	}
	r.PayStatus = *status
	return r, refused.Err()
}
