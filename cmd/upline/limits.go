package main

import (
	"time"

	"github.com/uplinehq/upline/internal/platform/admission"
)

// limitFlags bound what clients may ask of a server. Each process counts by itself.
type limitFlags struct {
	ClientRate        *int          `help:"Requests a minute of one client, or of one of its users; 0 for no limit. By default 6000 while others need the machine, and no limit while they do not." env:"UPLINE_CLIENT_RATE"`
	TenantRate        *int          `help:"Requests a minute of all clients of one tenant; 0 for no limit. By default 30000 while others need the machine." env:"UPLINE_TENANT_RATE"`
	AddressRate       int           `help:"Requests for tokens, and failed authentications, a minute from one address; 0 for no limit." default:"600" env:"UPLINE_ADDRESS_RATE"`
	ClientCost        *int          `help:"Cost of one client's operations a minute, in points; 0 for no limit. By default 300000 while others need the machine." env:"UPLINE_CLIENT_COST"`
	Concurrency       int           `help:"Operations that may run at once; 0 for as many as the database has connections, but at least twice the processors." default:"0" env:"UPLINE_CONCURRENCY"`
	TenantConcurrency int           `help:"Operations of one tenant that may run at once; 0 for three quarters of --concurrency." default:"0" env:"UPLINE_TENANT_CONCURRENCY"`
	Queue             int           `help:"Operations that may wait; 0 for 64 times --concurrency." default:"0" env:"UPLINE_QUEUE"`
	QueueWait         time.Duration `help:"How long an operation may wait; ten times as long if no more than 64 of its tenant are waiting." default:"500ms" env:"UPLINE_QUEUE_WAIT"`
	Streams           int           `help:"WebSockets and event streams that may be open." default:"1000" env:"UPLINE_STREAMS"`
	StatementTimeout  time.Duration `help:"Time after which PostgreSQL ends a statement; 0s for never." default:"60s" env:"UPLINE_STATEMENT_TIMEOUT"`
	TrustedProxies    []string      `help:"Addresses or networks of the proxies in front of the server, whose X-Forwarded-For is trusted." env:"UPLINE_TRUSTED_PROXIES"`
}

func (f limitFlags) limits() admission.Limits {
	l := admission.Limits{AddressRate: f.AddressRate, Concurrency: f.Concurrency, TenantConcurrency: f.TenantConcurrency, Queue: f.Queue, Wait: f.QueueWait, Streams: f.Streams}
	l.ClientRate, l.Yields.ClientRate = rate(f.ClientRate, 6000)
	l.TenantRate, l.Yields.TenantRate = rate(f.TenantRate, 30_000)
	l.ClientCost, l.Yields.ClientCost = rate(f.ClientCost, 300_000)
	return l
}

// rate returns a rate that somebody has set, which holds always, or else the usual one,
// which only counts while others need the machine.
func rate(set *int, usual int) (n int, yields bool) {
	if set != nil {
		return *set, false
	}
	return usual, true
}
