package webhooks_test

import (
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/webhooks"
)

// hostile are URLs that must never be reached in production: what they name is
// not of the public internet, in whatever form.
var hostile = []string{
	// Loopback
	"https://127.0.0.1/", "https://127.8.9.10/", "https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://[::1]/", "https://[0:0:0:0:0:0:0:1]:8443/",
	"https://127.1/", "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://017700000001/", "https://0/", "https://0.0.0.0/", "https://[::]/", "https://127.0.0.1./",
	// Private, carrier-grade NAT, link-local, metadata services
	"https://10.1.2.3/", "https://172.16.0.1/", "https://172.31.255.255/", "https://192.168.1.1/", "https://100.64.0.1/", "https://100.127.255.254/",
	"https://169.254.169.254/latest/meta-data/", "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fd00:ec2::254]/", "https://[fc00::1]/", "https://metadata.internal/", "https://metadata.google.internal/",
	"https://168.63.129.16/", "https://[::ffff:168.63.129.16]/", "https://[64:ff9b::a83f:8110]/", "https://printer.local/", "https://[fec0::1]/",
	// Multicast, broadcast, reserved, documentation, benchmarks
	"https://224.0.0.1/", "https://239.255.255.250/", "https://255.255.255.255/", "https://240.0.0.1/", "https://192.0.2.1/", "https://198.51.100.7/", "https://203.0.113.9/",
	"https://198.18.0.1/", "https://198.19.255.255/", "https://192.0.0.8/", "https://192.88.99.1/", "https://[ff02::1]/", "https://[2001:db8::1]/", "https://[3fff::1]/", "https://[100::1]/", "https://[5f00::1]/",
	// IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo
	"https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::ffff:10.0.0.1]/", "https://[::ffff:169.254.169.254]/", "https://[::127.0.0.1]/", "https://[::ffff:0:127.0.0.1]/",
	"https://[64:ff9b::127.0.0.1]/", "https://[64:ff9b::a9fe:a9fe]/", "https://[64:ff9b:1::10.0.0.1]/", "https://[2002:7f00:1::]/", "https://[2002:a00:1::1]/", "https://[2002:c0a8:101::1]/", "https://[2001:0:1:2::]/",
	// No https, no host, user info
	"http://example.com/", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com/", "javascript:alert(1)", "//example.com/", "bare.example.com", "https://", "https:///x", "https://:443/",
	"https://user@example.com/", "https://user:pw@example.com/", "https://example.com@127.0.0.1/", "https://example.com:0/", "https://example.com:99999/", "https://exa mple.com/", "https://example.com\n.evil/", "https:example.com", "https://[::1/",
}

func TestHostileURLsAreRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, u := range hostile {
			_, _, err := w.Create(w.ctx, input(u, "AgentCreated"))
			list := problem.From(err)
			if len(list) != 1 || list[0].Field[0] != "url" || list[0].Category != problem.Validation {
				t.Errorf("%q: %v", u, err)
			} else if host := strings.TrimPrefix(u, "https://"); len(host) > 3 && strings.Contains(list[0].Message, host) {
				t.Errorf("%q: the problem repeats it: %s", u, list[0].Message)
			}
		}
		for _, u := range []string{"https://example.com", "https://example.com:8443/a?b=c", "https://1.1.1.1/", "https://[2606:4700:4700::1111]/", "https://[::ffff:1.1.1.1]/",
			"https://[64:ff9b::1.1.1.1]/", "https://[2002:101:101::1]/", "https://xn--bcher-kva.example/", "https://168.63.129.15/", "https://168.63.129.17/", "https://172.15.0.1/", "https://172.32.0.1/", "https://100.63.0.1/", "https://100.128.0.1/"} {
			if _, _, err := w.Create(w.ctx, input(u, "AgentCreated")); err != nil {
				t.Errorf("%q: %v", u, err)
			}
		}
	}, production)
}

func production(c *webhooks.Config) { c.Development = false }

// The guard looks at the address that a name leads to when it is dialled: a
// subscription whose name leads to this machine reaches nothing.
func TestNamesAreCheckedWhenTheyAreDialled(t *testing.T) {
	name := nameOfLoopback(t)
	each(t, func(t *testing.T, w *world) {
		r := receive(t, nil)
		_, port, err := net.SplitHostPort(strings.TrimPrefix(r.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{name, "127.0.0.1"} {
			sub := w.lead(w.subscribe(r.URL), "http://"+net.JoinHostPort(host, port))
			w.Service = w.another(production)
			w.raise("A1")
			w.deliver(sub)
			if d := w.deliveries(sub); len(d) != 1 || d[0].IsSuccessful || !strings.Contains(*d[0].ErrorMessage, "public internet") || strings.Contains(*d[0].ErrorMessage, "127") {
				t.Errorf("%s: %+v", host, d)
			}
			w.Service = w.another()
		}
		if n := len(r.received()); n != 0 {
			t.Errorf("%d requests arrived", n)
		}
	})
}

// nameOfLoopback is a name that leads to this machine without a server of names.
func nameOfLoopback(t *testing.T) string {
	t.Helper()
	if found, err := net.LookupHost("localhost"); err != nil || len(found) == 0 {
		t.Skip("this machine does not know localhost")
	}
	return "localhost"
}

// FuzzIsPublic: an address is never public when it, or the IPv4 address that it
// carries, is one that the standard library calls private, loopback, link-local
// or multicast.
func FuzzIsPublic(f *testing.F) {
	for _, a := range []string{"127.0.0.1", "10.0.0.1", "1.1.1.1", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::", "2606:4700::1111", "fe80::1"} {
		f.Add(netip.MustParseAddr(a).AsSlice())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok || !webhooks.IsPublic(a) {
			return
		}
		carried := []netip.Addr{a, a.Unmap()}
		if a.Is6() {
			b := a.As16()
			if b[0] == 0 && b[1] == 0x64 {
				carried = append(carried, netip.AddrFrom4([4]byte(b[12:])))
			}
			if b[0] == 0x20 && b[1] == 0x02 {
				carried = append(carried, netip.AddrFrom4([4]byte(b[2:6])))
			}
		}
		for _, c := range carried {
			if c.IsPrivate() || c.IsLoopback() || c.IsLinkLocalUnicast() || c.IsMulticast() || c.IsUnspecified() || !c.IsGlobalUnicast() {
				t.Errorf("%s is called public and carries %s", a, c)
			}
		}
	})
}

// FuzzShown: whatever an endpoint answers is kept as text that both databases
// take.
func FuzzShown(f *testing.F) {
	f.Add([]byte("ok"))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		text := *webhooks.Shown(b)
		if strings.ContainsRune(text, 0) || strings.ToValidUTF8(text, "") != text || len([]rune(text)) > 10_000 {
			t.Errorf("%q is kept", text)
		}
	})
}
