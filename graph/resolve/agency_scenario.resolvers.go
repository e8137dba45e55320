package resolve

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/graph/convert"
	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/agency/scenario"
	"github.com/uplinehq/upline/internal/authorization"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights/impact"
	"github.com/uplinehq/upline/internal/money"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) Scenario(ctx context.Context, id string) (*model.Scenario, error) {
	stored, err := r.Resolver.Scenarios.Get(ctx, id)
	return found(stored, err, scenarioView)
}

func (r queryResolver) ScenarioTrial(ctx context.Context, effectiveFrom date.Date, moves []*model.ReorgMoveInput) (*model.Scenario, error) {
	if err := WithinLimit(ctx, "scenarioCreate"); err != nil {
		return nil, err
	}
	tried, err := scenario.Trial(effectiveFrom, reorgMoves(moves))
	return found(tried, err, scenarioView)
}

func (r queryResolver) Scenarios(ctx context.Context, state *model.ScenarioState, first *int, after *string, last *int, before *string, offset *int) (*model.ScenarioConnection, error) {
	list, err := r.Resolver.Scenarios.List(ctx, (*scenario.State)(state))
	if err != nil {
		return nil, err
	}
	return listConnection(ctx, list, scenarioView)
}

func scenarioView(s *scenario.Scenario) *model.Scenario { return &model.Scenario{Scenario: s} }

func (r mutationResolver) ScenarioCreate(ctx context.Context, input model.ScenarioCreateInput) (*model.ScenarioPayload, error) {
	stored, err := r.Scenarios.Create(ctx, scenario.Input{Name: patch.Set(input.Name), Description: convert.Field(input.Description), EffectiveFrom: patch.Set(input.EffectiveFrom),
		Moves: patch.Set(reorgMoves(input.Moves)), SharedWith: patch.Set(input.SharedWith), Reviewers: patch.Set(input.Reviewers)})
	return scenarioPayload(stored, err == nil, err)
}

func (r mutationResolver) ScenarioUpdate(ctx context.Context, input model.ScenarioUpdateInput) (*model.ScenarioPayload, error) {
	stored, changed, err := r.Scenarios.Update(ctx, input.ID, input.LastModified, scenario.Input{Name: convert.Field(input.Name), Description: convert.Field(input.Description),
		EffectiveFrom: convert.Field(input.EffectiveFrom), Moves: listField(input.Moves, reorgMoves), SharedWith: listField(input.SharedWith, slices.Clone[[]string]), Reviewers: listField(input.Reviewers, slices.Clone[[]string]),
		IsDiscarded: convert.Field(input.IsDiscarded)})
	return r.scenarioAsItIs(ctx, input.ID, "ScenarioUpdateInput", stored, changed, err)
}

func (r mutationResolver) ScenarioReview(ctx context.Context, input model.ScenarioReviewInput) (*model.ScenarioPayload, error) {
	stored, changed, err := r.Scenarios.Review(ctx, input.ID, input.LastModified, scenario.Verdict(input.Verdict), convert.Field(input.Comment).Value)
	return r.scenarioAsItIs(ctx, input.ID, "ScenarioReviewInput", stored, changed, err)
}

// scenarioAsItIs tells of a write, and has the scenario as it is now if somebody was quicker.
func (r mutationResolver) scenarioAsItIs(ctx context.Context, id, of string, stored *scenario.Scenario, changed bool, err error) (*model.ScenarioPayload, error) {
	if refused := problem.From(err); problem.Has(err, problem.PreconditionFailed) {
		stored, err = r.Scenarios.Get(ctx, id)
		p, err := scenarioPayload(stored, false, err)
		p.UserErrors = UserErrors(refused, r.Schema.Types[of])
		return p, err
	}
	return scenarioPayload(stored, changed, err)
}

// listField keeps the three states of a list.
func listField[A, B any](o graphql.Omittable[[]A], of func([]A) []B) patch.Field[[]B] {
	if o.Value() == nil {
		return patch.Field[[]B]{Sent: o.IsSet()}
	}
	return patch.Set(of(o.Value()))
}

func scenarioPayload(stored *scenario.Scenario, changed bool, err error) (*model.ScenarioPayload, error) {
	shown, _ := found(stored, nil, scenarioView)
	return &model.ScenarioPayload{Scenario: shown, Outcome: model.Outcome{Applied: changed && err == nil}}, err
}

func (r mutationResolver) ScenarioApply(ctx context.Context, input model.ScenarioApplyInput, dryRun bool) (*model.ScenarioApplyPayload, error) {
	versions := make([]time.Time, len(input.Versions))
	for i, v := range input.Versions {
		versions[i] = *v
	}
	p := &model.ScenarioApplyPayload{}
	stored, out, changed, err := r.Scenarios.Apply(ctx, input.ID, input.Initiator, versions, dryRun)
	for _, c := range changed {
		p.ChangedSince = append(p.ChangedSince, &model.ScenarioChange{Agent: *agentOn(c.AgentID, r.Read.Today(ctx)), LastModified: c.LastModified, LastModifiedBy: c.LastModifiedBy})
	}
	if len(changed) > 0 {
		p.UserErrors = UserErrors(problem.From(err), nil)
		return p, nil
	}
	if err != nil {
		return p, err
	}
	p.Scenario, p.AffectedAgentCount, p.Applied = scenarioView(stored), out.AffectedAgents, !dryRun
	if p.Moves, err = r.movedAgents(ctx, out.Moves, stored.EffectiveFrom); err != nil {
		return nil, err
	}
	p.Build, err = r.build(ctx, record.DefaultTeam)
	return p, err
}

func (r scenarioResolver) Evaluation(ctx context.Context, s *model.Scenario) (*model.ScenarioEvaluation, error) {
	teamID, err := r.Agency.Team(ctx, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	of, err := impact.New(ctx, r.Store, teamID, s.EffectiveFrom)
	if err != nil {
		return nil, err
	}
	var (
		effects map[int64]impact.Effect
		premium money.Amount
		agents  []int64
	)
	tried, err := r.Scenarios.Try(ctx, s.Scenario, func(ctx context.Context, moved []int64) error {
		agents = moved
		return of.Before(ctx, agents)
	}, func(ctx context.Context, t *scenario.Tried) (err error) {
		effects, premium, err = of.After(ctx, agents, relocated(t.Moves, s.EffectiveFrom), min(s.EffectiveFrom, r.Read.Today(ctx)))
		return err
	})
	if err != nil {
		return nil, err
	}
	shown := &model.ScenarioEvaluation{Conflicts: UserErrors(tried.Refused, nil), AffectedAgentCount: tried.AffectedAgents, MaxDepthBefore: tried.MaxDepthBefore, MaxDepthAfter: tried.MaxDepthAfter}
	for _, v := range tried.Versions {
		shown.Versions = append(shown.Versions, &v)
	}
	amount := func(money.Amount) *string { return nil }
	if NeedsScope(ctx, runScope) == nil {
		amount = func(m money.Amount) *string { return new(m.String()) }
	}
	shown.Premium = amount(premium)
	for _, m := range tried.Moves {
		e := effectView(m, effects[m.AgentID], s.EffectiveFrom)
		e.Premium = amount(effects[m.AgentID].Premium)
		shown.Moves = append(shown.Moves, e)
	}
	return shown, nil
}

// relocated are the agents that get another upline.
func relocated(moves []agency.Moved, from date.Date) (agents []int64) {
	for _, m := range moves {
		if m.Relocates(from) {
			agents = append(agents, m.AgentID)
		}
	}
	return agents
}

// shownFollowers is how many agents that move along are listed.
const shownFollowers = 50

func effectView(m agency.Moved, e impact.Effect, on date.Date) *model.ScenarioEffect {
	shown := &model.ScenarioEffect{Agent: *agentOn(m.AgentID, on), FromUpline: agentOn(m.FromUplineID, on), Uplines: agents(e.Uplines, read.Asked(on)), FollowerCount: len(e.Followers),
		Followers: agents(e.Followers[:min(shownFollowers, len(e.Followers))], read.Asked(on)), Level: e.Level,
		Upline: optionalChangeSet(m.Upline), LevelChange: optionalChangeSet(m.Level), PayStatus: optionalChangeSet(m.PayStatus)}
	if e.Level != nil && len(e.Uplines) > 0 && (e.UplineLevel == nil || *e.UplineLevel < *e.Level) {
		shown.LevelNeeded = e.Level
	}
	return shown
}

// mostAuthorizations limits the rows of authorizations.
const mostAuthorizations = 500

func (r scenarioResolver) Authorizations(ctx context.Context, s *model.Scenario, first int) (*model.ScenarioAuthorizations, error) {
	if err := within(first, 1, mostAuthorizations, "first"); err != nil {
		return nil, err
	}
	teamID, err := r.Agency.Team(ctx, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	at := history.AsOf{Day: s.EffectiveFrom}
	shown := &model.ScenarioAuthorizations{}
	var shift *authorization.Shift
	tried, err := r.Scenarios.Try(ctx, s.Scenario, func(ctx context.Context, agents []int64) (err error) {
		if shift, err = authorization.Shifting(ctx, r.Store, at); err != nil {
			return err
		}
		below, err := hierarchy.View{TeamID: teamID, AsOf: at}.Below(ctx, r.Store, agents, shift.Depth)
		if err != nil {
			return err
		}
		return shift.Before(ctx, slices.Concat(agents, slices.Concat(slices.Collect(maps.Values(below))...)))
	}, func(ctx context.Context, _ *scenario.Tried) error {
		gained, lost, rows, err := shift.After(ctx, first)
		shown.Gained, shown.Lost = gained, lost
		for _, row := range rows {
			shown.Rows = append(shown.Rows, model.SalesAuthorizationOf(row, at))
		}
		return err
	})
	if err != nil || tried.Refused != nil {
		return nil, err
	}
	return shown, nil
}

// maxScenarioNodes limits maxNodes.
const maxScenarioNodes = 2000

func (r scenarioResolver) Hierarchy(ctx context.Context, s *model.Scenario, rootAgentCode *string, maxDepth *int, depth, maxNodes int) ([]*model.ScenarioNode, error) {
	name := "depth"
	if maxDepth != nil {
		depth, name = *maxDepth, "maxDepth"
	}
	err := within(depth, 0, authorization.MaxUplineDepth, name)
	if err == nil {
		err = within(maxNodes, 1, maxScenarioNodes, "maxNodes")
	}
	if err != nil {
		return nil, err
	}
	root, err := r.rootID(ctx, rootAgentCode)
	if err != nil {
		return nil, err
	}
	teamID, err := r.Agency.Team(ctx, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	var nodes []hierarchy.TreeNode
	if err := r.inside(ctx, s.Scenario, untouched, func(ctx context.Context, t *scenario.Tried) error {
		view := hierarchy.View{TeamID: teamID, AsOf: history.AsOf{Day: s.EffectiveFrom}}
		if root == 0 {
			root = t.Moves[0].AgentID
			chains, err := view.Chain(ctx, r.Store, []int64{root}, authorization.MaxUplineDepth)
			if err != nil {
				return err
			}
			if chain := chains[root]; len(chain) > 0 {
				root = chain[len(chain)-1].AgentID
			}
		}
		trees, err := view.Trees(ctx, r.Store, []int64{root}, depth, maxNodes)
		nodes = trees[root].Nodes
		return err
	}); err != nil {
		return nil, unlessConflicts(err)
	}
	var above []int64
	for _, n := range nodes {
		above = append(above, n.AgentID)
	}
	codes, err := r.agentCodes(ctx).Prime(ctx, above)
	shown := make([]*model.ScenarioNode, len(nodes))
	for i, n := range nodes {
		shown[i] = &model.ScenarioNode{Agent: *agentOn(n.AgentID, s.EffectiveFrom), Depth: n.Depth, DirectCount: n.DirectCount, DownlineCount: n.DownlineCount}
		if n.ParentID != nil {
			shown[i].UplineAgentCode = new(codes[*n.ParentID])
		}
	}
	return shown, err
}

func (r scenarioResolver) Difference(ctx context.Context, s *model.Scenario, from *string, onDate *date.Date, rootAgentCode *string, maxChanges int, afterAgentCode *string) (*model.HierarchyDiff, error) {
	day := s.EffectiveFrom
	var other *scenario.Scenario
	if from != nil {
		is, err := r.Scenarios.Get(ctx, *from)
		if err == nil && is == nil {
			err = problem.Missing(problem.NotFoundCode, "No scenario has this id", "from")
		}
		if err != nil {
			return nil, err
		}
		other, day = is, max(day, is.EffectiveFrom)
	}
	if onDate != nil {
		day = *onDate
	}
	if err := checkDiff(day, day, maxChanges); err != nil {
		return nil, err
	}
	teamID, err := r.Agency.Team(ctx, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	root, err := r.rootID(ctx, rootAgentCode)
	if err != nil {
		return nil, err
	}
	c := hierarchy.Comparison{TeamID: teamID, RootID: root, From: day, To: day, Most: maxChanges}
	if afterAgentCode != nil {
		c.After = *afterAgentCode
	}
	stand := func(ctx context.Context) (err error) {
		c.Was, err = r.Resolver.Hierarchy.Stand(ctx, r.Store, teamID, day)
		return err
	}
	before := func(ctx context.Context, _ []int64) error { return stand(ctx) } // what is compared is of one transaction
	if from != nil {
		if err := r.inside(ctx, other, untouched, func(ctx context.Context, _ *scenario.Tried) error { return stand(ctx) }); err != nil {
			return nil, unlessConflicts(err)
		}
		before = untouched
	}
	var d hierarchy.Diff
	err = r.inside(ctx, s.Scenario, before, func(ctx context.Context, _ *scenario.Tried) (err error) {
		d, err = r.Resolver.Hierarchy.Compare(ctx, r.Store, c)
		return err
	})
	if err != nil {
		return nil, unlessConflicts(err)
	}
	return diffView(d, c), nil
}

// errConflicts says that a scenario has conflicts, so that nothing of what it leads to is
// shown.
var errConflicts = errors.New("resolve: a scenario has conflicts")

// unlessConflicts is an error that is told: not that of conflicts.
func unlessConflicts(err error) error {
	if errors.Is(err, errConflicts) {
		return nil
	}
	return err
}

// untouched looks at nothing ahead of the moves.
func untouched(context.Context, []int64) error { return nil }

// inside tries a scenario, or returns errConflicts.
func (r scenarioResolver) inside(ctx context.Context, s *scenario.Scenario, before func(ctx context.Context, agents []int64) error, after func(ctx context.Context, t *scenario.Tried) error) error {
	tried, err := r.Scenarios.Try(ctx, s, before, after)
	if err == nil && tried.Refused != nil {
		err = errConflicts
	}
	return err
}
