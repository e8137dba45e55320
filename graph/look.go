package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
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

// together is how many questions, or agents, a document has: as many as agents can be
// filtered by.
const together = 100

// askAt answers the questions about what was known at an instant, or is known now. Those
// about agents are one field, as each field of Query has statements of its own.
func (s *Server) askAt(ctx context.Context, at time.Time, l *look) error {
	view := history.AsOf{Day: s.read.Today(ctx)}
	if at != now {
		ctx, view.Known = visibility.KnownAt(ctx, at), history.KnownAt(at)
	}
	ctx = read.WithDefaultView(ctx, view)
	l.data, l.failed = make([]any, len(l.questions)), make([]bool, len(l.questions))
	var others []int
	ofAgents := map[string][]int{}
	for place, q := range l.questions {
		if q.agentCode == "" {
			others = append(others, place)
		} else {
			ofAgents[q.agentCode] = append(ofAgents[q.agentCode], place)
		}
	}
	for some := range slices.Chunk(others, together) {
		if err := s.askEach(ctx, l, some); err != nil {
			return err
		}
	}
	for codes := range slices.Chunk(slices.Sorted(maps.Keys(ofAgents)), together) {
		if err := s.askOfAgents(ctx, l, codes, ofAgents); err != nil {
			return err
		}
	}
	return nil
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

// askOfAgents asks about several agents, about each what is asked about any of them.
func (s *Server) askOfAgents(ctx context.Context, l *look, codes []string, ofAgents map[string][]int) error {
	var selections, quoted []string // selections, each with an alias: its number
	for _, code := range codes {
		quoted = append(quoted, strconv.Quote(code))
		for _, place := range ofAgents[code] {
			if is := l.questions[place].selection; !slices.Contains(selections, is) {
				selections = append(selections, is)
			}
		}
	}
	var text strings.Builder
	for i, selection := range selections {
		fmt.Fprintf(&text, " s%d: %s", i, strings.TrimSuffix(strings.TrimPrefix(selection, " { "), " }"))
	}
	var answers struct {
		Agents struct {
			Nodes []map[string]any
		}
	}
	errs, err := s.askInside(ctx, fmt.Sprintf("agents(first: %d, filter: {agentCodes: [%s]}) { nodes { theCode: agentCode%s } }", len(codes), strings.Join(quoted, " "), &text), &answers)
	if err != nil {
		return err
	}
	failed := map[[2]any]bool{} // by node and alias
	for _, e := range errs {
		if len(e.Path) < 4 { // agents.nodes.0.s0
			return e
		}
		failed[[2]any{e.Path[2], e.Path[3]}] = true
	}
	for n, node := range answers.Agents.Nodes {
		for _, place := range ofAgents[fmt.Sprint(node["theCode"])] {
			selection := l.questions[place].selection
			alias := "s" + strconv.Itoa(slices.Index(selections, selection))
			l.data[place] = map[string]any{fieldOf(selection): node[alias]}
			l.failed[place] = failed[[2]any{ast.PathIndex(n), ast.PathName(alias)}]
		}
	}
	return nil
}

// fieldOf is the field that a selection begins with.
func fieldOf(selection string) string {
	name := strings.TrimPrefix(selection, " { ")
	if end := strings.IndexAny(name, " ("); end >= 0 {
		name = name[:end]
	}
	return name
}

// askInside runs a query, and returns the errors of its values beside their data.
func (s *Server) askInside(ctx context.Context, fields string, data any) (gqlerror.List, error) {
	response := s.runInside(limits.WithoutLimits(ctx), "{ "+fields+" }", nil)
	for _, e := range response.Errors {
		if len(e.Path) == 0 || len(response.Data) == 0 {
			return nil, e
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(response.Data))
	decoder.UseNumber()
	return response.Errors, decoder.Decode(data)
}
