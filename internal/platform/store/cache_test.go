package store

import (
	"fmt"
	"testing"
)

// What remembers statements never holds more than so many, however many a client
// makes by its orders and filters.
func TestRememberedStatementsAreBounded(t *testing.T) {
	for i := range 2 * cached {
		if query, args := positional(fmt.Sprintf("SELECT $2, $1, %d", i), []any{"a", "b"}); query != fmt.Sprintf("SELECT ?, ?, %d", i) || args[0] != "b" || args[1] != "a" {
			t.Fatalf("%s %v", query, args)
		}
	}
	if n := positionalCache.Len(); n > cached {
		t.Errorf("%d statements are remembered", n)
	}
}
