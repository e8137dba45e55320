package listing

import "github.com/uplinehq/upline/internal/platform/page"

// Order is one sort clause of a list.
type Order struct {
	// Field is the value of the list's GraphQL order enum.
	Field string
	Desc  bool
}

// SortKeys turns sort clauses into keys and appends the last ones, which make the order
// of rows unique. A field that is named twice counts once.
func SortKeys(orders []Order, known map[string]page.Key, last ...page.Key) []page.Key {
	keys := make([]page.Key, 0, len(orders)+len(last))
	seen := map[string]bool{}
	add := func(k page.Key) {
		if !seen[k.Name] {
			seen[k.Name] = true
			keys = append(keys, k)
		}
	}
	for _, o := range orders {
		k := known[o.Field]
		k.Desc = o.Desc
		add(k)
	}
	descending := len(keys) > 0 && allDesc(keys)
	for _, k := range last {
		k.Desc = descending
		add(k)
	}
	return keys
}

// allDesc reports whether every key is descending; then the tie-breakers are, too, so
// that one index serves the whole order.
func allDesc(keys []page.Key) bool {
	for _, k := range keys {
		if !k.Desc {
			return false
		}
	}
	return true
}
