package main

import (
	"testing"

	"github.com/alecthomas/kong"
)

// No two flags of a command have one name, and every default fits.
func TestFlags(t *testing.T) {
	if _, err := kong.New(&commands{}, kong.Vars{"data": t.TempDir()}); err != nil {
		t.Error(err)
	}
}
