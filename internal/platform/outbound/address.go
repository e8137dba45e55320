package outbound

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"syscall"
)

// errForbiddenAddress is the error of a connection that the guard refuses.
var errForbiddenAddress = errors.New("outbound: the address is not of the public internet")

// notPublic are the blocks that no request may reach: blocks that are not globally
// reachable (RFC 6890 and the IANA registries of special-purpose addresses), blocks
// through which those could be reached, and one public address that a cloud uses for a
// service of its own.
var notPublic = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // carrier-grade NAT
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // the host of an Azure machine, although its number is public
	"169.254.0.0/16",   // link-local, with the metadata services of clouds
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.31.196.0/24",  // AS112
	"192.52.193.0/24",  // AMT
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"192.175.48.0/24",  // AS112
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, broadcast

	"2001::/23",     // protocol assignments, Teredo
	"2001:db8::/32", // documentation
	"2620:4f:8000::/48",
	"3fff::/20", // documentation
)

var (
	// globalUnicast is the part of IPv6 that is assigned for the internet. Addresses
	// outside it, such as ::1, fc00::/7, fe80::/10 or ff00::/8, are not public.
	globalUnicast = netip.MustParsePrefix("2000::/3")
	sixToFour     = netip.MustParsePrefix("2002::/16")
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
)

func prefixes(all ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(all))
	for i, p := range all {
		list[i] = netip.MustParsePrefix(p)
	}
	return list
}

// IsPublic reports whether an address belongs to the public internet. An IPv6 address
// that contains an IPv4 address is as public as that one.
func IsPublic(a netip.Addr) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.Is6() {
		switch {
		case nat64.Contains(a):
			return IsPublic(embedded(a, 12))
		case sixToFour.Contains(a):
			return IsPublic(embedded(a, 2))
		case !globalUnicast.Contains(a):
			return false
		}
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return a.IsValid()
}

// embedded returns the IPv4 address that starts at a byte of an IPv6 address.
func embedded(a netip.Addr, at int) netip.Addr {
	b := a.As16()
	return netip.AddrFrom4([4]byte(b[at : at+4]))
}

// guard is called by the dialer with each address before it connects. Names are resolved
// by then, so a name that leads elsewhere later is refused then.
func guard(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !IsPublic(to.Addr()) {
		return errForbiddenAddress
	}
	return nil
}

// IsLoopback reports whether a host is this machine. What is tried out on it needs no
// certificate; what leaves it is encrypted.
func IsLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// Allowed refuses what can be judged without DNS. The address of a name is checked
// when it is dialled, and that check decides.
func Allowed(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return IsPublic(address)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	// Some resolvers take 127.1, 0x7f000001 and 2130706433 as addresses.
	numeric := last != "" && (strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"))
	return host != "" && !numeric && last != "localhost" && last != "local" && last != "internal"
}
