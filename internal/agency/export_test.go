package agency

import (
	"maps"
	"slices"
)

// The orders of lists, by GraphQL enum value.
var (
	PeriodOrders        = slices.Sorted(maps.Keys(periodKeys))
	CertificationOrders = slices.Sorted(maps.Keys(certificationKeys))
)
