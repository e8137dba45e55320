package model

import (
	"errors"
	"io"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/history"
)

// Object is an object of the agency's graph, or a list of objects, that graph/read reads.
// A resolver returns its type and its key; what the selection of the field asks for is
// read once the resolver has returned.
type Object struct {
	// Type is the name of the type in the schema, ID the id of the row.
	Type string
	ID   int64
	// Code is the code of an agent or of a provider company whose ID is not known.
	Code string
	// At is the view that the object is read in.
	At history.AsOf
	// Answer is what was read; nil as long as nothing was, and for an object that is not
	// there.
	Answer graphql.Marshaler
}

// Agent returns the agent with an id, in a view.
func Agent(id int64, at history.AsOf) *Object { return &Object{Type: AgentType, ID: id, At: at} }

// IsNode says that an object may be a Node of the GraphQL schema.
func (Object) IsNode() {}

// IsAudited says that an object may be an Audited of the GraphQL schema.
func (Object) IsAudited() {}

// IsEffectivePeriod says that an object may be an EffectivePeriod of the GraphQL schema.
func (Object) IsEffectivePeriod() {}

// MarshalGQL implements graphql.Marshaler.
func (o Object) MarshalGQL(w io.Writer) {
	if o.Answer == nil {
		o.Answer = graphql.Null
	}
	o.Answer.MarshalGQL(w)
}

// UnmarshalGQL makes gqlgen pass objects on as they are.
func (*Object) UnmarshalGQL(any) error { return errors.New("model: an object is no input") }

// Service is the schema as a subgraph.
type Service struct{ Sdl string }
