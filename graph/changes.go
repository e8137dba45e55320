package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/problem"
)

// look is one document that asks for values as they were known at an instant.
type look struct {
	fields []string
	data   map[string]any
	failed map[string]bool
}

// field returns the alias of a root field in the document.
func (l *look) field(text string) string {
	at := slices.Index(l.fields, text)
	if at < 0 {
		at, l.fields = len(l.fields), append(l.fields, text)
	}
	return fmt.Sprint("v", at)
}

// now stands for what is known now, among instants.
var now time.Time

// looks are the documents of several instants.
type looks map[time.Time]*look

func (l looks) at(t time.Time) *look {
	if l[t] == nil {
		l[t] = new(look)
	}
	return l[t]
}

// ask runs the documents.
func (s *Server) ask(ctx context.Context, all looks) error {
	for t, l := range all {
		if err := s.lookAt(ctx, t, l); err != nil {
			return err
		}
	}
	return nil
}

// value returns what a lens shows in full.
func (l *look) value(of lens) any { return l.data[l.field(of.whole)] }

// changedValues returns what each change did to the value of its field. It asks the graph
// itself for the value as it was known just before the write, and with it: so whoever may
// not see a value, or sees it masked, does so here too.
func (s *Server) changedValues(ctx context.Context, changes []*audit.Changed) ([][]*model.ChangedValue, error) {
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
		lenses[i] = l
		all.at(before(c.At)).field(l.text)
		all.at(c.At).field(l.text)
	}
	if err := s.ask(ctx, all); err != nil {
		return nil, err
	}
	told := make([][]*model.ChangedValue, len(changes))
	for i, c := range changes {
		if l := lenses[i]; l.text != "" {
			told[i] = l.compare(all.at(before(c.At)), all.at(c.At))
		}
	}
	return told, nil
}

// before is the last instant at which a write was not known.
func before(at time.Time) time.Time { return at.Add(-time.Microsecond) }

// lookAt runs a document as of what was known at an instant, or is known now.
func (s *Server) lookAt(ctx context.Context, at time.Time, l *look) error {
	view := history.AsOf{Day: s.read.Today(ctx)}
	if at != now {
		ctx, view.Known = visibility.KnownAt(ctx, at), history.KnownAt(at)
	}
	ctx = read.WithDefaultView(ctx, view)
	l.failed, l.data = map[string]bool{}, map[string]any{}
	for from := 0; from < len(l.fields); from += askedTogether {
		if err := s.lookFrom(ctx, l, from, min(from+askedTogether, len(l.fields))); err != nil {
			return err
		}
	}
	return nil
}

// askedTogether is how many values are asked for with one document: limits.MaxRootFields.
const askedTogether = 20

func (s *Server) lookFrom(ctx context.Context, l *look, from, to int) error {
	var text strings.Builder
	text.WriteString("{")
	for i, field := range l.fields[from:to] {
		fmt.Fprintf(&text, " v%d: %s", from+i, field)
	}
	text.WriteString(" }")
	response := s.runInside(ctx, text.String(), nil)
	for _, e := range response.Errors {
		if len(e.Path) == 0 {
			return e
		}
		l.failed[rootOf(e)] = true
	}
	decoder := json.NewDecoder(bytes.NewReader(response.Data))
	decoder.UseNumber()
	return decoder.Decode(&l.data)
}

func rootOf(e *gqlerror.Error) string {
	name, _ := e.Path[0].(ast.PathName)
	return string(name)
}

// compare returns the values at a lens in two documents; none if one of them could not be
// read.
func (l lens) compare(before, after *look) []*model.ChangedValue {
	was, is := before.field(l.text), after.field(l.text)
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
