package read

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/model"
	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
)

// elsewhere is a field of an agent that another area answers. Its resolver is called for
// all agents of a level at once, so that its loaders read them together.
func (t *agents) elsewhere(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	id := at.Column("a.id", rowset.Int)
	answers := c.Below(at, fmt.Sprintf("%s %p", f.Name, f), id, plan.Source{Objects: func(r *plan.Run, agents []int64) (plan.Objects, error) {
		contexts, answers := make([]context.Context, len(agents)), make([]graphql.Marshaler, len(agents))
		var group sync.WaitGroup
		for i, agent := range agents {
			contexts[i] = graphql.WithFieldContext(graphql.WithFreshResponseContext(visibility.KnownNow(r.Ctx)), &graphql.FieldContext{Index: &i})
			group.Go(func() { // the executor recovers from a panic in it
				answers[i] = t.Elsewhere(contexts[i], graphql.CollectedField{Field: f, Selections: f.SelectionSet}, model.Agent(agent, r.At))
			})
		}
		group.Wait()
		objects := make(plan.Objects, len(agents))
		for i, agent := range agents {
			objects[agent] = []any{writtenElsewhere(contexts[i], answers[i])}
		}
		return objects, nil
	}})
	return plan.Unless(func(b []byte, r *plan.Run, row int) []byte {
		one := r.Of(answers, id.Int(r, row))[0]
		return r.Insert(b, plan.Object[plan.Written](answers, r, int(one)))
	}, answers)
}

// writtenElsewhere writes an answer of the executor, with the errors of its context, whose
// paths begin with the agent and the field.
func writtenElsewhere(ctx context.Context, answer graphql.Marshaler) (w plan.Written) {
	var b bytes.Buffer
	answer.MarshalGQL(&b)
	w.JSON, w.IsNull = b.Bytes(), answer == graphql.Null
	above := len(graphql.GetPath(ctx)) + 1
	for _, e := range graphql.GetErrors(ctx) {
		var below ast.Path
		if len(e.Path) > above {
			below = e.Path[above:]
		}
		w.Failures = append(w.Failures, plan.NewFailure(e, below))
	}
	return w
}
