package app

import (
	"net/http"
	"net/netip"
	"testing"
)

// X-Forwarded-For counts as far as proxies of ours wrote it.
func TestSource(t *testing.T) {
	a := &App{Config: Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}}
	for _, test := range []struct{ remote, forwarded, want string }{
		{"192.0.2.7:1234", "", "192.0.2.7"},
		{"192.0.2.7:1234", "203.0.113.1", "192.0.2.7"},
		{"10.0.0.1:1234", "203.0.113.1", "203.0.113.1"},
		{"10.0.0.1:1234", "198.51.100.9, 203.0.113.1", "203.0.113.1"},
		{"10.0.0.1:1234", "198.51.100.9, 203.0.113.1, 10.0.0.2", "203.0.113.1"},
		{"10.0.0.1:1234", "203.0.113.1:5678", "203.0.113.1"},
		{"10.0.0.1:1234", "rubbish", "10.0.0.1"},
		{"10.0.0.1:1234", "", "10.0.0.1"},
		{"[2001:db8:1:2:3:4:5:6]:1234", "", "2001:db8:1:2::/64"},
		{"[::ffff:192.0.2.7]:1234", "", "192.0.2.7"},
	} {
		r := &http.Request{RemoteAddr: test.remote, Header: http.Header{}}
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := a.source(r); got != test.want {
			t.Errorf("%s, %s: %s; want %s", test.remote, test.forwarded, got, test.want)
		}
	}
}
