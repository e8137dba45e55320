package edge

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"github.com/go-chi/chi/v5/middleware"
)

// Address is what requests without credentials are counted for: the address that they
// come from; of an IPv6 address the /64, which belongs to one customer.
func Address(r *http.Request) string {
	ip := middleware.GetClientIPAddr(r.Context())
	if !ip.IsValid() { // all of the way here is ours, or there is none
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		ip, _ = netip.ParseAddr(host)
	}
	if ip = ip.Unmap(); ip.Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.String()
		}
	}
	return ip.String()
}

// FromProxies reads the address of clients from X-Forwarded-For, as far as it
// comes from the proxies at the prefixes. Without any, it is that of the connection.
func FromProxies(prefixes []netip.Prefix) func(http.Handler) http.Handler {
	if len(prefixes) == 0 {
		return func(next http.Handler) http.Handler { return next }
	}
	texts := make([]string, len(prefixes))
	for i, p := range prefixes {
		texts[i] = p.String()
	}
	return middleware.ClientIPFromXFF(texts...)
}

// ParseProxies reads addresses and networks, such as 10.0.0.0/8.
func ParseProxies(texts []string) ([]netip.Prefix, error) {
	prefixes := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			var ip netip.Addr
			if ip, err = netip.ParseAddr(text); err == nil {
				prefix, err = ip.Prefix(ip.BitLen())
			}
		}
		if err != nil {
			return nil, fmt.Errorf("trusted proxies: %q is neither an address nor a network such as 10.0.0.0/8", text)
		}
		prefixes[i] = prefix
	}
	return prefixes, nil
}
