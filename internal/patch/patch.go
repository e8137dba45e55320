// Package patch has the three states of a property in a partial update: omitted, set to a
// value, set to null (specification, "Partial updates: PATCH versus PUT").
package patch

// Field is one property of a partial update. The zero value is "omitted".
type Field[T any] struct {
	// Sent reports whether the request held the property at all.
	Sent bool
	// Value is nil when the property was omitted or null.
	Value *T
}

// Set returns a property sent with a value.
func Set[T any](v T) Field[T] { return Field[T]{Sent: true, Value: &v} }

// Null returns a property sent as null.
func Null[T any]() Field[T] { return Field[T]{Sent: true} }

// Of returns a sent property: with a value, or as null if v is nil.
func Of[T any](v *T) Field[T] { return Field[T]{Sent: true, Value: v} }

// Given returns a sent property, or an omitted one if v is nil.
func Given[T any](v *T) Field[T] { return Field[T]{Sent: v != nil, Value: v} }

// IsNull reports whether the property was sent as null.
func (f Field[T]) IsNull() bool { return f.Sent && f.Value == nil }

// Or returns the value after the update: the sent one, or current when the
// property was omitted.
func (f Field[T]) Or(current *T) *T {
	if f.Sent {
		return f.Value
	}
	return current
}
