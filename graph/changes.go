package graph

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/problem"
)

// changedValues returns what each change did to the value of its field. It asks the graph
// itself for the value as it was known just before the write, and with it: so whoever may
// not see a value, or sees it masked, does so here too, and what is revealed is recorded.
func (s *Server) changedValues(ctx context.Context, changes []*audit.Changed, reveal bool) ([][]*model.ChangedValue, error) {
	since, err := s.trail.KeptSince(ctx)
	if err != nil {
		return nil, err
	}
	all, lenses := looks{}, make([]lens, len(changes))
	for i, c := range changes {
		l, ok := s.lensOf(c.EntityType, c.Key, c.Field)
		if !ok || !l.dated && c.At.Before(since) {
			continue
		}
		if reveal {
			l.masked = l.whole
		}
		lenses[i] = l
		all.at(before(c.At)).place(l.masked)
		all.at(c.At).place(l.masked)
	}
	if err := s.ask(ctx, all); err != nil {
		return nil, err
	}
	told := make([][]*model.ChangedValue, len(changes))
	for i, c := range changes {
		if l := lenses[i]; l.path != nil {
			told[i] = l.compare(all.at(before(c.At)), all.at(c.At))
			if v := told[i]; c.Field == "" && len(v) > 0 && v[0].New != nil { // reference data that was made; as it was known, it was always there
				v[0].Old = nil
			}
		}
	}
	return told, nil
}

// before is the last instant at which a write was not known.
func before(at time.Time) time.Time { return at.Add(-time.Microsecond) }

// compare returns the values at a lens at two instants; none if one of them could not be
// read.
func (l lens) compare(before, after *look) []*model.ChangedValue {
	was, is := before.place(l.masked), after.place(l.masked)
	if before.failed[was] || after.failed[is] {
		return nil
	}
	if !l.dated {
		return []*model.ChangedValue{{Old: valueAt(before.data[was], l.path), New: valueAt(after.data[is], l.path)}}
	}
	var all []*model.ChangedValue
	for _, d := range history.Differences(l.periods(before.data[was]), l.periods(after.data[is])) {
		all = append(all, &model.ChangedValue{EffectiveFrom: &d.From, EffectiveThrough: d.Through, Old: filled(d.Old), New: filled(d.New)})
	}
	return all
}

// filled is nil for a period without a value, such as one of no upline.
func filled(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// subjects are, for the types of nodes that changes are of, the selection of a node's key.
const subjects = `query($id: ID!) { node(id: $id) { __typename ... on Agent { key: agentCode } ... on Certification { databaseId agent { agentCode } }
	... on CertificationType { key: code } ... on Jurisdiction { key: code } ... on PayStatus { key: name } ... on AgentLevel { number: value } ... on ProviderCompany { key: code }
	... on Tag { key: name } ... on User { key: username } ... on Role { key: name } } }`

// subjectOf returns the object of the audit trail that a global id names, and the path of
// it there if it is a part of another one. It returns a problem if there is none.
func (s *Server) subjectOf(ctx context.Context, id string) (entityType, key, field string, err error) {
	response := s.runInside(ctx, subjects, map[string]any{"id": id})
	if len(response.Errors) > 0 {
		return "", "", "", response.Errors[0]
	}
	var data struct {
		Node *struct {
			Type       string `json:"__typename"`
			Key        string
			Number     *int
			DatabaseID json.Number
			Agent      struct{ AgentCode string }
		}
	}
	if err := json.Unmarshal(response.Data, &data); err != nil {
		return "", "", "", err
	}
	n := data.Node
	switch {
	case n == nil:
		return "", "", "", problem.Invalid(problem.NotFoundCode, "names nothing that is there", "of")
	case n.Type == "Certification":
		return "Agent", n.Agent.AgentCode, "certifications." + n.DatabaseID.String(), nil
	case n.Number != nil:
		return n.Type, strconv.Itoa(*n.Number), "", nil
	case n.Key == "":
		return "", "", "", problem.Invalid(problem.NotApplicable, "is no object of the audit trail", "of")
	}
	return n.Type, n.Key, "", nil
}
