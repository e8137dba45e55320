package model

// Order is a sort clause of a list.
type Order struct {
	// Field is a value of the enumeration of the list.
	Field     string
	Direction OrderDirection
}
