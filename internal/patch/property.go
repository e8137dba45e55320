package patch

// Property is a [Field] of any type, for tables of fields.
type Property interface {
	// IsSent reports whether the request held the property at all.
	IsSent() bool
	// IsNull reports whether the property was sent as null.
	IsNull() bool
	// Any returns the value, nil when the property was omitted or null.
	Any() any
	// Dest marks the property as sent and returns where its value, or NULL, is to be
	// scanned to.
	Dest() any
	// Become takes over another property of the same type, and reports whether the value
	// differs from the one before.
	Become(other Property) (changed bool)
}

// IsSent reports whether the request held the property at all.
func (f *Field[T]) IsSent() bool { return f.Sent }

// Any returns the value, nil when the property was omitted or null.
func (f *Field[T]) Any() any {
	if f.Value == nil {
		return nil
	}
	return *f.Value
}

// Dest marks the property as sent and returns where its value, or NULL, is to be scanned
// to.
func (f *Field[T]) Dest() any {
	f.Sent = true
	return &f.Value
}

// Become takes over another property of the same type, and reports whether the value
// differs from the one before.
func (f *Field[T]) Become(other Property) (changed bool) {
	next := *other.(*Field[T])
	changed = !same(f.Value, next.Value)
	*f = next
	return changed
}

// same compares two optional values; instants are the same in any zone.
func same[T any](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	if at, ok := any(*a).(interface{ Equal(T) bool }); ok {
		return at.Equal(*b)
	}
	return any(*a) == any(*b)
}

// OrZero returns the value; the zero value if the property was omitted or null.
func (f Field[T]) OrZero() (value T) {
	if f.Value != nil {
		value = *f.Value
	}
	return value
}
