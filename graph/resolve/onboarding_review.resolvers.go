package resolve

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/follow"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) ApplicationValidation(ctx context.Context, id string) (*model.ApplicationValidation, error) {
	a, err := r.Application(ctx, id)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, problem.Missing(problem.NotFoundCode, "There is no such application", "id")
	}
	return applicationResolver(r).Validation(ctx, a)
}

func (r mutationResolver) ApplicationSubmit(ctx context.Context, input model.ApplicationSubmitInput) (*model.ApplicationPayload, error) {
	return r.review(ctx, input.ID, func(uid string) error { return r.Onboarding.Submit(ctx, uid) })
}

func (r mutationResolver) ApplicationHold(ctx context.Context, input model.ApplicationHoldInput) (*model.ApplicationPayload, error) {
	return r.review(ctx, input.ID, func(uid string) error { return r.Onboarding.Hold(ctx, uid, input.Reason) })
}

func (r mutationResolver) ApplicationResume(ctx context.Context, input model.ApplicationResumeInput) (*model.ApplicationPayload, error) {
	return r.review(ctx, input.ID, func(uid string) error { return r.Onboarding.Resume(ctx, uid) })
}

func (r mutationResolver) ApplicationMarkPaid(ctx context.Context, input model.ApplicationMarkPaidInput) (*model.ApplicationPayload, error) {
	return r.review(ctx, input.ID, func(uid string) error { return r.Onboarding.MarkPaid(ctx, uid, convert.Value(input.OrderID)) })
}

func (r mutationResolver) ApplicationApproveBackground(ctx context.Context, input model.ApplicationApproveBackgroundInput) (*model.ApplicationPayload, error) {
	changed := false
	p, err := r.review(ctx, input.ID, func(uid string) (err error) {
		changed, err = r.Onboarding.ApproveBackground(ctx, uid, input.Approved, convert.Value(input.Notes))
		return err
	})
	p.Applied = changed
	return p, err
}

func (r mutationResolver) ApplicationReject(ctx context.Context, input model.ApplicationRejectInput) (*model.ApplicationPayload, error) {
	return r.review(ctx, input.ID, func(uid string) error { return r.Onboarding.Reject(ctx, uid, input.Reason) })
}

func (r mutationResolver) ApplicationProcess(ctx context.Context, input model.ApplicationProcessInput) (*model.ApplicationPayload, error) {
	p, err := r.review(ctx, input.ID, func(uid string) error {
		return r.Onboarding.Process(ctx, uid, onboarding.Processing{AgentCode: convert.Value(input.AgentCode), PayStatus: convert.Value(input.PayStatus), Initiator: input.Initiator})
	})
	if err == nil {
		p.Agent, err = applicationResolver(r).Agent(ctx, p.Application)
	}
	return p, err
}

// review runs a step of the review, which is refused or changes the application,
// and shows the application after it.
func (r *Resolver) review(ctx context.Context, id string, step func(uid string) error) (*model.ApplicationPayload, error) {
	uid, err := r.applicationUID(ctx, id)
	if err == nil {
		err = step(uid)
	}
	if err != nil {
		return &model.ApplicationPayload{}, err
	}
	a, err := r.Onboarding.Application(ctx, uid)
	return r.applicationPayload(ctx, a, true, err)
}

func (r subscriptionResolver) ApplicationStatusChanged(ctx context.Context, recruiterAgentCode *string) (<-chan *model.Application, error) {
	return follow.Rows(ctx, r.Log, r.eventsThat(isType(events.ApplicationStatusChanged)), func(ctx context.Context, e *events.Stored) (*model.Application, error) {
		var of struct{ ApplicationID string }
		if err := json.Unmarshal(e.Data, &of); err != nil {
			return nil, fmt.Errorf("event %s: %w", e.ID, err)
		}
		a, err := r.Onboarding.Application(ctx, of.ApplicationID)
		if err != nil || a == nil || recruiterAgentCode != nil && a.RecruiterAgentCode != *recruiterAgentCode {
			return nil, err
		}
		return r.applicationView(r.Read.AsOf(ctx, nil, nil))(a), nil
	})
}

func (r applicationResolver) Validation(ctx context.Context, obj *model.Application) (*model.ApplicationValidation, error) {
	v, err := r.validations(ctx).Load(ctx, obj.ID)
	if err != nil || v == nil {
		return nil, err
	}
	if v.Unreadable != nil {
		return nil, v.Unreadable
	}
	return &model.ApplicationValidation{IsComplete: len(v.Problems) == 0, Errors: UserErrors(v.Problems, nil),
		CheckedAt: v.CheckedAt, ConfigurationVersion: v.ConfigurationVersion}, nil
}

func (r applicationResolver) AllowedTransitions(ctx context.Context, obj *model.Application) ([]string, error) {
	allowed, err := r.allowedTransitions(ctx).Load(ctx, obj.ID)
	all := make([]string, len(allowed))
	for i, s := range allowed {
		all[i] = string(s)
	}
	return all, err
}

func (r applicationResolver) StatusHistory(ctx context.Context, obj *model.Application) ([]*model.ApplicationStatusChange, error) {
	steps, err := r.statusHistory(ctx).Load(ctx, obj.ID)
	return views(steps, func(c *onboarding.StatusChange) *model.ApplicationStatusChange {
		return &model.ApplicationStatusChange{FromStatus: (*string)(c.From), ToStatus: new(string(c.To)),
			ChangedAt: c.ChangedAt, ChangedBy: c.ChangedBy, Reason: c.Reason}
	}), err
}
