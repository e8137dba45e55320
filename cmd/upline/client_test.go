package main

import (
	"testing"
	"time"
)

// Nobody means "for ever" by a time of nothing, nor by leaving it out where a
// client's end is changed.
func TestExpiryIsSaid(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"a new client, for ever": {(&clientCreateCommand{}).Validate(), true},
		"a new client, an hour":  {(&clientCreateCommand{expiry: expiry{new(time.Hour)}}).Validate(), true},
		"a new client, no time":  {(&clientCreateCommand{expiry: expiry{new(time.Duration)}}).Validate(), false},
		"a new key, the past":    {(&clientKeyCreateCommand{expiry: expiry{new(-time.Hour)}}).Validate(), false},
		"another end, nothing":   {(&clientExpireCommand{}).Validate(), false},
		"another end, no time":   {(&clientExpireCommand{expiry: expiry{new(time.Duration)}}).Validate(), false},
		"another end, an hour":   {(&clientExpireCommand{expiry: expiry{new(time.Hour)}}).Validate(), true},
		"another end, never":     {(&clientExpireCommand{Never: true}).Validate(), true},
		"another end, both":      {(&clientExpireCommand{Never: true, expiry: expiry{new(time.Hour)}}).Validate(), false},
	} {
		if (test.err == nil) != test.want {
			t.Errorf("%s: %v", name, test.err)
		}
	}
}
