package ledger_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var ledgerKills = flag.Int("ledger", 0, "how many servers and other parts a ledger kills at least, on each database and topology: 300 at most, as many as there are in a few rounds if none are given")

// manyRounds are those of a database, fewRounds those of a topology.
const manyRounds, fewRounds = 8, 3

// Nothing is lost and nothing is made up, whenever the server is killed: in the
// end every event of a change that was acknowledged was answered with 2xx by
// every active subscription that names it, the numbers have no gap, and no event
// of a change that was refused, only tried, or rolled back as the server was killed
// arrived. Changes come in through both doors, of one server or two; deliveries are
// sent again, replayed, paused and signed with new secrets meanwhile; the receivers
// fail, hang, redirect and hang up at random; and PostgreSQL is stopped and started.
func TestLedger(t *testing.T) {
	t.Parallel() // it waits
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		url := dbtest.SQLiteURL(t)
		(&ledger{t: t, site: site{url: url, direct: url}, rounds: manyRounds, kills: *ledgerKills}).run()
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		cluster := dbtest.NewCluster(t)
		(&ledger{t: t, site: site{url: cluster.URL(), direct: cluster.URL(), parts: []part{cluster}}, rounds: manyRounds, kills: *ledgerKills}).run()
	})
}

func (l *ledger) run() {
	l.acknowledged, l.undone, l.fired, l.meddled = map[string][]string{}, map[string]bool{}, map[string]int{}, map[string]int{}
	l.sentAgain, l.replays, l.again = map[string]map[int]int{}, map[string][]span{}, map[string]int{}
	l.prepare()
	for l.started < l.rounds || l.killed < l.kills || l.isThin() && l.started < 5*l.rounds || l.until != nil && !isClosed(l.until) {
		l.round()
	}
	l.settle()
	l.verify()
}

// isThin reports whether too little happened for a ledger to tell anything: a busy machine
// takes more rounds.
func (l *ledger) isThin() bool { return len(l.acknowledged) < 20 || len(l.undone) < 5 }

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// ledger is what was acknowledged, and what arrived.
type ledger struct {
	t *testing.T
	site
	// servers are those that were started, by their number; outages the times when the
	// database, or what leads to it, was away.
	servers []*child
	outages []span
	// until is closed when what goes on meanwhile is over; rounds go on until then. It is
	// nil mostly.
	until     <-chan struct{}
	token     string
	endpoints []*endpoint
	// rounds and kills are how many there are at least, started the rounds that began, killed
	// the servers and parts that were.
	rounds, kills, started, killed int
	// tried is how much was tried of meddling.
	tried atomic.Int64
	// fired counts the servers that killed themselves at each point.
	fired map[string]int

	mu sync.Mutex
	// acknowledged holds the types of events that each change must have raised,
	// by the trace of its request; undone are the requests that changed nothing.
	acknowledged map[string][]string
	undone       map[string]bool
	// meddled counts what was done to subscriptions, by its name.
	meddled map[string]int
	// sentAgain counts how often a number was asked for again, of the subscription with an
	// id; replays are the times from which events were.
	sentAgain map[string]map[int]int
	replays   map[string][]span
	// again counts what came again, by the reason.
	again map[string]int
}

// crew is how many agents are changed over and over.
const crew = 12

func (l *ledger) open() *store.Store {
	l.t.Helper()
	s, err := store.Open(l.t.Context(), l.direct)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

// prepare adds agents, and the subscriptions.
func (l *ledger) prepare() {
	l.t.Helper()
	s := l.open()
	defer s.Close()
	w := apptest.New(l.t, s, apptest.Options{Now: clock.System{}.Now(), Development: true})
	c := w.As(apptest.Acme, allScopes...)
	l.token = c.Token(l.t) // tokens outlive the process: the keys are stored
	for i := range crew {
		if status, _, body := c.REST(l.t, "POST", "/agents", apptest.Registration(fmt.Sprintf("C%d", i), "")); status != 201 {
			l.t.Fatalf("%d %s", status, body)
		}
	}
	l.endpoints = []*endpoint{
		newEndpoint(l.t, nil, "Platform.AgencyManagement.Events.*"),
		newEndpoint(l.t, fails, "AgentUpdated"),
		newEndpoint(l.t, fails, "AgentUpdated", "AgentAliasCreated"),
		newEndpoint(l.t, strange, "AgentCreated", "AgentUpdated", "AgentAliasCreated"),
		newEndpoint(l.t, nil, "Platform.AgencyManagement.Events.*"),
	}
	l.endpoints[2].isOrdered = true
	l.endpoints[4].isInactive = true
	for _, e := range l.endpoints {
		data := c.Query(l.t, `mutation($input: WebhookSubscriptionCreateInput!) { result: webhookSubscriptionCreate(input: $input) { webhookSubscription { id } } }`,
			object{"input": object{"url": e.URL, "events": e.types, "isOrdered": e.isOrdered, "maxRetries": 100, "retryDelayMinutes": 0}})
		e.id, _ = apptest.At(data, "result.webhookSubscription.id").(string)
		if e.isInactive {
			c.Query(l.t, `mutation($id: ID!) { webhookSubscriptionUpdate(input: {id: $id, isActive: false}) { applied } }`, object{"id": e.id})
		}
	}
}

// points are where a server kills itself: never, after a commit, after a request
// left, and before its row is written.
var points = []string{"", "before the fan-out", "the request left", "before the row"}

// start starts a server. Its clock is so much ahead of the last one's that the
// leases of that one are over.
func (l *ledger) start(point string) *child {
	l.t.Helper()
	l.started++
	return l.startWithin(point)
}

// ahead is how much the clock of the last server is fast.
func (l *ledger) ahead() time.Duration { return time.Duration(l.started) * 10 * time.Second }

// startWithin starts a server of this round: all of them have the same clock.
func (l *ledger) startWithin(point string) *child {
	l.t.Helper()
	c := startChild(l.t, l.url, childPoint+"="+point, childAhead+"="+l.ahead().String(), childRead+"="+l.read, childNumber+"="+strconv.Itoa(len(l.servers)))
	l.servers = append(l.servers, c)
	return c
}

// fireWithin is how long a server may take to come to its point.
const fireWithin = 30 * time.Second

// round starts a server, in every third round with another beside it, lets writers
// write, and kills it: at any moment, or at one of the points.
func (l *ledger) round() {
	l.t.Helper()
	point := points[l.started%len(points)]
	server := l.start(fmt.Sprintf("%s %d", point, 5+rand.IntN(40)))
	defer func() {
		server.kill()
		l.killed++
		if server.passed(point) {
			l.fired[point]++
		}
	}()
	if server.url == "" { // it came to its point before it could say where it listens
		return
	}
	others := l.beside
	if others == 0 && l.started%3 == 0 {
		others = 1
	}
	for n := range others {
		other := l.startWithin("")
		ended := l.busy(other.url, fmt.Sprintf("other%d", n))
		defer func() {
			other.kill()
			l.killed++
			<-ended
		}()
	}
	gone := l.busy(server.url, "L")
	if point == "" {
		for _, p := range l.parts {
			time.Sleep(400 * time.Millisecond)
			away := span{from: time.Now()}
			p.Kill()
			l.killed++
			time.Sleep(200 * time.Millisecond)
			p.Start(l.t)
			away.through = time.Now()
			if l.read == "" { // deliveries do not ask the replica
				l.outages = append(l.outages, away)
			}
		}
	}
	within := fireWithin
	if point == "" {
		within = time.Duration(400+rand.IntN(800)) * time.Millisecond
	}
	select {
	case <-gone:
	case <-time.After(within):
	}
	server.kill()
	<-gone
}

// busy has writers write to a server, and somebody meddle with the subscriptions,
// until it is gone; then the channel is closed.
func (l *ledger) busy(url, name string) <-chan struct{} {
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() { l.write(url, fmt.Sprintf("%s%d-%d", name, l.started, i)) })
	}
	all.Go(func() { l.meddle(url) })
	gone := make(chan struct{})
	go func() {
		all.Wait()
		close(gone)
	}()
	return gone
}

// settle has a last server do what nobody came to do to subscriptions, and deliver what
// is left, what a pause left out, too; then it kills it.
func (l *ledger) settle() {
	l.t.Helper()
	for n := range 5 {
		server := l.start("")
		if n == 0 {
			l.meddleWithTheRest(server.url)
			l.resume(server.url)
		}
		s := l.open() // after the server, which finds the files as the last one left them
		l.awaitNothingLeft(s)
		server.kill()
		left := l.left(s)
		s.Close()
		if left == 0 {
			return
		}
	}
	l.t.Fatal("there is always something left")
}

func (l *ledger) awaitNothingLeft(s *store.Store) {
	l.t.Helper()
	for range 600 {
		if l.left(s) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	l.t.Fatalf("%d are left to be delivered", l.left(s))
}
