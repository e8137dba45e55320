package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/app"
)

// bench is a benchmark under way.
type bench struct {
	options
	app    *app.App
	sample *sample
}

// side is what was measured of one server.
type side struct {
	perSecond  []float64 // by round
	requests   int
	times      []time.Duration // sorted
	cpu, pgCPU time.Duration   // of all requests
	peak       int64
}

func (s side) each(total time.Duration) time.Duration {
	return total / time.Duration(max(1, s.requests))
}

// result is the outcome of a question.
type result struct {
	question
	upline, hand side
	statements   string
}

// ratio is the median of the rounds' ratios: each compares two rounds that ran
// one after the other.
func (r result) ratio() float64 {
	ratios := make([]float64, len(r.upline.perSecond))
	for i := range ratios {
		ratios[i] = r.upline.perSecond[i] / r.hand.perSecond[i]
	}
	return median(ratios)
}

func (b *bench) walk(ctx context.Context) (*sample, error) {
	s, err := start(ctx, upline, b.database)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	return walk(s)
}

// measure asks one question. The servers are started anew for each, so that
// their peak memory is that of the question.
func (b *bench) measure(ctx context.Context, q question) (r result, err error) {
	r.question = q
	first, second := upline, hand
	if b.policies {
		first, second = policies, upline
	}
	one, err := start(ctx, first, b.database)
	if err != nil {
		return r, err
	}
	defer one.stop()
	other, err := start(ctx, second, b.database)
	if err != nil {
		return r, err
	}
	defer other.stop()
	if err := compare(q, b.sample, one, other); err != nil {
		return r, err
	}
	least, most, err := statements(ctx, b.app, q, b.sample, one.token)
	if err != nil {
		return r, err
	}
	r.statements = span(least, most)
	conn, err := pgx.Connect(ctx, b.database)
	if err != nil {
		return r, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for i := range b.rounds + 1 { // the first one warms up
		for _, s := range []struct {
			*server
			*side
		}{{one, &r.upline}, {other, &r.hand}} {
			if i == 0 {
				*s.side = side{}
			}
			if err := b.round(ctx, conn, s.server, q, s.side, i); err != nil {
				return r, err
			}
			if i == 0 {
				*s.side = side{}
			}
		}
	}
	for _, s := range []*side{&r.upline, &r.hand} {
		slices.Sort(s.times)
	}
	return r, nil
}

// round drives a server for one round and adds what it showed.
func (b *bench) round(ctx context.Context, conn *pgx.Conn, s *server, q question, to *side, n int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e, err := newEnvelope(s, q)
	if err != nil {
		return err
	}
	before, pgBefore, err := spent(ctx, conn, s)
	if err != nil {
		return err
	}
	profiled := make(chan error, 1)
	if b.profile != "" && s.contestant != hand && n == b.rounds {
		go func() { profiled <- b.saveProfiles(s, q) }()
	} else {
		profiled <- nil
	}
	shown, err := drive(e, b.sample, b.connections, b.length, uint64(n))
	if err != nil {
		return err
	}
	if err := <-profiled; err != nil {
		return err
	}
	after, pgAfter, err := spent(ctx, conn, s)
	to.perSecond = append(to.perSecond, shown.perSecond())
	to.requests += shown.requests
	to.times = append(to.times, shown.times...)
	to.cpu += after.CPU - before.CPU
	to.pgCPU += pgAfter - pgBefore
	to.peak = after.Peak
	return err
}

func spent(ctx context.Context, conn *pgx.Conn, s *server) (usage, time.Duration, error) {
	u, err := s.usage(ctx)
	if err != nil {
		return u, 0, err
	}
	pg, err := backends(ctx, conn, s.contestant)
	return u, pg, err
}

// saveProfiles keeps a CPU profile of a round, and what was allocated until its end.
func (b *bench) saveProfiles(s *server, q question) error {
	seconds := strconv.Itoa(max(1, int(b.length.Seconds())))
	return errors.Join(b.saveProfile(s, "profile?seconds="+seconds, q.name+".pprof"), b.saveProfile(s, "allocs", q.name+".allocs.pprof"))
}

func (b *bench) saveProfile(s *server, which, name string) error {
	response, err := http.Get("http://" + s.address + "/debug/pprof/" + which)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	f, err := os.Create(filepath.Join(b.profile, name))
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, response.Body); err != nil {
		return err
	}
	return f.Close()
}
