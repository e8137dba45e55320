package app

import (
	"net/http"
	"net/netip"
	"strings"
)

// source is where a request comes from, for counting attempts to sign in: the
// address of the connection or, where that is a proxy of ours, the last address in
// X-Forwarded-For that is not. What stands before it anybody may have written. An
// address of IPv6 counts as its network of 64 bits, which one household has.
func (a *App) source(r *http.Request) string {
	address := addressOf(r.RemoteAddr)
	forwarded := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(forwarded) - 1; i >= 0 && a.isProxy(address); i-- {
		before := addressOf(strings.TrimSpace(forwarded[i]))
		if !before.IsValid() {
			break
		}
		address = before
	}
	if address.Is6() {
		if network, err := address.Prefix(64); err == nil {
			return network.String()
		}
	}
	return address.String()
}

// addressOf reads an address with or without a port, invalid when it is neither.
func addressOf(text string) netip.Addr {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone("")
	}
	address, _ := netip.ParseAddr(text)
	return address.Unmap().WithZone("")
}

func (a *App) isProxy(address netip.Addr) bool {
	for _, network := range a.Proxies {
		if network.Contains(address) {
			return true
		}
	}
	return false
}
