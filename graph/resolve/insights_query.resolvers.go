package resolve

import (
	"context"
	"fmt"
	"time"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/insights"
	"github.com/uplinehq/upline/internal/problem"
)

func (r queryResolver) InsightQueries(context.Context) ([]*model.InsightQuery, error) {
	return views(insights.Queries(), func(q *insights.Report) *model.InsightQuery { return &model.InsightQuery{Report: q} }), nil
}

func (r queryResolver) Insight(ctx context.Context, slug string, parameters map[string]any, sort *string, first, offset *int) (*model.InsightResult, error) {
	return resultView(r.Insights.Insight(ctx, insights.Request{Slug: slug, Parameters: parameters, Sort: sort, First: first, Offset: offset, DefaultDay: defaultDay(ctx)}))
}

func resultView(result *insights.Result, err error) (*model.InsightResult, error) {
	if err != nil {
		return nil, err
	}
	return model.NewInsightResult(result)
}

// metrics are the values of the parameter metric, by enum value.
var metrics = map[model.LeaderboardMetric]string{
	model.LeaderboardMetricIssuedPremium: "issuedPremium", model.LeaderboardMetricSubmittedPremium: "submittedPremium",
	model.LeaderboardMetricPlacedPremium: "placedPremium", model.LeaderboardMetricPolicyCount: "policyCount", model.LeaderboardMetricRecruits: "recruits",
}

func (r queryResolver) Leaderboard(ctx context.Context, metric model.LeaderboardMetric, from, through date.Date, asKnownAt *time.Time, rootAgentCode *string, top int) ([]*model.LeaderboardEntry, error) {
	result, err := r.Insights.Insight(ctx, insights.Request{Slug: "leaderboard", First: &top, Parameters: given(map[string]*string{"agentCode": rootAgentCode, "asKnownAt": instant(asKnownAt)},
		map[string]any{"metric": metrics[metric], "from": from.String(), "through": through.String()})})
	if err != nil {
		return nil, typed(err, "top")
	}
	at := r.Read.AsOf(ctx, &through, asKnownAt)
	return rowViews(result, func(row insights.Row) *model.LeaderboardEntry {
		e := &model.LeaderboardEntry{AgentID: row.Keys[0], At: at, Rank: result.Value(row, "rank").(int64), Value: fmt.Sprint(result.Value(row, "value")),
			PolicyCount: result.Value(row, "policyCount").(int64)}
		if rank, ok := result.Value(row, "previousRank").(int64); ok {
			previous := fmt.Sprint(result.Value(row, "previousValue"))
			e.PreviousRank, e.PreviousValue = &rank, &previous
		}
		return e
	}), nil
}

func (r queryResolver) LicenseExpirations(ctx context.Context, withinDays int, rootAgentCode, certificationType, jurisdiction *string, asKnownAt *time.Time, first, offset *int) ([]*model.LicenseExpiration, error) {
	result, err := r.Insights.Insight(ctx, insights.Request{Slug: "license-expirations", First: first, Offset: offset,
		Parameters: given(map[string]*string{"agentCode": rootAgentCode, "type": certificationType, "jurisdiction": jurisdiction, "asKnownAt": instant(asKnownAt)}, map[string]any{"withinDays": withinDays})})
	if err != nil {
		return nil, typed(err, "first")
	}
	today := r.Read.Today(ctx) // the day of the figures, whatever the default day of the request
	at := history.AsOf{Day: today, Known: r.Read.AsOf(ctx, &today, asKnownAt).Known}
	return rowViews(result, func(row insights.Row) *model.LicenseExpiration {
		return &model.LicenseExpiration{CertificationID: row.Keys[0], AgentID: row.Keys[1], At: at,
			DaysRemaining: result.Value(row, "daysRemaining").(int64), Bucket: result.Value(row, "bucket").(string)}
	}), nil
}

func rowViews[T any](result *insights.Result, view func(insights.Row) *T) []*T {
	shown := make([]*T, len(result.Rows))
	for i, row := range result.Rows {
		shown[i] = view(row)
	}
	return shown
}

// given adds the parameters that the request gives.
func given(texts map[string]*string, parameters map[string]any) map[string]any {
	for name, text := range texts {
		if text != nil {
			parameters[name] = *text
		}
	}
	return parameters
}

// instant is the text of an instant; nil for none.
func instant(at *time.Time) *string {
	if at == nil {
		return nil
	}
	text := at.Format(time.RFC3339Nano)
	return &text
}

// typed renames the fields of a refusal to the arguments of a typed query; size is the
// argument that stands for first.
func typed(err error, size string) error {
	problems := problem.From(err)
	if problems == nil {
		return err
	}
	names := map[string]string{"agentCode": "rootAgentCode"}
	for i, p := range problems {
		e := *p
		switch {
		case len(e.Field) == 2 && names[e.Field[1]] != "":
			e.Field = []string{names[e.Field[1]]}
		case len(e.Field) == 2:
			e.Field = e.Field[1:]
		case len(e.Field) == 1 && e.Field[0] == "first":
			e.Field = []string{size}
		}
		problems[i] = &e
	}
	return problems
}

func (r leaderboardEntryResolver) Agent(ctx context.Context, obj *model.LeaderboardEntry) (*model.Object, error) {
	return model.Agent(obj.AgentID, obj.At), nil
}

func (r licenseExpirationResolver) Agent(ctx context.Context, obj *model.LicenseExpiration) (*model.Object, error) {
	return model.Agent(obj.AgentID, obj.At), nil
}

func (r licenseExpirationResolver) Certification(ctx context.Context, obj *model.LicenseExpiration) (*model.Object, error) {
	return &model.Object{Type: model.CertificationNode, ID: obj.CertificationID, At: obj.At}, nil
}
