package scalar

import (
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/patch"
)

// MarshalTextField writes a text that there may be.
func MarshalTextField(f patch.Field[string]) graphql.Marshaler { return written(f, MarshalString) }

// UnmarshalTextField reads a text that was sent, or null.
func UnmarshalTextField(v any) (patch.Field[string], error) { return sent(v, UnmarshalString) }

// MarshalFlagField writes a flag that there may be.
func MarshalFlagField(f patch.Field[bool]) graphql.Marshaler {
	return written(f, graphql.MarshalBoolean)
}

// UnmarshalFlagField reads a flag that was sent, or null.
func UnmarshalFlagField(v any) (patch.Field[bool], error) { return sent(v, graphql.UnmarshalBoolean) }

// MarshalNumberField writes an integer that there may be.
func MarshalNumberField(f patch.Field[int]) graphql.Marshaler { return written(f, graphql.MarshalInt) }

// UnmarshalNumberField reads an integer that was sent, or null.
func UnmarshalNumberField(v any) (patch.Field[int], error) { return sent(v, graphql.UnmarshalInt) }

// MarshalDateField writes a day that there may be.
func MarshalDateField(f patch.Field[date.Date]) graphql.Marshaler { return written(f, MarshalDate) }

// UnmarshalDateField reads a day that was sent, or null.
func UnmarshalDateField(v any) (patch.Field[date.Date], error) { return sent(v, UnmarshalDate) }

// MarshalDateTimeField writes an instant that there may be.
func MarshalDateTimeField(f patch.Field[time.Time]) graphql.Marshaler {
	return written(f, MarshalDateTime)
}

// UnmarshalDateTimeField reads an instant that was sent, or null.
func UnmarshalDateTimeField(v any) (patch.Field[time.Time], error) { return sent(v, UnmarshalDateTime) }

func written[T any](f patch.Field[T], marshal func(T) graphql.Marshaler) graphql.Marshaler {
	if f.Value == nil {
		return graphql.Null
	}
	return marshal(*f.Value)
}

func sent[T any](v any, unmarshal func(any) (T, error)) (patch.Field[T], error) {
	if v == nil {
		return patch.Null[T](), nil
	}
	value, err := unmarshal(v)
	return patch.Set(value), err
}
