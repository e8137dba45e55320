package mixin

// Described marks an entity that no client is generated for.
type Described struct{}

// Name implements schema.Annotation.
func (Described) Name() string { return DescribedName }

// DescribedName is the key of the annotation.
const DescribedName = "Described"
