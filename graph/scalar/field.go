package scalar

import (
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/patch"
)

// MarshalTextField writes an optional text.
func MarshalTextField(f patch.Field[string]) graphql.Marshaler {
	return written(f, graphql.MarshalString)
}

// UnmarshalTextField reads a text or null.
func UnmarshalTextField(v any) (patch.Field[string], error) { return sent(v, graphql.UnmarshalString) }

// MarshalFlagField writes an optional boolean.
func MarshalFlagField(f patch.Field[bool]) graphql.Marshaler {
	return written(f, graphql.MarshalBoolean)
}

// UnmarshalFlagField reads a boolean or null.
func UnmarshalFlagField(v any) (patch.Field[bool], error) { return sent(v, graphql.UnmarshalBoolean) }

// MarshalNumberField writes an optional integer.
func MarshalNumberField(f patch.Field[int]) graphql.Marshaler { return written(f, graphql.MarshalInt) }

// UnmarshalNumberField reads an integer or null.
func UnmarshalNumberField(v any) (patch.Field[int], error) { return sent(v, graphql.UnmarshalInt) }

// MarshalDateField writes an optional day.
func MarshalDateField(f patch.Field[date.Date]) graphql.Marshaler { return written(f, MarshalDate) }

// UnmarshalDateField reads a day or null.
func UnmarshalDateField(v any) (patch.Field[date.Date], error) { return sent(v, UnmarshalDate) }

// MarshalDateTimeField writes an optional instant.
func MarshalDateTimeField(f patch.Field[time.Time]) graphql.Marshaler {
	return written(f, MarshalDateTime)
}

// UnmarshalDateTimeField reads an instant or null.
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
