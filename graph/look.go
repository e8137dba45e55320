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

	"github.com/uplinehq/upline/graph/limits"
	"github.com/uplinehq/upline/graph/read"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// question asks for values of one object.
type question struct {
	// root is a field of Query, and selection what is asked of its object.
	root, selection string
	// agentCode is set for one about an agent. Many of these are asked together.
	agentCode string
}

// look has questions about what was known at an instant, and their answers.
type look struct {
	questions []question
	places    map[question]int
	data      []any
	failed    []bool
}

// place returns the number of a question, which it adds.
func (l *look) place(q question) int {
	at, ok := l.places[q]
	if !ok {
		if l.places == nil {
			l.places = map[question]int{}
		}
		at = len(l.questions)
		l.places[q], l.questions = at, append(l.questions, q)
	}
	return at
}

// now stands for what is known now, among instants.
var now time.Time

// looks are what is asked of several instants.
type looks map[time.Time]*look

func (l looks) at(t time.Time) *look {
	if l[t] == nil {
		l[t] = new(look)
	}
	return l[t]
}

// value returns what a lens shows in full.
func (l *look) value(of lens) any { return l.data[l.place(of.whole)] }

// ask answers the questions of several instants.
func (s *Server) ask(ctx context.Context, all looks) error {
	for t, l := range all {
		if err := s.askAt(ctx, t, l); err != nil {
			return err
		}
	}
	return nil
}

// together is how many questions a document has: as many as agents can be filtered by.
const together = 100

// askAt answers the questions about what was known at an instant, or is known now. A
// question about several agents is one field, as each field is a statement of its own.
func (s *Server) askAt(ctx context.Context, at time.Time, l *look) error {
	view := history.AsOf{Day: s.read.Today(ctx)}
	if at != now {
		ctx, view.Known = visibility.KnownAt(ctx, at), history.KnownAt(at)
	}
	ctx = read.WithDefaultView(ctx, view)
	l.data, l.failed = make([]any, len(l.questions)), make([]bool, len(l.questions))
	alone, sameOfAgents := l.grouped()
	for some := range slices.Chunk(alone, together) {
		if err := s.askEach(ctx, l, some); err != nil {
			return err
		}
	}
	for _, same := range sameOfAgents {
		for some := range slices.Chunk(same, together) {
			if err := s.askOfAgents(ctx, l, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// grouped returns the places of the questions that are asked alone, and of those that are the
// same of several agents.
func (l *look) grouped() (alone []int, sameOfAgents [][]int) {
	bySelection := map[string][]int{}
	for i, q := range l.questions {
		if q.agentCode != "" {
			bySelection[q.selection] = append(bySelection[q.selection], i)
		} else {
			alone = append(alone, i)
		}
	}
	for _, same := range bySelection {
		if len(same) == 1 {
			alone = append(alone, same[0])
		} else {
			sameOfAgents = append(sameOfAgents, same)
		}
	}
	return alone, sameOfAgents
}

// askEach asks questions with a field of Query each.
func (s *Server) askEach(ctx context.Context, l *look, places []int) error {
	var text strings.Builder
	for _, place := range places {
		fmt.Fprintf(&text, " v%d: %s%s", place, l.questions[place].root, l.questions[place].selection)
	}
	var answers map[string]any
	errs, err := s.askInside(ctx, text.String(), &answers)
	if err != nil {
		return err
	}
	for _, place := range places {
		l.data[place] = answers["v"+strconv.Itoa(place)]
	}
	for _, e := range errs {
		name, _ := e.Path[0].(ast.PathName)
		if place, err := strconv.Atoi(strings.TrimPrefix(string(name), "v")); err == nil {
			l.failed[place] = true
		}
	}
	return nil
}

// askOfAgents asks the same question about several agents.
func (s *Server) askOfAgents(ctx context.Context, l *look, places []int) error {
	codes, placeOf := make([]string, len(places)), make(map[string]int, len(places))
	for i, place := range places {
		code := l.questions[place].agentCode
		codes[i], placeOf[code] = strconv.Quote(code), place
	}
	var answers struct {
		Agents struct {
			Nodes []map[string]any
		}
	}
	errs, err := s.askInside(ctx, fmt.Sprintf("agents(first: %d, filter: {agentCodes: [%s]}) { nodes { theCode: agentCode%s } }", len(codes), strings.Join(codes, " "),
		strings.TrimSuffix(strings.TrimPrefix(l.questions[places[0]].selection, " {"), "}")), &answers)
	if err != nil {
		return err
	}
	nodes := answers.Agents.Nodes
	for _, node := range nodes {
		if place, ok := placeOf[fmt.Sprint(node["theCode"])]; ok {
			l.data[place] = node
		}
	}
	for _, e := range errs {
		if len(e.Path) > 2 { // agents.nodes.0
			if at, ok := e.Path[2].(ast.PathIndex); ok && int(at) < len(nodes) {
				l.failed[placeOf[fmt.Sprint(nodes[at]["theCode"])]] = true
				continue
			}
		}
		for _, place := range places {
			l.failed[place] = true
		}
	}
	return nil
}

// askInside runs a query, and returns the errors of its values beside their data.
func (s *Server) askInside(ctx context.Context, fields string, data any) (gqlerror.List, error) {
	response := s.runInside(limits.WithoutLimits(ctx), "{ "+fields+" }", nil)
	for _, e := range response.Errors {
		if len(e.Path) == 0 {
			return nil, e
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(response.Data))
	decoder.UseNumber()
	return response.Errors, decoder.Decode(data)
}
